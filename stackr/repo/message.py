"""A commit message as ``git commit`` would come to it: hooks, the user's editor, clean-up. githooks(5), git-commit(1).

What the message is for, and that the change keeps its id, is seen to by the callers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from stackr.errors import GitError, Refused
from stackr.repo.config import GitConfig
from stackr.repo.hookrun import HookRun
from stackr.repo.run import Runner
from stackr.repo.text import decode


class Message:
    """The message of one commit of a work tree; it is written in the file that git uses for it."""

    def __init__(self, runner: Runner, git_dir: Path, config: Callable[[], GitConfig], hooks: HookRun) -> None:
        self._runner = runner
        self._config = config
        self._hooks = hooks
        self._path = git_dir / "COMMIT_EDITMSG"

    def of_text(self, text: str) -> bytes:
        """What ``-m TEXT`` makes: cleaned up, and shown to the hooks."""
        self._path.write_bytes(self._cleaned(text.encode("utf-8", "surrogateescape")))
        self._hooks.run("prepare-commit-msg", str(self._path), "message")
        return self._checked(self._path.read_bytes())

    def edited(self, text: bytes, help_text: str, of: str = "") -> bytes:
        """``text`` as it is after the user's editor and the hooks; ``help_text`` is shown as a comment.

        ``of`` is the commit whose message it is, for the hooks, if there is one.
        Raises ``Refused`` when nothing is left of it, and ``GitError`` when editor or hook fail.
        """
        self._path.write_bytes(text.rstrip(b"\n") + b"\n\n" + self._commented(help_text))
        self._hooks.run("prepare-commit-msg", str(self._path), *(["commit", of] if of else []))
        self._open("GIT_EDITOR")
        return self._checked(self._without_comments())

    def edited_list(self, text: str, help_text: str) -> str:
        """Any other text after the user's editor for lists (GIT_SEQUENCE_EDITOR), comments gone."""
        raw = text.encode("utf-8", "surrogateescape")
        self._path.write_bytes(raw + b"\n" + self._commented(help_text))
        self._open("GIT_SEQUENCE_EDITOR")
        return decode(self._without_comments())

    def _checked(self, raw: bytes) -> bytes:
        """The message after the commit-msg hook."""
        if not raw.strip():
            raise Refused("the message is empty", next_step="run the same command again, and write one")
        self._path.write_bytes(raw)
        self._hooks.run("commit-msg", str(self._path))
        return self._cleaned(self._path.read_bytes())

    def _open(self, which: str) -> None:
        editor = self._editor(which)
        done = self._runner.attended_program("sh", "-c", f'{editor} "$@"', editor, str(self._path))
        if done:
            raise GitError(f'the editor "{editor}" failed', next_step="git config core.editor chooses another one")

    def _editor(self, which: str) -> str:
        """git-var(1); a git before 2.40 does not know GIT_SEQUENCE_EDITOR there."""
        if which == "GIT_SEQUENCE_EDITOR":
            named = os.environ.get(which) or self._config().get("sequence.editor")
            if named:
                return named
        # Not by ``git``, which is sealed: it would name the editor that always fails.
        done = self._runner.try_program([self._runner.git_program, "var", "GIT_EDITOR"], timeout_s=30)
        if done is None or done.code:
            raise GitError("git knows no editor", next_step="git config --global core.editor NAME")
        return decode(done.out).strip()

    def _without_comments(self) -> bytes:
        return self._runner.git("stripspace", "-s", stdin=self._path.read_bytes())

    def _cleaned(self, raw: bytes) -> bytes:
        return self._runner.git("stripspace", stdin=raw)

    def _commented(self, text: str) -> bytes:
        return self._runner.git("stripspace", "-c", stdin=text.encode())
