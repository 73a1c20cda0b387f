"""Labels and milestones, and lists of them."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import issues
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.lists import ordered, paged_issues, paged_pulls
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Issue, Label, Milestone, PullRequest, Repository

names(Label, "Label")
names(Milestone, "Milestone")

repo = Fields("Repository")
both = Fields("Label", "Milestone")
both.attributes("description")
both.add("id", lambda row, _info: node_id(type(row).__name__, row.id))
both.add("repository", lambda row, info: ctx(info).repository(row))
both.add("url", lambda row, info: page_of(ctx(info), row))
both.add("resourcePath", lambda row, info: ctx(info).path(page_of(ctx(info), row)))


def page_of(context: Context, row: Label | Milestone) -> str:
    """The page that lists what bears the label or belongs to the milestone."""
    place = f"labels/{row.name}" if isinstance(row, Label) else f"milestone/{row.number}"
    return f"{context.repository_url(context.repository(row))}/{place}"


def bears(subject: Issue, row: Label | Milestone) -> bool:
    """Whether an issue has the label or is in the milestone."""
    return row.id in subject.label_ids if isinstance(row, Label) else row.id == subject.milestone_id


def pulls_of(context: Context, row: Label | Milestone) -> list[PullRequest]:
    """The pull requests that bear it."""
    return [pull for pull in context.engine.store.pulls.by(repo_id=row.repo_id) if bears(pull, row)]


def issues_of(context: Context, row: Label | Milestone) -> list[Issue]:
    """The plain issues that bear it."""
    return [issue for issue in context.engine.store.issues.by(repo_id=row.repo_id) if bears(issue, row)]


@both
def pull_requests(row: Label | Milestone, info: Info, **arguments: Any) -> Connection:
    """A page of the pull requests that bear it."""
    head = arguments.pop("head_ref_name", None)
    return paged_pulls(info, pulls_of(ctx(info), row), arguments, head_ref_name=head)


both.add("issues", lambda row, info, **arguments: paged_issues(info, issues_of(ctx(info), row), arguments))

# -- labels ------------------------------------------------------------------------------------------------

label = Fields("Label")
label.attributes("name color")
label.constants(createdAt=None, updatedAt=None, isDefault=False)


def searched(rows: list[Any], attribute: str, query: str | None) -> list[Any]:
    """The rows whose text holds the query."""
    return [row for row in rows if (query or "").lower() in getattr(row, attribute).lower()]


@repo
def labels(
    row: Repository,
    info: Info,
    order_by: dict[str, str] | None = None,
    query: str | None = None,
    **arguments: Any,
) -> Connection:
    """The labels of a repository."""
    found = searched(ctx(info).engine.store.labels.by(repo_id=row.id), "name", query)
    return page(info, ordered(ctx(info), found, order_by), arguments)


repo.add("label", lambda row, info, name: find_label(ctx(info), row, name))


def find_label(context: Context, row: Repository, name: str) -> Label | None:
    """A label by its name, without case."""
    found = context.engine.store.labels.by(repo_id=row.id)
    return next((label for label in found if label.name.lower() == name.lower()), None)


@Fields("PullRequest", "Issue")
def labels_(row: Issue, info: Info, order_by: dict[str, str] | None = None, **arguments: Any) -> Connection:
    """The labels an issue bears."""
    return page(info, ordered(ctx(info), issues.labels_of(ctx(info).engine, row), order_by), arguments)


# -- milestones --------------------------------------------------------------------------------------------

milestone = Fields("Milestone")
milestone.attributes("number title created_at updated_at")
milestone.constants(dueOn=None)
milestone.add("state", lambda row, _info: row.state.upper())
milestone.add("closed", lambda row, _info: row.state == "closed")
milestone.add("closedAt", lambda row, _info: row.updated_at if row.state == "closed" else None)
milestone.add("creator", lambda row, info: ctx(info).user(row.creator_id))
milestone.add("viewerCanClose", lambda row, info: ctx(info).writes(ctx(info).repository(row)))
milestone.add("viewerCanReopen", lambda row, info: ctx(info).writes(ctx(info).repository(row)))


@milestone
def progress_percentage(row: Milestone, info: Info) -> float:
    """How much of what belongs to it is closed, 0 to 100."""
    members = [*issues_of(ctx(info), row), *pulls_of(ctx(info), row)]
    return 100.0 * sum(member.state == "closed" for member in members) / max(len(members), 1)


@repo
def milestones(
    row: Repository,
    info: Info,
    *,
    states: list[str] | None = None,
    query: str | None = None,
    order_by: dict[str, str] | None = None,
    **arguments: Any,
) -> Connection:
    """The milestones of a repository; none has a due date, so that order is the order of making."""
    found = searched(ctx(info).engine.store.milestones.by(repo_id=row.id), "title", query)
    found = [m for m in found if not states or m.state.upper() in states]
    if order_by and order_by["field"] == "DUE_DATE":
        order_by = {**order_by, "field": "CREATED_AT"}
    return page(info, ordered(ctx(info), found, order_by), arguments)


@repo
def milestone_(row: Repository, info: Info, number: int) -> Milestone | None:
    """A milestone by its number."""
    found = ctx(info).engine.store.milestones.by(repo_id=row.id)
    return next((m for m in found if m.number == number), None)
