"""Reviews, and who is asked for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stackr.sandbox import accounts, pulls, reviews
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import Json, PullRequest, User
from stackr.sandbox.rest import threads
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page
from stackr.sandbox.rest.inputs import strings
from stackr.sandbox.rest.people import simple_user

_PULL = f"{REPO}/pulls/<int:number>"


def register(api: Api) -> None:
    """https://docs.github.com/rest/pulls/reviews, .../pulls/review-requests."""
    engine = api.engine

    def find(owner: str, name: str, number: int) -> PullRequest:
        return pulls.find(engine, api.repo(owner, name), number)

    @api.get(f"{_PULL}/reviews", *PAGING)
    def list_reviews(owner: str, name: str, number: int, params: dict[str, str]) -> Page:
        pull = find(owner, name, number)
        return Page(reviews.list_reviews(engine, pull), lambda row: threads.review(engine, pull, row))

    @api.write("POST", f"{_PULL}/reviews", {"event": "string!", "body": "string", "commit_id": "string"})
    def create(owner: str, name: str, number: int, body: dict[str, Any]) -> Json:
        pull = find(owner, name, number)
        row = reviews.add_review(
            engine,
            api.me(),
            pull,
            event=body["event"],
            body=body.get("body", ""),
            oid=body.get("commit_id"),
        )
        return threads.review(engine, pull, row)

    @api.write("PUT", f"{_PULL}/reviews/<int:review>/dismissals", {"message": "string!", "event": "string"})
    def dismiss(owner: str, name: str, number: int, review: int, body: dict[str, Any]) -> Json:
        pull = find(owner, name, number)
        row = reviews.find_review(engine, pull, review)
        reviews.dismiss_review(engine, api.me(), pull, row, body["message"])
        return threads.review(engine, pull, row)

    @api.get(f"{_PULL}/requested_reviewers")
    def requested(owner: str, name: str, number: int) -> Json:
        pull = find(owner, name, number)
        asked = [accounts.user(engine, key) for key in pull.reviewer_ids]
        return {"users": [simple_user(engine, user) for user in asked], "teams": []}

    @api.write("POST", f"{_PULL}/requested_reviewers", {"reviewers": "array", "team_reviewers": "array"})
    def request(owner: str, name: str, number: int, body: dict[str, Any]) -> tuple[Json, int]:
        pull = find(owner, name, number)
        people = _people(api, body)
        reviews.request_reviewers(engine, api.me(), pull, people)
        return threads.pull_simple(engine, pull, api.viewer), 201

    @api.write("DELETE", f"{_PULL}/requested_reviewers", {"reviewers": "array!", "team_reviewers": "array"})
    def withdraw(owner: str, name: str, number: int, body: dict[str, Any]) -> Json:
        pull = find(owner, name, number)
        reviews.remove_reviewers(engine, api.me(), pull, _people(api, body))
        return threads.pull_simple(engine, pull, api.viewer)


def _people(api: Api, body: dict[str, Any]) -> Sequence[User]:
    """The accounts named; GitHub takes all or none. There are no teams here."""
    logins = strings("reviewers", body.get("reviewers", []))
    found = [accounts.user_by_login(api.engine, login) for login in logins]
    people = [user for user in found if user is not None]
    if len(people) < len(logins) or body.get("team_reviewers"):
        raise ApiError(
            422,
            "Reviews may only be requested from collaborators. One or more of the users or teams you "
            "specified is not a collaborator of the repository.",
        )
    return people
