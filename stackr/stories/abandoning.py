"""The story of ``stackr abandon``: observe, find what is meant, close it on GitHub, take the commit out if asked.

What is done, and in which order, is decided in ``stackr.core.abandoning``; the local commit is ``core.editing``'s.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from stackr.core import abandoning, conflicts, editing
from stackr.core.abandoning import Doomed
from stackr.core.guards import refuse_duplicate_ids, refuse_shape
from stackr.core.model import Head, Stack
from stackr.core.naming import pull_number
from stackr.core.options import SubmitOptions
from stackr.core.ownership import BRANCHES, HEADS
from stackr.core.plan import Plan
from stackr.core.ports import ReadRequest
from stackr.core.status import outdated, report
from stackr.core.submit import plan_submit
from stackr.errors import UsageError
from stackr.execute import execute
from stackr.observe import observe
from stackr.records import dataclass
from stackr.ui import show

if TYPE_CHECKING:
    from stackr.app import App


@dataclass(frozen=True, slots=True)
class Way:
    """How to give it up: with the local commit (``drop``), not at all (``dry_run``), and what to print."""

    drop: bool = False
    dry_run: bool = False
    as_json: bool = False


def run(app: App, text: str, way: Way) -> None:
    """Abandon what ``text`` names; to be called with the lock held, unless it is a dry run."""
    user = app.user(remember=not way.dry_run)
    app.ui.step("reading the stack")
    observed = observe(app.repo, app.forge, app.wanted(user, writes=True, details=way.as_json))
    stack = observed.stack
    if stack.changes:
        refuse_shape(stack)
        refuse_duplicate_ids(stack)
    stack, doomed = _find(app, stack, text)
    app.refuse_without_write_access(observed.facts)
    # The commits of a dry run tell where everything would go; nobody needs them afterwards.
    with app.repo.rehearsal() if way.dry_run else nullcontext():
        _abandon(app, stack, doomed, way)


def _find(app: App, stack: Stack, text: str) -> tuple[Stack, Doomed]:
    """A change of the stack, or a pull request that left it earlier and is still ours; the stack with its guests."""
    number = pull_number(text)
    mine = {change.pull.number: change for change in stack.changes if change.pull}
    if number is None or number in mine:
        return stack, abandoning.doomed_change(mine[number] if number else app.find_change(stack, text), stack)
    pull = app.forge.read(ReadRequest(numbers=(number,))).by_number.get(number)
    if pull is None or BRANCHES + pull.head_ref not in stack.own_refs:
        raise UsageError(
            f"#{number} is neither in this stack nor was it ever submitted from here",
            next_step="stackr status shows the stack, and what has left it",
        )
    facts = app.forge.read(ReadRequest((pull.head_ref,), targeting=True))
    record = stack.own_refs[BRANCHES + pull.head_ref]
    ids = [ref.removeprefix(HEADS) for ref, oid in stack.own_refs.items() if ref.startswith(HEADS) and oid == record]
    seen = {guest.number for guest in abandoning.known_pulls(stack)}
    guests = tuple(guest for guest in facts.targeting if guest.number not in seen)
    stack = replace(stack, relatives=(*stack.relatives, *guests))
    return stack, abandoning.doomed_outsider(pull, ids[0] if ids else "", facts.branches[pull.head_ref], stack)


def _abandon(app: App, stack: Stack, doomed: Doomed, way: Way) -> None:
    plan = abandoning.plan_abandon(stack, doomed)
    after = abandoning.closed(stack, doomed)
    if way.drop and doomed.change is not None:
        edited, after = _drop(app, after, stack.position(doomed.id))
        plan = replace(plan, actions=(*plan.actions, *edited.actions), notes=(*plan.notes, *edited.notes))
    elif doomed.change is not None:
        note = f'"{doomed.change.title}" is still in your stack; stackr drop takes it out'
        plan = replace(plan, notes=(*plan.notes, note))
    left = outdated(plan_submit(after, SubmitOptions(style=app.config.style))) if after.changes else set()
    shown = report("abandon", after, left, plan.notes)
    if way.dry_run:
        app.refuse_loss(plan)
        show.plan(app.ui, plan, stack, shown, as_json=way.as_json)
        return
    outcome = execute(plan, stack, app.repo, app.forge, app.ui)
    app.remember_pulls(abandoning.closed(stack, doomed))
    show.outcome(app.ui, outcome.done, shown, outcome.oids, as_json=way.as_json)


def _drop(app: App, stack: Stack, index: int) -> tuple[Plan, Stack]:
    """The plan that takes the commit out, and the stack that leaves."""
    edit = editing.drop(stack, index)
    replayed = app.repo.replay(edit.picks, editing.base_of(stack))
    if replayed.conflict is not None:
        raise conflicts.within(stack, replayed.conflict, f'dropping "{stack.changes[index].title}"')
    commits = app.repo.read_commits(replayed.oids.values())
    kept = [change for change in stack.changes if change.commit.oid in replayed.oids]
    changes = tuple(replace(change, commit=commits[replayed.oids[change.commit.oid]]) for change in kept)
    head = Head(stack.head.branch, changes[-1].commit.oid if changes else editing.base_of(stack), stack.head.top)
    return editing.plan_edit("abandon", stack, edit, replayed), replace(stack, changes=changes, head=head)
