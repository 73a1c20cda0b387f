"""The rows of CI: statuses, check suites, check runs. See ``model``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from stackr.sandbox.rows import Json, Row


@dataclass(slots=True, kw_only=True, eq=False)
class Status(Row):
    """A commit status: error, failure, pending or success. The newest of a context counts."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "oid"),)
    repo_id: int
    oid: str
    context: str
    state: str
    description: str | None = None
    target_url: str | None = None
    creator_id: int
    created_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class CheckSuite(Row):
    """All check runs of one app on one commit; of GitHub Actions, all jobs of one run of a workflow on it.

    ``attempt`` is the latest one of that run. ``held``: "action_required" where somebody must approve it, or "waiting".
    """

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "oid"),)
    repo_id: int
    oid: str
    branch: str | None = None
    app: str = "stackr-sandbox"
    workflow: str | None = None
    attempt: int = 1
    held: str = ""
    created_at: str = ""
    updated_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class CheckRun(Row):
    """A check run; ``output``, ``annotations`` and ``steps`` have the shape of GitHub's REST objects.

    A job of GitHub Actions is a check run with a log, on a runner (None: none was found for it).
    """

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "oid"), ("suite_id",))
    repo_id: int
    suite_id: int
    oid: str
    name: str
    status: str = "queued"  # queued, in_progress, completed
    conclusion: str | None = None
    external_id: str = ""
    details_url: str | None = None
    started_at: str | None = None
    completed_at: str | None = None
    output: Json = field(default_factory=dict)
    annotations: list[Json] = field(default_factory=list)
    log: str = ""
    log_expired: bool = False
    attempt: int = 1
    steps: list[Json] = field(default_factory=list)
    runner: str | None = None
