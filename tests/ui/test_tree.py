"""How a stack looks."""

from __future__ import annotations

from stackr.core.status import Report
from stackr.ui import tree
from stackr.ui.line import plain
from stackr.ui.text import width
from tests.ui.builders import every_state, pull, report, row


def drawn(shown: Report, columns: int | None = None, *, links: bool = False) -> str:
    return "\n".join(plain(each) for each in tree.lines(shown, columns, links=links))


def test_every_state_has_its_sign_its_words_and_the_next_step() -> None:
    assert drawn(every_state(), links=True) == (
        "▶ ○ new  Brand new     not submitted    next: stackr submit\n"
        "  ● #16  Clash         in sync          conflicts\n"
        "  ✗ #15  Closed        closed           next: stackr submit --reopen\n"
        "  ▼ #14  Theirs        somebody pushed  changes requested · checks fail  next: stackr sync\n"
        "  ◐ #13  Read it       modified         draft · review required · checks run  next: stackr submit\n"
        "  ● #12  Add cache     in sync          approved · checks pass\n"
        "  ✓ #11  Landed below  landed           next: stackr sync\n"
        "  ┴ main aaaaaaa\n"
        "no longer in this stack, and still open:\n"
        "    #9  Title 9\n"
        "note: a rebase is in progress"
    )


def test_without_links_the_addresses_are_written_out() -> None:
    assert drawn(report(row(1, "Add cache", "in-sync", pull(12)))) == (
        "▶ ● #12  Add cache  in sync  approved · checks pass  https://github.com/acme/w/pull/12\n  ┴ main aaaaaaa"
    )


def test_an_address_that_does_not_fit_is_left_out() -> None:
    assert "https" not in drawn(report(row(1, "Add cache", "in-sync", pull(12))), 60)


def test_pull_request_numbers_are_links_where_links_work() -> None:
    (first, *_) = tree.lines(report(row(1, "Add cache", "in-sync", pull(12))), links=True)
    assert [(span.text, span.link) for span in first if span.link] == [("#12", "https://github.com/acme/w/pull/12")]


def test_titles_give_way_on_a_narrow_terminal_and_line_up_on_any() -> None:
    shown = report(
        row(1, "A title " * 30, "in-sync", pull(1)), row(2, "日本語のタイトル", "modified", pull(2), "submit")
    )
    for columns in (60, 80, 200):
        lines = drawn(shown, columns, links=True).split("\n")
        assert width(lines[1]) <= columns
        assert width(lines[0].split("modified")[0]) == width(lines[1].split("in sync")[0])
    assert "…" in drawn(shown, 80).split("\n")[1]


def test_a_title_is_never_shorter_than_can_be_recognised() -> None:
    assert "A title tha…" in drawn(report(row(1, "A title that is long", "in-sync", pull(1))), 20)


def test_the_arrow_is_where_head_is_even_in_the_middle() -> None:
    shown = report(row(1, "One", "new"), row(2, "Two", "new"), head="1" * 40)
    assert [line[:1] for line in drawn(shown).split("\n")] == [" ", "▶", " "]


def test_an_empty_stack_is_just_the_trunk() -> None:
    assert drawn(report()) == "  ┴ main aaaaaaa"
    assert drawn(Report("status", None, None, (row(1, "One", "new"),))) == (
        "  ○ new  One  not submitted\n  ┴ trunk is not known"
    )


def test_a_hostile_title_stays_one_harmless_line() -> None:
    shown = report(row(1, "x\x1b]0;owned\x07\n\x1b[2Jy\u202e", "in-sync", pull(1)))
    assert drawn(shown).split("\n")[0].startswith("▶ ● #1  x y  in sync")
