"""Stack -> Plan for ``stackr id --new``: one commit gets another Change-Id and so becomes a change of its own."""

from __future__ import annotations

from stackr.core import identity
from stackr.core.heads import branch_moves, rewrite
from stackr.core.model import Stack
from stackr.core.plan import MoveRefs, Plan, WriteCommit


def plan_new_id(stack: Stack, index: int) -> Plan:
    """Give the change at ``index`` a new id; commits above it get their new parent, branches move along.

    The new id follows from the commit as it is, so asking again (for the rewritten commit) gives yet another one.
    """
    commit = stack.changes[index].commit
    wanted = identity.new_id(commit, "new")
    messages = [change.commit.message for change in stack.changes]
    messages[index] = identity.with_change_id(commit.message, wanted)
    local = rewrite(stack, messages)
    ids = {change.commit.oid: change.id for change in stack.changes} | {commit.oid: wanted}
    writes = tuple(WriteCommit(write, "id", ids[write.label.rpartition("/")[2]]) for write in local.writes)
    return Plan("id", (*writes, MoveRefs(tuple(branch_moves(stack, local)), "id: new change id")))
