"""What git's words on standard error mean: one exception with three lines for every way git fails.

The texts are those of git in English (``run`` fixes the locale) and of GitHub's servers, as they come through git.
"""

from __future__ import annotations

import re

from stackr.errors import NOTHING_CHANGED, ConfigError, ConnectionLost, GitError, GitHubError, Refused, StackrError
from stackr.patterns import pattern

_NOISE = pattern(
    r"^(Resolving deltas|Counting objects|Compressing objects|Enumerating objects|Total \d|Create a pull request|"
    r"Visit |https?://\S+/pull/new/)"
)
_LOCKED = pattern(
    r"(?:[Uu]nable to create '(?P<file>[^']+\.lock)'|could not lock config file (?P<config>[^\s:]+))"
    r"(?:: (?P<why>[^\n]+))?"
)
_DUBIOUS = pattern(r"detected dubious ownership in repository at '(?P<path>[^']+)'")
_BAD_CONFIG = pattern(r"bad (?:numeric |boolean )?config|invalid config|unable to parse .*config", re.IGNORECASE)
_NO_ACCESS = pattern(
    r"Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied \(|"
    r"Permission to .* denied|returned error: 40[13]\b|Write access to repository not granted|Bad credentials|"
    r"Invalid username or|SAML SSO|Host key verification failed|Unauthorized",
    re.IGNORECASE,
)
_NOT_FOUND = pattern(
    r"Repository not found|repository '[^']*' not found|returned error: 404\b|does not appear to be a git repository",
    re.IGNORECASE,
)
_NOT_CONNECTED = pattern(
    r"Could not resolve (?:host|proxy)|Failed to connect|Couldn't connect|ssh: connect to host|"
    r"Temporary failure in name resolution|Name or service not known",
    re.IGNORECASE,
)
_LOST = pattern(
    r"hung up|early EOF|RPC failed|unexpected disconnect|unable to access|Broken pipe|Operation timed out|"
    r"Connection (?:reset|closed|refused|timed out)|returned error: (?:5\d\d|429)|protocol error|bad line length|"
    r"Could not read from remote repository|SSL|TLS|unable to rewind",
    re.IGNORECASE,
)
_NO_REF = pattern(r"couldn't find remote ref (?P<ref>\S+)")
_UNCERTAIN = "the push may or may not have arrived; running again finds out"
_TRANSPORT = pattern(r"transport '([^']+)' not allowed|unable to find remote helper for '([^']+)'")


class NetworkFailed(ConnectionLost):
    """The connection to the remote broke. ``lost``: it broke late, so that what was asked may have happened."""

    def __init__(self, message: str, *, lost: bool, safe: str, next_step: str) -> None:
        super().__init__(message, safe=safe, next_step=next_step)
        self.lost = lost


def last_words(err: str) -> str:
    """The most telling line of git's standard error, without ``fatal:`` or ``error:``."""
    lines = [line.strip() for line in err.splitlines() if line.strip() and not line.startswith(("hint:", "remote:"))]
    loud = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines[-1:]
    return re.sub(r"^(?:fatal|error):\s*", "", loud[0]) if loud else "it gave no reason"


def remote_words(err: str) -> str:
    """What the other side said (``remote:`` lines), progress and advertising left out, sentences joined by ``; ``."""
    lines = (
        re.sub(r"\s+", " ", line[len("remote:") :]).strip() for line in err.splitlines() if line.startswith("remote:")
    )
    said = [re.sub(r"^(?:fatal|error): ", "", line) for line in lines if line and not _NOISE.match(line)]
    return "; ".join(dict.fromkeys(said))


def local_failure(verb: str, code: int, err: str, timeout_s: float | None = None) -> StackrError:
    """The exception for a local git command that ended with ``code``, or was stopped after ``timeout_s``."""
    if timeout_s is not None:
        return GitError(f'"git {verb}" did not end within {timeout_s:g} s', next_step="run it yourself to see why")
    return _setup_failure(err) or GitError(f'"git {verb}" failed ({code}): {last_words(err)}')


def _setup_failure(err: str) -> StackrError | None:
    """Failures that any command can have: they are about the repository, not about the command."""
    if found := _DUBIOUS.search(err):
        path = found["path"]
        return Refused(
            f'git does not trust the repository at "{path}": it belongs to another user',
            next_step=f'if you trust it: git config --global --add safe.directory "{path}"',
        )
    if "not a git repository" in err and "does not appear" not in err:
        return not_a_repository()
    if _BAD_CONFIG.search(err):
        return ConfigError(f"git cannot read its configuration: {last_words(err)}", next_step="git config --list")
    if found := _LOCKED.search(err):
        return _not_locked(found["file"] or found["config"], (found["why"] or "File exists").rstrip("."))
    return None


def _not_locked(name: str, why: str) -> StackrError:
    """Only a lock that is there is another git's; a full or read-only disk must not make anybody remove files."""
    if why != "File exists":
        return GitError(
            f'git cannot write "{name}": {why.lower()}', next_step="mend that and run the same command again"
        )
    return Refused(
        f'another git process holds "{name}"',
        next_step="wait for it to end; if none is running, remove that file and try again",
    )


def not_a_repository(where: str = "") -> Refused:
    """The refusal outside of any repository."""
    place = f'"{where}" is' if where else "this is"
    return Refused(f"{place} not in a git repository", next_step="cd into a clone, or use stackr -C DIR")


def remote_failure(verb: str, remote: str, code: int, err: str, timeout_s: float | None = None) -> StackrError:
    """The exception for a failed fetch or push (``verb``) that no ref-by-ref answer explains."""
    if timeout_s is not None:
        return _network(verb, remote, f"no end after {timeout_s:g} s", lost=True)
    if found := _NO_ACCESS.search(err):
        return no_access(verb, remote, _said(err, found))
    if found := _NO_REF.search(err):
        name = found["ref"].removeprefix("refs/heads/")
        return Refused(f'"{remote}" has no branch "{name}"', next_step=f"git ls-remote --heads {remote}")
    if found := _NOT_FOUND.search(err):
        return GitHubError(
            f'"{remote}" was not found: {_said(err, found)}',
            next_step=f"check git remote get-url {remote}, and that your account may see it",
        )
    if found := _NOT_CONNECTED.search(err):
        return _network(verb, remote, _said(err, found), lost=False)
    if found := _TRANSPORT.search(err):
        return ConfigError(f'git cannot use "{found[1] or found[2]}" addresses here: {_said(err, found)}')
    if setup := _setup_failure(err):
        return setup
    if found := _LOST.search(err):
        return _network(verb, remote, _said(err, found), lost=True)
    # A push may fail on this side, on a full disk say, after the other side has taken it.
    return GitError(
        f'"git {verb}" failed ({code}): {remote_words(err) or last_words(err)}',
        safe=_UNCERTAIN if verb == "push" else NOTHING_CHANGED,
        next_step="mend that and run the same command again",
    )


def _said(err: str, found: re.Match[str]) -> str:
    """What the other side said, else the line that told the kind of failure (git's own last line often tells less)."""
    start = err.rfind("\n", 0, found.start()) + 1
    line = err[start:].split("\n", 1)[0]
    return remote_words(err) or re.sub(r"^(?:fatal|error|ERROR):\s*", "", line.strip())


def no_access(verb: str, remote: str, words: str) -> ConfigError:
    """Neither a token nor a key that the remote accepts."""
    preposition = "to" if verb == "push" else "from"
    return ConfigError(f'no access to {verb} {preposition} "{remote}": {words}', next_step="stackr auth status")


def _network(verb: str, remote: str, words: str, *, lost: bool) -> NetworkFailed:
    may_have = lost and verb == "push"
    return NetworkFailed(
        f'cannot {verb} {"to" if verb == "push" else "from"} "{remote}": {words}',
        lost=may_have,
        safe=_UNCERTAIN if may_have else NOTHING_CHANGED,
        next_step="check the network and run the same command again",
    )
