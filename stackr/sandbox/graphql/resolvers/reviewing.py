"""Reviews, those who were asked for one, and what they add up to."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import accounts, reviews
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.conversation import subject_of
from stackr.sandbox.graphql.resolvers.git_objects import find_commit
from stackr.sandbox.graphql.values import ReviewRequest
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import PullRequest, Review

names(ReviewRequest, "ReviewRequest")

review = Fields("PullRequestReview")
review.attributes("state", createdAt="submitted_at", publishedAt="submitted_at", updatedAt="submitted_at")
review.attributes("submitted_at")
review.constants(isMinimized=False, minimizedReason=None, viewerCanDelete=False)
review.add("id", lambda row, _info: node_id("PullRequestReview", row.id))
review.add("pullRequest", lambda row, info: subject_of(ctx(info), row))
review.add("commit", lambda row, info: find_commit(ctx(info), ctx(info).repository(row), row.oid))


@review
def author_can_push_to_repository(row: Review, info: Info) -> bool:
    """Whether the reviewer has write access: only such approvals count for rules."""
    engine, author = ctx(info).engine, ctx(info).user(row.author_id)
    return author is not None and accounts.may(engine, author, ctx(info).repository(row), "write")


# -- of a pull request -------------------------------------------------------------------------------------

pull = Fields("PullRequest")
pull.add("reviewDecision", lambda row, info: reviews.decision(ctx(info).engine, row))


@pull
def reviews_(
    row: PullRequest,
    info: Info,
    *,
    author: str | None = None,
    states: list[str] | None = None,
    **arguments: Any,
) -> Connection:
    """Every review, oldest first."""
    found = reviews.list_reviews(ctx(info).engine, row)
    if author is not None:
        account = accounts.user_by_login(ctx(info).engine, author)
        found = [review for review in found if account is not None and review.author_id == account.id]
    return page(info, [review for review in found if not states or review.state in states], arguments)


@pull
def latest_reviews(row: PullRequest, info: Info, **arguments: Any) -> Connection:
    """The last review of each person, but for those who were asked again."""
    return page(info, reviews.latest_reviews(ctx(info).engine, row), arguments)


@pull
def latest_opinionated_reviews(
    row: PullRequest, info: Info, writers_only: bool | None = None, **arguments: Any
) -> Connection:
    """The last review of each person that approved or requested changes (or was dismissed)."""
    found = reviews.latest_opinionated(ctx(info).engine, row, writers_only=bool(writers_only))
    return page(info, found, arguments)


@pull
def review_threads(_row: PullRequest, info: Info, **arguments: Any) -> Connection:
    """Conversations on code: the sandbox has none."""
    return page(info, [], arguments)


Fields("PullRequestReviewThread").attributes("id is_outdated is_resolved")


@pull
def viewer_latest_review(row: PullRequest, info: Info) -> Review | None:
    """The viewer's own last review."""
    mine = [r for r in reviews.list_reviews(ctx(info).engine, row) if r.author_id == ctx(info).viewer.id]
    return mine[-1] if mine else None


def requests_of(context: Context, row: PullRequest) -> list[ReviewRequest]:
    """Who was asked and has not answered, in the order of asking."""
    asked = [context.user(user_id) for user_id in row.reviewer_ids]
    return [ReviewRequest(row, account) for account in asked if account is not None]


pull.add("reviewRequests", lambda row, info, **a: page(info, requests_of(ctx(info), row), a))


@pull
def viewer_latest_review_request(row: PullRequest, info: Info) -> ReviewRequest | None:
    """The request that waits for the viewer."""
    return next((r for r in requests_of(ctx(info), row) if r.reviewer is ctx(info).viewer), None)


request = Fields("ReviewRequest")
request.attributes(pullRequest="pull", requestedReviewer="reviewer", databaseId="reviewer.id")
request.constants(asCodeOwner=False)
request.add("id", lambda value, _info: node_id("ReviewRequest", value.pull.id, value.reviewer.id))
