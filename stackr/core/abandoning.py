"""Stack -> Plan for ``stackr abandon``: one pull request is closed and its branch removed, nothing else is lost; pure.

Retarget first, delete last: GitHub closes whatever targets a branch that is deleted. The local commit is taken out by
``core.editing``, and only if that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stackr.core import linking
from stackr.core.model import Change, PullRequest, PullState, Stack
from stackr.core.ownership import BRANCHES, TAKEN, Ownership, ownership, records_of
from stackr.core.plan import Action, ClosePull, DeleteRefs, MoveRefs, Plan, RefMove, UpdatePull
from stackr.core.pulls import plan_lists
from stackr.errors import Refused
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Doomed:
    """What is given up: a pull request with its branch, and the change of the stack that it is, if it is one.

    ``remote_head`` is the tip of the branch (``None``: it is gone); ``is_ours`` whether this clone knows all of it.
    """

    id: str
    pull: PullRequest
    remote_head: str | None
    is_ours: bool
    change: Change | None = None


def doomed_change(change: Change, stack: Stack) -> Doomed:
    """A change of the stack. Raises ``Refused`` for one that is not on GitHub, or not the user's to give up."""
    pull = change.pull
    if pull is None:
        raise Refused(
            f'"{change.title}" has no pull request', next_step="stackr drop takes the commit out of the stack"
        )
    is_ours = ownership(change, stack) is not Ownership.FOREIGN
    return _checked(Doomed(change.id, pull, change.remote_head, is_ours, change), stack)


def doomed_outsider(pull: PullRequest, change_id: str, remote_head: str | None, stack: Stack) -> Doomed:
    """A pull request that left the stack earlier; its branch is ours if it is where this clone left it."""
    is_ours = stack.own_refs.get(BRANCHES + pull.head_ref) == remote_head
    return _checked(Doomed(change_id, pull, remote_head, is_ours), stack)


def _checked(doomed: Doomed, stack: Stack) -> Doomed:
    pull = doomed.pull
    if pull.state is PullState.MERGED:
        raise Refused(
            f'#{pull.number} "{pull.title}" is merged into "{pull.base_ref}"',
            next_step="stackr sync drops what has landed",
        )
    if TAKEN + doomed.id in stack.own_refs:
        raise Refused(
            f'#{pull.number} "{pull.title}" is a change of {pull.author}', next_step=f"close it on its page: {pull.url}"
        )
    return doomed


def plan_abandon(stack: Stack, doomed: Doomed) -> Plan:
    """Everything but the local commit. What is done already is left out, so a second run finishes a first."""
    rest = without(stack, doomed)
    updates = tuple(_updates(rest, doomed))
    moved = [change for change in stack.changes if change is doomed.change or _targets(change.pull, doomed)]
    actions: list[Action] = [*linking.plan_leaving(stack, moved), *updates]
    if doomed.pull.state is PullState.OPEN:
        actions.append(ClosePull(doomed.id, doomed.pull.number, doomed.pull.node_id))
    if doomed.remote_head is not None and doomed.is_ours:
        actions.append(DeleteRefs(((f"refs/heads/{doomed.pull.head_ref}", doomed.remote_head),)))
    actions += _forget(stack, doomed)
    return Plan("abandon", tuple(actions), tuple(_notes(doomed)))


def without(stack: Stack, doomed: Doomed) -> Stack:
    """The stack without the change, for the lists and for the report of a drop."""
    return replace(stack, changes=tuple(change for change in stack.changes if change is not doomed.change))


def known_pulls(stack: Stack) -> tuple[PullRequest, ...]:
    """Every pull request that the stack knows of."""
    mine = [change.pull for change in stack.changes if change.pull]
    return (*mine, *(orphan.pull for orphan in stack.orphans), *stack.relatives)


def _targets(pull: PullRequest | None, doomed: Doomed) -> bool:
    is_open = pull is not None and pull.state is PullState.OPEN
    return pull is not None and is_open and pull.base_ref == doomed.pull.head_ref


def _updates(rest: Stack, doomed: Doomed) -> Iterator[UpdatePull]:
    """What targets the branch gets the base that the doomed one has; the stack lists lose a line."""
    base = doomed.pull.base_ref
    lists = {update.change_id: update for update in plan_lists(rest)}
    for change in rest.changes:
        pull, update = change.pull, lists.get(change.id)
        if pull is not None and _targets(pull, doomed):
            update = replace(update or UpdatePull(change.id, pull.number, pull.node_id), base_ref=base)
        if update is not None:
            yield update
    for pull in (*(orphan.pull for orphan in rest.orphans), *rest.relatives):
        if _targets(pull, doomed):
            yield UpdatePull("", pull.number, pull.node_id, base)


def _forget(stack: Stack, doomed: Doomed) -> list[Action]:
    """Our records of a branch that is gone; one with commits of others stays known."""
    if not doomed.is_ours:
        return []
    names = records_of(doomed.id, doomed.pull.head_ref)
    moves = tuple(RefMove(name, stack.own_refs[name], None) for name in names if name in stack.own_refs)
    return [MoveRefs(moves, "abandon: forget")] if moves else []


def _notes(doomed: Doomed) -> Iterator[str]:
    ref = doomed.pull.head_ref
    if not doomed.is_ours and doomed.remote_head is not None:
        yield f'the branch "{ref}" stays: it has commits that this clone has not taken in ({doomed.remote_head[:7]})'


def closed(stack: Stack, doomed: Doomed) -> Stack:
    """The stack as it is afterwards, while the commit is still in it."""
    pull = replace(doomed.pull, state=PullState.CLOSED)
    remote = None if doomed.is_ours else doomed.remote_head
    changes = tuple(
        replace(change, pull=pull, remote_head=remote, accepted=remote)
        if change is doomed.change
        else _moved(change, doomed)
        for change in stack.changes
    )
    orphans = tuple(orphan for orphan in stack.orphans if orphan.pull.number != doomed.pull.number)
    return replace(stack, changes=changes, orphans=orphans)


def _moved(change: Change, doomed: Doomed) -> Change:
    if change.pull is None or not _targets(change.pull, doomed):
        return change
    return replace(change, pull=replace(change.pull, base_ref=doomed.pull.base_ref))
