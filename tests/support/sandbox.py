"""A sandbox for tests: a server of the test's own, one repository on it, people with clones and API sessions.

Nothing of stackr but ``stackr.sandbox`` is used here. For whole commands against it see ``tests/support/world.py``.

GitHub's side is played through ``box.server``: ``protect`` puts rules on branches (a merge queue is one), ``job`` and
``hold`` make jobs of GitHub Actions and runs that wait for approval, ``queued`` names the commit on which a merge queue
waits for checks. Queues and auto-merges move on when the next request arrives, or with ``catch_up``.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from stackr.sandbox import accounts, pulls
from stackr.sandbox.model import PullRequest, Repository
from stackr.sandbox.server import SandboxServer
from tests.support.git import GitRepo, git, make_repo

REPO = "acme/widgets"


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
            path = self.root / self.login
            origin = self.server.engine.directory(self.server.repository(REPO))
            # From the directory, which is several times as fast as over HTTP and leaves the same clone.
            git(self.root, "clone", "-q", "--no-hardlinks", str(origin), str(path))
            config = path / ".git" / "config"
            config.write_text(config.read_text().replace(str(origin), self.server.clone_url(REPO, self.token)))
            self._clone = GitRepo(path)
        return self._clone

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
        below, numbers = "main", []
        for name in names:
            self.alice.branch(name, "origin/main" if below == "main" else below)
            below = name
        self.alice.push(*names)
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
    git(path, "clone", "-q", "--bare", str(work.path), str(path / "seed.git"))
    return path / "seed.git"


def make_box(root: Path, seed: Path, **settings: Any) -> Box:
    """Start a server below ``root``; stop it with ``box.server.stop()``."""
    server = SandboxServer(root / "sandbox", **settings).start()
    tokens = {login: server.add_user(login) for login in ("alice", "bob", "carol", "dave")}
    server.add_repository(REPO, seed, writers=["alice", "bob"], readers=["dave"])
    grant_admin(server, "carol")
    people = {login: Person(login, token, server, root) for login, token in tokens.items()}
    people["anonymous"] = Person("anonymous", "", server, root)
    return Box(server, root, people)


def grant_admin(server: SandboxServer, login: str) -> None:
    """Let somebody administer the repository."""
    accounts.grant(server.engine, server.repository(REPO), login, "admin")
