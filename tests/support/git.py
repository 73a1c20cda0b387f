"""Real git for tests, in a sealed environment: repositories, commits, a template that is copied and not rebuilt.

Here: the environment that shuts out the user's own git, and small handles on a repository. Not here: pytest fixtures
(tests/conftest.py) and anything that knows stackr.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support import reffiles

WHEN = "1700000000 +0000"
"""The date of every commit, unless a test says otherwise: 2023-11-14 22:13:20 UTC."""

_TIDYING = ("commit", "rebase", "merge", "fetch")
"""They end with a process that looks whether there is enough to pack."""
_UNTIDY = ("-c", "maintenance.auto=false")

_DROPPED_PREFIXES = ("GIT_", "GH_", "GITHUB_", "STACKR_", "XDG_", "LC_", "SSH_", "GPG_", "GNUPG")
_DROPPED = frozenset(
    {"EMAIL", "LANGUAGE", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "VISUAL", "BROWSER"}
)


def _is_foreign(name: str) -> bool:
    return name.startswith(_DROPPED_PREFIXES) or name in _DROPPED or name.lower().endswith("_proxy")


def sealed_env(home: Path, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which nothing of the person running the tests can be felt.

    Own ``HOME``, no system or global git config, fixed identity, dates, time zone and locale, an editor that fails, no
    prompts, no proxies, no tokens. ``base`` (default: this process's environment) gives ``PATH`` and the like.
    """
    env = {name: value for name, value in (os.environ if base is None else base).items() if not _is_foreign(name)}
    env.update(
        HOME=str(home),
        USERPROFILE=str(home),
        XDG_CONFIG_HOME=str(home / ".config"),
        XDG_CACHE_HOME=str(home / ".cache"),
        XDG_DATA_HOME=str(home / ".local" / "share"),
        XDG_STATE_HOME=str(home / ".local" / "state"),
        GIT_CONFIG_NOSYSTEM="1",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_AUTHOR_NAME="Alice Author",
        GIT_AUTHOR_EMAIL="alice@example.com",
        GIT_AUTHOR_DATE=WHEN,
        GIT_COMMITTER_NAME="Alice Author",
        GIT_COMMITTER_EMAIL="alice@example.com",
        GIT_COMMITTER_DATE=WHEN,
        GIT_EDITOR="false",
        GIT_SEQUENCE_EDITOR="false",
        GIT_TERMINAL_PROMPT="0",
        GIT_TEST_FSYNC="0",  # git's own tests do not wait for the disk either
        GIT_PAGER="cat",
        EDITOR="false",
        LC_ALL="C.UTF-8",
        LANG="C.UTF-8",
        TZ="UTC",
    )
    return env


def git(
    cwd: Path, *args: str, stdin: bytes | None = None, check: bool = True, env: Mapping[str, str] | None = None
) -> str:
    """Standard output of one git command, without the last newline; ``env`` is added to the (sealed) environment."""
    return git_bytes(cwd, *args, stdin=stdin, check=check, env=env).decode("utf-8", "surrogateescape").rstrip("\n")


def git_bytes(
    cwd: Path, *args: str, stdin: bytes | None = None, check: bool = True, env: Mapping[str, str] | None = None
) -> bytes:
    """Standard output of one git command as it is; fails the test with git's own words when git fails."""
    done = subprocess.run(
        ["git", *_UNTIDY, *args] if args[0] in _TIDYING else ["git", *args],
        cwd=cwd,
        input=b"" if stdin is None else stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        check=False,
        timeout=60,
    )
    if check and done.returncode:
        raise AssertionError(f"git {' '.join(args)} failed ({done.returncode}): {done.stderr.decode(errors='replace')}")
    return done.stdout


def file_name(subject: str) -> str:
    """The file that a commit of this subject has, unless it is told otherwise."""
    return ("".join(c if c.isalnum() else "-" for c in subject).strip("-") or "file") + ".txt"


@dataclass(frozen=True)
class GitRepo:
    """A repository at ``path`` (a work tree, or a bare one) with the few verbs tests need."""

    path: Path

    def git(
        self, *args: str, stdin: bytes | None = None, check: bool = True, env: Mapping[str, str] | None = None
    ) -> str:
        """Run git here."""
        return git(self.path, *args, stdin=stdin, check=check, env=env)

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file in the work tree, its folders included."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    def commit(
        self,
        message: str | bytes = "change",
        files: Mapping[str, str | bytes] | None = None,
        *,
        amend: bool = False,
        env: Mapping[str, str] | None = None,
    ) -> str:
        """Commit ``files`` (default: one file named after the message) and return the new commit's id.

        The message is stored as it stands (no clean-up). With ``amend`` it replaces HEAD.
        """
        raw = message.encode() if isinstance(message, str) else message
        subject = raw.decode("utf-8", "replace").split("\n")[0]
        contents = {file_name(subject): f"{subject}\n"} if files is None else dict(files)
        for path, text in contents.items():
            self.write(path, text)
        if contents:
            self.git("add", "--", *contents)
        extra = ["--amend"] if amend else []
        self.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-", *extra, stdin=raw, env=env)
        return self.oid()

    def oid(self, revision: str = "HEAD") -> str:
        """The object id of a revision."""
        return reffiles.find_oid(self.path, revision) or self.git("rev-parse", "--verify", revision)

    def tree(self, revision: str = "HEAD") -> str:
        """The tree of a revision."""
        return self.oid(f"{revision}^{{tree}}")

    def refs(self, *patterns: str) -> dict[str, str]:
        """Refs and their object ids."""
        found = reffiles.list_refs(self.path, patterns)
        if found is not None:
            return found
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)", *patterns).splitlines()
        return {line.split(" ")[0]: line.split(" ")[1] for line in lines}

    def raw_commit(self, revision: str = "HEAD") -> bytes:
        """The bytes of a commit object."""
        return git_bytes(self.path, "cat-file", "commit", revision)

    def store(self, raw: bytes) -> str:
        """Write a commit object from its bytes, well-formed or not, and return its id."""
        return self.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw)


def make_repo(path: Path, *, bare: bool = False) -> GitRepo:
    """A new repository on branch ``main`` with no commits and no sample hooks."""
    path.mkdir(parents=True, exist_ok=True)
    git(path, "init", "-q", "-b", "main", "--template=", *(["--bare"] if bare else []))
    return GitRepo(path)


@dataclass(frozen=True)
class Workspace:
    """A bare ``origin`` with three commits on ``main``, and a ``clone`` of it standing on ``main``."""

    origin: GitRepo
    clone: GitRepo


def build_workspace(root: Path) -> Workspace:
    """Build a workspace from nothing; slow, so tests copy the session's template instead."""
    origin = make_repo(root / "origin.git", bare=True)
    seed = make_repo(root / "clone")
    seed.commit("Begin", {"README": "begin\n"})
    seed.commit("Add code", {"src/code.py": "".join(f"line {n}\n" for n in range(10))})
    seed.commit("Add notes", {"notes.txt": "notes\n"})
    seed.git("remote", "add", "origin", str(origin.path))
    seed.git("push", "-q", "origin", "main")
    seed.git("fetch", "-q", "origin")
    seed.git("remote", "set-head", "origin", "main")
    seed.git("branch", "-q", "--set-upstream-to=origin/main", "main")
    return Workspace(origin, seed)


def copy_workspace(template: Path, root: Path) -> Workspace:
    """A copy of the workspace at ``template``; the clone's remote points to the copied origin."""
    shutil.copytree(template, root, dirs_exist_ok=True)
    config = root / "clone" / ".git" / "config"
    config.write_text(config.read_text().replace(str(template / "origin.git"), str(root / "origin.git")))
    return Workspace(GitRepo(root / "origin.git"), GitRepo(root / "clone"))
