"""What stands around a push of head branches: the intention before it, the pushes, and what counts as ours after it.

docs/internals/protocol.md 2.7. Which branch goes where is decided in ``core.heads`` and ``core.land``.
"""

from __future__ import annotations

from collections.abc import Sequence

from stackr.core.heads import HeadPlan, adopted
from stackr.core.model import Stack
from stackr.core.ownership import BRANCHES, HEADS, KEPT, PUSHING, REVIEWED, TAKEN, name_record, tells_change
from stackr.core.plan import Push, RefMove


def intentions(heads: Sequence[HeadPlan]) -> list[RefMove]:
    """The record of what is about to be pushed: a remote head equal to it is ours, should we die before noting it."""
    return [RefMove(PUSHING + plan.change.id, plan.change.pushing, plan.target) for plan in heads if plan.moves]


def names(stack: Stack, heads: Sequence[HeadPlan]) -> list[RefMove]:
    """The record of every branch whose name does not tell the id of its change, before the id is in the commit."""
    found = ((name_record(plan.change.id, plan.change.head_ref), plan) for plan in heads)
    return [
        RefMove(record, None, plan.target)
        for record, plan in found
        if record not in stack.own_refs and not tells_change(plan.change.head_ref, plan.change.id)
    ]


def pushes(heads: Sequence[HeadPlan]) -> tuple[Push, ...]:
    """The head branches that move, each leased."""
    return tuple(
        Push(plan.change.id, "refs/heads/" + plan.change.head_ref, plan.target, plan.change.remote_head)
        for plan in heads
        if plan.moves
    )


def acceptances(stack: Stack, heads: Sequence[HeadPlan]) -> list[RefMove]:
    """Record what was pushed, or found to be ours, as accepted; forget the intention, and what a landing noted."""
    moves: list[RefMove] = []
    for plan in (*(head for head in heads if head.moves), *adopted(stack, heads)):
        change = plan.change
        records = (HEADS + change.id, BRANCHES + change.head_ref)
        moves += [RefMove(ref, stack.own_refs.get(ref), plan.target) for ref in records]
        if plan.moves or change.pushing is not None:
            pushing = plan.target if plan.moves else change.pushing
            moves.append(RefMove(PUSHING + change.id, pushing, None))
        notes = [KEPT + change.id, REVIEWED + change.id] if plan.moves else []
        # What we have pushed to is no longer just somebody else's.
        notes += [TAKEN + change.id] if plan.target == change.pushing or plan.moves else []
        moves += [RefMove(ref, stack.own_refs[ref], None) for ref in notes if ref in stack.own_refs]
    return moves
