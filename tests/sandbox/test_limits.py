"""Rate limits, on a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stackr.sandbox.clock import ManualClock
from stackr.sandbox.limits import Limits
from tests.support.sandbox import Box, end_box, make_box


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def timed(tmp_path: Path, seed: Path, clock: ManualClock) -> Iterator[Box]:
    made = make_box(tmp_path, seed, clock=clock)
    yield made
    end_box(made)


def test_the_hourly_budget_runs_out_and_comes_back(timed: Box, clock: ManualClock) -> None:
    timed.server.engine.limits.budgets["core"] = 2
    answers = [timed.alice.call("GET", "/user") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 403]
    assert answers[2].json()["message"] == f"API rate limit exceeded for user ID {timed.server.user('alice').id}."
    assert answers[2].headers["X-RateLimit-Remaining"] == "0"
    assert int(answers[2].headers["X-RateLimit-Reset"]) == int(clock.time()) + 3600
    clock.sleep(3600)
    assert timed.alice.call("GET", "/user").headers["X-RateLimit-Remaining"] == "1"


def test_anonymous_callers_share_a_small_one(timed: Box) -> None:
    timed.server.engine.limits.anonymous = 1
    assert timed.anonymous.call("GET", "/meta").status_code == 200
    assert "127.0.0.1" in timed.anonymous.get("/meta", expect=403)["message"]


def test_pull_requests_made_too_fast_are_refused_around_the_tenth(timed: Box, clock: ManualClock) -> None:
    timed.server.engine.limits.secondary.enabled = True
    names = [f"b{n}" for n in range(10)]
    for name in names:
        timed.alice.branch(name)
    timed.alice.push(*names)
    for name in names[:9]:
        timed.alice.open(name)
    body = {"title": "x", "head": "b9", "base": "main"}
    error = timed.alice.post("pulls", body, expect=422)
    assert [entry["message"] for entry in error["errors"]] == ["was submitted too quickly"]
    clock.sleep(10)
    timed.alice.post("pulls", body)


def test_contents_are_counted_by_the_minute_and_the_hour(timed: Box, clock: ManualClock) -> None:
    secondary = timed.server.engine.limits.secondary
    secondary.enabled, secondary.contents_per_minute, secondary.contents_per_hour = True, 2, 3
    (number,) = timed.stack("feature")
    path = f"issues/{number}/comments"
    timed.alice.post(path, {"body": "x"})
    refused = timed.alice.call("POST", path, {"body": "x"})
    assert (refused.status_code, refused.headers["Retry-After"]) == (403, "60")
    assert refused.json()["message"].startswith("You have exceeded a secondary rate limit.")
    timed.alice.patch(f"pulls/{number}", {"title": "Edits are no contents"})
    clock.sleep(60)
    timed.alice.post(path, {"body": "x"})
    timed.alice.post(path, {"body": "x"}, expect=403)
    clock.sleep(3600)
    timed.alice.post(path, {"body": "x"})


def test_points_by_the_minute_writes_cost_five(timed: Box, clock: ManualClock) -> None:
    secondary = timed.server.engine.limits.secondary
    secondary.enabled, secondary.rest_points_per_minute = True, 6
    timed.alice.call("PATCH", "pulls/1", {"title": "x"})
    assert timed.alice.call("GET", "/user").status_code == 200
    assert timed.alice.call("GET", "/user").status_code == 403
    assert timed.bob.call("GET", "/user").status_code == 200, "each user has a window"
    clock.sleep(60)
    assert timed.alice.call("GET", "/user").status_code == 200
    assert [entry.points for entry in timed.server.log.api()] == [5, 1, 1, 1, 1]


def test_graphql_has_a_budget_of_its_own(clock: ManualClock) -> None:
    limits = Limits(clock)
    limits.secondary.enabled = True
    limits.charge(None, "graphql", cost=3, points=5)
    assert (limits.rate(None, "graphql").used, limits.rate(None).used) == (3, 0)


def test_a_manual_clock_sleeps_at_once(clock: ManualClock) -> None:
    before = clock.time()
    clock.sleep(5)
    clock.sleep(-1)
    assert (clock.time() - before, clock.now()) == (5, "2027-01-15T08:00:05Z")


def test_a_hundred_requests_may_be_under_way_at_once(timed: Box) -> None:
    limits = timed.server.engine.limits
    limits.secondary.enabled, limits.secondary.retry_after_s = True, None
    for _ in range(limits.secondary.concurrent):
        limits.enter(timed.server.user("alice"))
    refused = timed.alice.call("GET", "/user")
    assert refused.status_code == 403 and "Retry-After" not in refused.headers
    assert refused.json()["message"].startswith("You have exceeded a secondary rate limit.")
    assert timed.alice.session.post(f"{timed.server.url}/api/graphql", json={"query": "{viewer {login}}"}).json() == {
        "errors": [{"type": "RATE_LIMITED", "message": refused.json()["message"]}]
    }
    assert timed.bob.call("GET", "/user").status_code == 200
    limits.leave(timed.server.user("alice"))
    for _ in range(2):
        assert timed.alice.call("GET", "/user").status_code == 200, "those that are over count no more"
