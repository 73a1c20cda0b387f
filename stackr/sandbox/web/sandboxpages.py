"""The pages of the sandbox as a whole: home, accounts, becoming somebody else, the request log and the limits.

Everything that is no page of GitHub's is below ``/-/``: no account can have that name.
"""

from __future__ import annotations

from flask import Response, make_response, redirect, request

from stackr.sandbox import accounts, pulls
from stackr.sandbox.errors import ApiError, not_found
from stackr.sandbox.model import Repository, User
from stackr.sandbox.web import forms, links, visitor
from stackr.sandbox.web.room import Room

SHOWN_REQUESTS = 200
_COOKIE_AGE_S = 180 * 24 * 3600


def register(room: Room) -> None:
    """Add the routes."""

    @room.page("/")
    def home() -> str:
        return room.show("home.html", repositories=_repositories(room), token=_token(room))

    @room.page("/<owner:owner>")
    def account(owner: str) -> str:
        user = accounts.user_by_login(room.engine, owner)
        if user is None:
            raise not_found(f"There is nobody called {owner}.")
        return room.show("account.html", account=user, repositories=_repositories(room, user))

    @room.page("/-/you", "POST")
    def become() -> Response:
        # No token: it would be that of the person one was when the page was made. The origin was checked.
        login = request.form.get("login", "")
        known = [user.login for user in visitor.people(room.engine)]
        if login not in [*known, visitor.SIGNED_OUT]:
            raise not_found(f"There is nobody called {login}.")
        answer = make_response(redirect(visitor.local_path(request.form.get("back", "/")) + "?done=you", 303))
        answer.set_cookie(visitor.cookie_name(request), login, max_age=_COOKIE_AGE_S, httponly=True, samesite="Lax")
        return answer

    @room.page("/-/sandbox")
    def sandbox() -> str:
        return _show(room)

    @room.page("/-/sandbox", "POST")
    def change_sandbox() -> Response:
        def perform() -> str:
            return forms.chosen({"limits": lambda: _save_limits(room), "clear": lambda: _clear(room)}, request)()

        return forms.act(room.visitor, request, perform, lambda error: _show(room, error), "/-/sandbox")


def _show(room: Room, error: ApiError | None = None) -> str:
    entries = room.engine.log.entries()
    return room.show(
        "sandbox.html",
        error,
        entries=entries[: -SHOWN_REQUESTS - 1 : -1],
        total=len(entries),
        counts=room.engine.log.counts(),
        secondary=room.engine.limits.secondary,
        settings=room.engine.settings,
    )


def _save_limits(room: Room) -> str:
    """The sandbox's own switches; they are nobody's on GitHub, so they take no rights."""
    latency = forms.number(request.form, "latency_ms", 0, 60_000)
    mutation = forms.number(request.form, "mutation_ms", 0, 60_000)
    room.engine.settings.latency_ms, room.engine.settings.mutation_ms = latency, mutation
    room.engine.limits.secondary.enabled = request.form.get("secondary") == "on"
    return "saved"


def _clear(room: Room) -> str:
    room.engine.log.clear()
    return "log-cleared"


def _repositories(room: Room, owner: User | None = None) -> list[tuple[Repository, str, str, int]]:
    """Repository, full name, path, number of open pull requests: those that the visitor may see."""
    engine = room.engine
    return [
        (
            repo,
            accounts.full_name(engine, repo),
            links.repository_path(engine, repo),
            len(pulls.list_pulls(engine, repo, states={"open"})),
        )
        for repo in engine.store.repositories.all()
        if (owner is None or repo.owner_id == owner.id) and accounts.may(engine, room.visitor.user, repo, "read")
    ]


def _token(room: Room) -> str | None:
    """A token with which the visitor can be the same person on the command line."""
    user = room.visitor.user
    usable = [row for row in room.engine.store.tokens.all() if user and row.user_id == user.id and not row.expired]
    return usable[0].token if usable else None
