"""A tiny HTTP server that answers what a test says, over real sockets, and can drop or cut an answer.

What lives here: the server, a clock that only tests move. Not here: what GitHub would answer (``canned_github``).
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request as it arrived; ``headers`` have lower-case names, ``json`` is ``None`` without a JSON body."""

    method: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    json: Any


@dataclass(frozen=True)
class Canned:
    """One answer. ``body`` is sent as JSON unless it is bytes or text. ``drop``: close without a byte; ``cut``: close
    in the middle of the body."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False
    cut: bool = False

    @property
    def raw(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


class CannedServer:
    """Serves on a free port of 127.0.0.1 while the context lasts; ``requests`` holds what arrived, in order."""

    def __init__(self, answer: Callable[[Asked], Canned]) -> None:
        self.answer = answer
        self.requests: list[Asked] = []
        self.connections = 0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def in_turn(self, *canned: Canned) -> list[tuple[str, str, Any]]:
        """Give these answers from now on, one after the other, the last one for ever.

        The list has (method, path below the API, JSON or parameters) of each request as it comes in.
        """
        asked: list[tuple[str, str, Any]] = []
        left = list(canned)

        def answer(request: Asked) -> Canned:
            asked.append((request.method, request.path.removeprefix("/api/v3"), request.json or dict(request.params)))
            return left.pop(0) if len(left) > 1 else left[0]

        self.answer = answer
        return asked

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> CannedServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Keep-alive connections end with the client; waiting for them would wait for ever.
    block_on_close = False
    owner: CannedServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.owner.connections += 1

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        asked = Asked(
            self.command,
            parts.path,
            {name: values[-1] for name, values in parse_qs(parts.query).items()},
            {name.lower(): value for name, value in self.headers.items()},
            json.loads(body) if body else None,
        )
        self.server.owner.requests.append(asked)
        self._send(self.server.owner.answer(asked))

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve

    def _send(self, canned: Canned) -> None:
        if canned.drop:
            self._hang_up()
            return
        raw = canned.raw
        self.send_response_only(canned.status)
        for name, value in {"Content-Type": "application/json", **canned.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw[: len(raw) // 2] if canned.cut else raw)
        if canned.cut:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the standard library
        pass


class ManualClock:
    """Seconds that pass only when a test or a wait says so; ``waits`` are the (seconds, reason) asked for."""

    def __init__(self) -> None:
        self.time = 1_000.0
        self.waits: list[tuple[float, str]] = []

    def __call__(self) -> float:
        return self.time

    def pass_(self, seconds: float) -> None:
        self.time += seconds

    def sleep(self, seconds: float, reason: str) -> None:
        self.waits.append((seconds, reason))
        self.time += seconds
