"""What issues, pull requests, comments and reviews share: author, text, edits, closing; and comments themselves."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import accounts, issues
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.lists import ordered
from stackr.sandbox.graphql.text import plain
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Comment, Edit, Issue, PullRequest, Repository, Review, User

names(Issue, "Issue")
names(PullRequest, "PullRequest")
names(Comment, "IssueComment")
names(Review, "PullRequestReview")
names(Edit, "UserContentEdit")

Subject = Issue | Comment | Review


def url_of(context: Context, row: Subject) -> str:
    """The page of an issue or pull request, or the place on it where a comment or review stands."""
    if isinstance(row, Issue):
        return context.issue_url(row)
    anchor = f"issuecomment-{row.id}" if isinstance(row, Comment) else f"pullrequestreview-{row.id}"
    return f"{context.issue_url(subject_of(context, row))}#{anchor}"


def subject_of(context: Context, row: Any) -> Issue:
    """The issue or pull request that a row with its number belongs to."""
    return issues.find_issue(context.engine, context.repository(row), row.number)


# -- all four ----------------------------------------------------------------------------------------------

said = Fields("Issue", "PullRequest", "IssueComment", "PullRequestReview")
said.attributes(databaseId="id")
said.constants(createdViaEmail=False)
said.add("fullDatabaseId", lambda row, _info: str(row.id))
said.add("author", lambda row, info: ctx(info).user(row.author_id))
said.add("body", lambda row, _info: row.body or "")
said.add("bodyText", lambda row, _info: plain(row.body or ""))
said.add("repository", lambda row, info: ctx(info).repository(row))
said.add("url", lambda row, info: url_of(ctx(info), row))
said.add("resourcePath", lambda row, info: ctx(info).path(url_of(ctx(info), row)))
said.add("viewerDidAuthor", lambda row, info: row.author_id == ctx(info).viewer.id)
said.add("viewerCanUpdate", lambda row, info: may_touch(ctx(info), row))
said.add("authorAssociation", lambda row, info: association(ctx(info), ctx(info).repository(row), row.author_id))


def may_touch(context: Context, row: Subject) -> bool:
    """The author and those with write access may edit."""
    return row.author_id == context.viewer.id or context.writes(context.repository(row))


def association(context: Context, repo: Repository, user_id: int) -> str:
    """A CommentAuthorAssociation."""
    if user_id == repo.owner_id:
        return "OWNER"
    account = context.user(user_id)
    level = accounts.permission(context.engine, account, repo) if account else "none"
    return "COLLABORATOR" if level in {"triage", "write", "maintain", "admin"} else "NONE"


# -- edits -------------------------------------------------------------------------------------------------


def edits_of(context: Context, row: Subject) -> list[Edit]:
    """The revisions of a description, newest first, as GitHub lists them. Only descriptions have a history."""
    if not isinstance(row, Issue):
        return []
    return context.engine.store.edits.by(repo_id=row.repo_id, number=row.number)[::-1]


def last_edit(context: Context, row: Subject) -> str | None:
    """When the text was last changed; None if never."""
    if isinstance(row, Issue):
        return row.last_edited_at
    changed = getattr(row, "updated_at", None)
    return changed if changed != getattr(row, "created_at", None) else None


@said
def editor(row: Subject, info: Info) -> User | None:
    """Who edited the text last; a comment can only be edited by those who may, its author first."""
    edits = edits_of(ctx(info), row)
    if edits:
        return ctx(info).user(edits[0].editor_id)
    return ctx(info).user(row.author_id) if last_edit(ctx(info), row) else None


said.add("lastEditedAt", lambda row, info: last_edit(ctx(info), row))
said.add("includesCreatedEdit", lambda row, info: last_edit(ctx(info), row) is not None)
said.add("userContentEdits", lambda row, info, **a: page(info, edits_of(ctx(info), row), a))

edit = Fields("UserContentEdit")
edit.attributes("created_at", editedAt="created_at", updatedAt="created_at", diff="body")
edit.constants(deletedAt=None, deletedBy=None)
edit.add("id", lambda row, _info: node_id("UserContentEdit", row.id))
edit.add("editor", lambda row, info: ctx(info).user(row.editor_id))

# -- issues and pull requests ------------------------------------------------------------------------------

issue = Fields("Issue", "PullRequest")
issue.attributes("number title created_at updated_at closed_at locked", publishedAt="created_at")
issue.constants(activeLockReason=None)
issue.add("id", lambda row, _info: node_id(type(row).__name__, row.id))
issue.add("closed", lambda row, _info: row.state == "closed")
issue.add("viewerCanClose", lambda row, info: row.state == "open" and may_touch(ctx(info), row))
issue.add("viewerCanReopen", lambda row, info: row.state == "closed" and may_touch(ctx(info), row))
issue.add("viewerCanLabel", lambda row, info: ctx(info).level(ctx(info).repository(row)) not in {"none", "read"})
issue.add("milestone", lambda row, info: ctx(info).engine.store.milestones.get(row.milestone_id))
issue.add("assignees", lambda row, info, **a: page(info, [ctx(info).user(user_id) for user_id in row.assignee_ids], a))


@issue
def comments(row: Issue, info: Info, order_by: dict[str, str] | None = None, **arguments: Any) -> Connection:
    """The comments of the conversation, oldest first."""
    return page(info, ordered(ctx(info), issues.comments_of(ctx(info).engine, row), order_by), arguments)


plain_issue = Fields("Issue")
plain_issue.add("state", lambda row, _info: row.state.upper())
plain_issue.add("viewerCanDelete", lambda row, info: ctx(info).level(ctx(info).repository(row)) == "admin")


@plain_issue
def state_reason(row: Issue, _info: Info, enable_duplicate: bool | None = None) -> str | None:
    """An IssueStateReason; DUPLICATE is told only to those who ask for it."""
    reason = (row.state_reason or "").upper()
    return "NOT_PLANNED" if reason == "DUPLICATE" and not enable_duplicate else reason or None


# -- comments ----------------------------------------------------------------------------------------------

comment = Fields("IssueComment")
comment.attributes("created_at updated_at", publishedAt="created_at")
comment.constants(isMinimized=False, minimizedReason=None)
comment.add("id", lambda row, _info: node_id("IssueComment", row.id))
comment.add("issue", lambda row, info: subject_of(ctx(info), row))
comment.add("viewerCanDelete", lambda row, info: may_touch(ctx(info), row))


@comment
def pull_request(row: Comment, info: Info) -> PullRequest | None:
    """The pull request it stands on; None on a plain issue."""
    found = subject_of(ctx(info), row)
    return found if isinstance(found, PullRequest) else None
