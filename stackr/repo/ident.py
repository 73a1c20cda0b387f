"""Who runs stackr, as git would write it into a commit. Nobody else's identity is dealt with here."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from functools import cached_property

from stackr.errors import Refused
from stackr.repo import failures
from stackr.repo.config import GitConfig
from stackr.repo.run import Runner

_ROLES = ("author", "committer")


class Identity:
    """Author and committer header values, now: ``b"Name <mail> 1700000000 +0100"``, each asked for when needed.

    ``git var`` knows every rule (``GIT_AUTHOR_*``, ``author.*``, ``user.useConfigOnly``, dates); it is asked once
    for both unless they may differ. Raises ``Refused`` when git does not know who this is.
    """

    def __init__(self, runner: Runner, config: GitConfig) -> None:
        self._runner = runner
        self._config = config

    def asked(self) -> AbstractContextManager[None]:
        """Ask for the committer now, who will be needed in the block."""
        return self._runner.begun(*_question("committer"))

    @cached_property
    def author(self) -> bytes:
        """Who wrote it."""
        return _ask(self._runner, "author") if _may_differ(self._config) else self.committer

    @cached_property
    def committer(self) -> bytes:
        """Who commits it."""
        return _ask(self._runner, "committer")


def email(runner: Runner) -> bytes:
    """The author's address, empty when git does not know who this is; one process."""
    try:
        return _ask(runner, "author").rpartition(b"<")[2].partition(b">")[0]
    except Refused:
        return b""


def _may_differ(config: GitConfig) -> bool:
    in_environment = any(
        os.environ.get(f"GIT_{role.upper()}_{part}") for role in _ROLES for part in ("NAME", "EMAIL", "DATE")
    )
    return in_environment or any(config.get(f"{role}.{part}") for role in _ROLES for part in ("name", "email"))


def _question(role: str) -> tuple[str, str]:
    return "var", f"GIT_{role.upper()}_IDENT"


def _ask(runner: Runner, role: str) -> bytes:
    done = runner.try_git(*_question(role))
    if done.code == 0 and not done.late:
        return done.out.removesuffix(b"\n")
    if "ident" in done.err or "email" in done.err or "tell me who you are" in done.err:
        raise Refused(
            f"git does not know who you are: {failures.last_words(done.err)}",
            next_step='git config --global user.name "Your Name", and git config --global user.email you@example.com',
        )
    raise failures.local_failure("var", done.code, done.err)
