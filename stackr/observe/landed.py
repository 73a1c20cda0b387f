"""What of a stack has come to trunk: found by id, by patch, by the commit itself, and by merged pull requests."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from stackr.core import ghstack, identity
from stackr.core.model import Commit, Finished, PullState, Stack
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
        return replace(stack, landed_below=frozenset(_merged_outside(stack, ())))
    above = repo.list_commits([stack.trunk.oid], [point])
    return replace(
        stack,
        landed_below=frozenset(_merged_outside(stack, {commit.oid for commit in above})),
        landed=dict(_landed(stack, above)),
        equivalent=repo.list_equivalent(stack.changes[-1].commit.oid, stack.trunk.oid),
    )


def _landed(stack: Stack, above: Collection[Commit]) -> Iterator[tuple[str, str]]:
    """Change ids and the commits of trunk that say they are these changes.

    What lands ghstack's pull requests puts their address into the commit, and no id.
    """
    mine = {change.id for change in stack.changes}
    taken_over = [change for change in stack.changes if ghstack.orig_of(change.head_ref) is not None]
    for commit in above:
        change = identity.change_id(commit.message)
        if change in mine:
            yield change, commit.oid
        elif taken_over and (address := ghstack.pull_address(commit.message)) is not None:
            found = (each.id for each in taken_over if each.pull and ghstack.is_address_of(address, each.pull.url))
            yield from ((each, commit.oid) for each in found)


def _merged_outside(stack: Stack, above: Collection[str]) -> Iterator[str]:
    """Ids of changes that were merged into trunk, but not by one of the commits between the stack and trunk's tip."""
    for change in stack.changes:
        pull = change.pull
        is_merged = pull is not None and pull.state is PullState.MERGED and pull.base_ref == stack.trunk.name
        if pull is not None and is_merged and pull.merge_commit is not None and pull.merge_commit not in above:
            yield change.id


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
