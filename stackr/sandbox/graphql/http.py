"""``POST /api/graphql``: reads the body, answers in JSON.

Authentication, limits and headers are those of every API request (``stackr.sandbox.request``); faults are planted
outside of Flask (``stackr.sandbox.gate``).
"""

from __future__ import annotations

import json
import threading
from typing import Any

from flask import Blueprint, Response
from flask import request as flask_request

from stackr.sandbox import gate, request
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.graphql import execute
from stackr.sandbox.graphql.context import Context

Json = dict[str, Any]
_DOCS = "https://docs.github.com/graphql"


def create_blueprint(engine: Engine) -> Blueprint:
    """The GraphQL endpoint of a sandbox."""
    blueprint = Blueprint("graphql", __name__)
    # The schema takes a tenth of a second, once a process: begin now, so that neither the start nor the first
    # query waits for all of it.
    threading.Thread(target=execute.executable_schema, name="stackr-graphql-schema", daemon=True).start()

    @blueprint.post("/api/graphql")
    def graphql_endpoint() -> Response:
        """https://docs.github.com/en/graphql/guides/forming-calls-with-graphql"""
        try:
            response = _respond(engine)
        except request.TimeCut:
            return Response(gate.BAD_GATEWAY, 502, mimetype="text/html")
        except ApiError as error:
            response = _refusal(error)
        return request.finish(engine, response)

    return blueprint


def _refusal(error: ApiError) -> Response:
    """A refusal of the whole request. Used-up limits come with status 200.

    https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api#exceeding-the-rate-limit
    """
    if error.graphql_type != "RATE_LIMITED":
        return request.error_response(error)
    response = _json({"errors": [{"type": error.graphql_type, "message": error.message}]})
    response.headers.update(error.headers)
    return response


def _respond(engine: Engine) -> Response:
    context = request.begin(engine, "graphql")
    if context.user is None:
        raise ApiError(401, "This endpoint requires you to be authenticated.", docs=_DOCS)
    prepared = _read(flask_request.get_data(cache=True))
    if isinstance(prepared, dict):
        return _json(prepared)
    entry = context.entry
    entry.operations = _names(prepared)
    entry.mutations = len(prepared.mutations)
    running = Context(engine, context.user, context.token)
    response = _json(execute.run(running, prepared))
    response.headers.update(running.headers)
    return response


def _read(body: bytes) -> execute.Request | Json:
    """The request in a body, or the answer to one that cannot be run."""
    try:
        sent = json.loads(body)
    except ValueError as error:
        raise ApiError(400, "Problems parsing JSON", docs=_DOCS) from error
    if not isinstance(sent, dict) or not isinstance(sent.get("query"), str):
        return _refused("A query attribute must be specified and must be a string.")
    variables = sent.get("variables") or {}
    if not isinstance(variables, dict):
        return _refused("Variables must be a JSON object.")
    prepared = execute.prepare(sent["query"])
    if prepared.faults:
        return {"errors": list(prepared.faults)}
    operation = prepared.operation(sent.get("operationName"))
    if operation is None:
        return _refused("An operation name is required")
    return execute.Request(prepared, operation, variables, sent.get("operationName"))


def _refused(message: str) -> Json:
    return {"errors": [{"message": message}]}


def _names(prepared: execute.Request) -> list[str]:
    """What the log calls the request: the operation's name, and the mutations in it."""
    name = prepared.operation.name
    return [*([name.value] if name else []), *prepared.mutations]


def _json(answer: Json) -> Response:
    # Compact, and not sorted: GraphQL keeps the order of the query.
    return Response(json.dumps(answer, separators=(",", ":")), 200, content_type="application/json; charset=utf-8")
