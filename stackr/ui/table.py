"""Rows of pull requests whose columns line up, on terminals of any width.

Takes entries and gives lines; which entries there are, and their words, is settled in ``tree``, ``overview`` and
``details``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.records import dataclass
from stackr.ui.line import Line, Span, plain
from stackr.ui.text import clean, pad, shorten, width

_SHORTEST_TITLE = 16
_LONGEST_TITLE = 72


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: a sign, what stands for the number, a title, a word for the state, details, and what to do next.

    ``brief`` holds the details without names, for where there is no room for these.
    """

    sign: Span
    number: str
    title: str
    state: Span
    details: tuple[Span, ...] = ()
    brief: tuple[Span, ...] = ()
    next: str = ""
    url: str = ""
    is_head: bool = False


def lines(entries: Sequence[Entry], columns: int | None, *, links: bool) -> list[Line]:
    """One line an entry; where the terminal is too narrow for that, what follows a title goes below it."""
    drawn = _Table(entries, columns, links)
    return [each for entry in entries for each in drawn.row(entry)]


def joined(spans: Sequence[Span]) -> Line:
    """Details in one line, with dots between them."""
    return tuple(part for span in spans for part in (Span(" · "), span))[1:]


class _Table:
    """The widths of the columns, and the lines that follow from them."""

    def __init__(self, entries: Sequence[Entry], columns: int | None, links: bool) -> None:
        self._columns, self._links = columns, links
        self._number = max((width(entry.number) for entry in entries), default=0)
        self._state = max((width(entry.state.text) for entry in entries), default=0)
        self._title = min(_LONGEST_TITLE, max((width(clean(entry.title)) for entry in entries), default=0))
        self._is_brief = self._is_narrow = False
        if columns is not None:
            self._fit(entries, columns)

    def _fit(self, entries: Sequence[Entry], columns: int) -> None:
        """Let titles give way to what stands after them, then leave names out, then let that go below the titles."""
        for brief in (False, True):
            self._is_brief = brief
            after = max((width(plain(self._after(entry))) for entry in entries), default=0)
            room = columns - self._indent - 2 - after
            if room >= min(self._title, _SHORTEST_TITLE):
                self._title = min(self._title, room)
                return
        self._is_narrow = True
        self._title = max(_SHORTEST_TITLE, columns - self._indent)

    @property
    def _indent(self) -> int:
        """Where titles begin: after arrow, sign and number."""
        return 4 + self._number + 2

    def row(self, entry: Entry) -> Iterator[Line]:
        """The lines of one entry."""
        arrow = Span("▶ ", "bold") if entry.is_head else Span("  ")
        gap = " " * (self._number - width(entry.number) + 2)
        number = Span(entry.number, "cyan", entry.url if self._links else "")
        title = shorten(clean(entry.title), self._title)
        start = (arrow, entry.sign, Span(" "), number, Span(gap))
        if self._is_narrow:
            yield (*start, Span(title))
            yield from self._below(entry)
        else:
            after = self._after(entry)
            content = (*start, Span(pad(title, self._title)), Span("  " if plain(after) else ""), *after)
            yield (*content, *self._address(entry, content))

    def _after(self, entry: Entry) -> Line:
        """State, details, and what to do next."""
        said = joined(entry.brief if self._is_brief else entry.details)
        state = Span(pad(entry.state.text, self._state), entry.state.style)
        gap = Span("  " if self._state and said else "")
        return (state, gap, *said, *((Span(f"  {entry.next}", "bold"),) if entry.next else ()))

    def _below(self, entry: Entry) -> Iterator[Line]:
        """The same, as many to a line as there is room for."""
        indent = Span(" " * self._indent)
        room = max(_SHORTEST_TITLE, (self._columns or 0) - self._indent)
        parts = [part for part in (entry.state, *entry.details) if part.text]
        while parts:
            count = _fitting(parts, room)
            yield (indent, *joined(parts[:count]))
            parts = parts[count:]
        if entry.next:
            yield (indent, Span(entry.next, "bold"))

    def _address(self, entry: Entry, content: Line) -> Line:
        if self._links or not entry.url:
            return ()
        address = Span(f"  {entry.url}", "dim")
        fits = self._columns is None or width(plain(content)) + width(address.text) <= self._columns
        return (address,) if fits else ()


def _fitting(parts: Sequence[Span], room: int) -> int:
    """How many parts, at least one, go on a line of ``room`` columns."""
    lengths = [width(plain(joined(parts[: count + 1]))) for count in range(len(parts))]
    return max(1, sum(length <= room for length in lengths))
