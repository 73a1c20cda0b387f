"""How long to wait, and when not to."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from stackr.github.failures import Limited, Lost
from stackr.github.limits import Patience, limited, seconds_to_wait
from tests.support.canned_http import ManualClock

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "30"}, 30),
        ({"retry-after": "0"}, 1),
        ({"retry-after": formatdate(NOW + 45, usegmt=True)}, 45),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "30", "x-ratelimit-remaining": "0", "x-ratelimit-reset": f"{NOW + 99:.0f}"}, 30),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": f"{NOW + 99:.0f}"}, 100),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": f"{NOW - 99:.0f}"}, 1),
        ({"x-ratelimit-remaining": "7", "x-ratelimit-reset": f"{NOW + 99:.0f}"}, None),
        ({"x-ratelimit-remaining": "0"}, None),
        ({"x-ratelimit-remaining": "²", "x-ratelimit-reset": "1"}, None),
    ],
)
def test_the_wait_is_what_the_headers_say(headers: dict[str, str], expected: float | None) -> None:
    assert seconds_to_wait(headers, NOW) == expected


def test_a_wrong_local_clock_does_not_matter_when_the_server_tells_the_time() -> None:
    headers = {
        "date": formatdate(NOW, usegmt=True),
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": f"{NOW + 9:.0f}",
    }
    assert seconds_to_wait(headers, NOW - 86_400) == 10


def test_a_limit_says_when_to_try_again() -> None:
    error = limited({"retry-after": "3600"}, "API rate limit exceeded", NOW)
    assert error.message == "github's rate limit is used up (API rate limit exceeded)"
    assert error.next_step == "try again in 60 min, at 09:00:00"
    assert limited({"retry-after": "30"}, "", NOW).next_step == "try again in 30 s, at 08:00:30"
    assert limited({}, "slow down", NOW).next_step == "try again in a few minutes"


def patience() -> tuple[Patience, ManualClock]:
    clock = ManualClock()
    return Patience(clock, clock.sleep), clock


def limit(wait_s: float | None) -> Limited:
    return Limited("slow down", wait_s, "later")


def test_waits_that_github_does_not_name_begin_at_a_minute_and_double_for_a_quarter_of_an_hour() -> None:
    trying, clock = patience()
    while trying.pause([limit(None)]):
        pass
    assert clock.waits == [(60, "slow down"), (120, "slow down"), (240, "slow down"), (480, "slow down")]


def test_a_named_wait_is_kept_to_and_the_longest_counts() -> None:
    trying, clock = patience()
    assert trying.pause([limit(5), limit(17), limit(None)])
    assert clock.waits == [(17, "slow down")]


def test_a_reset_that_is_too_far_away_is_not_waited_for() -> None:
    trying, clock = patience()
    assert not trying.pause([limit(901)])
    assert clock.waits == []


def test_progress_starts_the_count_anew() -> None:
    trying, clock = patience()
    for _ in range(5):
        assert trying.pause([limit(800)])
        trying.progress()
    assert trying.pause([limit(None)])
    assert clock.waits[-1] == (60, "slow down")


def test_lost_answers_get_three_tries() -> None:
    trying, clock = patience()
    assert trying.pause([Lost("it broke")])
    assert trying.pause([Lost("it broke")])
    assert not trying.pause([Lost("it broke")])
    assert clock.waits == [(0.5, "it broke; trying again"), (1.5, "it broke; trying again")]


def test_no_try_begins_ten_seconds_after_the_first() -> None:
    trying, clock = patience()
    clock.pass_(9.6)
    assert not trying.pause([Lost("it broke")])
    assert clock.waits == []


def test_a_limit_among_lost_answers_is_waited_for_and_does_not_count_as_lost_time() -> None:
    trying, clock = patience()
    assert trying.pause([Lost("it broke"), limit(30)])
    assert trying.pause([Lost("it broke")])
    assert [seconds for seconds, _ in clock.waits] == [30, 0.5]
