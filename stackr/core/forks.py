"""A stack that is proposed from a fork: all that differs from one whose branches are in the repository itself.

A base has to be a branch of the repository that the pull request is for, so a fork cannot hold a chain of them
(docs/internals/protocol.md 14). Every pull request targets trunk, and shows the changes below its own as well; its
description says where just its own is seen. Landing is upstream's.
"""

from __future__ import annotations

from urllib.parse import quote

from stackr.errors import ConfigError, Refused
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Fork:
    """Where the head branches are: the name of the ``remote``, its ``owner``, and the address of its page."""

    remote: str
    owner: str
    url: str


def review_line(fork: Fork | None, lower: str | None, head: str) -> str:
    """What the description of a pull request says of what is to be reviewed; ``""`` where all of it is.

    ``lower`` is the head branch of the change below, ``None`` at the bottom. Branches, not commits: the line stays as
    it is when they move.
    """
    if fork is None or lower is None:
        return ""
    address = f"{fork.url}/compare/{quote(lower)}...{quote(head)}"
    return f"To review: [this change alone]({address}). The diff of this page has those below it, too."


def refuse_landing(fork: Fork | None) -> None:
    """Who has no write access lands nothing."""
    if fork is not None:
        raise Refused(
            f'this stack is proposed from the fork "{fork.remote}", and those who may write upstream land it',
            next_step="ask them to land the lowest pull request; stackr sync then brings the others up to date",
        )


def choose_fork(named: str, candidates: tuple[str, ...], remote: str, upstream: str) -> str:
    """The remote that is the fork: the one ``named``, or (``""``) the only candidate.

    ``candidates`` lead to another owner than ``upstream`` on the same GitHub; ``remote`` leads to ``upstream`` itself.
    Raises ``ConfigError``.
    """
    if named in candidates:
        return named
    if named:
        raise ConfigError(
            f'the remote "{named}" is no fork of "{upstream}", which the remote "{remote}" leads to',
            next_step="stackr submit --fork=REMOTE names another one of git remote -v; "
            "git config stackr.remote NAME says which of them is upstream",
        )
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        listed = ", ".join(f'"{name}"' for name in candidates)
        raise ConfigError(
            f"several remotes may be your fork: {listed}", next_step="stackr submit --fork=REMOTE names it"
        )
    raise ConfigError(
        f'no remote leads to a fork of "{upstream}"',
        next_step="make one: gh repo fork --remote --remote-name fork, or on its page, and git remote add fork URL; "
        "then stackr submit --fork",
    )


def no_write_access(upstream: str, fork: Fork | None) -> ConfigError:
    """The token may not push where the head branches have to go."""
    if fork is not None:
        return ConfigError(
            f'this token may not push to your fork, the remote "{fork.remote}" ({fork.url})',
            next_step="stackr submit --fork=REMOTE names another one; stackr auth status shows the token",
        )
    return ConfigError(
        f'this token may not push to "{upstream}", and a chain of pull requests needs its branches there',
        next_step="stackr submit --fork proposes the stack from a fork, each pull request against trunk; "
        "or ask for write access (stackr auth status shows the token)",
    )
