"""The story of ``stackr adopt``: whose commits these are, the stack as stackr has it, then a submit or a sync of it.

A stack of which something has landed, or was pushed to by others, is synced on the way: that drops and takes in just
what a sync would. Decisions are in ``stackr.core.adopt``.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from stackr.core import adopt, ghstack
from stackr.core.fates import Fate, fates
from stackr.core.guards import refuse_duplicate_ids, refuse_shape, refuse_submit
from stackr.core.model import Stack
from stackr.core.options import SubmitOptions
from stackr.core.plan import Plan, RefMove
from stackr.core.ports import ReadRequest, Repo
from stackr.core.status import outdated, report
from stackr.core.submit import plan_submit
from stackr.errors import Refused
from stackr.execute import execute
from stackr.observe import observe
from stackr.observe.claims import read_claims
from stackr.observe.one import find_pull
from stackr.observe.relations import foreign_commits
from stackr.records import dataclass
from stackr.stories import syncing
from stackr.stories.seeking import seek
from stackr.ui import show

if TYPE_CHECKING:
    from stackr.app import App
    from stackr.core.sought import Sought


@dataclass(frozen=True, slots=True)
class Way:
    """How to take over: also what is not yours (``others``), and what nobody needs then is removed (``cleanup``)."""

    cleanup: bool = False
    others: bool = False
    dry_run: bool = False
    as_json: bool = False


def run(app: App, pull: str | None, way: Way) -> None:
    """Take over the stack at HEAD, which ``pull`` must be in; to be called with the lock held, unless for a dry run."""
    sought = seek(app, pull) if pull is not None else None
    stack = _observe(app, way)
    if sought is not None and sought.number is not None:
        _refuse_elsewhere(app, stack, sought)
    adopt.refuse_unclear(stack)
    last = adopt.top(stack)
    if not way.others:
        adopt.refuse_others(stack, app.login(remember=not way.dry_run))
    stack, records = taken_over(app.repo, stack)
    found = fates(stack)
    adopt.refuse_adoption(stack, found)
    options = replace(syncing.choices(app), taken_over=True, upto=stack.changes[last].commit.oid)
    # What a dry run writes is gone when it has told.
    with app.repo.rehearsal() if way.dry_run else nullcontext():
        rest, after = _rest(app, stack, found, options)
        plan = adopt.plan_adopt(records, rest, *_leftovers(app, stack, rest, way))
        _carry_out(app, plan, after, way)


def _observe(app: App, way: Way) -> Stack:
    """The stack with the pull requests that the other tool made of it; two requests."""
    app.ui.step("reading the stack")
    wanted = app.wanted(app.user(remember=not way.dry_run), writes=True, sync=True, details=way.as_json)
    claims = read_claims(app.repo, app.forge, wanted)
    observed = observe(app.repo, app.forge, replace(wanted, claims=claims))
    for warning in observed.warnings:
        app.ui.warn(warning)
    if observed.stack.changes:
        refuse_shape(observed.stack)
    refuse_duplicate_ids(observed.stack)
    app.refuse_without_write_access(observed.facts)
    return observed.stack


def _refuse_elsewhere(app: App, stack: Stack, sought: Sought) -> None:
    """A pull request that no commit here is: its commits have to be checked out first."""
    if any(change.pull and change.pull.number == sought.number for change in stack.changes):
        return
    pull, _ = find_pull(app.forge, sought)
    orig = ghstack.orig_of(pull.head_ref)
    raise Refused(
        f'#{pull.number} is in no commit between "{stack.trunk.name}" and HEAD',
        next_step=f"git fetch {app.remote} {orig} && git switch -c NAME FETCH_HEAD brings its stack here; "
        "then stackr adopt"
        if orig
        else f"stackr checkout {pull.number} brings its stack here",
    )


def taken_over(repo: Repo, stack: Stack) -> tuple[Stack, tuple[RefMove, ...]]:
    """The stack with what this clone must know of its heads, and what others pushed to them; and the new records."""
    heads = [change.remote_head for change in stack.changes if change.remote_head]
    commits = repo.read_commits(oid for head in heads for oid in adopt.first_parents(stack, head))
    stack, records = adopt.taken_over(
        stack, {change.id: adopt.own_head(change, stack, commits) for change in stack.changes}
    )
    trees = {oid: commit.tree for oid, commit in commits.items()}
    stack = replace(stack, trees={**trees, **stack.trees})
    return replace(stack, foreign=foreign_commits(repo, stack)), records


def _rest(app: App, stack: Stack, found: Mapping[str, Fate], options: SubmitOptions) -> tuple[Plan, Stack]:
    """What a submit does with the stack, or a sync where something landed or was pushed by others; and the outcome."""
    if all(fate is Fate.ALIVE for fate in found.values()):
        refuse_submit(stack, options)
        return plan_submit(stack, options), stack
    rebased = syncing.rebase(app, stack)
    if rebased.conflict is not None:
        rebased.conflict.next_step = _way_out(stack, is_with_others=bool(rebased.merged.clashes))
        raise rebased.conflict
    return syncing.prepare(app, stack, rebased, push=True, options=options)


def _way_out(stack: Stack, *, is_with_others: bool) -> str:
    """What helps against a conflict as long as the stack is not ours."""
    if is_with_others:
        return "amend the commit with what you want of theirs, ghstack submit --force, and then stackr adopt"
    return f"git rebase {stack.remote}/{stack.trunk.name}, and then stackr adopt"


def _leftovers(app: App, stack: Stack, rest: Plan, way: Way) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    names = adopt.leftover_names(stack) if way.cleanup else ()
    if not names:
        return (), ()
    app.ui.step("looking at what is left over")
    facts = app.forge.read(ReadRequest(names, stack.trunk.name, targeting=True))
    return adopt.leftovers(stack, rest, facts.branches, [(pull.number, pull.base_ref) for pull in facts.targeting])


def _carry_out(app: App, plan: Plan, after: Stack, way: Way) -> None:
    if way.dry_run:
        app.refuse_loss(plan)
        show.plan(app.ui, plan, after, report("adopt", after, outdated(plan), plan.notes), as_json=way.as_json)
        return
    outcome = execute(plan, after, app.repo, app.forge, app.ui)
    app.remember_pulls(outcome.stack)
    shown = report("adopt", outcome.stack, (), plan.notes)
    show.outcome(app.ui, outcome.done, shown, outcome.oids, as_json=way.as_json)
