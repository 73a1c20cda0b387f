"""``stackr sync``: rebase the stack in memory, drop what landed, refresh the pull requests."""

from __future__ import annotations

from collections.abc import Mapping

import click

from stackr import options
from stackr.app import App
from stackr.core import conflicts, fates, sync, taking
from stackr.core.fates import Fate
from stackr.core.guards import refuse_commits, refuse_duplicate_ids, refuse_long_bodies, refuse_shape
from stackr.core.model import Stack
from stackr.core.options import SubmitOptions
from stackr.core.pulls import body_lengths
from stackr.core.replaying import ReplayConflict, Replayed
from stackr.core.status import outdated, report
from stackr.core.submit import plan_submit
from stackr.errors import Conflict
from stackr.execute import execute
from stackr.observe import observe
from stackr.ui import show


@click.command()
@click.option("--resolve", is_flag=True, help="At a conflict, start git rebase in the work tree.")
@click.option("--no-push", is_flag=True, help="Bring only the local branches up to date.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, /, resolve: bool, no_push: bool, dry_run: bool, as_json: bool) -> None:
    """Rebase the stack onto trunk, drop what landed, and refresh the pull requests.

    Works in memory: only files that differ are touched, and a conflict moves nothing. What others pushed to your
    branches is taken into your commits.
    """
    app = App(context)
    with app.lock("sync", needed=not dry_run):
        _sync(app, push=not no_push, dry_run=dry_run, as_json=as_json)


def _sync(app: App, *, push: bool, dry_run: bool, as_json: bool) -> None:
    user = app.user(remember=not dry_run)
    app.ui.step("fetching trunk and reading the stack")
    observed = observe(app.repo, app.forge, app.wanted(user, writes=True, sync=True))
    stack = observed.stack
    if stack.changes:
        refuse_shape(stack)
    refuse_duplicate_ids(stack)
    if push:
        app.refuse_without_write_access(observed.facts)
    found = fates.fates(stack)
    synced, replayed = _rebase(app, stack, found)
    choices = SubmitOptions(style=app.config.style)
    active = range(len(sync.refreshed(synced)))
    if push:
        refuse_commits(synced, active)
        refuse_long_bodies(body_lengths(synced, active, choices))
    plan = sync.plan_sync(stack, synced, found, replayed, choices, push=push)
    left = outdated(plan_submit(synced, choices)) if synced.changes else set()
    notes = (*fates.describe(stack, found), *plan.notes)
    if dry_run:
        show.plan(app.ui, plan, synced, report("sync", synced, left, notes), as_json=as_json)
        return
    outcome = execute(plan, synced, app.repo, app.forge, app.ui)
    done = {synced.changes[index].id for index in active} if push else set()
    show.outcome(app.ui, plan, report("sync", outcome.stack, left - done, notes), outcome.oids, as_json=as_json)


def _rebase(app: App, stack: Stack, found: Mapping[str, Fate]) -> tuple[Stack, Replayed]:
    """The stack on trunk's tip, in memory; raises ``Conflict``, and then nothing has moved."""
    if sync.is_settled(stack, found):
        replayed = sync.unmoved(stack)
        return sync.after(stack, found, (), replayed), replayed
    app.ui.step(f"rebasing {len(stack.changes)} commits")
    picks = sync.plan_picks(stack, found, _take_in(app, stack, found))
    replayed = app.repo.replay(picks, stack.trunk.oid)
    if replayed.conflict is not None:
        raise _conflict(app, stack, replayed.conflict)
    return sync.after(stack, found, picks, replayed), replayed


def _take_in(app: App, stack: Stack, found: Mapping[str, Fate]) -> dict[str, str]:
    """Trees with what others pushed merged in, by change id."""
    merged = {}
    for merge in taking.foreign_merges(stack, found):
        outcome = app.repo.merge_trees(merge.base, merge.ours, merge.theirs)
        if outcome.tree is None:
            raise conflicts.with_others(stack, stack.changes[stack.position(merge.change_id)], outcome.paths)
        merged[merge.change_id] = outcome.tree
        below = app.repo.merge_trees(*merge.below).tree if merge.below else None
        if below is not None:
            merged[taking.below_label(merge.change_id)] = below
    return merged


def _conflict(app: App, stack: Stack, conflict: ReplayConflict) -> Conflict:
    change = next(change for change in stack.changes if change.commit.oid == conflict.label)
    point = stack.changes[0].commit.parents[0]
    commits = app.repo.list_touching(conflict.paths, stack.trunk.oid, point)
    return conflicts.with_trunk(stack, change, conflict.paths, commits)
