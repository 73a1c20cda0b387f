"""Checks, evidence, logs, and what to compare with: what is asked, how often, and what is made of the answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from stackr.core.checks import Check, Evidence, Outcome
from stackr.errors import ConfigError, GitHubError
from stackr.github.auth import Token
from stackr.github.check_facts import passed_in_another_attempt
from stackr.github.checks import CheckReader
from stackr.github.hosts import parse_remote
from stackr.github.http import Http
from tests.support.canned_ci import CannedCi
from tests.support.canned_http import Canned, CannedServer, ManualClock

A, B, C = ("a" * 40, "b" * 40, "c" * 40)
JOB = "https://github.com/acme/widgets/actions/runs/7/job/"


@pytest.fixture
def ci() -> CannedCi:
    return CannedCi()


@pytest.fixture
def server(ci: CannedCi) -> Iterator[CannedServer]:
    with CannedServer(ci.answer) as running:
        yield running


@pytest.fixture
def reader(server: CannedServer) -> Iterator[CheckReader]:
    clock = ManualClock()
    host = parse_remote(f"{server.url}/acme/widgets.git")
    http = Http(host, Token("ghp_sEcReT0123456789", "STACKR_TOKEN"), sleep=clock.sleep, clock=clock, now=clock)
    yield CheckReader(http)
    http.close()


# -- checks on commits ---------------------------------------------------------------------------------------


def test_a_check_has_the_name_that_people_see_and_the_one_that_rules_use(ci: CannedCi, reader: CheckReader) -> None:
    ci.run(A, "tests (3.9)")
    ci.run(A, "cla", "SUCCESS", workflow=None, detailsUrl="javascript:alert(1)", title="all have signed")
    ci.status(A, "ci/external", "ERROR", targetUrl="https://ci.example.com/1?a=b", description="2 tests failed")
    assert reader.read_checks([A])[A] == (
        Check("CI / tests (3.9)", "tests (3.9)", Outcome.FAILED, f"{JOB}100", "CR_100", 100, 7, "push"),
        Check(
            "cla",
            "cla",
            Outcome.PASSED,
            "https://github.com/acme/widgets/runs/101",
            "CR_101",
            summary="all have signed",
        ),
        Check("ci/external", "ci/external", Outcome.FAILED, "https://ci.example.com/1?a=b", summary="2 tests failed"),
    )


def test_every_end_of_a_check_run_and_of_a_status_has_its_outcome(ci: CannedCi, reader: CheckReader) -> None:
    ends = {
        "SUCCESS": "passed",
        "NEUTRAL": "passed",
        "SKIPPED": "skipped",
        "FAILURE": "failed",
        "TIMED_OUT": "failed",
        "STARTUP_FAILURE": "failed",
        "CANCELLED": "cancelled",
        "STALE": "cancelled",
        "ACTION_REQUIRED": "awaiting",
    }
    for conclusion in ends:
        ci.run(A, conclusion, conclusion)
    running = {"IN_PROGRESS": "pending", "QUEUED": "pending", "WAITING": "awaiting"}
    for state in running:
        ci.run(A, state, None, status=state)
    states = {"SUCCESS": "passed", "PENDING": "pending", "EXPECTED": "pending", "FAILURE": "failed", "ERROR": "failed"}
    for state in states:
        ci.status(B, state, state)
    found = reader.read_checks([A], [B])
    assert {check.context: check.outcome.value for check in found[A]} == ends | running
    assert {check.context: check.outcome.value for check in found[B]} == states


def test_pages_are_followed_to_the_last_check(ci: CannedCi, reader: CheckReader) -> None:
    for i in range(101):
        ci.run(A, f"job {i}", "SUCCESS" if i < 100 else "FAILURE")
    found = reader.read_checks([A])[A]
    assert [check.name for check in found] == [f"CI / job {i}" for i in range(101)]
    assert [check.name for check in found if check.outcome is Outcome.FAILED] == ["CI / job 100"]
    assert len(ci.asked) == 2


def test_some_commits_are_asked_for_apart_and_others_ten_at_a_time(ci: CannedCi, reader: CheckReader) -> None:
    ci.page = 2
    quiet = [f"{i:040}" for i in range(11)]
    for commit in (A, B, quiet[0]):
        ci.run(commit, "tests")
    ci.run(quiet[3], "one", "SUCCESS")
    ci.run(quiet[3], "two", "SUCCESS")
    ci.run(quiet[3], "three", "SUCCESS")
    found = reader.read_checks([A, B, A], quiet)
    assert [len(found[commit]) for commit in (A, B, *quiet[:5])] == [1, 1, 1, 0, 0, 3, 0]
    assert len(ci.asked) == 2 + 2 + 1


def test_a_workflow_that_waits_for_approval_has_no_check_run_and_is_told_all_the_same(
    ci: CannedCi, reader: CheckReader
) -> None:
    held = {"conclusion": "ACTION_REQUIRED", "url": JOB, "workflowRun": {"workflow": {"name": "CI"}}}
    empty, full = ({"totalCount": count} for count in (0, 1))
    ci.commits[A] = []
    ci.suites[A] = [
        {**held, "checkRuns": lambda info, first: empty},
        {**held, "checkRuns": lambda info, first: full},
        {**held, "conclusion": "SUCCESS"},
        {**held, "workflowRun": None},
    ]
    assert reader.read_checks([], [A])[A] == (Check("CI", "", Outcome.AWAITING, JOB),)


def test_a_workflow_that_was_started_again_counts_as_it_ended_then(ci: CannedCi, reader: CheckReader) -> None:
    ci.run(A, "tests", run=7)
    ci.run(A, "tests", "SUCCESS", run=8)
    assert [check.outcome for check in reader.read_checks([A])[A]] == [Outcome.PASSED]


def test_a_token_that_may_not_read_statuses_is_shown_that_there_are_some(ci: CannedCi, reader: CheckReader) -> None:
    ci.status(A, "external", "SUCCESS")
    ci.run(A, "tests", "SUCCESS")
    ci.forbidden = ("StatusContext",)
    assert [check.outcome for check in reader.read_checks([A])[A]] == [Outcome.HIDDEN, Outcome.PASSED]


def test_a_token_that_may_not_read_checks_is_a_matter_of_configuration(ci: CannedCi, reader: CheckReader) -> None:
    ci.run(A, "tests")
    ci.forbidden = ("statusCheckRollup",)
    with pytest.raises(ConfigError, match="may not do this"):
        reader.read_checks([A])


# -- what to compare with ------------------------------------------------------------------------------------


def test_the_nearest_first_parent_with_ci_is_found_in_one_request(ci: CannedCi, reader: CheckReader) -> None:
    ci.parents = {A: B, B: C}
    ci.run(C, "tests")
    assert reader.find_ci(A) == C
    assert ci.asked == ["StackrAncestry"]
    ci.run(A, "tests")
    assert reader.find_ci(A) == A


def test_no_more_than_five_first_parents_are_looked_at(ci: CannedCi, reader: CheckReader) -> None:
    line = [f"{i:040}" for i in range(7)]
    ci.parents = dict(pairwise(line))
    ci.run(line[6], "tests")
    assert reader.find_ci(line[0]) is None
    assert reader.find_ci(line[1]) == line[6]


def test_the_merge_base_is_asked_for_without_the_files_in_between(reader: CheckReader) -> None:
    assert reader.merge_base("rel/1", A) == f"base of rel%2F1...{A}"


# -- evidence ------------------------------------------------------------------------------------------------


def test_annotations_and_steps_of_many_failures_come_twenty_a_query(ci: CannedCi, reader: CheckReader) -> None:
    notes = [
        {"annotationLevel": "WARNING", "title": None, "message": "deprecated"},
        {"annotationLevel": "FAILURE", "title": "", "message": "exit code 1"},
        {"annotationLevel": "FAILURE", "title": "test_a", "message": "1 != 2"},
        {"annotationLevel": "FAILURE", "title": "test_b", "message": ""},
    ]
    for i in range(21):
        ci.run(A, f"job {i}", notes=notes if i == 0 else [], done=[{"conclusion": "FAILURE" if i else "SUCCESS"}])
    ci.run(A, "no steps", workflow=None)
    checks = reader.read_checks([A])[A]
    found = reader.read_evidence(checks)
    assert found[0] == Evidence(("exit code 1", "test_a: 1 != 2", "test_b"), failing_step=False)
    assert [each.failing_step for each in found[1:]] == [True] * 20 + [None]
    assert reader.read_evidence(checks) == found
    assert ci.counts()["StackrEvidence"] == 2


def test_a_job_passed_before_only_if_that_was_another_attempt(ci: CannedCi, reader: CheckReader) -> None:
    for name in ("flaky", "twin", "new"):
        ci.run(A, name, passed=0 if name == "new" else 1)
    attempt = {"name": "flaky", "run_attempt": 1, "conclusion": "success"}
    twin = {"name": "twin", "run_attempt": 2, "conclusion": "success"}
    ci.jobs[7] = [
        {**attempt, "id": 90},
        {**attempt, "id": 100, "run_attempt": 2, "conclusion": "failure"},
        {**twin, "id": 91},
        {**twin, "id": 101, "conclusion": "failure"},
    ]
    found = reader.read_evidence(reader.read_checks([A])[A])
    assert [each.passed_before for each in found] == [True, False, False]
    assert ci.counts()["/actions/runs/7/jobs"] == 1


def test_attempts_that_may_not_be_read_prove_nothing(ci: CannedCi, reader: CheckReader) -> None:
    ci.run(A, "flaky", passed=1)
    ci.run(A, "external", passed=1, workflow=None)
    assert [each.passed_before for each in reader.read_evidence(reader.read_checks([A])[A])] == [False, False]
    assert not passed_in_another_attempt(1, [])


def test_evidence_that_may_not_be_read_raises_and_a_run_that_is_gone_has_none(
    ci: CannedCi, reader: CheckReader
) -> None:
    ci.run(A, "tests")
    (check,) = reader.read_checks([A])[A]
    assert reader.read_evidence([]) == []
    assert reader.read_evidence([replace(check, node_id="CR_1")]) == [Evidence()]
    ci.forbidden = ("node",)
    with pytest.raises(ConfigError):
        reader.read_evidence([check])


# -- logs ----------------------------------------------------------------------------------------------------


def test_logs_come_in_order_and_one_that_is_not_there_is_empty(ci: CannedCi, reader: CheckReader) -> None:
    for name in ("one", "two", "three", "four"):
        ci.run(A, name)
    ci.logs = {
        100: Canned(body=b"\xef\xbb\xbfline\n\xff"),
        102: Canned(410, {"message": "Log expired"}),
        103: Canned(403, {"message": "Resource not accessible by personal access token"}),
    }
    checks = reader.read_checks([A])[A]
    one, two, three, four = reader.read_logs(checks)
    assert (one, two) == ("\ufeffline\n\ufffd", "")
    assert isinstance(three, GitHubError)
    assert isinstance(four, ConfigError)
    ci.logs[101] = Canned(body=b"late")
    assert reader.read_logs(checks)[:2] == [one, "late"]
    assert ci.counts()["/actions/jobs/100/logs"] == 1


def test_a_log_that_lies_elsewhere_is_fetched_without_the_token(ci: CannedCi, reader: CheckReader) -> None:
    ci.run(A, "tests")
    with CannedServer(lambda asked: Canned(body=b"from the storage")) as elsewhere:
        ci.logs[100] = Canned(302, headers={"Location": f"{elsewhere.url}/blob?sig=1"})
        assert reader.read_logs(reader.read_checks([A])[A]) == ["from the storage"]
        assert "authorization" not in elsewhere.requests[0].headers
