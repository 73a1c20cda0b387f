"""What went wrong on the way to GitHub, as exceptions in words for people.

Pure: from a status, headers and texts to an exception. Not here: when to try again (``limits``), sending (``http``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stackr.errors import ConfigError, ConnectionLost, GitHubError, StackrError
from stackr.patterns import pattern
from stackr.records import dataclass

_LONGEST = 600
_SSO_URL = pattern(r"url=([^;\s]+)")
_TOO_QUICKLY = "submitted too quickly"
_TRANSIENT = (
    "something went wrong while executing your query",
    "timedout",
    "timed out",
    "couldn't respond to your request",
)
# What merging at once is told for a member of one of GitHub's own stacks, with 403 (gh-stack#315, chdsbd/kodiak#923).
IS_STACKED = "stacked prs"
NO_ACCESS = frozenset({"FORBIDDEN", "INSUFFICIENT_SCOPES"})


class Lost(ConnectionLost):
    """The answer did not come, or cannot be read: what was asked may have happened or not.

    ``sent`` is false when the request certainly never left this machine.
    """

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message, next_step="check the network, then run the same command again")
        self.sent = sent


class Limited(GitHubError):
    """GitHub asks to slow down and did not do what was asked. ``wait_s`` is what it said, or ``None``."""

    def __init__(self, message: str, wait_s: float | None, next_step: str) -> None:
        super().__init__(message, next_step=next_step)
        self.wait_s = wait_s


class Rejected(GitHubError):
    """GitHub understood and said no: ``status`` is the HTTP status, ``words`` are GitHub's own, ``data`` its JSON."""

    def __init__(self, message: str, status: int, next_step: str = "", words: str = "", data: Any = None) -> None:
        super().__init__(message, next_step=next_step)
        self.status = status
        self.words = words
        self.data = data


@dataclass(frozen=True, slots=True)
class Problem:
    """One entry of a GraphQL answer's ``errors``; ``path`` is empty when it concerns the whole request."""

    type: str
    message: str
    path: tuple[str | int, ...] = ()

    @property
    def is_limit(self) -> bool:
        """Whether it says to slow down; "was submitted too quickly" has type UNPROCESSABLE (cli/cli#4801)."""
        text = self.message.lower()
        return self.type == "RATE_LIMITED" or _TOO_QUICKLY in text or says_limit(text)

    @property
    def is_transient(self) -> bool:
        """Whether GitHub itself failed, so that nothing is known of the effect."""
        return any(words in self.message.lower() for words in _TRANSIENT)


def says_limit(text: str) -> bool:
    """Whether a message speaks of a primary or secondary rate limit.

    https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    """
    text = text.lower()
    return "rate limit" in text or "abuse detection" in text


def clean(text: str) -> str:
    """A foreign text on one line, without control characters and not too long."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def words_of(data: Any) -> str:
    """GitHub's own words in a REST error body: the message and every entry of ``errors``, joined.

    https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
    """
    if not isinstance(data, Mapping):
        return ""
    entries = data.get("errors") or []
    details = [_detail(entry) for entry in entries] if isinstance(entries, list) else [str(entries)]
    message = str(data.get("message") or "")
    return clean("; ".join(part for part in [message, *details] if part))


def _detail(entry: Any) -> str:
    if not isinstance(entry, Mapping):
        return str(entry)
    if entry.get("message"):
        return str(entry["message"])
    return " ".join(str(entry[key]) for key in ("resource", "field", "code") if entry.get(key))


def refusal(
    status: int, headers: Mapping[str, str], words: str, what: str, source: str, data: Any = None
) -> StackrError:
    """The exception for a final answer of 400 and above, limits apart.

    ``what`` names the address asked, ``source`` where the token is from; header names are lower case; ``data`` is the
    JSON of the answer.
    """
    said = f" ({words})" if words else ""
    if status == 401:
        return ConfigError(
            f"github refused the token from {source}{said}",
            next_step="make a new token or run gh auth login, then stackr auth status",
        )
    if status == 403 and IS_STACKED not in words.lower():
        return _forbidden(headers, said, source)
    if status in (404, 410):
        return Rejected(
            f"github has no {what}, or the token from {source} may not see it: the two look the same{said}",
            status,
            next_step="check the name of the repository and what the token may read: stackr auth status",
            words=words,
            data=data,
        )
    return Rejected(f"github refused {what} with {status}{said}", status, words=words, data=data)


def _forbidden(headers: Mapping[str, str], said: str, source: str) -> ConfigError:
    sso = sso_url(headers)
    if sso is not None:
        return ConfigError(
            f"the organization wants single sign-on for the token from {source}{said}",
            next_step=f"authorize the token at {sso}" if sso else "authorize the token for single sign-on",
        )
    return ConfigError(
        f"the token from {source} may not do this{_needs(headers)}{said}",
        next_step="give the token that permission, or use another: stackr auth status",
    )


def sso_url(headers: Mapping[str, str]) -> str | None:
    """Where to authorize a token, ``""`` when GitHub names no address, ``None`` when this is not about sign-on.

    https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api
    """
    value = headers.get("x-github-sso", "")
    if not value.lower().startswith("required"):
        return None
    found = _SSO_URL.search(value)
    return clean(found[1]) if found else ""


def _needs(headers: Mapping[str, str]) -> str:
    """What is missing: permissions of fine-grained tokens, or scopes of classic ones."""
    permissions = clean(headers.get("x-accepted-github-permissions", ""))
    if permissions:
        return f": it needs {permissions}"
    scopes = clean(headers.get("x-accepted-oauth-scopes", ""))
    if scopes:
        has = clean(headers.get("x-oauth-scopes", "")) or "none"
        return f": it needs one of the scopes {scopes}, and has {has}"
    return ""


def problems_in(data: Any, hide: Callable[[str], str]) -> tuple[Problem, ...]:
    """The ``errors`` of a GraphQL answer, in order."""
    entries = data.get("errors") if isinstance(data, Mapping) else None
    if not isinstance(entries, list):
        return ()
    return tuple(_problem(entry, hide) for entry in entries if isinstance(entry, Mapping))


def _problem(entry: Mapping[str, Any], hide: Callable[[str], str]) -> Problem:
    extensions = entry.get("extensions")
    code = extensions.get("code") if isinstance(extensions, Mapping) else None
    path = entry.get("path")
    return Problem(
        type=str(entry.get("type") or code or ""),
        message=clean(hide(str(entry.get("message") or "no reason given"))),
        path=tuple(path) if isinstance(path, list) else (),
    )


def problem_error(problems: Sequence[Problem], headers: Mapping[str, str], source: str, what: str = "") -> StackrError:
    """The exception for GraphQL problems that are final; ``what`` says in a few words what failed.

    No access is a matter of configuration, all else is GitHub's.
    """
    words = "; ".join(dict.fromkeys(problem.message for problem in problems))
    if sso_url(headers) is not None:
        return _forbidden(headers, f" ({words})", source)
    if any(problem.type in NO_ACCESS for problem in problems):
        return _forbidden({}, f" ({words})", source)
    return GitHubError(
        f"{what or 'github refused the request'}: {words}",
        next_step="run the same command again; what is done is recognised",
    )
