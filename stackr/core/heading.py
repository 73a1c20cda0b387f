"""Where HEAD goes when the commits of its stack move, or when it is sent to one of them; pure.

HEAD may be in the middle of a stack, detached, while the branch stays at the top: docs/internals/protocol.md 9.
"""

from __future__ import annotations

from collections.abc import Mapping

from stackr.core.model import Head, Stack
from stackr.core.plan import RefMove


def head_after(stack: Stack, tips: Mapping[str, str], base: str) -> Head:
    """HEAD once every old commit of the stack has become ``tips`` says, on top of ``base``.

    It moves with its commit, or with its branch. If its commit is gone and the branch is above, it goes to the lowest
    change that is left, and back to its branch when that is the highest as well, or none is left.
    """
    head = stack.head
    new = tips.get(head.oid, head.oid)
    if head.top is None or (head.oid in tips and new != base):
        return Head(head.branch, new, head.top)
    left = [tip for change in stack.changes if (tip := tips[change.commit.oid]) != base]
    if left and left[0] != left[-1]:
        return Head(None, left[0], head.top)
    return Head(head.top, left[-1] if left else base)


def head_moves(before: Head, after: Head) -> list[RefMove]:
    """What moves HEAD itself; nothing where it is on a branch and stays there, for the branch takes it along."""
    old, new = before.branch or before.oid, after.branch or after.oid
    return [RefMove("HEAD", old, new)] if old != new else []


def files_between(before: Head, after: Head) -> tuple[str, str] | None:
    """From and to which commit index and work tree go; ``None`` when they stay."""
    return (before.oid, after.oid) if before.oid != after.oid else None
