"""Builds the web application of a sandbox: REST, GraphQL, control API and pages, each a blueprint."""

from __future__ import annotations

from flask import Flask

from stackr.sandbox import control, rest
from stackr.sandbox.engine import Engine
from stackr.sandbox.gate import Gate
from stackr.sandbox.graphql import http as graphql
from stackr.sandbox.web import pages


def create_flask(engine: Engine) -> Flask:
    """The Flask application, without the gate."""
    app = Flask("stackr.sandbox", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.config["MAX_CONTENT_LENGTH"] = None
    app.register_blueprint(rest.create_blueprint(engine))
    app.register_blueprint(control.create_blueprint(engine))
    app.register_blueprint(graphql.create_blueprint(engine))
    app.register_blueprint(pages.create_blueprint(engine))
    return app


def create_app(engine: Engine) -> Gate:
    """The WSGI application of a sandbox."""
    return Gate(engine, create_flask(engine))
