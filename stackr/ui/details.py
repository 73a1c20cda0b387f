"""The words for how one pull request, or one change, stands: ``stackr status`` puts them after its title.

What they mean is decided in ``stackr.core``; where they stand on the screen, in ``table`` and its users.
"""

from __future__ import annotations

from collections.abc import Iterator

from stackr.core.model import CheckCounts, Checks, Commit, Mergeable, PullRequest, PullState, Review
from stackr.core.opinions import Opinion, opinions
from stackr.core.status import Row
from stackr.core.words import counted
from stackr.ui.line import Span
from stackr.ui.text import clean

# state -> (sign, words, style)
STATES = {
    "new": ("○", "not submitted", "yellow"),
    "in-sync": ("●", "in sync", "green"),
    "modified": ("◐", "modified", "yellow"),
    "remote-ahead": ("▼", "somebody pushed", "red"),
    "landed": ("✓", "landed", "magenta"),
    "closed": ("✗", "closed", "red"),
}
_OPINIONS = {Review.APPROVED: ("approved", "green"), Review.CHANGES_REQUESTED: ("changes requested", "red")}
_CHECKS = {
    Checks.PASSING: ("checks pass", "green"),
    Checks.FAILING: ("checks fail", "red"),
    Checks.PENDING: ("checks run", "yellow"),
}
_NAMES = 2
_OLD = " before the last push"


OPEN = Span("open")


def state_of(row: Row) -> Span:
    """The state of a change, in words."""
    _, words, style = STATES[row.state]
    return Span(words, style)


def of_row(row: Row, *, names: bool = True) -> tuple[Span, ...]:
    """How a change differs from GitHub, and what GitHub says of its pull request; ``names``: tell who, too."""
    return (*_drift(row), *of_pull(row.pull, names=names))


def of_pull(pull: PullRequest | None, *, names: bool = True) -> tuple[Span, ...]:
    """What GitHub says of an open pull request."""
    return () if pull is None or pull.state is not PullState.OPEN else (*_spans(pull, names),)


def _spans(pull: PullRequest, names: bool) -> Iterator[Span]:
    if pull.draft:
        yield Span("draft", "dim")
    yield from _reviews(pull, names)
    if pull.checks in _CHECKS:
        words, style = _CHECKS[pull.checks]
        yield Span(_counts(pull.counts) or words, style)
    if pull.mergeable is Mergeable.CONFLICTING:
        yield Span("conflicts", "red")


def _drift(row: Row) -> Iterator[Span]:
    if row.state == "modified" and row.drift:
        yield Span(f"differs: {', '.join(row.drift)}", "yellow")
    elif row.state == "remote-ahead" and row.foreign:
        yield Span(f"{counted(len(row.foreign), 'commit')} by {_people(_authors(row.foreign))}", "red")


def _authors(commits: tuple[Commit, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(commit.author_name or "somebody" for commit in commits))


def _reviews(pull: PullRequest, names: bool) -> Iterator[Span]:
    said = opinions(pull) if names else tuple(opinion for opinion in opinions(pull) if opinion.is_current)
    yield from (_opinion(opinion, names) for opinion in said)
    if pull.review in _OPINIONS and not said:
        yield Span(*_OPINIONS[pull.review])
    if pull.review is Review.REQUIRED:
        yield Span("review required", "yellow")


def _opinion(opinion: Opinion, names: bool) -> Span:
    words, style = _OPINIONS[opinion.review]
    who = f" by {_people(opinion.logins)}" if names else ""
    return Span(f"{words}{who}", style) if opinion.is_current else Span(f"{words}{who}{_OLD}", "dim")


def _people(names: tuple[str, ...]) -> str:
    """``bob``, ``bob and carol``, ``bob, carol and 3 more``."""
    shown = [clean(name) for name in names[:_NAMES]]
    more = len(names) - len(shown)
    return f"{', '.join(shown)} and {more} more" if more else " and ".join(shown)


def _counts(counts: CheckCounts) -> str:
    """``5/5 checks``, ``3/5 checks, 1 failing, 1 running``; nothing where they are not known."""
    if not counts.total:
        return ""
    parts = [f"{counts.passing}/{counts.total} checks"]
    parts += [f"{counts.failing} failing"] if counts.failing else []
    parts += [f"{counts.pending} running"] if counts.pending else []
    return ", ".join(parts)
