"""Builds the web application of a sandbox: REST, GraphQL, control API and pages, each a blueprint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask
from werkzeug.routing import Rule

from stackr.sandbox import control, request, rest
from stackr.sandbox.engine import Engine
from stackr.sandbox.gate import Gate
from stackr.sandbox.graphql import http as graphql
from stackr.sandbox.rest import joblogs
from stackr.sandbox.web import pages


class _LazyRule(Rule):
    """A route whose URL builder is compiled when first used.

    Compiling two for each of a hundred routes would be most of a sandbox's start. Should werkzeug rename the
    method, only that saving is lost.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        made: list[Callable[..., tuple[str, str]]] = []

        def build(rule: Rule, **values: Any) -> tuple[str, str]:
            if not made:
                made.append(super(_LazyRule, self)._compile_builder(append_unknown))
            return made[0](rule, **values)

        return build


def create_flask(engine: Engine) -> Flask:
    """The Flask application, without the gate."""
    app = Flask("stackr.sandbox", static_folder=None)
    app.url_rule_class = _LazyRule
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.config["MAX_CONTENT_LENGTH"] = None
    app.register_blueprint(rest.create_blueprint(engine))
    app.register_blueprint(control.create_blueprint(engine))
    app.register_blueprint(graphql.create_blueprint(engine))
    app.register_blueprint(joblogs.create_blueprint(engine))
    app.register_blueprint(pages.create_blueprint(engine))
    app.teardown_request(lambda _error: request.leave(engine))
    return app


def create_app(engine: Engine) -> Gate:
    """The WSGI application of a sandbox."""
    return Gate(engine, create_flask(engine))
