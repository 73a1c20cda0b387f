"""One comment a kind: which one is ours, and whether it is written."""

from __future__ import annotations

import pytest

from stackr.core.sticky import LONGEST, Comment, Step, fit, marker, plan_comment

MARK = "<!-- stackr:report bench -->"


def comment(number: int, body: str, author: str = "alice") -> Comment:
    return Comment(number, author, body, f"https://github.com/c/{number}")


def test_without_a_comment_one_is_created() -> None:
    assert plan_comment([], "alice", "bench", "text") == Step("create", f"{MARK}\ntext")


@pytest.mark.parametrize(
    "other",
    [
        comment(1, f"{MARK}\nold", author="bob"),
        comment(1, f"{MARK}\nold", author=""),
        comment(1, f"> {MARK}\nold"),
        comment(1, f"look:\n{MARK}\nold"),
        comment(1, "<!-- stackr:report ci -->\nold"),
        comment(1, ""),
    ],
)
def test_what_is_not_ours_or_not_of_this_kind_is_left_alone(other: Comment) -> None:
    assert plan_comment([other], "alice", "bench", "text").kind == "create"


def test_ours_is_found_among_many_whatever_the_case_of_the_login() -> None:
    many = [comment(n, "talk", "bob") for n in range(149)]
    ours = comment(150, f"{MARK}\nold", "Alice")
    assert plan_comment([*many, ours], "alice", "bench", "new") == Step("update", f"{MARK}\nnew", ours)


def test_the_same_text_is_not_written_again_even_with_line_ends_of_a_browser() -> None:
    ours = comment(1, f"{MARK}\r\ntwo\r\nlines\r\n")
    assert plan_comment([ours], "alice", "bench", "two\nlines").kind == "keep"


def test_the_oldest_of_several_is_kept_up_to_date() -> None:
    several = [comment(9, f"{MARK}\nx"), comment(3, f"{MARK}\ny"), comment(5, f"{MARK}\nx")]
    assert plan_comment(several, "alice", "bench", "x") == Step("update", f"{MARK}\nx", several[1])


def test_a_comment_is_filled_to_the_brim_and_no_further() -> None:
    room = LONGEST - len(marker("bench")) - 1
    assert fit("bench", room, lambda keep: "x" * keep) == "x" * room
    assert fit("bench", 10 * room, lambda keep: "x" * keep) == "x" * room
    assert (
        len(plan_comment([], "a", "bench", fit("bench", 10**9, lambda keep: "x" * min(keep, room + 1))).body) <= LONGEST
    )
