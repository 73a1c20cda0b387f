"""The blueprint of the sandbox's pages: routes, headers, the page for what is not there.

No page needs JavaScript, loads anything from elsewhere, or can be framed: see the policy in ``_HEADERS``.
"""

from __future__ import annotations

from flask import Blueprint, Response, request
from flask.blueprints import BlueprintSetupState
from jinja2 import StrictUndefined
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter

from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.web import links, pullpages, repopages, sandboxpages, settingspages, text, visitor
from stackr.sandbox.web.room import Room

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class OwnerConverter(BaseConverter):
    """An account's name in an address: none of ours (``/-/``, ``/_sandbox``) and not the API's."""

    regex = r"(?!api(?:/|$))[^/_-][^/]*"


def create_blueprint(engine: Engine) -> Blueprint:
    """The pages, for ``app.create_flask``."""
    blueprint = Blueprint(
        "web", __name__, template_folder="templates", static_folder="static", static_url_path="/-/static"
    )
    room = Room(engine, blueprint, visitor.read_key(engine.root))
    blueprint.record_once(lambda state: _prepare(state, engine))
    for pages in (sandboxpages, repopages, settingspages, pullpages):
        pages.register(room)
    blueprint.after_request(_add_headers)
    blueprint.app_errorhandler(HTTPException)(lambda error: _not_a_page(room, error))
    return blueprint


def _prepare(state: BlueprintSetupState, engine: Engine) -> None:
    state.app.url_map.converters["owner"] = OwnerConverter
    environment = state.app.jinja_env
    environment.undefined = StrictUndefined
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters.update(
        visible=text.visible, date=text.date, short=text.short, count=text.count, lines=lambda value: value.split("\n")
    )
    environment.globals.update(
        repository_path=lambda repo: links.repository_path(engine, repo),
        full_name=lambda repo: f"{engine.store.users.need(repo.owner_id).login}/{repo.name}",
    )


def _add_headers(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def _not_a_page(room: Room, error: HTTPException) -> Response | HTTPException:
    """A page for addresses that lead nowhere; what is no page (API, control, static files) keeps its own answer."""
    if request.path.startswith(("/api/", "/_sandbox", "/-/static/")) or error.code is None or error.code < 400:
        return error
    page = room.not_found(ApiError(error.code, error.description or error.name))
    return _add_headers(Response(page, error.code, mimetype="text/html"))
