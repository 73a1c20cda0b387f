"""Exit codes of ``stackr status --exit-code``: what needs doing comes before what may be waited for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core.model import Checks, Mergeable, PullRequest, PullState, Review
from stackr.core.outlook import FINE, NEEDED, PENDING, exit_code, ready
from stackr.core.overview import Overview, PullStack
from stackr.core.status import Report, Row
from tests.support.builders import pull


def reported(of: PullRequest | None, next_step: str | None = None, **more: object) -> Report:
    row = Row(1, "I1", "Add A", "a1", "s/a", "in-sync", of, next_step)
    return replace(Report("status", None, None, (row,)), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, FINE),
        ({"checks": Checks.PASSING, "review": Review.APPROVED}, FINE),
        ({"review": Review.REQUIRED, "mergeable": Mergeable.UNKNOWN}, FINE),
        ({"checks": Checks.PENDING}, PENDING),
        ({"checks": Checks.FAILING}, NEEDED),
        ({"checks": Checks.PENDING, "review": Review.CHANGES_REQUESTED}, NEEDED),
        ({"mergeable": Mergeable.CONFLICTING}, NEEDED),
        ({"state": PullState.MERGED, "checks": Checks.FAILING}, FINE),
        ({"state": PullState.CLOSED, "checks": Checks.PENDING}, FINE),
    ],
)
def test_what_github_says_of_a_pull_request_decides(facts: dict[str, object], expected: int) -> None:
    made = pull("A", **facts)  # type: ignore[arg-type]
    assert exit_code(reported(made)) == exit_code(Overview((PullStack("main", (made,)),))) == expected


def test_whatever_this_clone_has_to_do_comes_first() -> None:
    assert exit_code(reported(pull("A", checks=Checks.PENDING), "submit")) == NEEDED
    assert exit_code(reported(None, "submit")) == NEEDED
    assert exit_code(reported(None, refused=True)) == NEEDED
    assert exit_code(reported(None)) == FINE


def test_what_fails_comes_before_what_runs() -> None:
    runs, fails = pull("A", checks=Checks.PENDING), pull("B", checks=Checks.FAILING)
    assert exit_code(Overview((PullStack("main", (runs, fails)), PullStack("main", (runs,))))) == NEEDED
    assert Overview((PullStack("main", (runs, fails)), PullStack("main", (runs,)))).pulls == (fails, runs)


def test_what_is_approved_and_checked_looks_ready_up_to_the_first_that_is_not() -> None:
    fine = {"checks": Checks.PASSING, "review": Review.APPROVED}
    rows = [
        Row(n, f"I{n}", "", f"a{n}", "", "in-sync", pull(letter, **fine), None) for n, letter in enumerate("ABC", 1)
    ]
    assert ready(Report("status", None, None, tuple(rows))) == (10, 11, 12)
    for facts in ({"draft": True}, {"review": Review.REQUIRED}, {"checks": Checks.NONE}, {"checks": Checks.PENDING}):
        rows[1] = replace(rows[1], pull=pull("B", **{**fine, **facts}))  # type: ignore[arg-type]
        assert ready(Report("status", None, None, tuple(rows))) == (10,)
    for change in ({"state": "modified"}, {"pull": None}, {"pull": pull("A", mergeable=Mergeable.CONFLICTING, **fine)}):
        rows[0] = replace(Row(1, "I1", "", "a1", "", "in-sync", pull("A", **fine), None), **change)  # type: ignore[arg-type]
        assert ready(Report("status", None, None, tuple(rows))) == ()
