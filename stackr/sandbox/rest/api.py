"""How a route is declared: its path, the fields or parameters it knows; the rest is done here once.

A view gets the path's values and returns an object for JSON, a pair of object and status, a ``Page``, None for
204, or a whole response. It runs under the engine's lock, after authentication, limits and server time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, jsonify
from flask import request as flask_request
from werkzeug.exceptions import HTTPException

from stackr.sandbox import accounts
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, not_found, sign_in
from stackr.sandbox.gate import bad_gateway
from stackr.sandbox.model import Repository, User
from stackr.sandbox.request import (
    TimeCut,
    as_versioned,
    before_mutation,
    begin,
    current,
    error_response,
    finish,
    refuse_without_sign_on,
)
from stackr.sandbox.rest.inputs import Fields, read_body, read_params

View = Callable[..., Any]
PAGING = ("page", "per_page")
REPO = "/repos/<owner>/<name>"


@dataclass(frozen=True, slots=True)
class Page:
    """A list to be sent in pages; ``wrap`` puts it into an object with total_count under this key."""

    rows: Sequence[Any]
    shape: Callable[[Any], Any]
    wrap: str | None = None
    default_size: int = 30


class Api:
    """The blueprint under construction, and what views need."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._blueprint = Blueprint("rest", __name__, url_prefix="/api/v3")

    # -- for views -------------------------------------------------------------------------------------

    @property
    def viewer(self) -> User | None:
        """Who asks; None for anonymous."""
        return current().user

    def me(self) -> User:
        """Who asks; 401 for anonymous."""
        if self.viewer is None:
            raise sign_in()
        return self.viewer

    def repo(self, owner: str, name: str) -> Repository:
        """The repository of the path, if the viewer may see it."""
        refuse_without_sign_on(self.engine, current().token)
        return accounts.repository(self.engine, self.viewer, owner, name)

    # -- for declaring ---------------------------------------------------------------------------------

    def get(self, path: str, *params: str) -> Callable[[View], View]:
        """A reading route with the query parameters it knows; the view gets them as ``params``, if any."""
        return self._route("GET", path, params=params)

    def write(self, method: str, path: str, fields: Fields | None = None) -> Callable[[View], View]:
        """A writing route with the body's fields; the view gets them as ``body``, unless there are none."""
        return self._route(method, path, fields=fields or {})

    def _route(
        self, method: str, path: str, *, params: Sequence[str] = (), fields: Fields | None = None
    ) -> Callable[[View], View]:
        def declare(view: View) -> View:
            def run(**values: Any) -> Response:
                return self._run(view, values, params, fields)

            self._blueprint.add_url_rule(
                path, endpoint=f"{view.__name__}_{method.lower()}_{id(view):x}", view_func=run, methods=[method]
            )
            return view

        return declare

    def _run(self, view: View, values: Mapping[str, Any], params: Sequence[str], fields: Fields | None) -> Response:
        more: dict[str, Any] = {}
        if fields is None:
            found = read_params(flask_request.args, params)
            more = {"params": found} if params else {}
        elif fields:
            more = {"body": read_body(flask_request, fields)}
        with self.engine.transaction():
            return self._answer(view(**values, **more))

    def _answer(self, result: Any) -> Response:
        if isinstance(result, Response):
            return result
        if isinstance(result, Page):
            return self._page(result)
        if result is None:
            return Response(status=204)
        body, status = result if isinstance(result, tuple) else (result, 200)
        response = jsonify(as_versioned(body) if isinstance(body, dict) else body)
        response.status_code = status
        return response

    def _page(self, page: Page) -> Response:
        """https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api"""
        args = flask_request.args
        size = min(max(args.get("per_page", page.default_size, int), 1), 100)
        number = max(args.get("page", 1, int), 1)
        last = max(-(-len(page.rows) // size), 1)
        shaped = [page.shape(row) for row in page.rows[(number - 1) * size : number * size]]
        rows = [as_versioned(row) if isinstance(row, dict) else row for row in shaped]
        response = jsonify({"total_count": len(page.rows), page.wrap: rows} if page.wrap else rows)
        links = {"prev": number - 1, "next": number + 1, "last": last, "first": 1}
        if number <= 1:
            links.pop("prev"), links.pop("first")
        if number >= last:
            links.pop("next"), links.pop("last")
        if links:
            response.headers["Link"] = ", ".join(f'<{self._url(n)}>; rel="{rel}"' for rel, n in links.items())
        return response

    def _url(self, page: int) -> str:
        args = "&".join(f"{key}={value}" for key, value in {**flask_request.args.to_dict(), "page": page}.items())
        return f"{self.engine.url}{flask_request.path}?{args}"

    def finish(self) -> Blueprint:
        """The blueprint with what holds for every route."""
        blueprint, engine = self._blueprint, self.engine

        @blueprint.before_request
        def arrive() -> None:
            begin(engine)
            if current().entry.is_write:
                before_mutation(engine)

        @blueprint.after_request
        def leave(response: Response) -> Response:
            return finish(engine, response)

        @blueprint.errorhandler(ApiError)
        def refused(error: ApiError) -> Response:
            return error_response(error)

        @blueprint.errorhandler(TimeCut)
        def cut(error: TimeCut) -> Response:
            page = bad_gateway()
            return Response(page.get_data(), page.status, mimetype="text/html")

        @blueprint.errorhandler(HTTPException)
        def failed(error: HTTPException) -> Response:
            return error_response(ApiError(error.code or 500, error.name))

        @blueprint.route("/<path:anything>", methods=["GET", "POST", "PATCH", "PUT", "DELETE"])
        def nothing_here(anything: str) -> Response:
            raise not_found()

        return blueprint
