"""A repository that was found, and what is read of it and its configuration; the front door is ``repository``.

Every method says which module does the work; nothing is decided here, and but for the configuration nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from stackr.core.model import Commit
from stackr.core.ports import LocalState
from stackr.core.versions import FileDiff
from stackr.errors import Refused
from stackr.repo import config as configuration
from stackr.repo import credentials, diffs, history, ident, read, remotes, state
from stackr.repo.belonging import read_note
from stackr.repo.config import GitConfig
from stackr.repo.gitpython import Objects, at_git_dir, discover
from stackr.repo.run import LOCAL, Runner
from stackr.repo.transport import Transport

_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE")

_Opened = TypeVar("_Opened", bound="Opened")


class Opened:
    """A clone with a work tree. ``git_dir`` is this worktree's own, ``common_dir`` what all worktrees share."""

    def __init__(self, objects: Objects, work_tree: Path, env: Mapping[str, str]) -> None:
        self._objects = objects
        self.git_dir = objects.git_dir
        self.common_dir = objects.common_dir
        self.work_tree = work_tree
        # A path that does not exist: grafts, like replacement objects, are unknown to GitHub (gitglossary(7)).
        places = {**env, "GIT_GRAFT_FILE": str(self.common_dir / "stackr" / "no-grafts")}
        self.runner = Runner(work_tree, places)
        objects.seal({**LOCAL, **places}, work_tree)
        self._credentials = credentials.Credentials(self.runner)
        self._transport = Transport(self.runner, self._credentials)
        self._config: GitConfig | None = None

    @classmethod
    def open(cls: type[_Opened], cwd: Path) -> _Opened:
        """The repository that ``cwd`` is in, or that ``GIT_DIR`` and ``GIT_WORK_TREE`` name, as git(1) has it.

        Raises ``Refused`` outside of any, for a bare one, and for one with SHA-256 objects, which GitHub does not take.
        """
        places = {name: str((cwd / os.environ[name]).absolute()) for name in _PLACES if os.environ.get(name)}
        objects = at_git_dir(Path(places["GIT_DIR"])) if "GIT_DIR" in places else discover(cwd)
        if objects.work_tree is None:
            raise Refused(f'"{objects.git_dir}" is a bare repository', next_step="run stackr in a clone with files")
        # With GIT_DIR alone the current directory is the top (git(1), GIT_WORK_TREE).
        usual = cwd if "GIT_DIR" in places else objects.work_tree
        top = Path(places.get("GIT_WORK_TREE") or objects.configured_work_tree or usual)
        found = cls(objects, top.resolve(), places)
        found._refuse_sha256()
        return found

    def __enter__(self: _Opened) -> _Opened:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the reading process that GitPython keeps open; a later read starts another."""
        self._objects.close()

    @property
    def process_count(self) -> int:
        """How many processes were started for this object."""
        return self.runner.count + self._objects.started

    @cached_property
    def git_version(self) -> tuple[int, ...]:
        """The version of git, as ``(2, 39, 5)``; one process, when first asked."""
        words = self.runner.git("version").decode("utf-8", "replace").split()
        return tuple(int(part) for part in words[2].split(".")[:3] if part.isdigit())

    @property
    def config(self) -> GitConfig:
        """All git configuration that applies here; read once, and again after ``set_config``."""
        if self._config is None:
            self._config = configuration.read(self.runner)
        return self._config

    def set_config(self, key: str, value: str | None) -> None:
        """Set a key in this repository's configuration, or remove it for ``None``."""
        configuration.write(self.runner, key, value)
        self._config = None

    def remotes(self) -> tuple[str, ...]:
        """The names of the remotes; see ``remotes.names``."""
        return remotes.names(self.config)

    def choose_remote(self, branch: str | None, setting: str | None = None) -> str:
        """The remote that a stack on ``branch`` is pushed to; see ``remotes.choose``."""
        return remotes.choose(self.config, branch, setting)

    def remote_url(self, name: str, *, push: bool = False) -> str:
        """The address git would use for a remote, which may hold a password; see ``remotes.url``."""
        return remotes.url(self.config, name, push=push)

    @property
    def branch(self) -> str | None:
        """The short name of the branch that HEAD is on or belongs to; ``None`` when HEAD is detached otherwise."""
        branch = state.branch(self.runner, self.git_dir)
        if branch is not None:
            return branch
        note = read_note(self.git_dir)
        top = note.branch_of(self._reader.head()) if note.branch else None
        return top.removeprefix("refs/heads/") if top else None

    @property
    def is_unborn(self) -> bool:
        """Whether HEAD is at no commit: a new repository, or an orphan branch."""
        return self._reader.head() is None

    def local_state(self, remote: str) -> LocalState:
        """HEAD, branches, our own refs and the tracking refs of ``remote`` (``""``: of none); see ``state``."""
        return state.read_state(self.runner, self._reader, self.git_dir, self.common_dir, remote)

    def resolve(self, revision: str) -> str:
        """The commit id of a revision; raises ``UsageError`` when there is none."""
        return self._reader.resolve(revision)

    def list_commits(self, tips: Sequence[str], exclude: Sequence[str]) -> tuple[Commit, ...]:
        """Commits reachable from ``tips`` and not from ``exclude``, parents before children."""
        return tuple(self._reader.commits(history.list_ids(self.runner, tips, exclude), known=True).values())

    def read_commits(self, oids: Iterable[str]) -> dict[str, Commit]:
        """Commit objects by id, in the order asked; absent ones are left out, and nothing is fetched."""
        return self._reader.commits(oids)

    def read_graph(self, tips: Sequence[str], exclude: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Parents by commit id for ``tips`` without what ``exclude`` reaches; absent tips are ignored."""
        return history.read_parents(self.runner, tips, exclude)

    def count_commits(self, tip: str, exclude: str) -> int:
        """How many commits ``tip`` reaches and ``exclude`` does not."""
        return history.count_commits(self.runner, tip, exclude)

    def list_equivalent(self, head: str, trunk: str) -> frozenset[str]:
        """Commits of ``trunk..head`` whose patch stands on trunk too; see ``history``."""
        return history.list_equivalent(self.runner, head, trunk)

    def list_touching(self, paths: Sequence[str], tip: str, exclude: str) -> tuple[Commit, ...]:
        """Commits of ``exclude..tip`` that touch one of ``paths``, newest first; see ``history``."""
        oids = history.list_touching(self.runner, paths, tip, exclude)
        found = self._reader.commits(oids)
        return tuple(found[oid] for oid in oids if oid in found)

    def list_independent(self, oids: Sequence[str]) -> tuple[str, ...]:
        """Those commits that no other one of them contains; see ``history``."""
        return history.list_independent(self.runner, oids)

    def list_branches_with(self, oid: str) -> tuple[str, ...]:
        """Full names of the local branches that contain a commit; see ``history``."""
        return history.list_branches_with(self.runner, oid)

    def read_file(self, commit: str, paths: Sequence[str]) -> bytes | None:
        """The first of ``paths`` (compared without case) that is a file in the tree of ``commit``."""
        return self._reader.file(commit, paths)

    def email(self) -> bytes:
        """The address in the commits that the user makes here, empty when git does not know it; see ``ident``."""
        return ident.email(self.runner)

    def diff_files(self, old: str, new: str) -> tuple[FileDiff, ...]:
        """The files that differ between two trees, with their numbers of lines; see ``diffs``."""
        return diffs.files(self.runner, old, new, self._lazy_fetch_environment())

    def diff_size(self, old: str, new: str) -> int:
        """How many lines, and files, two trees differ by."""
        return sum(1 + (each.added or 0) + (each.removed or 0) for each in self.diff_files(old, new))

    def use_token(self, host_url: str, token: str) -> None:
        """Let git use ``token`` at this ``scheme://host[:port]`` where no credential helper answers."""
        self._credentials.use(host_url, token)
        if self._promisor is not None:
            self._let_files_be_fetched(self._promisor)

    def gh_token(self, hostname: str) -> str | None:
        """The token the GitHub CLI has for a host."""
        return credentials.gh_token(self.runner, hostname)

    def credential(self, url: str) -> str | None:
        """The password the user's git credential helpers have for an address; never prompts."""
        return credentials.fill(self.runner, url)

    def interrupt(self) -> None:
        """Stop every git process still running, those of other threads included."""
        self.runner.interrupt()

    def _lazy_fetch_environment(self) -> Mapping[str, str]:
        """What a command needs that may have to fetch files: nothing in a complete clone."""
        if self._promisor is None:
            return {}
        return self._transport.environment(self.remote_url(self._promisor), self.config)

    @cached_property
    def _promisor(self) -> str | None:
        """The remote of a partial clone that has what is not here, ``None`` in a complete clone."""
        names = list(self.config.subsections("remote", "promisor"))
        return names[0] if names else self.config.get("extensions.partialclone")

    @cached_property
    def _reader(self) -> read.Reader:
        if self._promisor is not None:
            self._let_files_be_fetched(self._promisor)
        return read.Reader(self._objects, self.runner, partial=self._promisor is not None)

    def _let_files_be_fetched(self, remote: str) -> None:
        """In a partial clone the reading process itself goes to the network, so it needs what a fetch needs."""
        env = self._transport.environment(self.remote_url(remote), self.config)
        self._objects.close()
        self._objects.seal(env, self.work_tree)

    def _refuse_sha256(self) -> None:
        kind = (self.config.get("extensions.objectformat") or "sha1").lower()
        if kind != "sha1":
            raise Refused(
                f"this repository has {kind} objects, which GitHub does not take", next_step="git clone it from GitHub"
            )
