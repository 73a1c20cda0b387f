"""What of a stack has come to trunk: found by id, by patch, by the commit itself, and by merged pull requests."""

from __future__ import annotations

from dataclasses import replace

from stackr.core import identity
from stackr.core.model import Finished, PullState, Stack
from stackr.core.ports import ForgeFacts, Repo
from stackr.observe.local import Local
from stackr.observe.outsiders import current_pull


def with_landed(repo: Repo, stack: Stack, before: Local, local: Local, facts: ForgeFacts) -> Stack:
    """Add what a sync has to know; ``before`` is the stack relative to trunk as it was known before the fetch."""
    left = {commit.oid for commit in before.commits} - {change.commit.oid for change in stack.changes}
    stack = replace(
        stack,
        arrived=tuple(commit for commit in before.commits if commit.oid in left),
        finished=tuple(_finished(local, before, facts)),
    )
    if not stack.changes or not stack.changes[0].commit.parents:
        return stack
    point = stack.changes[0].commit.parents[0]
    if point == stack.trunk.oid:
        return stack
    ids = {identity.change_id(c.message): c.oid for c in repo.list_commits([stack.trunk.oid], [point])}
    mine = {change.id for change in stack.changes}
    return replace(
        stack,
        landed={change: oid for change, oid in ids.items() if change in mine},
        equivalent=repo.list_equivalent(stack.head.oid, stack.trunk.oid),
    )


def _finished(local: Local, before: Local, facts: ForgeFacts) -> list[Finished]:
    """Merged pull requests of changes that this clone submitted and that are not in the stack any more."""
    gone = {branch: change for change, branch in before.heads.items() if change not in local.heads}
    known = {**gone, **before.candidates, **before.on_trunk, **local.candidates, **local.on_trunk}
    return [
        Finished(change, branch, facts.branches[branch], pull)
        for branch, change in sorted(known.items())
        if change not in local.heads
        and branch in facts.branches
        and (pull := current_pull(facts, branch)) is not None
        and pull.state is PullState.MERGED
    ]
