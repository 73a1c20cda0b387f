"""What ``stackr status --watch`` writes on: a part of the terminal that is drawn anew, else a line for every change.

When there is something new is the caller's to know; the lines are those of ``tree`` and ``overview``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from stackr.core.overview import Overview
from stackr.core.status import Report
from stackr.core.words import counted
from stackr.ui import details, show, table
from stackr.ui.console import Console
from stackr.ui.line import Line, Span, line, plain, wrap

if TYPE_CHECKING:
    from stackr.ui.screen import Screen


class Board(Protocol):
    """Where a watch shows what it sees."""

    def show(self, shown: Report | Overview) -> None:
        """How things stand now."""
        ...


@contextmanager
def open_board(ui: Console, *, silent: bool) -> Iterator[Board]:
    """The terminal, if there is one that can be drawn on; else stdout, or stderr where stdout is for something else."""
    if silent:
        yield Roll(ui.note)
        return
    with ui.screen() as screen:
        yield Roll(ui.result_now) if screen is None else Window(screen, ui)


class Window:
    """A part of the terminal, drawn anew whenever something is shown."""

    def __init__(self, screen: Screen, ui: Console) -> None:
        self._screen, self._ui = screen, ui

    def show(self, shown: Report | Overview) -> None:
        """The same as without watching."""
        self._screen.show(lambda: self._lines(shown))

    def _lines(self, shown: Report | Overview) -> list[Line]:
        columns = self._ui.columns or 0
        return [part for each in show.lines(shown, columns, links=self._ui.color_out) for part in wrap(each, columns)]


class Roll:
    """Paper: what was written stays, so only what is new is added."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._said: dict[str, str] = {}

    def show(self, shown: Report | Overview) -> None:
        """One line for everything that is not as it was, newest change first."""
        for key, text in _sentences(shown):
            if self._said.get(key) != text:
                self._write(text)
        self._said = dict(_sentences(shown))


def _sentences(shown: Report | Overview) -> Iterator[tuple[str, str]]:
    """(what it is about, the sentence)."""
    if isinstance(shown, Overview):
        for pull in shown.pulls:
            yield str(pull.number), _sentence(f"#{pull.number}", pull.title, details.of_pull(pull))
        return
    for row in reversed(shown.rows):
        number = f"#{row.pull.number}" if row.pull else "new"
        yield row.id, _sentence(number, row.title, (details.state_of(row), *details.of_row(row)))
    if shown.trunk and shown.behind:
        yield "trunk", f"{shown.trunk.name} has {counted(shown.behind, 'new commit')}"
    yield from ((note, f"note: {note}") for note in shown.notes)


def _sentence(number: str, title: str, said: tuple[Span, ...]) -> str:
    return plain(line(f'{number} "{title}": ', *table.joined(said or (details.OPEN,))))
