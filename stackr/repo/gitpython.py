"""GitPython, with its processes counted and in our environment: discovery and the open ``git cat-file --batch``.

GitPython is imported here and nowhere else (a third of what a short command imports), so only a command that needs a
repository pays for it. Absent objects come back as ``None``, never as GitPython's ``ValueError``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from stackr.errors import GitError, Refused
from stackr.repo.failures import not_a_repository


@contextmanager
def _asking_nothing() -> Iterator[None]:
    """GitPython asks git for its version twice while it is imported, and refuses to be imported without git.

    Told of a git that cannot be run, and to be quiet about that, it goes by the name "git" and asks nothing. Without
    git our own first git command says so, and better.
    """
    told = {"GIT_PYTHON_REFRESH": "quiet", "GIT_PYTHON_GIT_EXECUTABLE": os.devnull}
    before = {name: os.environ.get(name) for name in told}
    os.environ.update(told)
    try:
        yield
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


with _asking_nothing():
    import git
    from git.exc import InvalidGitRepositoryError, NoSuchPathError

# So many ids fit into a pipe (64 KiB on Linux, 16 KiB on macOS) while the process is still busy with the first.
_TOGETHER = 300


class _Git(git.Git):
    """GitPython's runner, counting what it starts."""

    def __init__(self, working_dir: Any = None) -> None:
        super().__init__(working_dir)
        self.started = 0

    def execute(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command as GitPython does, and count it."""
        self.started += 1
        return super().execute(*args, **kwargs)


class _Repo(git.Repo):
    GitCommandWrapperType = _Git


class Objects:
    """A repository as GitPython finds it, and its objects read through one process that stays open.

    Not for two threads at once. ``git_dir`` and ``common_dir`` are absolute; ``work_tree`` is ``None`` for a bare
    repository; ``configured_work_tree`` is what ``core.worktree`` says instead of where the repository was found.
    """

    def __init__(self, repo: _Repo) -> None:
        self._repo = repo
        self.git_dir = Path(repo.git_dir).resolve()
        self.common_dir = Path(repo.common_dir).resolve()
        top = repo.working_tree_dir
        self.work_tree = None if top is None else Path(top).resolve()
        self.configured_work_tree = self._configured_work_tree()

    @property
    def started(self) -> int:
        """How many processes GitPython started for us."""
        return self._git.started

    @property
    def _git(self) -> _Git:
        runner = self._repo.git
        assert isinstance(runner, _Git)
        return runner

    def _configured_work_tree(self) -> Path | None:
        """``core.worktree``, relative to the git directory; linked worktrees do not follow it (git-config(1))."""
        value = self._repo.config_reader("repository").get_value("core", "worktree", default="")
        return (self.git_dir / str(value)).resolve() if value and self.git_dir == self.common_dir else None

    def seal(self, env: Mapping[str, str], cwd: Path) -> None:
        """Give processes started from now on this environment, on top of the process's own."""
        self._git.update_environment(**env)
        self._git._working_dir = str(cwd)

    def read(self, name: str) -> tuple[str, str, bytes] | None:
        """Object id, type and bytes of whatever ``name`` means to git (gitrevisions(7)), or ``None``.

        Raises ``GitError`` when git itself gave up.
        """
        try:
            oid, kind, _, data = self._git.get_object_data(name)
        except ValueError as problem:
            if "is empty" not in str(problem):  # missing, or ambiguous
                return None
            self.close()
            raise GitError("git cat-file ended without an answer", next_step="git status, git fsck") from problem
        except OSError as problem:
            self.close()
            raise GitError("git cat-file ended early", next_step="git status, git fsck") from problem
        return _text(oid), _text(kind), data

    def read_many(self, oids: Sequence[str]) -> list[tuple[str, str, bytes] | None]:
        """As ``read``, for full object ids, in their order; the process is asked for many before it is listened to."""
        found = []
        for start in range(0, len(oids), _TOGETHER):
            first, *rest = oids[start : start + _TOGETHER]
            found.append(self.read(first))  # this is what starts the process if need be
            found.extend(self._rest(rest))
        return found

    def _rest(self, oids: Sequence[str]) -> list[tuple[str, str, bytes] | None]:
        process: Any = self._git.cat_file_all  # GitPython's own, started by now
        try:
            process.stdin.write("".join(f"{oid}\n" for oid in oids).encode("ascii"))
            process.stdin.flush()
            return [_next_object(process.stdout) for _ in oids]
        except (OSError, ValueError) as problem:
            self.close()
            raise GitError("git cat-file ended early", next_step="git status, git fsck") from problem

    def close(self) -> None:
        """End the process; the next read starts another."""
        try:
            self._git.clear_cache()
        except OSError:  # GitPython before 3.2: the process is dead already, and the second time it is forgotten
            self._git.clear_cache()


def _next_object(stream: IO[bytes]) -> tuple[str, str, bytes] | None:
    """One answer of ``git cat-file --batch``: ``<id> <kind> <size>``, the bytes and a newline, or ``<id> missing``."""
    words = stream.readline().split()
    if len(words) != 3:
        if words[1:] != [b"missing"]:
            raise ValueError("the end of the pipe")
        return None
    data = stream.read(int(words[2]) + 1)
    return words[0].decode("ascii"), words[1].decode("ascii"), data[:-1]


def _text(value: Any) -> str:
    """GitPython declares text here and gives the bytes of the pipe."""
    return value.decode("ascii") if isinstance(value, bytes) else str(value)


def discover(start: Path) -> Objects:
    """The repository that ``start`` is in, a linked worktree's and a submodule's included; no process.

    Raises ``Refused`` outside of any. ``start`` may itself be a git directory.
    """
    try:
        return Objects(_Repo(start, search_parent_directories=True, expand_vars=False))
    except (InvalidGitRepositoryError, NoSuchPathError, PermissionError) as none:
        raise not_a_repository(str(start)) from none


def at_git_dir(git_dir: Path) -> Objects:
    """The repository whose git directory this is (``GIT_DIR``); raises ``Refused`` if it is none."""
    try:
        return Objects(_Repo(git_dir, expand_vars=False))
    except (InvalidGitRepositoryError, NoSuchPathError, PermissionError) as none:
        raise Refused(
            f'GIT_DIR is set to "{git_dir}", which is no git directory', next_step="unset GIT_DIR, or mend it"
        ) from none
