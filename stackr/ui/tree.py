"""The stack as ``stackr status`` draws it: newest on top, an arrow at HEAD, one line a change, trunk at the bottom.

Takes a ``core.status.Report`` and gives lines; what the states mean is decided in ``stackr.core.status``.
"""

from __future__ import annotations

from collections.abc import Iterator

from stackr.core.model import Checks, Mergeable, Orphan, PullRequest, PullState, Review
from stackr.core.status import Report, Row
from stackr.ui.line import Line, Span, line, plain
from stackr.ui.text import clean, pad, shorten, width

# state -> (sign, words, style)
_STATES = {
    "new": ("○", "not submitted", "yellow"),
    "in-sync": ("●", "in sync", "green"),
    "modified": ("◐", "modified", "yellow"),
    "remote-ahead": ("▼", "somebody pushed", "red"),
    "landed": ("✓", "landed", "magenta"),
    "closed": ("✗", "closed", "red"),
}
_REVIEWS = {
    Review.APPROVED: ("approved", "green"),
    Review.CHANGES_REQUESTED: ("changes requested", "red"),
    Review.REQUIRED: ("review required", "yellow"),
}
_CHECKS = {
    Checks.PASSING: ("checks pass", "green"),
    Checks.FAILING: ("checks fail", "red"),
    Checks.PENDING: ("checks run", "yellow"),
}
_SHORTEST_TITLE = 12
_LONGEST_TITLE = 72


def lines(report: Report, columns: int | None = None, *, links: bool = False) -> list[Line]:
    """The whole view.

    ``columns`` is the width of the terminal (``None``: nothing is cut); with ``links`` pull request numbers are links,
    else the address stands at the end of each line where there is room for it.
    """
    rows = list(reversed(report.rows))
    shown = list(_Table(report, columns, links).rows(rows))
    shown += list(_trunk(report))
    shown += list(_orphans(report.orphans, links))
    shown += [line(Span("note: ", "bold"), note) for note in report.notes]
    return shown


class _Table:
    """Rows whose columns line up."""

    def __init__(self, report: Report, columns: int | None, links: bool) -> None:
        self._head = report.head.oid if report.head else None
        self._links = links
        self._columns = columns
        self._number = max((width(_number(row)) for row in report.rows), default=0)
        self._state = max((width(_words(row)) for row in report.rows), default=0)
        self._title = self._title_columns(report)

    def _title_columns(self, report: Report) -> int:
        """As wide as the widest title, but leaving room for what stands after it on the widest line."""
        widest = min(_LONGEST_TITLE, max((width(clean(row.title)) for row in report.rows), default=0))
        if self._columns is None:
            return widest
        after = max((width(plain(self._after(row))) for row in report.rows), default=0)
        return min(widest, max(_SHORTEST_TITLE, self._columns - 4 - self._number - 2 - 2 - after))

    def rows(self, rows: list[Row]) -> Iterator[Line]:
        """One line a change."""
        for row in rows:
            sign, _, style = _STATES[row.state]
            arrow = Span("▶ ", "bold") if row.commit == self._head else Span("  ")
            title = pad(shorten(clean(row.title), self._title), self._title)
            content = (arrow, Span(f"{sign} ", style), *self._pull(row), Span(f"{title}  "), *self._after(row))
            yield (*content, *self._address(row, content))

    def _pull(self, row: Row) -> Line:
        number = _number(row)
        link = row.pull.url if row.pull and self._links else ""
        return Span(number, "cyan", link), Span(" " * (self._number - width(number) + 2))

    def _after(self, row: Row) -> Line:
        """State, review, checks, and what to do next."""
        _, words, style = _STATES[row.state]
        details = [Span(text, style) for text, style in _details(row.pull)]
        spans = [Span(pad(words, self._state), style)]
        for index, detail in enumerate(details):
            spans += [Span("  " if index == 0 else " · "), detail]
        if row.next:
            spans.append(Span(f"  next: stackr {row.next}", "bold"))
        return tuple(spans)

    def _address(self, row: Row, content: Line) -> Line:
        if self._links or row.pull is None:
            return ()
        address = Span(f"  {row.pull.url}", "dim")
        fits = self._columns is None or width(plain(content)) + width(address.text) <= self._columns
        return (address,) if fits else ()


def _number(row: Row) -> str:
    """``-`` for one that was not asked for (offline)."""
    return f"#{row.pull.number}" if row.pull else "new" if row.state == "new" else "-"


def _words(row: Row) -> str:
    return _STATES[row.state][1]


def _details(pull: PullRequest | None) -> Iterator[tuple[str, str]]:
    """(words, style) for what GitHub says of an open pull request."""
    if pull is None or pull.state is not PullState.OPEN:
        return
    if pull.draft:
        yield "draft", "dim"
    if pull.review in _REVIEWS:
        yield _REVIEWS[pull.review]
    if pull.checks in _CHECKS:
        yield _CHECKS[pull.checks]
    if pull.mergeable is Mergeable.CONFLICTING:
        yield "conflicts", "red"


def _trunk(report: Report) -> Iterator[Line]:
    if report.trunk is None:
        yield line("  ┴ ", Span("trunk is not known", "dim"))
    else:
        yield line("  ┴ ", Span(report.trunk.name, "bold"), Span(f" {report.trunk.oid[:7]}", "dim"))


def _orphans(orphans: tuple[Orphan, ...], links: bool) -> Iterator[Line]:
    if orphans:
        yield line("no longer in this stack, and still open:")
    for orphan in orphans:
        pull = orphan.pull
        address = "" if links else f"  {pull.url}"
        yield line("    ", Span(f"#{pull.number}", "cyan", pull.url if links else ""), f"  {pull.title}", address)
