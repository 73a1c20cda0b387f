"""The one comment of a kind that stackr keeps on a pull request: recognised, brought up to date, never doubled.

Pure. Reading and writing comments is ``stackr.github.comments``, what stands in them is their writers'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from stackr.core.body import normalise
from stackr.records import dataclass

LONGEST = 60_000
"""In characters; GitHub refuses more than 65,536."""
_FIRST_TRY = 256


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as it stands on GitHub; ``author`` is ``""`` for an account that is gone."""

    id: int
    author: str
    body: str
    url: str


@dataclass(frozen=True, slots=True)
class Step:
    """What to do: ``create``, ``update`` of ``comment``, or nothing, because ``comment`` says it all (``keep``)."""

    kind: str
    body: str
    comment: Comment | None = None


def marker(kind: str) -> str:
    """The first line of a comment of this kind, which nobody sees on the page."""
    return f"<!-- stackr:report {kind} -->"


def plan_comment(comments: Iterable[Comment], login: str, kind: str, text: str) -> Step:
    """What makes ``text`` the comment of its kind; ``login`` is whose comments are ours.

    Others may write, quote or copy our marker, and we may be quoted by ourselves: only a comment of ours that begins
    with it counts. Of several (two runs at once), the oldest is kept up to date.
    """
    body = f"{marker(kind)}\n{text}"
    ours = [comment for comment in comments if _is_ours(comment, login, kind)]
    if not ours:
        return Step("create", body)
    oldest = min(ours, key=lambda comment: comment.id)
    return Step("keep" if normalise(oldest.body) == normalise(body) else "update", body, oldest)


def _is_ours(comment: Comment, login: str, kind: str) -> bool:
    return comment.author.lower() == login.lower() and normalise(comment.body).startswith(marker(kind))


def fit(kind: str, lines: int, write: Callable[[int], str]) -> str:
    """``write(lines)``, or what it gives for fewer lines, so many that marker and text fit into a comment.

    ``write`` is told how many lines to keep, and says in the text how many it left out.
    """
    room = LONGEST - len(f"{marker(kind)}\n")
    fits, more = 0, _FIRST_TRY
    # From below, as a report may be a thousand times as long as a comment.
    while more < lines and len(write(more)) <= room:
        fits, more = more, 2 * more
    if more >= lines and len(whole := write(lines)) <= room:
        return whole
    too_many = min(more, lines)
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        fits, too_many = (middle, too_many) if len(write(middle)) <= room else (fits, middle)
    return write(fits)
