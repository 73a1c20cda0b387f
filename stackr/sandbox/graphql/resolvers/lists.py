"""A repository's pull requests and issues: finding, filtering, ordering; one rule for all places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stackr.sandbox import issues
from stackr.sandbox.errors import not_found
from stackr.sandbox.graphql.binding import Fields
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.values import Ref
from stackr.sandbox.model import Issue, PullRequest, Repository

repo = Fields("Repository")

_ORDERS = {"CREATED_AT": "created_at", "UPDATED_AT": "updated_at", "NAME": "name", "NUMBER": "number"}


def pull_state(row: PullRequest) -> str:
    """A PullRequestState."""
    return "MERGED" if row.merged_at is not None else row.state.upper()


def ordered(context: Context, rows: Sequence[Any], order_by: dict[str, str] | None) -> list[Any]:
    """Rows in the asked order; without one as they were made. Equal keys stay in order of making."""
    if order_by is None:
        return list(rows)
    down = order_by["direction"] == "DESC"
    if order_by["field"] == "COMMENTS":
        return sorted(rows, key=lambda row: len(issues.comments_of(context.engine, row)), reverse=down)
    attribute = _ORDERS[order_by["field"]]
    # Labels keep no time of their making; their ids are in that order.
    return sorted(rows, key=lambda row: (getattr(row, attribute, ""), row.id), reverse=down)


# -- pull requests -----------------------------------------------------------------------------------------


def narrowed(
    context: Context,
    rows: Sequence[PullRequest],
    *,
    states: list[str] | None = None,
    labels: list[str] | None = None,
    base_ref_name: str | None = None,
    head_ref_name: str | None = None,
    order_by: dict[str, str] | None = None,
) -> list[PullRequest]:
    """What the arguments of every ``pullRequests`` field ask for."""
    found = [
        row
        for row in rows
        if (head_ref_name is None or row.head_ref == head_ref_name)
        and (base_ref_name is None or row.base_ref == base_ref_name)
        and (not states or pull_state(row) in states)
        and (not labels or has_label(context, row, labels))
    ]
    return ordered(context, found, order_by)


def has_label(context: Context, issue: Issue, wanted: list[str]) -> bool:
    """Whether an issue bears at least one of these labels."""
    present = {label.name.lower() for label in issues.labels_of(context.engine, issue)}
    return any(name.lower() in present for name in wanted)


def paged_pulls(
    info: Info, rows: Sequence[PullRequest], arguments: dict[str, Any], *, head_ref_name: str | None = None
) -> Connection:
    """Narrow and page pull requests by one dictionary of arguments."""
    filters = {name: arguments.pop(name, None) for name in ("states", "labels", "base_ref_name", "order_by")}
    return page(info, narrowed(ctx(info), rows, head_ref_name=head_ref_name, **filters), arguments)


@repo
def pull_requests(row: Repository, info: Info, head_ref_name: str | None = None, **arguments: Any) -> Connection:
    """The pull requests into this repository. By head branch it costs an index look-up, whatever their number."""
    table = ctx(info).engine.store.pulls
    if head_ref_name is None:
        return paged_pulls(info, table.by(repo_id=row.id), arguments)
    heads = heads_of(ctx(info), row, head_ref_name)
    return paged_pulls(info, heads, arguments)


def heads_of(context: Context, row: Repository, name: str) -> list[PullRequest]:
    """The pull requests whose head branch has this name, here or in a fork, in the order they were made."""
    store = context.engine.store
    repos: list[int | None] = [r.id for r in store.repositories.all() if row.id in (r.id, r.parent_id)]
    found = [pull for repo_id in (*repos, None) for pull in store.pulls.by(head_repo_id=repo_id, head_ref=name)]
    return sorted((pull for pull in found if pull.repo_id == row.id), key=lambda pull: pull.id)


@Fields("Ref")
def associated_pull_requests(value: Ref, info: Info, head_ref_name: str | None = None, **arguments: Any) -> Connection:
    """The pull requests whose head is this branch."""
    name = value.name.removeprefix("refs/heads/")
    rows = [] if name == value.name else ctx(info).engine.store.pulls.by(head_repo_id=value.repo.id, head_ref=name)
    return paged_pulls(info, rows, arguments, head_ref_name=head_ref_name)


def pull_request(row: Repository, info: Info, number: int) -> PullRequest:
    """A pull request by its number."""
    found = ctx(info).engine.store.pulls.one(repo_id=row.id, number=number)
    if found is None:
        raise not_found(f"Could not resolve to a PullRequest with the number of {number}.")
    return found


repo.add("pullRequest", pull_request)

# -- issues ------------------------------------------------------------------------------------------------


def issue_or_pull_request(row: Repository, info: Info, number: int) -> Issue:
    """Either, by its number."""
    store = ctx(info).engine.store
    found = store.issues.one(repo_id=row.id, number=number) or store.pulls.one(repo_id=row.id, number=number)
    if found is None:
        raise not_found(f"Could not resolve to an issue or pull request with the number of {number}.")
    return found


repo.add("issueOrPullRequest", issue_or_pull_request)


@repo
def issue(row: Repository, info: Info, number: int) -> Issue:
    """A plain issue by its number."""
    found = ctx(info).engine.store.issues.one(repo_id=row.id, number=number)
    if found is None:
        raise not_found(f"Could not resolve to an Issue with the number of {number}.")
    return found


def paged_issues(info: Info, rows: Sequence[Issue], arguments: dict[str, Any]) -> Connection:
    """Narrow and page issues by the arguments of every ``issues`` field."""
    wanted = {**(arguments.pop("filter_by", None) or {})}
    for name in ("states", "labels"):
        wanted[name] = arguments.pop(name, None) or wanted.get(name)
    found = [row for row in rows if fits(ctx(info), row, wanted)]
    return page(info, ordered(ctx(info), found, arguments.pop("order_by", None)), arguments)


def fits(context: Context, row: Issue, wanted: dict[str, Any]) -> bool:
    """Whether an issue passes an IssueFilters; ``*`` stands for any assignee or milestone, null for none."""
    store = context.engine.store
    assignees = [context.engine.store.users.need(user_id).login for user_id in row.assignee_ids]
    milestone = store.milestones.get(row.milestone_id)
    author = context.user(row.author_id)
    return (
        (not wanted.get("states") or row.state.upper() in wanted["states"])
        and (not wanted.get("labels") or has_label(context, row, wanted["labels"]))
        and (not wanted.get("since") or row.updated_at >= wanted["since"])
        and (not wanted.get("createdBy") or (author is not None and author.login == wanted["createdBy"]))
        and (not wanted.get("mentioned") or f"@{wanted['mentioned']}" in (row.body or ""))
        and ("assignee" not in wanted or chosen(wanted["assignee"], assignees))
        and ("milestone" not in wanted or chosen(wanted["milestone"], [str(milestone.id)] if milestone else []))
        and (
            "milestoneNumber" not in wanted
            or chosen(wanted["milestoneNumber"], [str(milestone.number)] if milestone else [])
        )
    )


def chosen(wanted: str | None, present: list[str]) -> bool:
    """Whether a filter value fits: null for none, ``*`` for any, else the value itself."""
    if wanted is None:
        return not present
    return bool(present) if wanted == "*" else wanted in present


@repo
def issues_(row: Repository, info: Info, **arguments: Any) -> Connection:
    """The plain issues; pull requests are not among them, unlike in REST."""
    return paged_issues(info, ctx(info).engine.store.issues.by(repo_id=row.id), arguments)
