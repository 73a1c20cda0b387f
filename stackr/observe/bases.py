"""Merge bases: from where GitHub would merge each head branch into trunk as it stands."""

from __future__ import annotations

from stackr.core.model import Stack
from stackr.core.ports import Repo
from stackr.observe.relations import edges


def list_merge_bases(repo: Repo, stack: Stack) -> dict[str, str]:
    """The one merge base of trunk and each remote head, by change id.

    A change with several (histories that cross) is left out: what GitHub would make of it cannot be told. At most one
    process for each different set of trunk commits that heads stand on, and none where that is one commit.
    """
    standing = {c.id: frozenset(edges(stack.graph, c.remote_head)) for c in stack.changes if c.remote_head}
    best = {some: next(iter(some)) for some in standing.values() if len(some) == 1}
    for some in set(standing.values()):
        if len(some) > 1:
            newest = repo.list_independent(sorted(some))
            best |= {some: newest[0]} if len(newest) == 1 else {}
    return {change: best[some] for change, some in standing.items() if some in best}


def read_merge_bases(repo: Repo, stack: Stack) -> dict[str, str]:
    """The trees of those merge bases, by change id."""
    bases = list_merge_bases(repo, stack)
    commits = repo.read_commits(set(bases.values()))
    return {change: commits[base].tree for change, base in bases.items() if base in commits}
