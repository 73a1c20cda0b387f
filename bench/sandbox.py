"""The benchmark's side of the sandbox: start it, turn its settings, count what arrived, see what stands open."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any, cast
from urllib.parse import urlsplit

from bench.host import OWNER

_ANSWER_S = 120


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one run sent: API requests, mutations in them, git requests (advertisements included), pushes, fetches."""

    requests: int = 0
    mutations: int = 0
    git: int = 0
    pushes: int = 0
    fetches: int = 0


@dataclass(frozen=True, slots=True)
class Pull:
    """One open pull request."""

    number: int
    title: str
    head: str
    base: str


class Sandbox:
    """A sandbox below ``root`` in a process of its own; every repository begins as a copy of ``seed``."""

    def __init__(self, root: Path, seed: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.host", str(root), str(seed)],
            cwd=Path(__file__).resolve().parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        greeting = self._answer()
        self.url, self.token = greeting["url"], greeting["token"]
        self.netloc = urlsplit(self.url).netloc

    def __enter__(self) -> Sandbox:
        """Nothing more: it serves already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def repository(self, name: str) -> Path:
        """Make ``bench/NAME`` and return its bare directory on this machine."""
        if self._process.stdin is None:
            raise RuntimeError("the sandbox has no standard input")
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        return Path(self._answer()["directory"])

    def remote(self, name: str) -> str:
        """The address to clone from."""
        return f"{self.url}/{OWNER}/{name}.git"

    def slow_down(self, latency_ms: float, mutation_ms: float) -> None:
        """Delay every request, and every write beside that."""
        self._call("PATCH", "/_sandbox/settings", {"latency_ms": latency_ms, "mutation_ms": mutation_ms})

    def limit(self, *, enabled: bool) -> None:
        """Switch the secondary rate limits."""
        self._call("PATCH", "/_sandbox/limits", {"enabled": enabled})

    def forget(self) -> None:
        """Begin counting anew."""
        self._call("DELETE", "/_sandbox/log")

    def traffic(self) -> Traffic:
        """What arrived since ``forget``."""
        counts = self._call("GET", "/_sandbox/log")["counts"]
        return Traffic(counts["api"], counts["mutations"], counts["git"], counts["pushes"], counts["fetches"])

    def open_pulls(self, name: str) -> list[Pull]:
        """The open pull requests (a hundred at most), oldest first."""
        path = f"/api/v3/repos/{OWNER}/{name}/pulls?state=open&per_page=100&sort=created&direction=asc"
        found = [Pull(p["number"], p["title"], p["head"]["ref"], p["base"]["ref"]) for p in self._call("GET", path)]
        return sorted(found, key=lambda pull: pull.number)

    def is_merged(self, name: str, number: int) -> bool:
        """Whether a pull request is merged."""
        return bool(self._call("GET", f"/api/v3/repos/{OWNER}/{name}/pulls/{number}")["merged"])

    def _answer(self) -> dict[str, str]:
        line = self._process.stdout.readline() if self._process.stdout is not None else ""
        if not line:
            raise RuntimeError("the sandbox ended; its own words are above")
        return cast("dict[str, str]", json.loads(line))

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        connection = HTTPConnection(self.netloc, timeout=_ANSWER_S)
        try:
            data = json.dumps(body).encode() if body is not None else None
            # GitHub answers nobody without a name.
            connection.request(method, path, data, {"Authorization": f"token {self.token}", "User-Agent": "bench"})
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if response.status >= 400:
            raise RuntimeError(f"the sandbox answered {method} {path} with {response.status}: {text[:300]!r}")
        return json.loads(text)
