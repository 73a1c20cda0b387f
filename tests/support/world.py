"""A whole world for tests of commands: the sandbox as a real server, a repository on it, clones, and stackr's command line.

One server a session (starting it costs more than a test); every test has a repository of its own.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stackr.main import run
from stackr.sandbox import pulls
from stackr.sandbox.model import PullRequest
from stackr.sandbox.server import SandboxServer
from tests.support.git import GitRepo, git

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Result:
    """What a run of stackr left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one document on stdout."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    def __str__(self) -> str:
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


@dataclass(frozen=True)
class Clone(GitRepo):
    """A clone of one person, in which stackr runs with that person's token."""

    login: str
    token: str

    def stackr(self, *args: str, code: int | None = 0, env: Mapping[str, str] | None = None) -> Result:
        """Run the command line in this process; fails unless it exits with ``code`` (``None``: anything goes)."""
        result = self._run(["-C", str(self.path), *args], {"STACKR_TOKEN": self.token, **(env or {})})
        assert code is None or result.code == code, str(result)
        return result

    def _run(self, argv: Sequence[str], env: Mapping[str, str]) -> Result:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with _environment(env), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                run(argv)
            except SystemExit as stop:
                status = stop.code if isinstance(stop.code, int) else 0
        texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
        return Result(status, *texts)

    def start(self, *args: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start the command line as a process of its own, to be killed or interrupted."""
        return subprocess.Popen(
            [sys.executable, "-m", "stackr", "-C", str(self.path), *args],
            env={**os.environ, "STACKR_TOKEN": self.token, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def stack(self, trunk: str = "origin/main") -> list[str]:
        """The commits of the stack, bottom first."""
        return self.git("rev-list", "--reverse", f"{trunk}..HEAD").split()

    def subjects(self, trunk: str = "origin/main") -> list[str]:
        """The subjects of the stack, bottom first."""
        return self.git("log", "--reverse", "--format=%s", f"{trunk}..HEAD").splitlines()

    def rebase(self, script: str, *args: str, onto: str = "origin/main") -> None:
        """``git rebase -i`` with a sed script as the editor of its to-do list."""
        self.git("rebase", "-i", *args, onto, env={"GIT_SEQUENCE_EDITOR": f"sed -i -e '{script}'", "GIT_EDITOR": "true"})

    def reorder(self, *subjects: str, trunk: str = "origin/main") -> None:
        """Rebuild the branch with just these commits of the stack, bottom first (a reorder, a drop)."""
        commits = dict(zip(self.subjects(trunk), self.stack(trunk), strict=True))
        branch = self.git("symbolic-ref", "--short", "HEAD")
        self.git("checkout", "-q", "--detach", self.git("merge-base", trunk, "HEAD"))
        for subject in subjects:
            self.git("cherry-pick", commits[subject])
        self.git("checkout", "-q", "-B", branch)


@dataclass(frozen=True)
class World:
    """One repository of the sandbox and the clones of it."""

    server: SandboxServer
    name: str
    root: Path

    def clone(self, login: str = "alice", folder: str | None = None) -> Clone:
        """A clone by ``login``, whose token is not in the URL."""
        path = self.root / (folder or f"{login}-{next(_numbers)}")
        token = self.server.add_user(login)
        git(self.root, "clone", "-q", self.server.clone_url(self.name, token), str(path))
        git(path, "remote", "set-url", "origin", self.server.clone_url(self.name))
        return Clone(path, login, token)

    @property
    def bare(self) -> GitRepo:
        """The repository on the server."""
        return GitRepo(Path(self.server.engine.git(self.server.repository(self.name)).path))

    def pulls(self) -> list[PullRequest]:
        """All pull requests, by number."""
        found = pulls.list_pulls(self.server.engine, self.server.repository(self.name))
        return sorted(found, key=lambda pull: pull.number)

    def pull(self, number: int) -> PullRequest:
        """One pull request."""
        return pulls.find(self.server.engine, self.server.repository(self.name), number)

    def titled(self, title: str) -> PullRequest:
        """The one pull request of that title."""
        (found,) = (pull for pull in self.pulls() if pull.title == title)
        return found

    def api_count(self) -> int:
        """API requests since the log was cleared."""
        return len(self.server.log.api())

    def forget(self) -> None:
        """Clear the request log."""
        self.server.log.clear()


@contextlib.contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
