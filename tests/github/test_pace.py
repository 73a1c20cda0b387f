"""How many mutations go into a request."""

from __future__ import annotations

import pytest

from stackr.github.pace import Pace


def measured(seconds: float, mutations: int = 1) -> Pace:
    pace = Pace()
    pace.measure(seconds, mutations)
    return pace


def test_five_creates_come_first() -> None:
    assert Pace().creates() == 5


@pytest.mark.parametrize(
    ("seconds", "creates"), [(0.0, 20), (0.1, 20), (0.25, 14), (0.7, 5), (1.0, 3), (3.6, 1), (9.0, 1)]
)
def test_creates_take_no_longer_than_a_third_of_githubs_limit(seconds: float, creates: int) -> None:
    assert measured(seconds * 5, 5).creates() == creates


@pytest.mark.parametrize(
    ("seconds", "mutations", "size"),
    [
        (None, 100, 10),
        (None, 5, 5),
        (None, 11, 6),
        (0.01, 100, 25),
        (0.01, 20, 10),
        (0.01, 7, 7),
        (0.7, 100, 10),
        (0.7, 20, 10),
        (1.0, 100, 8),
        (9.0, 4, 1),
    ],
)
def test_edits_are_spread_over_few_requests(seconds: float | None, mutations: int, size: int) -> None:
    pace = Pace() if seconds is None else measured(seconds)
    assert pace.edits(mutations, at_once=4) == size


def test_a_request_without_mutations_measures_nothing() -> None:
    assert measured(9.0, 0).creates() == 5
