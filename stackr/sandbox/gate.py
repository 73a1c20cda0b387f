"""What every request passes first: log, latency, fault plan; then git, the API, or pages.

A WSGI application around the Flask one. Faults are carried out here, on the wire, so that neither REST nor
GraphQL nor git know of them.
"""

from __future__ import annotations

import io
import json
import re
import socket
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Request, Response

from stackr.sandbox import background, githttp
from stackr.sandbox.engine import Engine
from stackr.sandbox.faults import Fault
from stackr.sandbox.httpd import SOCKET_KEY
from stackr.sandbox.log import Entry
from stackr.sandbox.request import ENTRY_KEY

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HOLD_LIMIT_S = 600
_COMMENT = re.compile(r"#[^\n]*")
_MUTATION = re.compile(r"(^|[}\s])mutation\b")

BAD_GATEWAY = (
    "<!DOCTYPE html>\n<html>\n  <head>\n    <title>Unicorn! &middot; GitHub</title>\n  </head>\n  <body>\n"
    "    <p><strong>We couldn't respond to your request in time.</strong></p>\n"
    "    <p>Sorry about that. Please try refreshing and contact us if the problem persists.</p>\n"
    "  </body>\n</html>\n"
)


def bad_gateway() -> Response:
    """GitHub's page for a request that took too long: HTML, whatever was asked for."""
    return Response(BAD_GATEWAY, 502, mimetype="text/html")


class Gate:
    """The outermost WSGI application."""

    def __init__(self, engine: Engine, app: WSGIApplication) -> None:
        self._engine = engine
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        request = Request(environ)
        entry = _classify(request)
        if entry is None:
            background.catch_up(self._engine)
            return self._app(environ, start_response)
        environ[ENTRY_KEY] = self._engine.log.add(entry)
        clock = self._engine.clock
        started = clock.time()
        try:
            response = self._answer(request, entry)
            entry.status = response.status_code
        finally:
            entry.seconds = clock.time() - started
        return response(environ, start_response)

    def _answer(self, request: Request, entry: Entry) -> Response:
        self._engine.clock.sleep(self._engine.settings.latency_ms / 1000)
        faults = self._engine.faults.striking(entry)
        for fault in faults:
            if fault.when == "before":
                refusal = self._strike(request, entry, fault, None)
                if refusal is not None:
                    return refusal
        response = self._inner(request, entry)
        for fault in faults:
            if fault.when == "after":
                response = self._strike(request, entry, fault, response) or response
        return response

    def _inner(self, request: Request, entry: Entry) -> Response:
        background.catch_up(self._engine, int(entry.kind == "api"))
        if entry.kind == "git":
            return githttp.handle(self._engine, request, entry)
        return Response.from_app(self._app, request.environ, buffered=True)

    def _strike(self, request: Request, entry: Entry, fault: Fault, response: Response | None) -> Response | None:
        """Carry a fault out; what it returns is the answer, None lets things take their course."""
        entry.fault = f"{fault.kind} {fault.when}"
        fault.reached.set()
        if fault.kind == "call" and fault.callback is not None:
            fault.callback()
        elif fault.kind == "hold":
            fault.released.wait(HOLD_LIMIT_S)
        elif fault.kind == "slow":
            self._engine.clock.sleep(fault.value / 1000)
        elif fault.kind == "drop":
            _finish(response)
            _hang_up(request)
        else:
            _finish(response)
            return _ANSWERS[fault.kind](self._engine, fault, response)
        return None


def _classify(request: Request) -> Entry | None:
    """The log entry of an API or git request; None for pages and the control API."""
    entry = githttp.classify(request.method, request.path, request.args.get("service"))
    if entry is not None or not request.path.startswith("/api/"):
        return entry
    entry = Entry("api", request.method, request.full_path.rstrip("?"))
    if request.path.endswith("/graphql"):
        # Only a guess, for the fault plan: the GraphQL room writes down the right number.
        entry.path = request.path
        entry.mutations = int(_is_mutation(_keep_body(request)))
    return entry


def _keep_body(request: Request) -> bytes:
    """Read the body, and leave it to be read again."""
    data = request.get_data()
    request.environ["wsgi.input"] = io.BytesIO(data)
    return data


def _is_mutation(data: bytes) -> bool:
    try:
        query = json.loads(data).get("query", "")
    except (ValueError, AttributeError):
        return False
    return isinstance(query, str) and bool(_MUTATION.search(_COMMENT.sub("", query)))


def _finish(response: Response | None) -> None:
    """Let a streamed answer run to its end, so that "after" really is after the effect."""
    if response is not None:
        response.get_data()


def _hang_up(request: Request) -> None:
    """Close the connection without a word."""
    connection: socket.socket = request.environ[SOCKET_KEY]
    connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionAbortedError("dropped by the fault plan")


def _message(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    body = json.dumps({"message": message, "documentation_url": "https://docs.github.com/rest"})
    return Response(body, status, headers, mimetype="application/json")


def _cut(engine: Engine, fault: Fault, response: Response | None) -> Response:
    """The first half of the answer under the length of the whole, then the end of the connection."""
    data = response.get_data() if response is not None else b'{"data": {"viewer": {"login": "alice"}}}'
    cut = Response(data[: len(data) // 2], response.status_code if response is not None else 200)
    if response is not None:
        cut.headers = response.headers
    else:
        cut.mimetype = "application/json"
    cut.automatically_set_content_length = False
    cut.headers["Content-Length"] = str(len(data))
    cut.headers["Connection"] = "close"
    return cut


def _sso(engine: Engine, fault: Fault, response: Response | None) -> Response:
    url = f"{engine.url}/orgs/sso?authorization_request=AQ"
    return _message(
        403, "Resource protected by organization SAML enforcement.", {"X-GitHub-SSO": f"required; url={url}"}
    )


_ANSWERS: dict[str, Callable[[Engine, Fault, Any], Response]] = {
    "500": lambda engine, fault, response: _message(500, "Server Error"),
    "502-html": lambda engine, fault, response: bad_gateway(),
    "401": lambda engine, fault, response: _message(401, "Bad credentials"),
    "403-sso": _sso,
    "429": lambda engine, fault, response: _message(
        429, "You have exceeded a secondary rate limit.", {"Retry-After": str(int(fault.value))}
    ),
    "cut-json": _cut,
}
