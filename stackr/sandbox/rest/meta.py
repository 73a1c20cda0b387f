"""Who am I, users, limits, and what this server is."""

from __future__ import annotations

from stackr.sandbox import accounts
from stackr.sandbox.errors import forbidden, not_found
from stackr.sandbox.limits import Rate
from stackr.sandbox.model import Json
from stackr.sandbox.request import current
from stackr.sandbox.rest import people
from stackr.sandbox.rest.api import Api


def _rate(rate: Rate) -> Json:
    return {"limit": rate.limit, "remaining": rate.remaining, "reset": rate.reset, "used": rate.used}


def register(api: Api) -> None:
    """https://docs.github.com/rest/users, .../rate-limit, .../meta."""
    engine = api.engine

    @api.get("/user")
    def me() -> Json:
        token = current().token
        if token is not None and token.kind == "job":  # pingdotgg/t3code#11273: of GraphQL it may ask that
            raise forbidden("Resource not accessible by integration")
        return people.private_user(engine, api.me())

    @api.get("/users/<login>")
    def user(login: str) -> Json:
        found = accounts.user_by_login(engine, login)
        if found is None:
            raise not_found()
        return people.full_user(engine, found)

    @api.get("/rate_limit")
    def rate_limit() -> Json:
        core, graphql = (_rate(engine.limits.rate(api.viewer, name)) for name in ("core", "graphql"))
        search = {"limit": 30, "remaining": 30, "reset": core["reset"], "used": 0}
        return {"resources": {"core": core, "graphql": graphql, "search": search}, "rate": core}

    @api.get("/meta")
    def meta() -> Json:
        return {"verifiable_password_authentication": False, "installed_version": "3.21.0"}
