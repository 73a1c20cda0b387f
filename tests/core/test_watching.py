"""When a watch looks again, and when it has seen enough."""

from __future__ import annotations

import pytest

from stackr.core.model import Checks, PullState
from stackr.core.overview import Overview, PullStack
from stackr.core.watching import Budget, is_decided, next_look_s, retry_s
from tests.support.builders import pull, ref


def seen(*checks: Checks, state: PullState = PullState.OPEN) -> Overview:
    return Overview((PullStack("main", tuple(pull("A", ref("B"), checks=each, state=state) for each in checks[:1])),))


@pytest.mark.parametrize(
    ("shown", "looks", "expected"),
    [
        (seen(Checks.PASSING), 1, True),
        (seen(Checks.FAILING), 1, True),
        (seen(Checks.PENDING), 99, False),
        (seen(Checks.PENDING, state=PullState.MERGED), 1, True),
        (seen(Checks.NONE), 2, False),
        (seen(Checks.NONE), 3, True),
        (seen(), 1, True),
    ],
)
def test_a_watch_ends_when_nothing_runs_and_gives_checks_time_to_begin(
    shown: Overview, looks: int, expected: bool
) -> None:
    assert is_decided(shown, looks) is expected


@pytest.mark.parametrize(
    ("looks", "before", "now", "expected"),
    [
        (1, None, None, 10),
        (31, None, None, 30),
        (1, None, Budget(5000, 3600), 10),
        (1, Budget(5000, 3600), Budget(4988, 3590), 3590 * 24 / 4988),
        (1, Budget(120, 600), Budget(100, 590), 236),
        (1, Budget(3, 60), Budget(5000, 3600), 10),
        (1, None, Budget(0, 60), 240),
    ],
)
def test_looks_never_use_more_than_half_of_what_github_still_answers(
    looks: int, before: Budget | None, now: Budget | None, expected: float
) -> None:
    assert next_look_s(looks, before, now) == expected


def test_after_failures_the_pauses_double_up_to_two_minutes() -> None:
    assert [retry_s(failures) for failures in range(1, 7)] == [10, 20, 40, 80, 120, 120]
