"""The rows the sandbox keeps: one mutable, slotted dataclass a table.

Here live the shapes only. How they are stored is ``store``; what may change them, and when, are the
rule modules (``pulls``, ``reviews``, ``checks`` ...). Times are ISO 8601 UTC strings as GitHub prints
them (``2026-12-01T05:00:00Z``); oids are 40 hex digits; refs of branches are short names (``main``).
Fields named in ``INDEXES`` never change after a row was added.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

ZERO_OID = "0" * 40
Json = dict[str, Any]


@dataclass(slots=True, kw_only=True, eq=False)
class Row:
    """What every table has: an id, 0 until ``store`` gives one; indexes over fields that never change."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = ()
    id: int = 0


@dataclass(slots=True, kw_only=True, eq=False)
class User(Row):
    """An account: ``type`` is User, Organization or Bot."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("login",),)
    login: str
    name: str | None = None
    email: str | None = None
    type: str = "User"
    created_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class Token(Row):
    """A personal access token and what is wrong with it, if anything."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("token",),)
    token: str
    user_id: int
    kind: str = "classic"  # or "fine-grained"
    scopes: str = "repo, read:org, workflow"
    reads_checks: bool = True
    reads_actions: bool = True
    sso_required: bool = False
    expired: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class Repository(Row):
    """A repository and its settings; its git directory is ROOT/repos/OWNER/NAME.git."""

    owner_id: int
    name: str
    private: bool = False
    parent_id: int | None = None
    archived: bool = False
    default_branch: str = "main"
    description: str | None = None
    created_at: str = ""
    updated_at: str = ""
    pushed_at: str = ""
    allow_merge_commit: bool = True
    allow_squash_merge: bool = True
    allow_rebase_merge: bool = True
    allow_auto_merge: bool = False
    allow_update_branch: bool = False
    delete_branch_on_merge: bool = False
    squash_merge_commit_title: str = "COMMIT_OR_PR_TITLE"
    squash_merge_commit_message: str = "COMMIT_MESSAGES"
    merge_commit_title: str = "MERGE_MESSAGE"
    merge_commit_message: str = "PR_TITLE"
    last_number: int = 0
    stacks_enabled: bool = False
    ci: str = "manual"  # or "pass": required checks are reported as passed, see ``playedci``
    declined_message: str = ""  # not empty: a pre-receive hook refuses every push with this text


@dataclass(slots=True, kw_only=True, eq=False)
class Permission(Row):
    """What a user may do in a repository: read, triage, write, maintain or admin."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id",),)
    repo_id: int
    user_id: int
    level: str


@dataclass(slots=True, kw_only=True, eq=False)
class Issue(Row):
    """What issues and pull requests share; a plain issue is exactly this."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id",), ("repo_id", "number"))
    repo_id: int
    number: int
    title: str
    body: str | None = None
    author_id: int
    state: str = "open"  # or "closed"; merged pull requests are closed
    state_reason: str | None = None
    created_at: str = ""
    updated_at: str = ""
    closed_at: str | None = None
    closed_by_id: int | None = None
    last_edited_at: str | None = None
    label_ids: list[int] = field(default_factory=list)
    assignee_ids: list[int] = field(default_factory=list)
    milestone_id: int | None = None
    locked: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class PullRequest(Issue):
    """A pull request. After closing or merging, head_oid and base_oid stay as they were then."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("repo_id",),
        ("repo_id", "number"),
        ("head_repo_id", "head_ref"),
    )
    head_repo_id: int | None  # None: the fork is gone
    head_ref: str
    head_oid: str
    base_ref: str
    base_oid: str
    draft: bool = False
    merged_at: str | None = None
    merged_by_id: int | None = None
    merge_oid: str | None = None
    merging_oid: str | None = None  # a merge begun: set before refs move, so that a restart can finish it
    reviewer_ids: list[int] = field(default_factory=list)  # requested, not yet answered
    maintainer_can_modify: bool = True
    auto_merge: Json | None = None

    @property
    def merged(self) -> bool:
        """Whether it was merged, by whatever way."""
        return self.merged_at is not None


@dataclass(slots=True, kw_only=True, eq=False)
class Milestone(Row):
    """A milestone, numbered from 1 within its repository."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id",),)
    repo_id: int
    number: int
    title: str
    description: str | None = None
    state: str = "open"
    creator_id: int
    created_at: str = ""
    updated_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class Label(Row):
    """A label of a repository; names compare without case."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id",),)
    repo_id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Comment(Row):
    """A comment of the conversation tab (GitHub: issue comment)."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "number"),)
    repo_id: int
    number: int
    author_id: int
    body: str
    created_at: str = ""
    updated_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class Review(Row):
    """A review: APPROVED, CHANGES_REQUESTED, COMMENTED or DISMISSED, given on ``oid`` as compared with ``base_oid``."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "number"),)
    repo_id: int
    number: int
    author_id: int
    state: str
    body: str = ""
    oid: str
    base_oid: str | None = None
    submitted_at: str = ""
    dismissed_state: str | None = None  # what it was before it was dismissed


@dataclass(slots=True, kw_only=True, eq=False)
class Event(Row):
    """A timeline entry. ``kind`` uses the REST event names (head_ref_force_pushed, renamed, ...)."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "number"),)
    repo_id: int
    number: int
    kind: str
    actor_id: int | None
    created_at: str = ""
    data: Json = field(default_factory=dict)


@dataclass(slots=True, kw_only=True, eq=False)
class Edit(Row):
    """One revision of a description: the text it had after the edit (GraphQL userContentEdits)."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "number"),)
    repo_id: int
    number: int
    editor_id: int
    body: str
    created_at: str = ""


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


@dataclass(slots=True, kw_only=True, eq=False)
class Ruleset(Row):
    """Rules for branches that match ``patterns`` (fnmatch on the short name).

    ``classic`` marks old-style branch protection: same rules, other texts. ``rules`` are GitHub's
    objects, ``{"type": "pull_request", "parameters": {...}}``.
    """

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id",),)
    repo_id: int
    name: str
    patterns: list[str]
    rules: list[Json]
    classic: bool = False
    enforcement: str = "active"  # or "disabled"
    bypass_user_ids: list[int] = field(default_factory=list)
    created_at: str = ""
    updated_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class NativeStack(Row):
    """A native stack: numbers of its pull requests, bottom first."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id",), ("repo_id", "number"))
    repo_id: int
    number: int
    pulls: list[int]
    base_ref: str
    creator_id: int
    dissolved: bool = False
    created_at: str = ""
    updated_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class AsyncMerge(Row):
    """A merge asked for by ``merge-async``: pending, merged, enqueued or failed."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "number"), ("uuid",))
    repo_id: int
    number: int
    uuid: str
    user_id: int
    method: str = "default"
    action: str = "default"  # or "direct_merge", "merge_queue"
    title: str | None = None
    text: str | None = None
    oid: str
    state: str = "pending"
    message: str = ""
    looks: int = 0  # how often its result was asked for
    created_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class QueueEntry(Row):
    """A pull request in the merge queue of its base. ``rank`` orders them, lowest first.

    ``pull_oid`` is the head that was queued. Once it is built, ``oid`` is the commit that would land, on ``base_oid``.
    """

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "number"), ("repo_id", "base_ref"))
    repo_id: int
    number: int
    base_ref: str
    rank: int
    pull_oid: str
    enqueuer_id: int
    jump: bool = False
    base_oid: str | None = None
    oid: str | None = None
    built_at: str | None = None
    created_at: str = ""


TABLES: tuple[type[Row], ...] = (
    User,
    Token,
    Repository,
    Permission,
    Issue,
    PullRequest,
    Milestone,
    Label,
    Comment,
    Review,
    Event,
    Edit,
    Status,
    CheckSuite,
    CheckRun,
    Ruleset,
    NativeStack,
    AsyncMerge,
    QueueEntry,
)
