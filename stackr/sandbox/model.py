"""The rows the sandbox keeps: one mutable, slotted dataclass a table; some in files of their own, all named here.

These are the shapes only. How they are stored is ``store``; what may change them, and when, are the
rule modules (``pulls``, ``reviews``, ``checks`` ...). Times are ISO 8601 UTC strings as GitHub prints
them (``2026-12-01T05:00:00Z``); oids are 40 hex digits; refs of branches are short names (``main``).
Fields named in ``INDEXES`` never change after a row was added.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from stackr.sandbox.cirows import CheckRun, CheckSuite, Status
from stackr.sandbox.landingrows import AsyncMerge, NativeStack, QueueEntry, Ruleset
from stackr.sandbox.rows import ZERO_OID, Json, Row

__all__ = [
    "AsyncMerge",
    "CheckRun",
    "CheckSuite",
    "Comment",
    "Edit",
    "Event",
    "Issue",
    "Json",
    "Label",
    "Milestone",
    "NativeStack",
    "Permission",
    "PullRequest",
    "QueueEntry",
    "Repository",
    "Review",
    "Row",
    "Ruleset",
    "Status",
    "Token",
    "User",
    "ZERO_OID",
]


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
    kind: str = "classic"  # or "fine-grained", "job"
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
