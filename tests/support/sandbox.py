"""A sandbox for tests: a server of the test's own, one repository on it, people with clones and API sessions.

Nothing of stackr but ``stackr.sandbox`` is used here. For whole commands against it see ``tests/support/world.py``.

GitHub's side is played through ``box.server``: ``protect`` puts rules on branches (a merge queue is one), ``job`` and
``hold`` make jobs of GitHub Actions and runs that wait for approval, ``queued`` names the commit on which a merge queue
waits for checks. Queues and auto-merges move on when the next request arrives, or with ``catch_up``.
"""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from stackr.sandbox import accounts, pulls
from stackr.sandbox.engine import Engine
from stackr.sandbox.model import PullRequest, Repository
from stackr.sandbox.repositories import make_bare
from stackr.sandbox.server import SandboxServer
from tests.support.folders import Folder, read_folder
from tests.support.git import WHEN, GitRepo, file_name, git, make_repo

REPO = "acme/widgets"
_PERSON = f"Alice Author <alice@example.com> {WHEN}"
_idle: list[SandboxServer] = []
_clones: dict[Folder, tuple[str, Folder]] = {}
"""Of a repository as it is at first: the URL of the clone that was made, and its files."""


@dataclass
class Person:
    """Somebody with a token: an API session and, once asked for, a clone."""

    login: str
    token: str
    server: SandboxServer
    root: Path

    def __post_init__(self) -> None:
        self.session = requests.Session()
        self.session.trust_env = False
        if self.token:
            self.session.headers["Authorization"] = f"token {self.token}"
        self._clone: GitRepo | None = None

    @property
    def clone(self) -> GitRepo:
        """The person's clone of the repository, made when first used."""
        if self._clone is None:
            self._clone = GitRepo(self.root / self.login)
            self._make_clone(self._clone.path)
        return self._clone

    def _make_clone(self, path: Path) -> None:
        origin, url = (
            self.server.engine.directory(self.server.repository(REPO)),
            self.server.clone_url(REPO, self.token),
        )
        state = read_folder(origin, skip="objects")
        if state in _clones:
            old, files = _clones[state]
            files.write(path, {".git/config": lambda data: data.replace(old.encode(), url.encode())})
            return
        # From the directory, which is several times as fast as over HTTP and leaves the same clone.
        git(self.root, "clone", "-q", "--no-hardlinks", str(origin), str(path))
        config = path / ".git" / "config"
        config.write_text(config.read_text().replace(str(origin), url))
        if [name for name, _, _ in state.files if name.startswith("refs/")] == ["refs/heads/main"]:
            _clones[state] = url, read_folder(path)

    def call(self, method: str, path: str, body: Any = None, **more: Any) -> requests.Response:
        """One REST request; a path that does not begin with a slash is below the repository."""
        url = path if path.startswith("/") else f"/repos/{REPO}/{path}" if path else f"/repos/{REPO}"
        return self.session.request(method, f"{self.server.url}/api/v3{url}", json=body, timeout=30, **more)

    def get(self, path: str, expect: int = 200, **more: Any) -> Any:
        """The JSON of a GET."""
        return self._json(self.call("GET", path, **more), expect)

    def post(self, path: str, body: Mapping[str, Any] | None = None, expect: int = 201) -> Any:
        """The JSON of a POST."""
        return self._json(self.call("POST", path, body), expect)

    def patch(self, path: str, body: Mapping[str, Any], expect: int = 200) -> Any:
        """The JSON of a PATCH."""
        return self._json(self.call("PATCH", path, body), expect)

    def put(self, path: str, body: Mapping[str, Any] | None = None, expect: int = 200) -> Any:
        """The JSON of a PUT."""
        return self._json(self.call("PUT", path, body), expect)

    def delete(self, path: str, body: Mapping[str, Any] | None = None, expect: int = 204) -> Any:
        """The JSON of a DELETE, if any."""
        return self._json(self.call("DELETE", path, body), expect)

    @staticmethod
    def _json(response: requests.Response, expect: int) -> Any:
        assert response.status_code == expect, f"{response.status_code}: {response.text}"
        return response.json() if response.content else None

    def branch(self, name: str, on: str = "origin/main", files: Mapping[str, str] | None = None) -> str:
        """Make a branch with one commit on it in the clone, not pushed; the commit's id."""
        self.clone.git("checkout", "-q", "-B", name, on)
        return self.clone.commit(f"Change {name}", files)

    def grow(self, *names: str) -> None:
        """The same branches as ``branch`` makes, each on the one before, by one process; the last is checked out."""
        stream, below = "", "refs/remotes/origin/main^0"
        for name in names:
            subject = f"Change {name}"
            stream += f"commit refs/heads/{name}\nauthor {_PERSON}\ncommitter {_PERSON}\n"
            stream += f"data {len(subject.encode())}\n{subject}\nfrom {below}\n"
            stream += f"M 100644 inline {file_name(subject)}\ndata {len(subject.encode()) + 1}\n{subject}\n\n"
            below = f"refs/heads/{name}"
        self.clone.git("fast-import", "--quiet", stdin=stream.encode())
        self.clone.git("checkout", "-q", "-f", names[-1])

    def push(self, *refspecs: str) -> str:
        """Push, which must work."""
        return self.clone.git("push", "--porcelain", "origin", *refspecs)

    def refused(self, *args: str) -> str:
        """Push, which must fail; all that git said."""
        done = subprocess.run(
            ["git", "push", *args], cwd=self.clone.path, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode != 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def open(self, head: str, base: str = "main", **more: Any) -> int:
        """Open a pull request and return its number."""
        return int(self.post("pulls", {"title": f"Change {head}", "head": head, "base": base, **more})["number"])


@dataclass
class Box:
    """The server, alice and bob who may write, carol who may administer, dave who may only read."""

    server: SandboxServer
    root: Path
    people: dict[str, Person]

    def __getattr__(self, name: str) -> Person:
        try:
            return self.people[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def repo(self) -> Repository:
        """The row of the repository."""
        return self.server.repository(REPO)

    def pull(self, number: int) -> PullRequest:
        """The row of a pull request."""
        return pulls.find(self.server.engine, self.repo, number)

    def state(self, number: int) -> str:
        """open, closed or merged."""
        return pulls.state_of(self.pull(number))

    def events(self, number: int) -> list[str]:
        """The kinds of its timeline events, oldest first."""
        rows = self.server.engine.store.events.by(repo_id=self.repo.id, number=number)
        return [row.kind for row in rows]

    def tip(self, branch: str) -> str | None:
        """Where a branch is on the server."""
        return self.server.engine.git(self.repo).branch(branch)

    def stack(self, *names: str) -> list[int]:
        """Pushed branches, each one commit on the one before, and their pull requests, by alice."""
        self.alice.grow(*names)
        self.alice.push(*names)
        numbers = []
        below = "main"
        for name in names:
            numbers.append(self.alice.open(name, below))
            below = name
        return numbers


def build_seed(path: Path) -> Path:
    """A bare repository with two commits on main, to be copied into sandboxes."""
    work = make_repo(path / "work")
    work.commit("Begin", {"README.md": "# Widgets\n"})
    work.commit("Add code", {"src/code.py": "".join(f"line {n}\n" for n in range(10))})
    make_bare(path / "seed.git", work.path, "main")
    return path / "seed.git"


def make_box(root: Path, seed: Path, **settings: Any) -> Box:
    """Start a server below ``root``; end it with ``end_box``."""
    server = _renewed(root) if _idle and not settings else SandboxServer(root / "sandbox", **settings).start()
    tokens = {login: server.add_user(login) for login in ("alice", "bob", "carol", "dave")}
    repo = server.add_repository(REPO, writers=["alice", "bob"], readers=["dave"])
    _contents(seed).write(server.engine.directory(repo))  # in a tenth of the time that ``git fetch`` takes
    grant_admin(server, "carol")
    people = {login: Person(login, token, server, root) for login, token in tokens.items()}
    people["anonymous"] = Person("anonymous", "", server, root)
    return Box(server, root, people)


def end_box(box: Box, *, keep: bool = False) -> None:
    """Stop the server of a box; with ``keep``, the next box has it, with nothing of what it knew."""
    for person in box.people.values():
        person.session.close()
    if not (keep and _is_resting(box.server)):
        box.server.stop()
        return
    box.server.engine.close()
    _idle.append(box.server)


def _is_resting(server: SandboxServer) -> bool:
    """Whether it is still there, and nobody talks to it any more."""
    server.faults.clear()
    listener = server._server
    listener.end_connections()
    return server._thread is not None and not listener.connections


def _renewed(root: Path) -> SandboxServer:
    """A server that another box has ended, with an engine as good as new: two thirds of a start are Flask's routes."""
    server = _idle.pop()
    vars(server.engine).update(vars(Engine(root / "sandbox")), url=server.url)
    return server


@functools.cache
def _contents(seed: Path) -> Folder:
    return read_folder(seed)


def grant_admin(server: SandboxServer, login: str) -> None:
    """Let somebody administer the repository."""
    accounts.grant(server.engine, server.repository(REPO), login, "admin")
