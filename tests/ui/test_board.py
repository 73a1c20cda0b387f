"""What a watch leaves on a terminal, drawn anew in place, and in a pipe."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from stackr.core.model import CheckCounts, Checks, Review
from stackr.core.overview import Overview, PullStack
from stackr.core.status import Report
from stackr.ui.board import open_board
from stackr.ui.console import Console
from tests.ui.builders import pull, report, row
from tests.ui.test_console import Clock, Stream

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


def visible(written: str) -> list[str]:
    """The lines on a terminal after all that: carriage returns, cursor up, erased lines (ECMA-48 CUU and EL)."""
    screen, at = [""], 0
    text = re.sub(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\|\x1b\[\?25[lh]", "", written)
    for part in re.findall(r"\x1b\[1A|\x1b\[2K|\r|\n|[^\r\n\x1b]+", text):
        if part == "\x1b[1A":
            at -= 1
        elif part == "\x1b[2K":
            screen[at] = ""
        elif part == "\n":
            at += 1
            screen += [""] * (at + 1 - len(screen))
        elif part != "\r":
            screen[at] += part
    return [each.rstrip() for each in screen]


def running(left: int) -> Report:
    checks = Checks.PENDING if left else Checks.PASSING
    of = pull(12, review=Review.NONE, checks=checks, counts=CheckCounts(3 - left, 0, left))
    return report(row(1, "Add cache", "in-sync", of))


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> tuple[Console, Stream, Clock]:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    out, clock = Stream(terminal=True), Clock()
    ui = Console(out=out, err=Stream(terminal=True), env={"TERM": "xterm"}, sleep=clock.sleep, clock=clock)
    return ui, out, clock


def test_on_a_terminal_the_stack_is_drawn_anew_in_place(terminal: tuple[Console, Stream, Clock]) -> None:
    ui, out, clock = terminal
    shots = []
    with open_board(ui, silent=False) as board:
        board.show(running(2))
        shots.append(visible(out.getvalue()))
        ui.pause(2, "checks of 1 pull request still run")
        shots.append(visible(out.getvalue()))
        ui.warn("checks are not shown")
        board.show(running(0))
    assert shots == [
        ["▶ ● #12  Add cache  in sync  1/3 checks, 2 running", "  ┴ main aaaaaaa"],
        [
            *shots[0],
            "checks of 1 pull request still run; going on in 1 s (Ctrl-C stops)",
        ],
    ]
    assert visible(out.getvalue()) == [
        "warning: checks are not shown",
        "▶ ● #12  Add cache  in sync  3/3 checks",
        "  ┴ main aaaaaaa",
        "",
    ]
    assert clock.naps == [1, 1]
    assert (out.getvalue().count(HIDE), out.getvalue().count(SHOW)) == (1, 1)


def test_an_interrupt_leaves_the_last_view_and_a_cursor(terminal: tuple[Console, Stream, Clock]) -> None:
    ui, out, _ = terminal

    def watch() -> None:
        with open_board(ui, silent=False) as board:
            board.show(running(1))
            ui.step("reading the stack")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch()
    assert visible(out.getvalue()) == ["▶ ● #12  Add cache  in sync  2/3 checks, 1 running", "  ┴ main aaaaaaa", ""]
    assert out.getvalue().endswith(SHOW)
    ui.note("talk goes to stderr again")
    assert isinstance(ui.err, Stream)
    assert ui.err.getvalue() == "talk goes to stderr again\n"


def test_a_stack_higher_than_the_terminal_keeps_the_countdown_in_sight(
    terminal: tuple[Console, Stream, Clock],
) -> None:
    ui, out, _ = terminal
    whole = report(*(row(n, f"Change {n}", "in-sync", pull(n)) for n in range(1, 101)))
    with open_board(ui, silent=False) as board:
        board.show(whole)
        ui.step("going on in 9 s")
        lines = visible(out.getvalue())
        assert (len(lines), lines[0]) == (23, "▶ ● #100  Change 100  in sync  approved · checks pass")
        assert lines[-2:] == ["… and 81 more lines", "going on in 9 s"]
    assert visible(out.getvalue())[-4:] == [
        "  ● #1    Change 1    in sync  approved · checks pass",
        "  ┴ main aaaaaaa",
        "    looks ready up to #100  next: stackr land --ready",
        "",
    ]


@pytest.mark.parametrize("color", ["auto", "never"])
def test_colour_is_left_out_where_it_is_not_wanted(color: str) -> None:
    out = Stream(terminal=True)
    ui = Console(color=color, out=out, err=Stream(terminal=True), env={"TERM": "xterm", "NO_COLOR": "1"})
    with open_board(ui, silent=False) as board:
        board.show(running(1))
    # Without colour the screen is drawn anew all the same; who says never gets lines.
    assert ("\x1b[3" in out.getvalue(), HIDE in out.getvalue()) == (False, color == "auto")


def test_in_a_pipe_every_change_is_told_once() -> None:
    out, err = Stream(), Stream()
    clock = Clock()
    ui = Console(out=out, err=err, env={}, sleep=clock.sleep, clock=clock)
    with open_board(ui, silent=False) as board:
        for shown in (running(2), running(2), replace(running(1), behind=2, notes=("a rebase is in progress",))):
            board.show(shown)
            ui.pause(10, "checks of 1 pull request still run")
        board.show(replace(running(1), behind=2))
    assert out.getvalue() == (
        '#12 "Add cache": in sync · 1/3 checks, 2 running\n'
        '#12 "Add cache": in sync · 2/3 checks, 1 running\n'
        "main has 2 new commits\n"
        "note: a rebase is in progress\n"
    )
    assert err.getvalue() == ""


def test_for_json_the_changes_are_talk() -> None:
    out, err = Stream(terminal=True), Stream()
    ui = Console(out=out, err=err, env={"TERM": "xterm"})
    with open_board(ui, silent=True) as board:
        board.show(Overview((PullStack("main", (pull(1, checks=Checks.NONE, review=Review.NONE), pull(2))),)))
        board.show(report(row(1, "Brand new", "new", None, "submit")))
    assert out.getvalue() == ""
    assert err.getvalue() == (
        '#2 "Title 2": approved · checks pass\n#1 "Title 1": open\nnew "Brand new": not submitted\n'
    )
