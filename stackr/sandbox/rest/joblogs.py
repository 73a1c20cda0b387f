"""Where logs lie: GitHub redirects to another host, to an address that is valid for a minute and takes no token.

Here that host is ``localhost`` where the sandbox is 127.0.0.1. A token that is sent along is refused, as a blob store
does, and is a leak that a test should find.
https://docs.github.com/rest/actions/workflow-jobs#download-job-logs-for-a-workflow-run
"""

from __future__ import annotations

import hmac
import secrets

from flask import Blueprint, Response, request

from stackr.sandbox.engine import Engine
from stackr.sandbox.model import CheckRun

VALID_S = 60
_KEY = secrets.token_bytes(16)


def address(engine: Engine, job: CheckRun) -> str:
    """Where a job's log can be read for a minute, by anybody who has the address."""
    until = int(engine.clock.time()) + VALID_S
    host = engine.url.replace("//127.0.0.1", "//localhost")
    return f"{host}/_results/{job.id}/{until}/{_signature(job.id, until)}/job.txt"


def _signature(job: int, until: int) -> str:
    return hmac.new(_KEY, f"{job}:{until}".encode(), "sha256").hexdigest()


def create_blueprint(engine: Engine) -> Blueprint:
    """The route of those addresses."""
    blueprint = Blueprint("results", __name__)

    @blueprint.get("/_results/<int:job>/<int:until>/<signature>/job.txt")
    def read(job: int, until: int, signature: str) -> Response:
        signed = hmac.compare_digest(signature, _signature(job, until)) and engine.clock.time() <= until
        row = engine.store.check_runs.get(job)
        if "Authorization" in request.headers or not signed or row is None:
            return Response("Server failed to authenticate the request.\n", 403, mimetype="text/plain")
        return Response(row.log, mimetype="text/plain")

    return blueprint
