"""What every page shares: finding the visitor, taking the lock, catching refusals, rendering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from flask import Blueprint, Response, g, make_response, render_template, request
from werkzeug.wrappers import Response as Answer

from stackr.sandbox import accounts
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import Repository
from stackr.sandbox.web import forms, visitor
from stackr.sandbox.web.visitor import Visitor

View = Callable[..., "str | Answer"]


@dataclass(frozen=True, slots=True)
class Room:
    """The engine, the blueprint that pages are added to, and the key of the forms."""

    engine: Engine
    blueprint: Blueprint
    key: bytes

    def page(self, rule: str, *methods: str) -> Callable[[View], View]:
        """Register a view at an address, for GET or for the methods given.

        The view holds the engine's lock, so that a page never shows half of a push; what it raises becomes a page.
        """

        def register(view: View) -> View:
            @wraps(view)
            def answer(**params: Any) -> Response:
                g.visitor = Visitor(None, "")
                try:
                    visitor.refuse_foreign_host(request)
                    visitor.refuse_foreign_origin(request)
                    with self.engine.lock:
                        g.visitor = visitor.find(self.engine, request, self.key)
                        return make_response(view(**params))
                except ApiError as error:
                    return make_response(self.problem(error), error.status)

            self.blueprint.add_url_rule(rule, view.__name__, answer, methods=list(methods) or ["GET"])
            return view

        return register

    @property
    def visitor(self) -> Visitor:
        """Who asks for this page."""
        found: Visitor = g.visitor
        return found

    def repository(self, owner: str, name: str) -> Repository:
        """The repository of an address, if the visitor may see it; 404 otherwise."""
        return accounts.repository(self.engine, self.visitor.user, owner, name)

    def show(self, template: str, error: ApiError | None = None, repo: Repository | None = None, **context: Any) -> str:
        """Render a template; ``error`` is shown on top, and then ``typed`` holds what was sent."""
        typed: Mapping[str, str] = request.form if error else {}
        problem = forms.explain(self.engine, self.visitor, repo, error) if error else []
        return render_template(template, repo=repo, problem=problem, typed=typed, **self._common(), **context)

    def problem(self, error: ApiError) -> str:
        """The page for something that cannot be shown."""
        titles = {404: "There is nothing here", 421: "Wrong name"}
        title = titles.get(error.status, "That cannot be done")
        return self.show("problem.html", title=title, lines=forms.lines_of(error))

    def not_found(self, error: ApiError) -> str:
        """As ``problem``, for an address that no view answers to."""
        with self.engine.lock:
            g.visitor = visitor.find(self.engine, request, self.key)
            return self.problem(error)

    def _common(self) -> dict[str, Any]:
        """What every template may use."""
        return {
            "visitor": self.visitor,
            "people": visitor.people(self.engine),
            "here": visitor.local_path(request.path),
            "notice": forms.NOTICES.get(request.args.get("done", ""), ""),
            "signed_out": visitor.SIGNED_OUT,
        }
