"""What a version of a change stood on: told by its history, and where that leaves several answers, by the trees."""

from __future__ import annotations

from stackr.core import versions
from stackr.core.model import Commit, Graph
from stackr.core.ports import Repo
from stackr.core.versions import Version


def read_footing(repo: Repo, version: Version, below: str | None, graph: Graph) -> Commit | None:
    """The commit that a version stood on; ``below`` is the present tip of its base. ``None``: it is not here.

    Nearly always the history has one answer, and no process is started.
    """
    certain = versions.foundation(version, below, graph)
    found = (certain,) if certain is not None else _candidates(repo, version, below, graph)
    commits = list(repo.read_commits(found).values())
    if len(commits) < 2:
        return commits[0] if commits else None
    return min(commits, key=lambda commit: repo.diff_size(commit.tree, version.commit.tree))


def _candidates(repo: Repo, version: Version, below: str | None, graph: Graph) -> tuple[str, ...]:
    edges = versions.trunk_edges(version, graph)
    trunk = edges if len(edges) < 2 else repo.list_independent(edges)
    return versions.foundations(version, below, graph, trunk)
