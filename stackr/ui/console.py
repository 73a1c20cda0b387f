"""How stackr speaks: results on stdout; notes, warnings, progress and countdowns on stderr (docs/reference/cli.md).

Implements ``stackr.core.ports.Ui``. In a pipe everything is plain text; on a terminal, or when forced, lines get colour
and links through rich, which is imported only then. What is said is decided elsewhere.
"""

from __future__ import annotations

import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TextIO

from stackr.ui import output
from stackr.ui.line import Line, fit, line, plain
from stackr.ui.text import clean, clean_lines, shorten, to_encoding

YELLOW = "33"


class Console:
    """The two streams of one run. ``color`` is the value of ``--color``.

    ``sleep`` and ``clock`` (both in seconds) are for tests that must not wait.
    """

    def __init__(
        self,
        *,
        color: str = "auto",
        out: TextIO | None = None,
        err: TextIO | None = None,
        env: Mapping[str, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.out = sys.stdout if out is None else out
        self.err = sys.stderr if err is None else err
        self._env = os.environ if env is None else env
        self.color_out = output.wants_color(self.out, color, self._env)
        self.color_err = output.wants_color(self.err, color, self._env)
        # Progress overwrites a line, which only a terminal that understands escapes can do.
        self.live = output.is_terminal(self.err) and self._env.get("TERM") != "dumb" and color != "never"
        self._sleep, self._clock = sleep, clock

    @property
    def columns(self) -> int | None:
        """The width of the terminal that shows the results, at least 20; ``None`` in a pipe, where nothing is cut."""
        if not output.is_terminal(self.out):
            return None
        return max(20, shutil.get_terminal_size().columns)

    def result(self, text: str = "") -> None:
        """One line of the result, plain."""
        self.lines([line(text)])

    def lines(self, content: Iterable[Line]) -> None:
        """Lines of the result, cut to the width of a terminal."""
        columns = self.columns
        fitted = [each if columns is None else fit(each, columns) for each in content]
        if self.color_out:
            output.erase_progress()
            self._write_rich(fitted)
        else:
            for each in fitted:
                output.write(self.out, plain(each))

    def raw(self, text: bytes) -> None:
        """What git has printed, byte for byte: a diff must be what the files hold."""
        output.write_raw(self.out, text)

    def json(self, document: Mapping[str, Any]) -> None:
        """The one JSON document of this run."""
        output.write_json(document, self.out)

    def note(self, text: str) -> None:
        """One sentence for the user."""
        self._say("", text)

    def warn(self, text: str) -> None:
        """One sentence the user should not overlook."""
        self._say(output.paint("warning: ", YELLOW, self.color_err), text)

    def step(self, text: str) -> None:
        """What is happening now; on a terminal only, where the next output replaces it."""
        if self.live and self.err is not None:
            shown = to_encoding(shorten(clean(text), shutil.get_terminal_size().columns - 1), self.err.encoding)
            output.show_progress(self.err, output.paint(shown, output.DIM, self.color_err))

    def wait(self, seconds: float, reason: str) -> None:
        """Wait with a countdown that Ctrl-C interrupts (as ``KeyboardInterrupt``); in a pipe it is announced once."""
        if not self.live:
            self.note(f"{reason}; waiting {_duration(seconds)}")
        end = self._clock() + seconds
        try:
            while (left := end - self._clock()) > 0:
                self.step(f"{reason}; going on in {_duration(left)} (Ctrl-C stops)")
                # Whole seconds from the end, so that the display never skips one.
                self._sleep(left - math.floor(left) or 1.0)
        finally:
            output.erase_progress()

    def _say(self, label: str, text: str) -> None:
        indent = "         " if label else ""
        output.write(self.err, label + f"\n{indent}".join(clean_lines(text)))

    def _write_rich(self, content: Iterable[Line]) -> None:
        from rich.console import Console as RichConsole
        from rich.text import Text

        system: Any = "truecolor" if self._env.get("COLORTERM") in ("truecolor", "24bit") else "standard"
        rich = RichConsole(file=self.out, force_terminal=True, color_system=system, width=10_000, highlight=False)
        for each in content:
            text = Text(no_wrap=True, end="\n")
            for span in each:
                style = f"{span.style} link {span.link}".strip() if span.link else span.style
                text.append(to_encoding(span.text, getattr(self.out, "encoding", None)), style=style or None)
            rich.print(text, soft_wrap=True)


def _duration(seconds: float) -> str:
    """Seconds for people, rounded up: ``59 s``, ``2 min 05 s``."""
    whole = math.ceil(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02} s"
