"""One API request: who asks, with which token, what it costs. Shared by REST and GraphQL.

``begin`` authenticates and charges; ``finish`` puts GitHub's headers on the answer; ``before_mutation`` spends the
server time of a write. Views find the rest with ``current``.
"""

from __future__ import annotations

import base64
import binascii
import uuid
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast

from flask import Response, g, jsonify
from flask import request as flask_request

from stackr.sandbox import accounts
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, forbidden, sign_in
from stackr.sandbox.log import Entry
from stackr.sandbox.model import Json, Token, User

ENTRY_KEY = "stackr.entry"
API_VERSIONS = ("2022-11-28", "2026-03-10")
_REMOVED = ("assignee", "merge_commit_sha")  # of issues and pull requests, in the newer one


class TimeCut(Exception):
    """The request took longer than GitHub allows; what was written stays written."""


@dataclass(slots=True)
class Context:
    """The request that is being answered. ``started`` is the engine's clock when it arrived."""

    entry: Entry
    started: float
    resource: str
    user: User | None = None
    token: Token | None = None


def current() -> Context:
    """The context of this request; only within one that called ``begin``."""
    return cast(Context, g.context)


def credentials(header: str | None) -> str | None:
    """The token of an Authorization header: ``bearer``, ``token`` or basic (as password, or as user)."""
    scheme, _, value = (header or "").partition(" ")
    if scheme.lower() in {"bearer", "token"}:
        return value.strip() or None
    if scheme.lower() != "basic":
        return None
    try:
        user, _, secret = base64.b64decode(value).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    # https://x-access-token:TOKEN@host, or the older TOKEN:x-oauth-basic
    return (user if secret in ("", "x-oauth-basic") else secret) or None


def begin(engine: Engine, resource: str = "core") -> Context:
    """Authenticate and charge this request; raises ApiError (401, 403) for what GitHub would refuse here.

    https://docs.github.com/rest/authentication/authenticating-to-the-rest-api,
    https://docs.github.com/rest/about-the-rest-api/api-versions
    """
    if not flask_request.headers.get("User-Agent"):
        # https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent
        raise ApiError(
            403,
            "Request forbidden by administrative rules. Please make sure your request has a User-Agent header "
            "(https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required).",
        )
    entry = cast(Entry, flask_request.environ[ENTRY_KEY])
    g.context = context = Context(entry, engine.clock.time(), resource)
    token = credentials(flask_request.headers.get("Authorization"))
    if token is not None:
        context.user, context.token = accounts.authenticate(engine, token)
        entry.user = context.user.login
    engine.limits.enter(context.user)
    g.under_way = True
    if context.user is None and (resource == "graphql" or flask_request.method not in {"GET", "HEAD"}):
        raise sign_in()
    version = flask_request.headers.get("X-GitHub-Api-Version", API_VERSIONS[0])
    if version not in API_VERSIONS:
        raise ApiError(400, f"{version} is not a supported version of the API.")
    write = entry.is_write
    entry.points = 5 if write else 1
    engine.limits.charge(context.user, resource, points=entry.points)
    return context


def leave(engine: Engine) -> None:
    """A request that may have begun is over, however it ended."""
    if g.pop("under_way", False):
        engine.limits.leave(current().user)


def refuse_without_sign_on(engine: Engine, token: Token | None) -> None:
    """Refuse a token that single sign-on is missing for, where it asks for what is the organization's.

    Only there: who the token's owner is it may ask, and GraphQL fails field by field (fwouts/prmonitor#1042,
    cli/cli#7881; https://docs.github.com/rest/authentication/authenticating-to-the-rest-api#personal-access-tokens-and-saml-sso).
    """
    if token is not None and token.sso_required:
        raise forbidden(
            "Resource protected by organization SAML enforcement. You must grant your Personal Access token "
            "access to this organization.",
            headers={"X-GitHub-SSO": f"required; url={engine.url}/orgs/sso?authorization_request=AQ"},
            extensions={"saml_failure": True},
        )


def as_versioned(body: Json) -> Json:
    """An object of an answer without the fields that the version asked for has no more.

    https://docs.github.com/rest/about-the-rest-api/breaking-changes
    """
    if flask_request.headers.get("X-GitHub-Api-Version") != API_VERSIONS[1]:
        return body
    return {name: value for name, value in body.items() if name not in _REMOVED}


def before_mutation(engine: Engine) -> None:
    """Spend the server time of one write, outside the engine's lock; TimeCut when GitHub's limit is reached.

    https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api#timeouts
    """
    seconds = engine.settings.mutation_ms / 1000
    left = engine.settings.time_limit_s - (engine.clock.time() - current().started)
    if seconds > left:
        engine.clock.sleep(left)
        raise TimeCut
    engine.clock.sleep(seconds)


def finish(engine: Engine, response: Response) -> Response:
    """Add the headers that every API answer has, and answer a conditional GET that still holds with 304, for free.

    https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
    """
    context: Context | None = g.get("context")
    user, resource = (context.user, context.resource) if context else (None, "core")
    if response.status_code == HTTPStatus.OK and flask_request.method == "GET":
        response.add_etag(weak=True)
        response.make_conditional(flask_request)
        if response.status_code == HTTPStatus.NOT_MODIFIED and user is not None:
            engine.limits.refund(user, resource)
    rate = engine.limits.rate(user, resource)
    headers = response.headers
    for name in ("limit", "remaining", "reset", "used", "resource"):
        headers[f"X-RateLimit-{name.capitalize()}"] = str(getattr(rate, name))
    headers["X-GitHub-Request-Id"] = uuid.uuid4().hex.upper()[:20]
    headers["X-GitHub-Media-Type"] = "github.v3; format=json"
    headers["X-GitHub-Api-Version-Selected"] = flask_request.headers.get("X-GitHub-Api-Version", API_VERSIONS[0])
    if context and context.token and context.token.kind == "classic":
        headers["X-OAuth-Scopes"] = context.token.scopes
    return response


def error_response(error: ApiError) -> Response:
    """A refusal as REST words it: message, errors, documentation_url, status."""
    body: dict[str, object] = {"message": error.message}
    if error.errors:
        body["errors"] = error.errors
    body["documentation_url"] = error.docs
    body["status"] = str(error.status)
    response = jsonify(body)
    response.status_code = error.status
    response.headers.update(error.headers)
    return response
