"""The log of operations on screen: columns that line up, whatever is in them, and words for what moved."""

from __future__ import annotations

import re

from stackr.core.plan import RefMove
from stackr.core.undo import Operation
from stackr.ui import operations
from stackr.ui.line import plain

ONE, TWO = "1" * 40, "2" * 40


def operation(command: str, *moves: RefMove) -> Operation:
    return Operation(1_700_000_000, command, "why", moves)


WHEN = operations.when(operation(""))
"""The local time, which is not the tests' to choose."""


def test_the_time_is_told_to_the_minute() -> None:
    assert re.fullmatch(r"2023-11-1[45] \d\d:\d\d", WHEN)


def test_branches_are_moved_made_and_deleted_and_bookkeeping_is_not_shown() -> None:
    moves = (
        RefMove("refs/heads/a", ONE, TWO),
        RefMove("HEAD", ONE, TWO),
        RefMove("refs/heads/b", None, ONE),
        RefMove("refs/heads/c", TWO, None),
        RefMove("refs/stackr/heads/I1", ONE, TWO),
    )
    (shown,) = operations.lines([operation("stackr sync", *moves)])
    assert plain(shown) == (
        f"1  {WHEN}  stackr sync  moved a 1111111..2222222, moved HEAD 1111111..2222222, "
        "made b at 1111111, deleted c (2222222)"
    )
    (document,) = operations.documents([operation("stackr sync", *moves)])
    assert [move["ref"] for move in document["moves"]] == ["refs/heads/a", "HEAD", "refs/heads/b", "refs/heads/c"]
    assert document["at"] == "2023-11-14T22:13:20Z"


def test_columns_line_up_for_wide_characters_and_many_entries() -> None:
    found = [operation("stackr submit -m 日本", RefMove("refs/heads/a", ONE, TWO))] * 9
    shown = [plain(line) for line in operations.lines([*found, operation("", RefMove("refs/heads/a", ONE, TWO))])]
    assert shown[0] == f" 1  {WHEN}  stackr submit -m 日本  moved a 1111111..2222222"
    assert shown[9] == f"10  {WHEN}  stackr (why)           moved a 1111111..2222222"


def test_a_command_line_cannot_steer_the_terminal() -> None:
    (shown,) = operations.lines([operation("stackr submit -m '\x1b[2J\nx'", RefMove("refs/heads/a", ONE, TWO))])
    assert not re.search(r"[\x00-\x1f]", plain(shown))
