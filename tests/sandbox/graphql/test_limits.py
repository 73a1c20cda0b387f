"""Server time, the ten seconds, and limits: what ran stays, what did not is told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stackr.sandbox.clock import ManualClock
from tests.support.graphql import post, pull_id, repository_id
from tests.support.sandbox import Box, end_box, make_box


@pytest.fixture
def slow(tmp_path: Path, seed: Path) -> Iterator[Box]:
    """A box on which every mutation takes three seconds of a clock that only tests move."""
    made = make_box(tmp_path, seed, clock=ManualClock(), mutation_ms=3000)
    yield made
    end_box(made)


def create(box: Box, count: int) -> str:
    """A mutation that opens so many pull requests."""
    names = [f"b{n}" for n in range(count)]
    for name in names:
        box.alice.branch(name)
    box.alice.push(*names)
    repo = repository_id(box.alice)
    fields = ", ".join((f'repositoryId: "{repo}"', 'baseRefName: "main"', 'title: "T"'))
    calls = [f'm{n}: createPullRequest(input: {{{fields}, headRefName: "b{n}"}})' for n in range(count)]
    return f"mutation {{{' '.join(f'{call} {{pullRequest {{number}}}}' for call in calls)}}}"


def test_mutations_take_their_time_one_after_the_other(slow: Box) -> None:
    query = create(slow, 2)
    started = slow.server.engine.clock.time()
    assert post(slow.alice, query).json()["data"]["m1"] == {"pullRequest": {"number": 2}}
    assert slow.server.engine.clock.time() - started == 6


def test_a_request_over_ten_seconds_is_cut_and_what_ran_stays(slow: Box) -> None:
    response = post(slow.alice, create(slow, 5))
    assert response.status_code == 502
    assert response.headers["Content-Type"].startswith("text/html")
    assert response.text.startswith("<!DOCTYPE html>")
    assert len(slow.server.engine.store.pulls.all()) == 3


def test_reading_goes_on_while_a_mutation_takes_its_time(box: Box) -> None:
    query = create(box, 1)
    box.server.engine.settings.mutation_ms = 1500
    thread = threading.Thread(target=post, args=(box.alice, query))
    thread.start()
    try:
        assert post(box.bob, "{viewer {login}}").json() == {"data": {"viewer": {"login": "bob"}}}
        assert thread.is_alive()
    finally:
        thread.join()
    assert box.state(1) == "open"


def test_a_used_up_budget_is_an_error_with_status_200(box: Box) -> None:
    box.server.engine.limits.budgets["graphql"] = 1
    post(box.alice, "{viewer {login}}")
    response = post(box.alice, "{viewer {login}}")
    assert response.status_code == 200
    assert [error["type"] for error in response.json()["errors"]] == ["RATE_LIMITED"]
    assert response.json().get("data") is None
    assert response.headers["X-RateLimit-Remaining"] == "0"


def test_creating_too_quickly_is_refused_pull_request_by_pull_request(box: Box) -> None:
    query = create(box, 11)
    box.server.engine.limits.secondary.enabled = True
    answer = post(box.alice, query).json()
    assert [error["path"] for error in answer["errors"]] == [["m9"], ["m10"]]
    assert {error["message"] for error in answer["errors"]} == {"was submitted too quickly"}
    assert answer["data"]["m8"] == {"pullRequest": {"number": 9}}


def test_the_secondary_limit_says_when_to_come_back(box: Box) -> None:
    box.stack("one")
    subject = pull_id(box.alice, 1)
    box.server.engine.limits.secondary.enabled = True
    box.server.engine.limits.secondary.contents_per_minute = 1
    comment = f'addComment(input: {{subjectId: "{subject}", body: "Hello"}}) {{clientMutationId}}'
    response = post(box.alice, f"mutation {{a: {comment} b: {comment}}}")
    assert response.status_code == 200
    assert [(error["type"], error["path"]) for error in response.json()["errors"]] == [("RATE_LIMITED", ["b"])]
    assert int(response.headers["Retry-After"]) > 0


def test_a_cut_mutation_can_be_looked_up_afterwards(slow: Box) -> None:
    post(slow.alice, create(slow, 4))
    query = '{repository(owner: "acme", name: "widgets") {pullRequests(headRefName: "b1", first: 1) {nodes {number}}}}'
    assert post(slow.alice, query).json()["data"]["repository"]["pullRequests"] == {"nodes": [{"number": 2}]}
