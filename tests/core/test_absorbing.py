"""Whose lines a staged hunk has, and what files become there; lines come from a table instead of ``git blame``."""

from __future__ import annotations

import pytest

from stackr.core.absorbing import TRUNK, Home, Hunk, Origin, edited, edits_at_head, edits_at_home, find_homes

NEW = (b"new\n",)


def blame(text: str) -> dict[int, Origin]:
    """Origins of lines 1, 2, ...: ``0:5`` is line 5 of the lowest change's file, ``-`` a line of trunk."""
    return {
        number: Origin(TRUNK) if word == "-" else Origin(int(word.split(":")[0]), "f", int(word.split(":")[1]))
        for number, word in enumerate(text.split(), 1)
    }


def home(hunk: Hunk, lines: str) -> str:
    (found,) = find_homes([hunk], {"f": blame(lines)})
    assert found.hunk is hunk
    return found.why if found.change is None else f"{found.change} at {found.path}:{found.line}"


@pytest.mark.parametrize(
    ("start", "count", "lines", "found"),
    [
        (2, 1, "- 0:7 -", "0 at f:7"),
        (1, 3, "1:4 1:5 1:6", "1 at f:4"),
        (2, 2, "0:1 1:5 1:6 -", "1 at f:5"),
        (1, 1, "-", "its lines are older than the stack"),
        (1, 2, "0:1 1:2", "its lines come from several changes"),
        (1, 2, "0:1 -", "its lines come from several changes"),
        (1, 2, "0:1 0:3", "its lines were not next to each other in their change"),
        (2, 1, "1:1 0:2 -", "a higher change has touched the line next to it"),
        (1, 1, "0:2 1:3", "a higher change has touched the line next to it"),
        # new lines, after line `start`
        (1, 0, "0:4 0:5", "0 at f:5"),
        (1, 0, "0:4 -", "0 at f:5"),
        (1, 0, "- 0:4", "0 at f:4"),
        (2, 0, "- 1:4", "1 at f:5"),
        (0, 0, "1:1 -", "1 at f:1"),
        (1, 0, "- -", "the lines around it are older than the stack"),
        (0, 0, "", "the lines around it are older than the stack"),
        (1, 0, "0:1 1:2", "the lines around it come from several changes"),
    ],
)
def test_a_hunk_belongs_to_the_change_that_last_touched_its_lines(
    start: int, count: int, lines: str, found: str
) -> None:
    assert home(Hunk("f", start, count, NEW), lines) == found


def test_a_file_that_cannot_be_taken_apart_stays() -> None:
    assert home(Hunk("g", whole="the file is new"), "0:1") == "the file is new"


def test_a_hunk_is_named_by_the_line_it_begins_at() -> None:
    assert [hunk.name for hunk in (Hunk("f", 3, 2), Hunk("f", 3), Hunk("f", whole="why"))] == ["f:3", "f:4", "f"]


@pytest.mark.parametrize(
    ("text", "edits", "after"),
    [
        (b"1\n2\n3\n", [(2, 1, (b"two\n",))], b"1\ntwo\n3\n"),
        (b"1\n2\n3\n", [(1, 0, (b"0\n",)), (3, 1, ()), (2, 1, (b"a\n", b"b\n"))], b"0\n1\na\nb\n"),
        (b"1\n2", [(2, 1, (b"two",)), (1, 1, (b"one\n",))], b"one\ntwo"),
        (b"1\r\n2\rx\n", [(2, 1, (b"two\n",))], b"1\r\ntwo\n"),
        (b"", [(1, 0, NEW)], b"new\n"),
    ],
)
def test_edits_are_made_line_by_line(
    text: bytes, edits: list[tuple[int, int, tuple[bytes, ...]]], after: bytes
) -> None:
    assert edited(text, edits) == after


def test_edits_are_told_for_each_change_and_for_head() -> None:
    replaced, inserted, stays = Hunk("f", 4, 1, NEW), Hunk("f", 9, 0, NEW), Hunk("f", 12, 1)
    homes = [Home(replaced, 1, "", "old", 3), Home(inserted, 0, "", "f", 2), Home(stays, None, "why")]
    assert edits_at_home(homes, 1) == {"old": [(3, 1, NEW)]}
    assert edits_at_home(homes, 0) == {"f": [(2, 0, NEW)]}
    assert edits_at_head(homes) == {"f": [(4, 1, NEW), (10, 0, NEW)]}
