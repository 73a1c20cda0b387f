"""What happens when a form is sent: act, then go back to the page; or show the page again with the refusal on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Request, Response, make_response, redirect

from stackr.sandbox import accounts
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import Repository
from stackr.sandbox.web.visitor import Visitor, refuse_foreign_form

Values = Mapping[str, str]
# What a page says after an action. Addresses carry only the key, so that no link can put words into our mouth.
NOTICES = {
    "approved": "You approved these changes.",
    "changes-requested": "You requested changes.",
    "commented": "Your comment is there.",
    "check-set": "The check is set.",
    "merged": "Merged.",
    "enqueued": "Added to the merge queue.",
    "dequeued": "Removed from the merge queue.",
    "closed": "Closed.",
    "reopened": "Reopened.",
    "draft": "It is a draft now.",
    "ready": "It is ready for review now.",
    "edited": "Saved.",
    "committed": "Your edit is committed to the branch.",
    "branch-deleted": "The branch is deleted.",
    "saved": "Saved.",
    "admin": "You are an administrator of this repository now.",
    "removed": "Removed.",
    "log-cleared": "The log is empty now.",
    "you": "You are somebody else now.",
}


def act(
    visitor: Visitor,
    request: Request,
    perform: Callable[[], str],
    show: Callable[[ApiError], str],
    target: str,
) -> Response:
    """Carry out ``perform``, which returns a key of NOTICES, and go to ``target``; on a refusal ``show`` the page.

    The answer is 303 to the page, or the status of the refusal with the page that tells it.
    """
    try:
        refuse_foreign_form(visitor, request)
        done = perform()
    except ApiError as error:
        return make_response(show(error), error.status)
    return make_response(redirect(f"{target}?done={done}", 303))


def chosen(actions: Mapping[str, Callable[..., str]], request: Request) -> Callable[..., str]:
    """The action that the pressed button names; 422 for none of them."""
    action = actions.get(request.form.get("do", ""))
    if action is None:
        raise ApiError(422, "There is no such action here.")
    return action


def number(values: Values, name: str, low: int, high: int) -> int:
    """A whole number within bounds; 422 otherwise."""
    text = values.get(name, "").strip() or "0"
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(high)) and low <= int(text) <= high):
        raise ApiError(422, f"{name.replace('_', ' ')} must be a whole number from {low} to {high}.")
    return int(text)


def lines_of(error: ApiError) -> list[str]:
    """A refusal for people, GitHub's words first."""
    texts = [line for text in error.texts() for line in text.split("\n") if line.strip()]
    return texts if error.message in ("Validation Failed", "Unprocessable Entity") else _joined(error.message, texts)


def _joined(message: str, texts: list[str]) -> list[str]:
    first = [line for line in message.split("\n") if line.strip()]
    return [*first, *(text for text in texts if text not in first)]


def explain(engine: Engine, visitor: Visitor, repo: Repository | None, error: ApiError) -> list[str]:
    """As ``lines_of``, and where rights are missing: who you are, what you may, and what to do."""
    lines = lines_of(error)
    if error.status not in (401, 403) or repo is None or "rate limit" in error.message:
        return lines
    if visitor.user is None:
        return ["You are signed out: choose at the top who you are."]
    if "form" in error.message:
        return lines
    level = accounts.permission(engine, visitor.user, repo)
    name = accounts.full_name(engine, repo)
    return [f"{visitor.login} has {level} access to {name}, and that is not enough for this.", *lines]
