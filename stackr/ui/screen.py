"""A part of the terminal that is drawn anew in place, by rich. Imported only to watch something on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TextIO

from rich.console import Group
from rich.live import Live

from stackr.ui.line import Line, line
from stackr.ui.richly import rich_console, rich_text


class Screen:
    """The lines last shown, and below them what is going on just now. Within ``with`` the cursor is hidden."""

    def __init__(self, stream: TextIO, env: Mapping[str, str], *, color: bool) -> None:
        self._encoding = getattr(stream, "encoding", None)
        self._lines: Callable[[], list[Line]] = list
        self._footer = ""
        self._ends = False
        self._live = Live(
            console=rich_console(stream, env, color=color),
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Screen:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends = True
        self.say("")
        self._live.stop()

    def show(self, lines: Callable[[], list[Line]]) -> None:
        """Draw these lines; they are asked for again each time, as the terminal may have another width by then."""
        self._lines, self._footer = lines, ""
        self._draw()

    def say(self, text: str) -> None:
        """Put one line below the others, until something else is shown."""
        self._footer = text
        self._draw()

    def note(self, text: str) -> None:
        """Put a sentence above the lines, where it stays."""
        self._live.console.print(rich_text(line(text), self._encoding))

    def _draw(self) -> None:
        shown = [*self._fitting(self._lines()), *([line(self._footer)] if self._footer else [])]
        self._live.update(Group(*(rich_text(each, self._encoding) for each in shown)), refresh=True)

    def _fitting(self, lines: list[Line]) -> list[Line]:
        """As many as the terminal is high, and room for the footer; all of them at the end, when it may scroll."""
        room = self._live.console.size.height - 2
        if self._ends or len(lines) <= room:
            return lines
        return [*lines[: room - 1], line(f"… and {len(lines) - room + 1} more lines")]
