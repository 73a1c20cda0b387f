"""How remote heads relate to the local stack and to trunk: the part of the history that decisions need."""

from __future__ import annotations

from stackr.core.model import Change, Commit, Graph, PullState, Stack, Trunk
from stackr.core.ownership import foreign_changes
from stackr.core.ports import Repo
from stackr.observe.local import Local


def complete_graph(repo: Repo, local: Local, changes: tuple[Change, ...], trunk: Trunk) -> Graph:
    """The graph with heads that no record of ours led to: a second machine's, a colleague's push, of a closed one."""
    heads = [c.remote_head for c in changes if c.remote_head]
    closed = [c.pull.head_oid for c in changes if c.pull and c.pull.state is PullState.CLOSED and not c.remote_head]
    heads += repo.read_commits(closed) if closed else ()
    unknown = [oid for oid in heads if oid not in local.graph.parents]
    if not unknown:
        return local.graph
    return local.graph.with_commits(repo.read_graph(unknown, [trunk.oid]))


def edges(graph: Graph, oid: str) -> set[str]:
    """The trunk commits that a head stands on: its nearest ancestors outside what was read."""
    return {ancestor for ancestor in graph.ancestors(oid) if ancestor not in graph.parents} - {oid}


def newer_trunk(repo: Repo, changes: tuple[Change, ...], graph: Graph, trunk: Trunk) -> dict[str, str]:
    """By change id, a trunk commit that its remote head contains and the local stack does not."""
    if not changes or not changes[0].commit.parents or changes[0].commit.parents[0] == trunk.oid:
        return {}
    point = changes[0].commit.parents[0]
    standing = {c.id: edges(graph, c.remote_head) - {point} for c in changes if c.remote_head}
    every = sorted(set().union(*standing.values()))
    if not every:
        return {}
    # Parents come before children, so of several the last is the newest.
    newer = [oid for oid in repo.read_graph(every, [point]) if oid in every]
    return {change: found[-1] for change, some in standing.items() if (found := [oid for oid in newer if oid in some])}


def foreign_commits(repo: Repo, stack: Stack) -> dict[str, tuple[Commit, ...]]:
    """The commits others pushed, by change id, oldest first as far as the history tells.

    A branch contains those below it, so a commit is told of the lowest branch that has it.
    """
    foreign = {change.id for change in foreign_changes(stack)}
    found = {}
    below: set[str] = set()
    for change in stack.changes:
        theirs = stack.graph.ancestors(change.remote_head) if change.remote_head else frozenset()
        if change.id in foreign:
            ours = stack.graph.ancestors(change.accepted or change.commit.oid)
            commits = repo.read_commits(oid for oid in theirs - ours - below if oid in stack.graph.parents)
            found[change.id] = tuple(
                sorted(commits.values(), key=lambda commit: len(stack.graph.ancestors(commit.oid)))
            )
        below |= theirs
    return found
