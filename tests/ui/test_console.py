"""What goes to which stream, with colour or without, on terminals and in pipes."""

from __future__ import annotations

import io
import json
import sys

import pytest

from stackr.ui import output
from stackr.ui.console import Console
from stackr.ui.line import Span, line


class Stream(io.StringIO):
    """A text stream that says whether it is a terminal, and in which encoding."""

    def __init__(self, *, terminal: bool = False, encoding: str = "utf-8") -> None:
        super().__init__()
        self._terminal, self._encoding = terminal, encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._terminal


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 100.0
        self.naps: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds


def console(
    *, terminal: bool = False, color: str = "auto", env: dict[str, str] | None = None, clock: Clock | None = None
) -> tuple[Console, Stream, Stream]:
    out, err = Stream(terminal=terminal), Stream(terminal=terminal)
    time = clock or Clock()
    return Console(color=color, out=out, err=err, env=env or {}, sleep=time.sleep, clock=time), out, err


def test_results_go_to_stdout_and_talk_to_stderr() -> None:
    ui, out, err = console()
    ui.result("a result")
    ui.lines([line("a ", Span("line", "red", "https://e.example"))])
    ui.note("a note\nof two lines")
    ui.warn("a warning\nof two lines")
    ui.step("progress")
    assert out.getvalue() == "a result\na line\n"
    assert err.getvalue() == "a note\nof two lines\nwarning: a warning\n         of two lines\n"


def test_json_is_one_ascii_document() -> None:
    ui, out, _ = console()
    ui.json({"title": "naïve 😀 \ud800", "path": b"caf\xe9 \\ud83d".decode("utf-8", "surrogateescape")})
    assert out.getvalue().isascii()
    assert json.loads(out.getvalue()) == {"title": "naïve 😀 \ufffd", "path": "caf\ufffd \\ud83d"}


@pytest.mark.parametrize(
    ("terminal", "color", "env", "painted"),
    [
        (True, "auto", {}, True),
        (True, "auto", {"NO_COLOR": "1"}, False),
        (True, "auto", {"NO_COLOR": ""}, True),
        (True, "auto", {"TERM": "dumb"}, False),
        (True, "never", {}, False),
        (False, "auto", {}, False),
        (False, "always", {"NO_COLOR": "1"}, True),
    ],
)
def test_colour_is_for_terminals_unless_asked_otherwise(
    terminal: bool, color: str, env: dict[str, str], painted: bool
) -> None:
    ui, out, err = console(terminal=terminal, color=color, env=env)
    ui.lines([line("a ", Span("word", "red"))])
    ui.warn("careful")
    assert ("\x1b[31mword\x1b[0m" in out.getvalue()) is painted
    assert ("\x1b[33m" in err.getvalue()) is painted


def test_links_are_terminal_hyperlinks_when_coloured() -> None:
    ui, out, _ = console(color="always", env={"COLORTERM": "truecolor"})
    ui.lines([line(Span("#1", "", "https://github.com/acme/w/pull/1"))])
    assert ";https://github.com/acme/w/pull/1\x1b\\" in out.getvalue()
    assert "[bold]" not in out.getvalue()


def test_rich_markup_in_a_title_is_just_text() -> None:
    ui, out, _ = console(color="always")
    ui.lines([line("[bold]not markup[/bold] :smile:")])
    assert out.getvalue() == "[bold]not markup[/bold] :smile:\n"


def test_lines_are_broken_at_the_end_of_a_terminal_and_never_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    for terminal, shown in ((True, ("x" * 24 + "\n") * 2), (False, "x" * 48 + "\n")):
        ui, out, _ = console(terminal=terminal, color="never")
        ui.lines([line("x" * 48)])
        assert out.getvalue() == shown


def test_progress_is_replaced_by_what_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    ui, _, err = console(terminal=True, env={"NO_COLOR": "1"})
    ui.step("reading a very long stack")
    ui.step("pushing\x1b[2J")
    ui.note("done")
    ui.note("really")
    erase = "\r\x1b[2K"
    assert err.getvalue() == f"{erase}reading a very lon…{erase}pushing{erase}done\nreally\n"


def test_progress_is_erased_when_the_program_ends() -> None:
    ui, _, err = console(terminal=True, env={"NO_COLOR": "1"})
    ui.step("pushing")
    output.flush()
    assert err.getvalue() == "\r\x1b[2Kpushing\r\x1b[2K"


def test_a_terminal_that_went_away_does_not_stop_the_erasing() -> None:
    ui, _, err = console(terminal=True)
    ui.step("pushing")
    err.close()
    output.erase_progress()


def test_a_countdown_shows_every_second_on_a_terminal() -> None:
    clock = Clock()
    ui, _, err = console(terminal=True, env={"NO_COLOR": "1"}, clock=clock)
    ui.wait(2.5, "GitHub asks to slow down")
    shown = [part.split(" (")[0] for part in err.getvalue().split("\r\x1b[2K") if part]
    assert shown == [f"GitHub asks to slow down; going on in {n} s" for n in (3, 2, 1)]
    assert clock.naps == [0.5, 1.0, 1.0]


def test_a_countdown_in_a_pipe_is_announced_once() -> None:
    ui, _, err = console()
    ui.wait(125, "GitHub asks to slow down")
    assert err.getvalue() == "GitHub asks to slow down; waiting 2 min 05 s\n"


def test_a_countdown_can_be_interrupted_and_leaves_no_trace() -> None:
    class Interrupted(Clock):
        def sleep(self, seconds: float) -> None:
            raise KeyboardInterrupt

    ui, _, err = console(terminal=True, clock=Interrupted())
    with pytest.raises(KeyboardInterrupt):
        ui.wait(60, "GitHub asks to slow down")
    assert err.getvalue().endswith("\r\x1b[2K")


def test_signs_have_ascii_stand_ins_where_the_encoding_has_none() -> None:
    for color in ("never", "always"):
        out = Stream(encoding="ascii")
        Console(color=color, out=out, err=Stream(), env={}).lines([line("▶ ● naïve")])
        assert out.getvalue() == "> * na?ve\n"


def test_missing_and_closed_streams_are_no_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    assert not output.is_terminal(closed)
    assert not output.is_terminal(None)
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    ui = Console(env={})
    ui.result("nobody reads this")
    ui.warn("nor this")
    output.never_crash_on_characters()
    output.flush()
