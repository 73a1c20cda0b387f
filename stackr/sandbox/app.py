"""Builds the web application of a sandbox: REST, GraphQL, control API and pages, each a blueprint."""

from __future__ import annotations

from importlib import import_module

from flask import Flask

from stackr.sandbox import control, rest
from stackr.sandbox.engine import Engine
from stackr.sandbox.gate import Gate

# Rooms built beside this one; each has create_blueprint(engine).
_ROOMS = ("stackr.sandbox.graphql.http", "stackr.sandbox.web.pages")


def create_flask(engine: Engine) -> Flask:
    """The Flask application, without the gate."""
    app = Flask("stackr.sandbox", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.config["MAX_CONTENT_LENGTH"] = None
    app.register_blueprint(rest.create_blueprint(engine))
    app.register_blueprint(control.create_blueprint(engine))
    for room in _ROOMS:
        try:
            app.register_blueprint(import_module(room).create_blueprint(engine))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("stackr.sandbox."):
                raise
    return app


def create_app(engine: Engine) -> Gate:
    """The WSGI application of a sandbox."""
    return Gate(engine, create_flask(engine))
