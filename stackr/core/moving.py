"""Stack -> Plan for ``stackr up``, ``down``, ``top``, ``bottom`` and ``goto``; pure.

The branch stays at the top of the stack; HEAD is detached below it, and on it again at the top.
docs/internals/protocol.md 9.
"""

from __future__ import annotations

from stackr.core.heading import files_between, head_moves
from stackr.core.model import Head, Stack
from stackr.core.plan import MoveRefs, Plan
from stackr.core.words import counted
from stackr.errors import Refused


def position(stack: Stack) -> int:
    """The index of the change HEAD is at, 0 at the bottom; -1 when HEAD is below the stack."""
    return next((i for i, change in enumerate(stack.changes) if change.commit.oid == stack.head.oid), -1)


def plan_step(command: str, stack: Stack, by: int) -> Plan:
    """Go ``by`` changes up, or down if it is negative; at the end already there is nothing to do."""
    here, last = position(stack), len(stack.changes) - 1
    room, side, end = (last - here, "above", "top") if by > 0 else (here, "below", "bottom")
    if abs(by) > room > 0:
        verb = "is" if room == 1 else "are"
        raise Refused(
            f"there {verb} only {counted(room, 'change')} {side} HEAD", next_step=f"stackr {end} goes to the {end}"
        )
    return plan_goto(command, stack, here + by if room > 0 else here)


def plan_goto(command: str, stack: Stack, index: int) -> Plan:
    """Send HEAD to the change at ``index``; refuses a HEAD without a branch, for the changes above would be lost."""
    change, is_top = stack.changes[index], index == len(stack.changes) - 1
    where = f'HEAD is at "{change.title}", {index + 1} of {len(stack.changes)}'
    if change.commit.oid == stack.head.oid and not (is_top and stack.head.top):
        return Plan(command, notes=(f"{where}, already",))
    branch = stack.head.branch or stack.head.top
    if branch is None:
        raise Refused(
            "HEAD is on no branch, so nothing would lead back to the changes above", next_step="git switch -c NAME"
        )
    after = Head(branch, change.commit.oid) if is_top else Head(None, change.commit.oid, branch)
    moves = MoveRefs(tuple(head_moves(stack.head, after)), command, files_between(stack.head, after))
    return Plan(command, (moves,), (where,))
