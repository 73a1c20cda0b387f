"""A small threaded WSGI server with connections that are kept.

Werkzeug's own development server closes every connection and waits 10 ms after each answer; with that, the
sandbox could not tell a fast client from a slow one. Only what WSGI needs is here (PEP 3333).
"""

from __future__ import annotations

import io
import logging
import socket
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

SOCKET_KEY = "stackr.socket"
_log = logging.getLogger(__name__)
_WITHOUT_BODY = ("204", "304")


class Body(io.RawIOBase):
    """The body of a request, by its length or in chunks; ends where the body ends."""

    def __init__(self, source: IO[bytes], length: int, chunked: bool) -> None:
        self._source = source
        self._left = 0 if chunked else length
        self._chunked = chunked

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what there is; 0 at the end."""
        if self._left == 0 and self._chunked:
            self._next_chunk()
        data = self._source.read(min(len(buffer), self._left)) if self._left else b""
        self._left -= len(data)
        buffer[: len(data)] = data
        if self._left == 0 and self._chunked and data:
            self._source.readline()
        return len(data)

    def _next_chunk(self) -> None:
        self._left = int(self._source.readline().split(b";")[0].strip() or b"0", 16)
        if self._left == 0:
            self._chunked = False
            while self._source.readline().strip():  # trailers
                pass


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    # A delayed acknowledgement would cost 40 ms a request.
    disable_nagle_algorithm = True
    server: Server

    def __getattr__(self, name: str) -> Any:
        """Every method (do_GET, do_PATCH ...) goes to the application."""
        if name.startswith("do_"):
            return self._run
        raise AttributeError(name)

    def setup(self) -> None:
        """Remember the connection, so that the server can end it."""
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        """Forget the connection."""
        self.server.connections.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def handle(self) -> None:
        """Answer requests until one side closes the connection."""
        with suppress(ConnectionError, TimeoutError, ValueError):
            super().handle()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """The request log takes the place of lines on stderr."""

    def _run(self) -> None:
        chunked = self.headers.get("Transfer-Encoding", "").lower() == "chunked"
        body = Body(self.rfile, int(self.headers.get("Content-Length") or 0), chunked)  # type: ignore[arg-type]
        stream = io.BufferedReader(body)
        answer: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            answer[:] = [status, headers]
            return self.wfile.write

        try:
            parts = self.server.app(self._environ(stream), start_response)
            self._send(answer[0], answer[1], parts)
            while stream.read(1 << 16):  # what the application left unread is not the next request
                pass
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception:  # noqa: BLE001 - whatever it is, this connection ends and the server goes on
            _log.exception("the sandbox failed at %s %s", self.command, self.path)
            self.close_connection = True

    def _environ(self, stream: IO[bytes]) -> WSGIEnvironment:
        path, _, query = self.path.partition("?")
        environ: dict[str, Any] = {
            "REQUEST_METHOD": self.command,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": str(self.server.server_port),
            "SERVER_PROTOCOL": self.request_version,
            "REMOTE_ADDR": self.client_address[0],
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": stream,
            "wsgi.input_terminated": True,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            SOCKET_KEY: self.connection,
        }
        for name, value in self.headers.items():
            key = name.upper().replace("-", "_")
            if key == "CONTENT_LENGTH":
                environ[key] = value
            elif key != "CONTENT_TYPE":
                name = f"HTTP_{key}"
                environ[name] = f"{environ[name]},{value}" if name in environ else value
        return environ

    def _send(self, status: str, headers: list[tuple[str, str]], parts: Iterable[bytes]) -> None:
        """Headers and the first part leave in one packet."""
        names = {name.lower(): value for name, value in headers}
        bare = self.command == "HEAD" or status[:3] in _WITHOUT_BODY
        chunked = not bare and "content-length" not in names
        lines = [f"HTTP/1.1 {status}", "Server: GitHub.com", *(f"{n}: {v}" for n, v in headers)]
        lines += [] if "date" in names else [f"Date: {self.date_time_string()}"]
        lines += ["Transfer-Encoding: chunked"] if chunked else []
        if names.get("connection", "").lower() == "close":
            self.close_connection = True
        pending = "\r\n".join([*lines, "", ""]).encode("latin-1")
        try:
            for part in parts:
                if not bare and part:
                    self.wfile.write(pending + (b"%x\r\n%s\r\n" % (len(part), part) if chunked else part))
                    pending = b""
            self.wfile.write(pending + (b"0\r\n\r\n" if chunked else b""))
        finally:
            close = getattr(parts, "close", None)
            if close is not None:
                close()


class Server(ThreadingMixIn, HTTPServer):
    """The server: a thread for each connection, all of which it can end."""

    daemon_threads = True
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, port: int, app: WSGIApplication) -> None:
        self.app = app
        self.connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), Handler)

    def server_bind(self) -> None:
        """Bind without the look-up of the host's name that HTTPServer makes."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def end_connections(self, patience_s: float = 5) -> None:
        """Close every connection and wait until their threads have noticed."""
        deadline = time.monotonic() + patience_s
        while self.connections and time.monotonic() < deadline:
            for connection in list(self.connections):
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            threading.Event().wait(0.002)
