"""The sandbox as a server: in a thread for tests, in the foreground for people."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from stackr.sandbox import accounts, actions, aftermath, background, repositories
from stackr.sandbox.app import create_app
from stackr.sandbox.clock import Clock
from stackr.sandbox.engine import Engine
from stackr.sandbox.faults import Callback, Fault, Faults
from stackr.sandbox.httpd import Server
from stackr.sandbox.log import RequestLog
from stackr.sandbox.model import CheckRun, CheckSuite, Json, Repository, Ruleset, User
from stackr.sandbox.protection import add_ruleset


class SandboxServer:
    """A GitHub in miniature below ``root``, on ``http://127.0.0.1:PORT``; as a context manager it runs in a thread."""

    def __init__(
        self,
        root: Path,
        port: int = 0,
        *,
        latency_ms: float = 0,
        mutation_ms: float = 0,
        clock: Clock | None = None,
    ) -> None:
        self.engine = Engine(root, clock=clock)
        self.engine.settings.latency_ms = latency_ms
        self.engine.settings.mutation_ms = mutation_ms
        try:
            aftermath.recover(self.engine)
            self.app = create_app(self.engine)  # the WSGI application, for whoever asks it without a network
            self._server = Server(port, self.app)
        except BaseException:
            self.engine.close()
            raise
        self.port = self._server.server_port
        self.url = self.engine.url = f"http://127.0.0.1:{self.port}"
        self._thread: threading.Thread | None = None

    # -- running ---------------------------------------------------------------------------------------

    def start(self) -> SandboxServer:
        """Serve in a thread of its own."""
        self._thread = threading.Thread(target=self.serve_forever, name="stackr-sandbox", daemon=True)
        self._thread.start()
        return self

    def serve_forever(self) -> None:
        """Serve until ``stop`` is called, in the calling thread."""
        self._server.serve_forever(poll_interval=0.02)

    def stop(self) -> None:
        """End it: held requests go on, connections are closed, the state is on disk."""
        self.engine.faults.clear()
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join(timeout=10)
            self._thread = None
        self._server.server_close()
        self._server.end_connections()
        self.engine.close()

    def __enter__(self) -> SandboxServer:
        """Start."""
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        self.stop()

    # -- the world -------------------------------------------------------------------------------------

    @property
    def log(self) -> RequestLog:
        """What arrived."""
        return self.engine.log

    @property
    def faults(self) -> Faults:
        """The fault plan."""
        return self.engine.faults

    def on(self, k: int, selector: str, callback: Callback, *, when: str = "after") -> Fault:
        """Act as somebody else at the k-th matching request from now."""
        return self.engine.faults.on(k, selector, callback, when=when)

    def add_user(self, login: str, token: str | None = None, **more: Any) -> str:
        """Create an account (if need be) and a token for it, and return the token. ``more``: accounts.add_token."""
        return accounts.add_token(self.engine, accounts.add_user(self.engine, login), token, **more)

    def user(self, login: str) -> User:
        """The account of this name; KeyError without one."""
        found = accounts.user_by_login(self.engine, login)
        if found is None:
            raise KeyError(login)
        return found

    def add_repository(
        self,
        full_name: str,
        source: Path | None = None,
        *,
        default_branch: str = "main",
        private: bool = False,
        writers: Sequence[str] = (),
        readers: Sequence[str] = (),
    ) -> Repository:
        """Create ``owner/name``, empty or as a copy of ``source``; ``writers`` and ``readers`` are logins."""
        repo = repositories.add_repository(
            self.engine, full_name, source=source, default_branch=default_branch, private=private
        )
        for level, logins in (("write", writers), ("read", readers)):
            for login in logins:
                accounts.grant(self.engine, repo, login, level)
        return repo

    def repository(self, full_name: str) -> Repository:
        """The repository ``owner/name``; KeyError without one."""
        owner, _, name = full_name.partition("/")
        found = accounts.find_repository(self.engine, owner, name)
        if found is None:
            raise KeyError(full_name)
        return found

    def settings(self, full_name: str, **changes: Any) -> Repository:
        """Turn settings of a repository (repositories.SETTINGS) and return it."""
        repo = self.repository(full_name)
        repositories.change(self.engine, repo, **changes)
        return repo

    def protect(self, full_name: str, branch: str, *rules: Json | str, classic: bool = False) -> Ruleset:
        """Put rules on branches: names (``"deletion"``) or GitHub's objects with parameters."""
        objects = [{"type": rule} if isinstance(rule, str) else rule for rule in rules]
        return add_ruleset(self.engine, self.repository(full_name), [branch], objects, classic=classic)

    def job(self, full_name: str, oid: str, name: str, conclusion: str | None, **more: Any) -> CheckRun:
        """A job of GitHub Actions on a commit, as it ended. ``more``: log, annotations, ...: actions.put_job."""
        repo = self.repository(full_name)
        return actions.put_job(self.engine, repo, oid=oid, name=name, conclusion=conclusion, **more)

    def hold(self, full_name: str, oid: str, workflow: str, status: str = "action_required") -> CheckSuite:
        """A run of a workflow that must be approved before it begins, or that waits."""
        return actions.hold(self.engine, self.repository(full_name), oid=oid, workflow=workflow, status=status)

    def queued(self, full_name: str, number: int) -> str | None:
        """The commit that a merge queue built for a pull request, on which checks are waited for; None without."""
        entry = self.engine.store.queue_entries.one(repo_id=self.repository(full_name).id, number=number)
        return entry.oid if entry is not None else None

    def catch_up(self) -> None:
        """Carry out now what GitHub does in the background, and the next request would find done."""
        background.catch_up(self.engine)

    def clone_url(self, full_name: str, login_token: str | None = None) -> str:
        """Where to clone from; with a token, it is part of the URL."""
        host = self.url.removeprefix("http://")
        return f"http://{f'x-access-token:{login_token}@' if login_token else ''}{host}/{full_name}.git"
