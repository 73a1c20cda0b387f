"""How a stack looks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stackr.core.model import CheckCounts, Checks, Mergeable, PullState, Review, ReviewVote
from stackr.core.overview import PullStack
from stackr.core.status import Report
from stackr.ui import details, overview, tree
from stackr.ui.line import plain
from stackr.ui.text import to_encoding, width
from tests.ui.builders import commit, every_state, pull, report, row


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
        "▶ ● #12  Add cache  in sync  approved · checks pass  https://github.com/acme/w/pull/12\n  ┴ main aaaaaaa\n"
        "    looks ready up to #12  next: stackr land --ready"
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
    for columns in (80, 100, 200):
        lines = drawn(shown, columns, links=True).split("\n")
        assert width(lines[1]) <= columns
        assert width(lines[0].split("modified")[0]) == width(lines[1].split("in sync")[0])
    assert "…" in drawn(shown, 80).split("\n")[1]


def test_on_a_narrow_terminal_what_follows_a_title_goes_below_it() -> None:
    shown = report(
        row(1, "A title that is rather long", "in-sync", pull(1)),
        row(2, "Another that is longer still", "modified", pull(2, draft=True, counts=CheckCounts(3, 1, 1)), "submit"),
    )
    assert drawn(shown, 40) == (
        "▶ ◐ #2  Another that is longer still\n"
        "        modified · draft · approved\n"
        "        3/5 checks, 1 failing, 1 running\n"
        "        next: stackr submit\n"
        "  ● #1  A title that is rather long\n"
        "        in sync · approved · checks pass\n"
        "  ┴ main aaaaaaa\n"
        "    looks ready up to #1  next: stackr land --ready"
    )
    assert drawn(shown, 20).split("\n")[0] == "▶ ◐ #2  Another that is…"


def test_names_are_left_out_before_titles_become_unreadable() -> None:
    votes = tuple(ReviewVote(f"reviewer-{n}", "APPROVED", "f" * 40) for n in range(4))
    old = ReviewVote("carol", "CHANGES_REQUESTED", "e" * 40)
    shown = report(row(1, "A title that is rather long", "in-sync", pull(1, votes=(*votes, old))))
    assert drawn(shown, links=True).split("\n")[0] == (
        "▶ ● #1  A title that is rather long  in sync  approved by reviewer-0, reviewer-1 and 2 more"
        " · changes requested by carol before the last push · checks pass"
    )
    assert drawn(shown, 80, links=True).split("\n")[0] == (
        "▶ ● #1  A title that is rather long  in sync  approved · checks pass"
    )


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"review": Review.REQUIRED, "votes": [("bob", "APPROVED", "e")]}, "approved by bob before the last push"),
        ({"votes": [("bob", "APPROVED", "f"), ("carol", "APPROVED", "f")]}, "approved by bob and carol"),
        ({"votes": [("bob", "APPROVED", "e"), ("carol", "APPROVED", "f")]}, "approved by carol"),
        ({"votes": [("bob", "CHANGES_REQUESTED", "f")]}, "changes requested by bob"),
        ({"votes": [("bob", "DISMISSED", "f")], "review": Review.NONE}, ""),
        ({"counts": CheckCounts(5)}, "5/5 checks"),
        ({"counts": CheckCounts(3, 2)}, "3/5 checks, 2 failing"),
        ({"mergeable": Mergeable.CONFLICTING}, "conflicts"),
        ({"state": PullState.CLOSED, "draft": True}, ""),
    ],
)
def test_a_pull_request_is_told_in_a_few_words(facts: dict[str, Any], expected: str) -> None:
    votes = tuple(ReviewVote(login, state, oid * 40) for login, state, oid in facts.pop("votes", ()))
    quiet = {"review": Review.NONE, "checks": Checks.PASSING if "counts" in facts else Checks.NONE}
    said = [span.text for span in details.of_pull(pull(1, votes=votes, **{**quiet, **facts}))]
    required = ["review required"] if facts.get("review") is Review.REQUIRED else []
    assert said == [*([expected] if expected else []), *required]


def test_drift_is_told_in_both_directions() -> None:
    mine = replace(row(1, "Mine", "modified", pull(1), "submit"), drift=("commit", "base"))
    theirs = replace(row(2, "Theirs", "remote-ahead", pull(2), "sync"), foreign=(commit("c"), commit("d")))
    lines = drawn(report(mine, theirs), links=True).split("\n")
    assert lines[1] == (
        "  ◐ #1  Mine    modified         differs: commit, base · approved · checks pass  next: stackr submit"
    )
    assert lines[0] == (
        "▶ ▼ #2  Theirs  somebody pushed  2 commits by Alice · approved · checks pass  next: stackr sync"
    )


def test_the_trunk_line_tells_that_trunk_has_moved_and_what_landed() -> None:
    shown = replace(report(row(1, "One", "in-sync", pull(12, draft=True))), behind=4, landed=(9, 10))
    assert drawn(shown).split("\n")[1:] == [
        "  ┴ main aaaaaaa · 4 new commits: stackr sync",
        "    landed earlier: #9 · #10",
    ]
    landed = tree.lines(shown, links=True)[-1]
    assert [span.link for span in landed if span.link] == [f"https://github.com/acme/w/pull/{n}" for n in (9, 10)]


def test_a_hundred_changes_keep_their_columns_and_signs_have_stand_ins() -> None:
    shown = report(*(row(n, f"Change {n}", "in-sync", pull(n), None) for n in range(1, 101)))
    lines = drawn(shown, 80, links=True).split("\n")
    assert lines[-1] == "    looks ready up to #100  next: stackr land --ready"
    assert len(lines) == 102
    assert {line.index("in sync") for line in lines[:-2]} == {22}
    assert to_encoding(lines[0], "ascii") == "> * #100  Change 100  in sync  approved - checks pass"


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


def test_all_stacks_are_trees_below_the_names_of_their_branches() -> None:
    stacks = [
        PullStack("main", (pull(3), pull(4)), ("feature", "twin"), 3),
        PullStack("develop", (pull(1, draft=True),)),
    ]
    assert "\n".join(plain(each) for each in overview.lines(stacks, 80, links=True)) == (
        "feature, twin · checked out\n"
        "  ● #4  Title 4  approved · checks pass\n"
        "▶ ● #3  Title 3  approved · checks pass\n"
        "  ┴ main\n"
        "\n"
        "no local branch\n"
        "  ● #1  Title 1  draft · approved · checks pass\n"
        "  ┴ develop"
    )
    assert [plain(each) for each in overview.lines([])] == ["you have no open pull requests in this repository"]
