"""Values that resolvers hand on and that are no rows: refs, git objects, sums of checks.

Only their shape lives here; which fields they answer is in ``resolvers``.
"""

from __future__ import annotations

from dataclasses import dataclass

from stackr.sandbox.model import CheckRun, CheckSuite, PullRequest, Repository, Ruleset, Status, User
from stackr.sandbox.objects import CommitInfo


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """A ref as it is now; ``name`` is the full one."""

    repo: Repository
    name: str
    oid: str


@dataclass(frozen=True, slots=True, eq=False)
class Commit:
    """A commit of a repository."""

    repo: Repository
    info: CommitInfo


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree, with its raw entries."""

    repo: Repository
    oid: str
    data: bytes
    path: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class TreeEntry:
    """One entry of a tree; ``path`` is from the root of the tree that was asked for."""

    repo: Repository
    mode: int
    name: str
    path: str
    oid: str


@dataclass(frozen=True, slots=True, eq=False)
class Blob:
    """The content of a file."""

    repo: Repository
    oid: str
    data: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """An annotated tag, with its raw content."""

    repo: Repository
    oid: str
    data: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two commits set side by side."""

    base: Commit
    head: Commit


@dataclass(frozen=True, slots=True, eq=False)
class PullCommit:
    """A commit as part of a pull request."""

    pull: PullRequest
    commit: Commit


@dataclass(frozen=True, slots=True, eq=False)
class ReviewRequest:
    """Somebody asked for a review who has not answered yet."""

    pull: PullRequest
    reviewer: User


@dataclass(frozen=True, slots=True, eq=False)
class Rollup:
    """All checks of one commit, summed up. ``state`` is a StatusState of GraphQL."""

    commit: Commit
    state: str
    checks: tuple[CheckRun, ...]
    statuses: tuple[Status, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CombinedStatus:
    """The commit statuses of one commit, without check runs."""

    commit: Commit
    state: str
    statuses: tuple[Status, ...]


@dataclass(frozen=True, slots=True, eq=False)
class App:
    """A GitHub App, by its slug."""

    slug: str


@dataclass(frozen=True, slots=True, eq=False)
class WorkflowRun:
    """The run of a workflow behind a check suite."""

    suite: CheckSuite


@dataclass(frozen=True, slots=True, eq=False)
class Workflow:
    """The workflow behind a check suite."""

    suite: CheckSuite


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One rule of a ruleset."""

    ruleset: Ruleset
    index: int


@dataclass(frozen=True, slots=True, eq=False)
class UpdateRule:
    """What holds for updates of one branch, for one viewer: GraphQL's RefUpdateRule."""

    repo: Repository
    branch: str
    ruleset: Ruleset


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """The merge queue of a branch."""

    repo: Repository
    branch: str
