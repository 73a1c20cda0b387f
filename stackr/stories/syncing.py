"""The story of a sync: observe, see what became of every change, rebase in memory, move, refresh, clean up.

Used by ``stackr sync``, and by what has to sync at its end (``stackr continue``, ``stackr land``). Decisions are in
``stackr.core.sync`` and its neighbours; a conflict that is resolved in the work tree is ``stackr.resolve``'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from stackr import resolve
from stackr.core import conflicts, fates, sync, taking
from stackr.core.fates import Fate
from stackr.core.guards import refuse_commits, refuse_duplicate_ids, refuse_long_bodies, refuse_shape
from stackr.core.model import Stack
from stackr.core.options import SubmitOptions
from stackr.core.plan import MoveRefs
from stackr.core.pulls import body_lengths
from stackr.core.replaying import Pick, ReplayConflict, Replayed
from stackr.core.resolving import plan_resolution, plan_script
from stackr.core.status import outdated, report
from stackr.core.submit import plan_submit
from stackr.core.taking import TreeMerge
from stackr.core.words import counted
from stackr.errors import Conflict
from stackr.execute import execute
from stackr.observe import observe
from stackr.records import dataclass
from stackr.ui import show

if TYPE_CHECKING:
    from stackr.app import App
    from stackr.core.plan import Plan
    from stackr.observe import Observed


@dataclass(frozen=True, slots=True)
class Way:
    """How to sync. ``push``: refresh the pull requests too; ``resolve``: at a conflict, rebase in the work tree."""

    push: bool = True
    resolve: bool = False
    dry_run: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class _Merged:
    """Others' work merged into ours: trees by name (``sync.plan_picks``), and what does not merge, with its files."""

    trees: Mapping[str, str]
    clashes: tuple[tuple[TreeMerge, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Rebased:
    """A stack that was rebased in memory: what became of its changes, what was picked and merged, and the outcome.

    With a ``conflict`` nothing was written.
    """

    found: Mapping[str, Fate]
    picks: tuple[Pick, ...]
    merged: _Merged
    replayed: Replayed
    conflict: Conflict | None = None


def run(app: App, way: Way) -> None:
    """Sync, and show what was done; to be called with the repository's lock held, unless it is a dry run."""
    observed = _observe(app, way)
    # The commits of a dry run tell where everything would go; nobody needs them afterwards.
    with app.repo.rehearsal() if way.dry_run else nullcontext():
        _sync(app, observed.stack, way)


def _sync(app: App, stack: Stack, way: Way) -> None:
    rebased = rebase(app, stack)
    if rebased.conflict is not None:
        _resolve(app, stack, rebased, rebased.conflict, way)
        return
    plan, synced = prepare(app, stack, rebased, push=way.push)
    left = outdated(plan_submit(synced, choices(app))) if synced.changes else set()
    if way.dry_run:
        app.refuse_loss(plan)
        show.plan(app.ui, plan, synced, report(app.invocation.command, synced, left, plan.notes), as_json=way.as_json)
        return
    outcome = execute(plan, synced, app.repo, app.forge, app.ui)
    app.remember_pulls(outcome.stack)
    _warn_of_old_holders(app, stack, rebased.found, sync.new_tips(stack, rebased.replayed))
    is_refreshed = any(not isinstance(action, MoveRefs) for action in plan.actions)
    done = {change.id for change in sync.refreshed(synced)} if is_refreshed else set()
    shown = report(app.invocation.command, outcome.stack, left - done, plan.notes)
    show.outcome(app.ui, outcome.done, shown, outcome.oids, as_json=way.as_json)


def rebase(app: App, stack: Stack) -> Rebased:
    """The stack on trunk's tip, in memory; or the conflict in the way, and then nothing has moved."""
    found = fates.fates(stack)
    merged = _take_in(app, stack, found)
    picks = sync.plan_picks(stack, found, merged.trees)
    conflict, replayed = _rebase(app, stack, found, picks, merged)
    return Rebased(found, picks, merged, replayed, conflict)


def prepare(
    app: App,
    stack: Stack,
    rebased: Rebased,
    *,
    push: bool,
    keep: Callable[[Stack], Stack] | None = None,
    options: SubmitOptions | None = None,
) -> tuple[Plan, Stack]:
    """What a sync will do, and the stack as it will be; ``keep`` may record heads that are to stay as they are.

    ``options`` says how pull requests are refreshed, if not as usual.
    """
    synced = sync.after(stack, rebased.found, rebased.picks, rebased.replayed)
    synced = keep(synced) if keep is not None else synced
    options = options or choices(app)
    if push:
        active = range(len(sync.refreshed(synced)))
        refuse_commits(synced, active)
        refuse_long_bodies(body_lengths(synced, active, options))
    return sync.plan_sync(stack, synced, rebased.found, rebased.replayed, options, push=push), synced


def choices(app: App) -> SubmitOptions:
    """How pull requests are refreshed where nobody said anything special."""
    return SubmitOptions(style=app.config.style)


def _observe(app: App, way: Way) -> Observed:
    user = app.user(remember=not way.dry_run)
    app.ui.step("fetching trunk and reading the stack")
    observed = observe(app.repo, app.forge, app.wanted(user, writes=True, sync=True, details=way.as_json))
    for warning in observed.warnings:
        app.ui.warn(warning)
    if observed.stack.changes:
        refuse_shape(observed.stack)
    refuse_duplicate_ids(observed.stack)
    if way.push:
        app.refuse_without_write_access(observed.facts, "stackr sync --no-push brings it up to date just here")
    return observed


def _take_in(app: App, stack: Stack, found: Mapping[str, Fate]) -> _Merged:
    """Merge what others pushed, in memory."""
    trees: dict[str, str] = {}
    clashes = []
    for merge in taking.foreign_merges(stack, found):
        outcome = app.repo.merge_trees(merge.base, merge.ours, merge.theirs)
        if outcome.tree is None:
            clashes.append((merge, outcome.paths))
            continue
        trees[merge.change_id] = outcome.tree
        below = app.repo.merge_trees(*merge.below).tree if merge.below else None
        if below is not None:
            trees[taking.below_label(merge.change_id)] = below
    return _Merged(trees, tuple(clashes))


def _rebase(
    app: App, stack: Stack, found: Mapping[str, Fate], picks: tuple[Pick, ...], merged: _Merged
) -> tuple[Conflict | None, Replayed]:
    """The stack on trunk's tip, in memory; or the conflict in the way, and then nothing has moved."""
    if sync.is_settled(stack, found):
        return None, sync.unmoved(stack)
    for merge, paths in merged.clashes:
        return conflicts.with_others(stack, stack.changes[stack.position(merge.change_id)], paths), Replayed()
    app.ui.step(f"rebasing {counted(len(stack.changes), 'commit')}")
    replayed = app.repo.replay(picks, stack.trunk.oid)
    return (_conflict(app, stack, replayed.conflict) if replayed.conflict else None), replayed


def _conflict(app: App, stack: Stack, conflict: ReplayConflict) -> Conflict:
    change = next(change for change in stack.changes if change.commit.oid == conflict.label)
    point = stack.changes[0].commit.parents[0]
    commits = app.repo.list_touching(conflict.paths, stack.trunk.oid, point)
    return conflicts.with_trunk(stack, change, conflict.paths, commits)


def _resolve(app: App, stack: Stack, rebased: Rebased, conflict: Conflict, way: Way) -> None:
    """Rebase in the work tree if that is wanted, and sync again when it is through; else raise the conflict."""
    if stack.head.top is not None:
        # A rebase of git's would end with HEAD wherever its list does.
        conflict.next_step = "stackr top, then stackr sync --resolve"
        raise conflict
    if way.dry_run or not (way.resolve or _is_wanted(app, conflict)):
        raise conflict
    app.ui.note(conflict.message)
    script = plan_script(stack, rebased.picks, [merge for merge, _ in rebased.merged.clashes])
    resolve.start(app.repo, plan_resolution(stack, rebased.found, push=way.push), script, stack.trunk.oid)
    run(app, way)


def _is_wanted(app: App, conflict: Conflict) -> bool:
    """Ask, where somebody can answer."""
    if not app.invocation.interactive:
        return False
    app.ui.note(conflict.message)
    return click.confirm("Resolve it now, with git rebase in this work tree?", default=True, err=True)


def _warn_of_old_holders(app: App, stack: Stack, found: Mapping[str, Fate], tips: Mapping[str, str]) -> None:
    """Name branches that share changes with this stack and did not move along, the highest shared change each."""
    seen: set[str] = set()
    for change in reversed(stack.changes):
        if found[change.id] is Fate.TAKEN_IN:
            branches = [ref for ref in app.repo.list_branches_with(change.commit.oid) if ref not in seen]
            for warning in taking.old_holders(stack, change, tips[change.commit.oid], branches):
                app.ui.warn(warning)
            seen.update(branches)
