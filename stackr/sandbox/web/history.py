"""Commits as a reader wants them: the line that was pushed, and not what merges brought along."""

from __future__ import annotations

from dataclasses import dataclass

from stackr.sandbox import pulls, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.git import GitRepo
from stackr.sandbox.model import Event, PullRequest
from stackr.sandbox.objects import CommitInfo

LIMIT = 250  # as many as GitHub lists for a pull request


def first_parents(git: GitRepo, base: str, head: str) -> list[CommitInfo]:
    """The first-parent line of ``head`` as far as ``base`` does not have it, oldest first, at most LIMIT."""
    fresh = set(git.graph.ahead(base, head))
    line: list[CommitInfo] = []
    oid = head
    while oid in fresh and len(line) < LIMIT:
        info = git.need(oid)
        line.append(info)
        oid = info.parents[0] if info.parents else ""
    return line[::-1]


@dataclass(frozen=True, slots=True)
class Commits:
    """The commits of a pull request: its own line, how many came with merges, and the force-pushes it went through."""

    line: tuple[CommitInfo, ...]
    merged_in: int
    force_pushes: tuple[Event, ...]


def of_pull(engine: Engine, pull: PullRequest) -> Commits:
    """See ``Commits``. Commits that a force-push took away are not shown; GitHub does not either."""
    git = engine.git(pulls.repository_of(engine, pull))
    base = pulls.compare_base(engine, pull)
    line = first_parents(git, base, pull.head_oid)
    forced = [e for e in timeline.events_of(engine, pull) if e.kind == "head_ref_force_pushed"]
    return Commits(tuple(line), len(git.graph.ahead(base, pull.head_oid)) - len(line), tuple(forced))
