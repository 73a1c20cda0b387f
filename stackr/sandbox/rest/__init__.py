"""The REST API under ``/api/v3``: routes and shapes; every rule is in the engine's modules.

Stricter than GitHub in one way: unknown fields and parameters are refused with a 422 that names them, so that a
client's typing error is found here. A route that is missing answers 404, as GitHub does for paths it does not know.
"""

from __future__ import annotations

from flask import Blueprint

from stackr.sandbox.engine import Engine
from stackr.sandbox.rest import (
    actions,
    branches,
    checks,
    comments,
    commits,
    issues,
    meta,
    pulls,
    refs,
    repositories,
    reviews,
    rulesets,
    stacks,
)
from stackr.sandbox.rest.api import Api

_ROOMS = (
    actions,
    branches,
    checks,
    comments,
    commits,
    issues,
    meta,
    pulls,
    refs,
    repositories,
    reviews,
    rulesets,
    stacks,
)


def create_blueprint(engine: Engine) -> Blueprint:
    """The routes under ``/api/v3``."""
    api = Api(engine)
    for room in _ROOMS:
        room.register(api)
    return api.finish()
