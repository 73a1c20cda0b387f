"""The list of ``stackr reorder``: what is written, and what its lines mean."""

from __future__ import annotations

import pytest

from stackr.core.todo import as_text, read_order
from stackr.errors import Refused
from tests.support.builders import new, ref, stack

A, B, C = "a" * 12, "b" * 12, "c" * 12
STACK = stack(new(A, "t1"), new(B, A), new(C, B))


def test_one_line_a_change_the_lowest_first() -> None:
    assert as_text(STACK, {ref("B"): 12}) == (
        "pick aaaaaaaaaa Add A\npick bbbbbbbbbb #12 Add B\npick cccccccccc Add C\n"
    )
    assert read_order(STACK, as_text(STACK, {})) == (0, 1, 2)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("pick cccc\npick aaaa\n\npick bbbb whatever\n", (2, 0, 1)),
        ("p cccccc\nd aaaa x\np bbbbbbbbbbbb\n", (2, 1)),
        ("drop aaaa\ndrop bbbb\ndrop cccc\n", ()),
        ("\n  \n", ()),
    ],
)
def test_the_lines_are_the_new_order(text: str, order: tuple[int, ...]) -> None:
    assert read_order(STACK, text) == order


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("squash aaaa Add A\n", 'this line is not understood: "squash aaaa Add A"'),
        ("pick\n", 'this line is not understood: "pick"'),
        ("pick a\n", 'this line is not understood: "pick a"'),
        ("pick dddd\n", 'this line is not understood: "pick dddd"'),
        ("pick aaaa\npick aaaa\n", '"Add A" is in the list twice'),
        ("pick aaaa\npick cccc\n", '"Add B" is missing from the list'),
    ],
)
def test_a_list_that_is_not_understood_is_refused(text: str, message: str) -> None:
    with pytest.raises(Refused) as problem:
        read_order(STACK, text)
    assert problem.value.message == message
