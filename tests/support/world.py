"""A whole world for tests of commands: the sandbox as a real server, a repository on it, clones, stackr's command line.

One server a session (starting it costs more than a test); every test has a repository of its own.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stackr.main import run
from stackr.sandbox import checks, issues, merging, protection, pulls, refs, repositories, reviews
from stackr.sandbox.model import ZERO_OID, PullRequest
from stackr.sandbox.server import SandboxServer
from tests.support import templates
from tests.support.folders import Folder
from tests.support.git import WHEN, GitRepo, git

_numbers = itertools.count(1)


def person_line(login: str) -> str:
    """Who commits and when, as ``git fast-import`` wants it."""
    return f"{login.title()} Author <{login}@example.com> {WHEN}"


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"


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
        result = self._run(["-C", str(self.path), *args], {**self.person, "STACKR_TOKEN": self.token, **(env or {})})
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

    @property
    def person(self) -> dict[str, str]:
        """Who commits here, for git's environment."""
        name = {f"GIT_{role}_NAME": f"{self.login.title()} Author" for role in ("AUTHOR", "COMMITTER")}
        return {**name, **{f"GIT_{role}_EMAIL": f"{self.login}@example.com" for role in ("AUTHOR", "COMMITTER")}}

    def start(self, *args: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start the command line as a process of its own, to be killed or interrupted."""
        return subprocess.Popen(
            [sys.executable, "-m", "stackr", "-C", str(self.path), *args],
            env={**os.environ, **self.person, "STACKR_TOKEN": self.token, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def stack(self, trunk: str = "origin/main") -> list[str]:
        """The commits of the stack, bottom first."""
        return self.git("rev-list", "--reverse", f"{trunk}..HEAD").split()

    def ids(self, trunk: str = "origin/main") -> dict[str, str]:
        """The Change-Ids of the stack by subject, bottom first; empty where there is none."""
        format_ = "--format=%s%x00%(trailers:key=Change-Id,valueonly,separator=%x2c)"
        lines = self.git("log", "--reverse", format_, f"{trunk}..HEAD").splitlines()
        return dict(line.split("\0") for line in lines)

    def head_ref(self, subject: str, trunk: str = "origin/main") -> str:
        """The head branch of a change of the stack."""
        return f"stackr/{self.login}/{self.ids(trunk)[subject][1:11]}"

    def commits(self, trunk: str = "origin/main") -> dict[str, str]:
        """The commits of the stack by subject, bottom first."""
        lines = self.git("log", "--reverse", "--format=%H %s", f"{trunk}..HEAD").splitlines()
        return {line[41:]: line[:40] for line in lines}

    def subjects(self, trunk: str = "origin/main") -> list[str]:
        """The subjects of the stack, bottom first."""
        return self.git("log", "--reverse", "--format=%s", f"{trunk}..HEAD").splitlines()

    def change(self, title: str, text: str = "", *, message: str | bytes | None = None) -> str:
        """Commit a file of nine lines that is named after the title, ``text`` at its end."""
        return self.commit(message or title, {f"{title}.txt": "".join(f"{title} {n}\n" for n in range(9)) + text})

    def grow(self, *titles: str, branch: str = "feature") -> None:
        """A new branch from trunk with a commit for each title, as ``change`` makes them, by one process."""
        person = person_line(self.login)
        stream = f"reset refs/heads/{branch}\nfrom refs/remotes/origin/main^0\n\n"
        for title in titles:
            text = "".join(f"{title} {n}\n" for n in range(9))
            stream += f"commit refs/heads/{branch}\nauthor {person}\ncommitter {person}\n{_data(title)}"
            stream += f"M 100644 inline {title}.txt\n{_data(text)}"
        self.git("fast-import", "--quiet", stdin=stream.encode())
        self.git("checkout", "-q", branch)

    def amend(self, subject: str, text: str = "amended\n", *, message: str | None = None) -> None:
        """Add ``text`` to the file of a commit of the stack, wherever it lies; ``message`` replaces its own."""
        self.rewrite(subject, (self.path / f"{subject}.txt").read_text() + text)
        if message is not None:
            self.reword(subject, message)

    def rewrite(self, subject: str, text: str) -> None:
        """Let a commit of the stack give its file this text."""
        self.write(f"{subject}.txt", text)
        old = self.commits()[subject]
        self.git("commit", "-q", "-a", f"--fixup={old}")
        self.git("rebase", "-q", "-i", "--autosquash", f"{old}^", env={"GIT_SEQUENCE_EDITOR": "true"})

    def reword(self, subject: str, message: str) -> None:
        """Give a commit of the stack another message; its Change-Id stays."""
        commits = self.commits()
        change = self.git("log", "-1", "--format=%(trailers:key=Change-Id)", commits[subject]).strip()
        (self.path / ".git" / "message").write_text(f"{message}\n\n{change}\n" if change else message)
        number = list(commits).index(subject) + 1
        self.git(
            *("rebase", "-q", "-i", f"{next(iter(commits.values()))}^"),
            env={
                "GIT_SEQUENCE_EDITOR": f"sed -i -e '{number}s/^pick/reword/'",
                "GIT_EDITOR": f"cp {self.path / '.git' / 'message'}",
            },
        )

    def rebase(self, script: str, *args: str, onto: str = "origin/main") -> None:
        """``git rebase -i`` with a sed script as the editor of its to-do list."""
        self.git(
            "rebase", "-i", *args, onto, env={"GIT_SEQUENCE_EDITOR": f"sed -i -e '{script}'", "GIT_EDITOR": "true"}
        )

    def reorder(self, *subjects: str, trunk: str = "origin/main") -> None:
        """Rebuild the branch with just these commits of the stack, bottom first (a reorder, a drop)."""
        commits = self.commits(trunk)
        branch = self.git("symbolic-ref", "--short", "HEAD")
        self.git("checkout", "-q", "--detach", f"{next(iter(commits.values()))}^")
        self.git("cherry-pick", *(commits[subject] for subject in subjects))
        self.git("checkout", "-q", "-B", branch)


@dataclass(frozen=True)
class World:
    """One repository of the sandbox and the clones of it."""

    server: SandboxServer
    name: str
    root: Path
    begun: Folder | None = None
    """The server's repository at first, for ``templates``; without it, nothing is copied."""

    def clone(self, login: str = "alice", folder: str | None = None) -> Clone:
        """A clone by ``login``, whose token is not in the URL."""
        clone = self._place(login, folder)
        templates.made(self, clone.path, (), lambda: self._clone(clone))
        return clone

    def stacked(self, *titles: str, login: str = "alice", submit: bool = True) -> Clone:
        """A clone with one commit for each title on the branch ``feature``, a file for each, submitted."""
        clone = self._place(login)
        templates.made(self, clone.path, (titles, login, submit), lambda: self._stack(clone, titles, submit))
        if submit:
            self.forget()
        return clone

    def prepared(self, prepare: Callable[..., None], *more: object) -> Clone:
        """A clone of alice's, and the world, as ``prepare(world, clone, *more)`` leaves them; made once."""
        clone = self._place("alice")
        key = (prepare.__module__, prepare.__qualname__, *more)

        def make() -> None:
            self._clone(clone)
            prepare(self, clone, *more)

        templates.made(self, clone.path, key, make)
        self.forget()
        return clone

    def _place(self, login: str, folder: str | None = None) -> Clone:
        return Clone(self.root / (folder or f"{login}-{next(_numbers)}"), login, self.server.add_user(login))

    def _clone(self, clone: Clone) -> None:
        """From the directory, which is several times as fast as over HTTP and leaves the same clone."""
        git(self.root, "clone", "-q", "--no-hardlinks", str(self.bare.path), str(clone.path))
        config = clone.path / ".git" / "config"
        config.write_text(config.read_text().replace(str(self.bare.path), self.server.clone_url(self.name)))

    def _stack(self, clone: Clone, titles: Sequence[str], submit: bool) -> None:
        self._clone(clone)
        clone.grow(*titles)
        if submit:
            clone.stackr("submit")

    @property
    def bare(self) -> GitRepo:
        """The repository on the server."""
        return GitRepo(self.server.engine.directory(self.server.repository(self.name)))

    def pulls(self) -> list[PullRequest]:
        """All pull requests, by number."""
        found = pulls.list_pulls(self.server.engine, self.server.repository(self.name))
        return sorted(found, key=lambda pull: pull.number)

    def pull(self, number: int) -> PullRequest:
        """One pull request, as it is at any time: the sandbox's own row (``facts`` for a copy)."""
        return pulls.find(self.server.engine, self.server.repository(self.name), number)

    def titled(self, title: str) -> PullRequest:
        """The one pull request of that title."""
        (found,) = (pull for pull in self.pulls() if pull.title == title)
        return found

    def state(self, number: int) -> str:
        """open, closed or merged."""
        return pulls.state_of(self.pull(number))

    def events(self, number: int) -> list[str]:
        """The kinds of the timeline events of a pull request, oldest first."""
        repo = self.server.repository(self.name)
        return [event.kind for event in self.server.engine.store.events.by(repo_id=repo.id, number=number)]

    def facts(self) -> dict[str, Any]:
        """All that a write could change on the server: branches, and every field of every pull request."""
        fields = {str(pull.number): dataclasses.asdict(pull) for pull in self.pulls()}
        return {"refs": self.bare.refs(), "pulls": fields}

    def edit(self, number: int, login: str = "bob", **changes: Any) -> None:
        """Edit a pull request as a person on GitHub: title, body, base, state."""
        pulls.update_pull(self.server.engine, self.server.user(login), self.pull(number), **changes)

    def merge(self, number: int, login: str = "bob", method: str = "merge", *, delete: bool = False) -> str:
        """Merge a pull request as a person on GitHub; the commit that the base got."""
        user = self.server.user(login)
        return merging.merge_pull(self.server.engine, user, self.pull(number), method=method, delete_branch=delete)

    def update_branch(self, number: int, login: str = "bob") -> None:
        """Press "Update branch" on a pull request."""
        merging.update_branch(self.server.engine, self.server.user(login), self.pull(number))

    def approve(self, number: int, login: str = "bob") -> None:
        """Approve a pull request as it stands."""
        reviews.add_review(self.server.engine, self.server.user(login), self.pull(number), event="APPROVE")

    def review(self, number: int, event: str, login: str = "bob") -> None:
        """Review a pull request as it stands: ``APPROVE``, ``REQUEST_CHANGES`` or ``COMMENT``."""
        reviews.add_review(self.server.engine, self.server.user(login), self.pull(number), event=event, body="Hm.")

    def protect(self, *rules: str | Mapping[str, Any], on: str = "main", name: str = "main") -> None:
        """A ruleset for a branch: kinds of rules, or whole ones with their parameters."""
        whole = [{"type": rule} if isinstance(rule, str) else dict(rule) for rule in rules]
        protection.add_ruleset(self.server.engine, self.server.repository(self.name), [on], whole, name=name)

    def configure(self, **settings: Any) -> None:
        """Change the settings of the repository (``stackr.sandbox.repositories.SETTINGS``)."""
        repositories.change(self.server.engine, self.server.repository(self.name), **settings)

    def check(self, number: int, name: str = "test", conclusion: str | None = "success") -> None:
        """Let a check run on the head of a pull request come to its end, or (``None``) just begin."""
        self.check_commit(self.pull(number).head_oid, name, conclusion)

    def check_commit(self, oid: str, name: str = "test", conclusion: str | None = "success") -> None:
        """The same for a commit."""
        repo = self.server.repository(self.name)
        checks.put_check(self.server.engine, repo, oid=oid, name=name, conclusion=conclusion)

    def ready(self, number: int, login: str = "bob") -> None:
        """Mark a draft as ready for review as a person on GitHub."""
        pulls.ready_for_review(self.server.engine, self.server.user(login), self.pull(number))

    def labels(self, number: int) -> list[str]:
        """The names of the labels on a pull request."""
        return [label.name for label in issues.labels_of(self.server.engine, self.pull(number))]

    def comments(self, number: int) -> list[str]:
        """The comments on a pull request, oldest first."""
        repo = self.server.repository(self.name)
        return [row.body for row in self.server.engine.store.comments.by(repo_id=repo.id, number=number)]

    def reviewers(self, number: int) -> list[str]:
        """The logins that are asked for a review."""
        users = self.server.engine.store.users
        return [users.need(key).login for key in self.pull(number).reviewer_ids]

    def suggest(self, branch: str, name: str, text: str, login: str = "bob") -> str:
        """Commit to a branch of the server as somebody else, as an applied suggestion does; the new commit."""
        person = person_line(login)
        message, scratch = f"Apply suggestion to {name}", "refs/scratch/suggestion"
        stream = f"commit {scratch}\nmark :1\nauthor {person}\ncommitter {person}\n{_data(message)}"
        stream += f"from {self.bare.oid(branch)}\nM 100644 inline {name}\n{_data(text)}"
        # The mark is printed; the ref is gone before anybody sees it.
        stream += f"\nget-mark :1\nreset {scratch}\nfrom {ZERO_OID}\n\n"
        oid = self.bare.git("fast-import", "--quiet", stdin=stream.encode())
        self.server.add_user(login)
        repo, change = self.server.repository(self.name), refs.RefChange(f"refs/heads/{branch}", oid)
        refs.update_refs(self.server.engine, self.server.user(login), repo, [change])
        return oid

    def branch(self, name: str, at: str = "main") -> None:
        """A branch on the server."""
        self.bare.git("branch", name, at)
        self.server.engine.git(self.server.repository(self.name)).reload()

    def advance(self, name: str = "trunk.txt", text: str = "trunk\n", branch: str = "main") -> str:
        """One more commit on trunk, pushed by bob; its id."""
        return self.suggest(branch, name, text)

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
