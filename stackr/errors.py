"""The exception tree and the exit codes of docs/reference/cli.md.

Library code raises one of these; only ``stackr.main`` prints and exits. Every error has three lines:
what happened (``message``), what is safe (``safe``), what to do next (``next_step``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NOTHING_CHANGED = "nothing was changed"
"""The ``safe`` line of an error that says nothing else."""


class StackrError(Exception):
    """An error the user can act on.

    ``kind`` is the value of ``error.kind`` in JSON, ``exit_code`` that of the process; ``details`` are further keys of
    the JSON document, for what a program wants to have in pieces.
    Messages are lower case, names in double quotes, and never contain a token.
    """

    kind = "refused"
    exit_code = 3

    def __init__(self, message: str, *, safe: str = NOTHING_CHANGED, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.safe = safe
        self.next_step = next_step
        self.details: Mapping[str, Any] = {}


class Refused(StackrError):
    """A precondition does not hold; nothing was changed."""


class UsageError(StackrError):
    """The command line names something that does not exist or does not fit together."""

    kind = "usage"
    exit_code = 2


class Conflict(StackrError):
    """Two edits of the same lines; nothing was moved unless a rebase was started on request."""

    kind = "conflict"
    exit_code = 4


class GitHubError(StackrError):
    """GitHub or the network: a 404, a 5xx, a broken or lost answer, a limit that does not end."""

    kind = "github"
    exit_code = 5


class GitError(StackrError):
    """A git command failed in a way that no precondition foresaw, a hook's refusal included."""

    kind = "git"
    exit_code = 6


class ConfigError(StackrError):
    """Configuration or authentication."""

    kind = "config"
    exit_code = 7


class Interrupted(StackrError):
    """Ctrl-C, where more can be said of it than that every step is safe to stop after."""

    kind = "interrupted"
    exit_code = 130


class LeaseLost(Refused):
    """A push found a head branch elsewhere than expected: somebody else pushed meanwhile."""


class ConnectionLost(GitHubError):
    """The answer never came, so the effect may or may not have happened: look before repeating."""
