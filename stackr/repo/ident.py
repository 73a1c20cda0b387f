"""Who runs stackr, as git would write it into a commit. Nobody else's identity is dealt with here."""

from __future__ import annotations

import os

from stackr.errors import Refused
from stackr.repo import failures
from stackr.repo.config import GitConfig
from stackr.repo.run import Runner

_ROLES = ("author", "committer")


def read(runner: Runner, config: GitConfig) -> tuple[bytes, bytes]:
    """Author and committer header values, now: ``b"Name <mail> 1700000000 +0100"``.

    ``git var`` knows every rule (``GIT_AUTHOR_*``, ``author.*``, ``user.useConfigOnly``, dates); it is asked once
    unless author and committer may differ. Raises ``Refused`` when git does not know who this is.
    """
    committer = _ask(runner, "committer")
    return (_ask(runner, "author") if _may_differ(config) else committer), committer


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


def _ask(runner: Runner, role: str) -> bytes:
    done = runner.try_git("var", f"GIT_{role.upper()}_IDENT")
    if done.code == 0 and not done.late:
        return done.out.removesuffix(b"\n")
    if "ident" in done.err or "email" in done.err or "tell me who you are" in done.err:
        raise Refused(
            f"git does not know who you are: {failures.last_words(done.err)}",
            next_step='git config --global user.name "Your Name", and git config --global user.email you@example.com',
        )
    raise failures.local_failure("var", done.code, done.err)
