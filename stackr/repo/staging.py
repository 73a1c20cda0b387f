"""What is staged, as trees, and the hook that may have its say; read from a copy of the index, which stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from stackr.errors import GitError, Refused
from stackr.repo.hookrun import HookRun
from stackr.repo.pending import Index
from stackr.repo.run import Runner

_WRITE = ("write-tree",)


class Staging:
    """The index of one work tree, read."""

    def __init__(self, runner: Runner, index: Index, hooks: HookRun) -> None:
        self._runner = runner
        self._index = index
        self._hooks = hooks
        self._is_begun = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Begin to read the index, for a ``read`` in the block."""
        self._index.make_copy()
        try:
            with self._runner.begun(*_WRITE, env=self._index.env):
                self._is_begun = True
                yield
        finally:
            self._is_begun = False
            self._index.copy.unlink(missing_ok=True)

    def read(self, *, everything: bool = False, hooks: bool = False) -> tuple[str, str]:
        """The tree of the index as it is, and as it is to be committed; both written.

        With ``everything`` all that is tracked is added, as ``git commit --all`` does; with ``hooks`` the pre-commit
        hook runs, and may change what is committed. Raises ``Refused`` for an index with conflicts, and ``GitError``
        when the hook declines.
        """
        with nullcontext() if self._is_begun else self.reading():
            before = self._write_tree()
            if everything:
                self._runner.git("add", "-u", env=self._index.env)
            ran = hooks and self._hooks.run("pre-commit", env=self._index.env)
            return before, self._write_tree() if everything or ran else before

    def choose(self, tree: str, commit: str) -> str:
        """A tree with those hunks of a commit that the user chooses; written. The dialogue is ``git reset -p``'s."""
        self._index.make_copy()
        try:
            self._runner.git("read-tree", tree, env=self._index.env)
            code = self._runner.attended("reset", "-p", commit, env=self._index.env)
            if code:
                raise GitError("git reset -p did not end well", next_step="what it says is above")
            return self._write_tree()
        finally:
            self._index.copy.unlink(missing_ok=True)

    def _write_tree(self) -> str:
        done = self._runner.try_git(*_WRITE, env=self._index.env)
        if done.code or done.late:
            raise Refused(
                "the index has conflicts that are not resolved",
                next_step="mend the files and git add them; then run the same command again",
            )
        return done.out.decode("ascii").strip()
