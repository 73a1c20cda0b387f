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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from stackr.ui import output
from stackr.ui.line import Line, line, plain, wrap
from stackr.ui.text import clean, clean_lines, shorten, to_encoding

if TYPE_CHECKING:
    from stackr.ui.screen import Screen

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
        self._redraws = output.is_terminal(self.out) and self._env.get("TERM") != "dumb" and color != "never"
        self._screen: Screen | None = None
        self._sleep, self._clock = sleep, clock

    @property
    def columns(self) -> int | None:
        """The width of the terminal that shows the results, at least 20; ``None`` in a pipe, where lines stay whole."""
        if not output.is_terminal(self.out):
            return None
        return max(20, shutil.get_terminal_size().columns)

    def result(self, text: str = "") -> None:
        """One line of the result, plain."""
        self.lines([line(text)])

    def result_now(self, text: str) -> None:
        """One line of the result that somebody waits for: not kept back until there are more."""
        self.result(text)
        output.flush()

    @contextmanager
    def screen(self) -> Iterator[Screen | None]:
        """A part of the terminal to draw on; ``None`` where there is no terminal that could. Talk goes there, too."""
        if not self._redraws:
            yield None
            return
        from stackr.ui.screen import Screen

        output.erase_progress()
        with Screen(self.out, self._env, color=self.color_out) as self._screen:
            try:
                yield self._screen
            finally:
                self._screen = None

    def lines(self, content: Iterable[Line]) -> None:
        """Lines of the result; on a terminal, those that are too long for it are broken."""
        columns = self.columns
        fitting = [part for each in content for part in ([each] if columns is None else wrap(each, columns))]
        if self.color_out:
            output.erase_progress()
            self._write_rich(fitting)
        else:
            for each in fitting:
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
        if self._screen is not None:
            self._screen.say(text)
        elif self.live and self.err is not None:
            shown = to_encoding(shorten(clean(text), shutil.get_terminal_size().columns - 1), self.err.encoding)
            output.show_progress(self.err, output.paint(shown, output.DIM, self.color_err))

    def wait(self, seconds: float, reason: str) -> None:
        """Wait with a countdown that Ctrl-C interrupts (as ``KeyboardInterrupt``); in a pipe it is announced once."""
        if not self.live and self._screen is None:
            self.note(f"{reason}; waiting {_duration(seconds)}")
        self.pause(seconds, reason)

    def pause(self, seconds: float, reason: str) -> None:
        """As ``wait``, but in a pipe nothing is said: there will be many of these."""
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
        if self._screen is not None:
            self._screen.note(label + text)
            return
        output.write(self.err, label + f"\n{indent}".join(clean_lines(text)))

    def _write_rich(self, content: Iterable[Line]) -> None:
        from stackr.ui.richly import rich_console, rich_text

        rich = rich_console(self.out, self._env, width=10_000)
        for each in content:
            rich.print(rich_text(each, getattr(self.out, "encoding", None)), soft_wrap=True)


def _duration(seconds: float) -> str:
    """Seconds for people, rounded up: ``59 s``, ``2 min 05 s``."""
    whole = math.ceil(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02} s"
