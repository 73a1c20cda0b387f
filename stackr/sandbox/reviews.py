"""Reviews and who is asked for one.

A review belongs to the commit it was given on. Sources: https://docs.github.com/rest/pulls/reviews,
https://docs.github.com/rest/pulls/review-requests.
"""

from __future__ import annotations

from collections.abc import Sequence

from stackr.sandbox import accounts, protection, pulls, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, not_found, sign_in
from stackr.sandbox.model import PullRequest, Review, User

_STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}
_OPINIONS = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")


def list_reviews(engine: Engine, pull: PullRequest) -> list[Review]:
    """All reviews, oldest first."""
    return engine.store.reviews.by(repo_id=pull.repo_id, number=pull.number)


def find_review(engine: Engine, pull: PullRequest, review_id: int) -> Review:
    """A review of this pull request by id; 404 without one."""
    review = engine.store.reviews.get(review_id)
    if review is None or (review.repo_id, review.number) != (pull.repo_id, pull.number):
        raise not_found()
    return review


def add_review(
    engine: Engine,
    viewer: User | None,
    pull: PullRequest,
    *,
    event: str,
    body: str = "",
    oid: str | None = None,
) -> Review:
    """Review: APPROVE, REQUEST_CHANGES or COMMENT, on ``oid`` or the present head."""
    repo = pulls.repository_of(engine, pull)
    accounts.require(engine, viewer, repo, "read")
    if viewer is None:
        raise sign_in()
    if event not in _STATES:
        raise ApiError(422, "Validation Failed", errors=["Variable $event is invalid"])
    if viewer.id == pull.author_id and event != "COMMENT":
        what = "approve" if event == "APPROVE" else "request changes on"
        raise ApiError(422, "Unprocessable Entity", errors=[f"Can not {what} your own pull request"])
    if not body and event != "APPROVE":
        raise ApiError(422, "Unprocessable Entity", errors=["Body can't be blank"])
    if oid is not None and engine.git(repo).commit(oid) is None:
        raise ApiError(422, "Unprocessable Entity", errors=["The commit could not be found"])
    with engine.transaction():
        engine.limits.create_content(viewer)
        if viewer.id in pull.reviewer_ids:
            pull.reviewer_ids.remove(viewer.id)
        row = Review(
            repo_id=pull.repo_id,
            number=pull.number,
            author_id=viewer.id,
            state=_STATES[event],
            body=body,
            oid=oid or pull.head_oid,
            base_oid=pull.base_oid,
            submitted_at=engine.now(),
        )
        review = engine.store.reviews.add(row)
        timeline.record(
            engine, pull, "reviewed", viewer, review_id=review.id, state=review.state.lower(), oid=review.oid
        )
        return review


def dismiss_review(engine: Engine, viewer: User | None, pull: PullRequest, review: Review, message: str) -> Review:
    """Dismiss an approval or a request for changes, with a reason."""
    accounts.require(engine, viewer, pulls.repository_of(engine, pull), "write")
    if not message:
        raise ApiError(422, "Unprocessable Entity", errors=["Message can't be blank"])
    if review.state not in _OPINIONS[:2]:
        raise ApiError(422, "Unprocessable Entity", errors=["Can not dismiss a commented pull request review"])
    with engine.transaction():
        state = review.state
        review.dismissed_state, review.state = state, "DISMISSED"
        engine.store.reviews.save(review)
        timeline.record(
            engine, pull, "review_dismissed", viewer, review_id=review.id, state=state.lower(), message=message
        )
        return review


def latest_reviews(engine: Engine, pull: PullRequest) -> list[Review]:
    """The last review of each person, oldest first."""
    newest = {review.author_id: review for review in list_reviews(engine, pull)}
    return sorted(newest.values(), key=lambda review: review.id)


def latest_opinionated(engine: Engine, pull: PullRequest, *, writers_only: bool = False) -> list[Review]:
    """The last approval, request for changes or dismissal of each person: later comments do not undo it."""
    newest = {r.author_id: r for r in list_reviews(engine, pull) if r.state in _OPINIONS}
    found = sorted(newest.values(), key=lambda review: review.id)
    if not writers_only:
        return found
    repo = pulls.repository_of(engine, pull)
    return [r for r in found if accounts.may(engine, accounts.user(engine, r.author_id), repo, "write")]


def decision(engine: Engine, pull: PullRequest) -> str | None:
    """APPROVED, CHANGES_REQUESTED, REVIEW_REQUIRED, or None where nothing asks for reviews.

    https://docs.github.com/graphql/reference/enums#pullrequestreviewdecision
    """
    rule = protection.parameters(
        engine, pulls.repository_of(engine, pull), pulls.target_branch(engine, pull), "pull_request"
    )
    wanted = int(rule.get("required_approving_review_count", 0)) if rule else 0
    opinions = latest_opinionated(engine, pull, writers_only=True)
    if any(review.state == "CHANGES_REQUESTED" for review in opinions):
        return "CHANGES_REQUESTED" if rule or opinions else None
    if not wanted:
        return None
    return "APPROVED" if len(counting_approvals(engine, pull)) >= wanted else "REVIEW_REQUIRED"


def counting_approvals(engine: Engine, pull: PullRequest) -> list[Review]:
    """The approvals that a rule counts: by people with write access, the last pusher's left out where it says so."""
    repo = pulls.repository_of(engine, pull)
    rule = protection.parameters(engine, repo, pulls.target_branch(engine, pull), "pull_request") or {}
    approvals = [r for r in latest_opinionated(engine, pull, writers_only=True) if r.state == "APPROVED"]
    if not rule.get("require_last_push_approval"):
        return approvals
    pusher, pushed_at = last_push(engine, pull)
    return [r for r in approvals if r.author_id != pusher and r.id and _after(engine, pull, r, pushed_at)]


def last_push(engine: Engine, pull: PullRequest) -> tuple[int | None, int]:
    """Who pushed to the head last, and the id of that event; the author, 0, if nobody did since it was opened."""
    pushes = [e for e in timeline.events_of(engine, pull) if e.kind in ("pushed", "head_ref_force_pushed")]
    return (pushes[-1].actor_id, pushes[-1].id) if pushes else (pull.author_id, 0)


def _after(engine: Engine, pull: PullRequest, review: Review, event_id: int) -> bool:
    """Whether a review was given after an event."""
    events = timeline.events_of(engine, pull)
    return any(e.id > event_id and e.kind == "reviewed" and e.data.get("review_id") == review.id for e in events)


# -- requests ------------------------------------------------------------------------------------------


def request_reviewers(
    engine: Engine,
    viewer: User | None,
    pull: PullRequest,
    people: Sequence[User],
    *,
    replace: bool = False,
) -> None:
    """Ask people for a review, in addition to those asked, or instead of them.

    https://docs.github.com/rest/pulls/review-requests#request-reviewers-for-a-pull-request
    """
    repo = pulls.repository_of(engine, pull)
    accounts.require(engine, viewer, repo, "triage")
    assignable = {user.id for user in accounts.assignable(engine, repo)}
    for person in people:
        if person.id == pull.author_id:
            raise ApiError(422, "Review cannot be requested from pull request author.")
        if person.id not in assignable:
            raise ApiError(
                422,
                "Reviews may only be requested from collaborators. One or more of the users or teams you "
                "specified is not a collaborator of the "
                f"{accounts.full_name(engine, repo)} repository.",
            )
    with engine.transaction():
        wanted = [person.id for person in people]
        surplus = [key for key in pull.reviewer_ids if key not in wanted] if replace else []
        _remove(engine, viewer, pull, surplus)
        for person in people:
            if person.id not in pull.reviewer_ids:
                pull.reviewer_ids.append(person.id)
                timeline.record(engine, pull, "review_requested", viewer, reviewer=person.login)


def remove_reviewers(engine: Engine, viewer: User | None, pull: PullRequest, people: Sequence[User]) -> None:
    """Withdraw requests."""
    accounts.require(engine, viewer, pulls.repository_of(engine, pull), "triage")
    with engine.transaction():
        _remove(engine, viewer, pull, [person.id for person in people])


def _remove(engine: Engine, viewer: User | None, pull: PullRequest, user_ids: Sequence[int]) -> None:
    for user_id in [key for key in user_ids if key in pull.reviewer_ids]:
        pull.reviewer_ids.remove(user_id)
        login = accounts.user(engine, user_id).login
        timeline.record(engine, pull, "review_request_removed", viewer, reviewer=login)
