"""Whose token it is and what it may do, for ``stackr auth status``."""

from __future__ import annotations

from collections.abc import Mapping

from stackr.github.failures import clean
from stackr.github.http import Http
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """What one answer tells of a token.

    ``scopes`` are those of a classic token, ``None`` for other kinds (GitHub does not list their permissions).
    ``reset`` is in seconds since 1970; ``expires`` is GitHub's own text. What GitHub did not send is ``None``.
    """

    login: str
    source: str
    scopes: tuple[str, ...] | None
    limit: int | None
    remaining: int | None
    reset: int | None
    expires: str | None


def describe_auth(http: Http) -> Account:
    """One REST call to the token's own user.

    https://docs.github.com/en/rest/users/users#get-the-authenticated-user
    """
    reply = http.rest("GET", "/user")
    headers = reply.headers
    scopes = headers.get("x-oauth-scopes")
    return Account(
        login=str(reply.data["login"]),
        source=http.token.source,
        scopes=None if scopes is None else tuple(clean(scope) for scope in scopes.split(",") if scope.strip()),
        limit=_number(headers, "x-ratelimit-limit"),
        remaining=_number(headers, "x-ratelimit-remaining"),
        reset=_number(headers, "x-ratelimit-reset"),
        expires=clean(headers.get("github-authentication-token-expiration", "")) or None,
    )


def _number(headers: Mapping[str, str], name: str) -> int | None:
    text = headers.get(name, "")
    return int(text) if text.isascii() and text.isdigit() else None
