"""Whose failure is it: the classes, their order, and what may be waived."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core.checks import Baseline, Check, Evidence, Outcome, PullChecks
from stackr.core.triage import NO_RULES, CiRules, Kind, Verdict, classify, exit_code

CAUSE = "ValueError: bad shape"
GENERIC = "Process completed with exit code {}."
NO_RUNNER = "The job was not acquired by Runner of type hosted even after multiple attempts"


def failed(name: str = "CI / tests", cause: str = CAUSE, **evidence: object) -> Check:
    notes = (cause,) if cause else ()
    return Check(name, name, Outcome.FAILED, evidence=Evidence(notes, **evidence))  # type: ignore[arg-type]


def check(outcome: Outcome, name: str = "CI / tests") -> Check:
    return Check(name, name, outcome, link=f"https://ci/{name}")


def pull(*checks: Check, at_base: tuple[Check, ...] = (check(Outcome.PASSED),), number: int = 10) -> PullChecks:
    return PullChecks(number, "head", checks, Baseline("base", "base", at_base))


def judged(*pulls: PullChecks, required: tuple[str, ...] = (), rules: CiRules = NO_RULES) -> list[list[str]]:
    """The labels by pull request, bottom first; a ``~`` marks what may be waived."""
    found = classify(pulls, required, rules)
    return [["~" * verdict.waivable + verdict.label for verdict in found[each.number]] for each in pulls]


def only(checks: PullChecks, rules: CiRules = NO_RULES) -> str:
    ((label,),) = judged(checks, rules=rules)
    return label


# -- not failed, or not yet ----------------------------------------------------------------------------------


def test_what_passed_or_was_skipped_has_no_verdict() -> None:
    assert judged(pull(check(Outcome.PASSED), check(Outcome.SKIPPED, "docs"))) == [[]]


def test_what_has_not_ended_is_pending_or_awaits_an_approval() -> None:
    found = pull(check(Outcome.PENDING), check(Outcome.AWAITING, "deploy"))
    assert judged(found) == [["PENDING", "AWAITING APPROVAL"]]
    assert [verdict.link for verdict in classify([found])[10]] == ["https://ci/CI / tests", "https://ci/deploy"]


def test_a_required_check_that_was_never_created_is_missing() -> None:
    lower, upper = pull(check(Outcome.PASSED, "unit")), pull(number=11)
    assert judged(lower, upper, required=("unit",)) == [[], ["MISSING"]]
    (missing,) = classify([upper], ["unit"])[11]
    assert missing == Verdict("unit", Kind.MISSING, required=True)


def test_nothing_is_said_to_be_missing_where_checks_cannot_be_read() -> None:
    assert judged(replace(pull(), readable=False), required=("unit",)) == [[]]


# -- the classes in their order ------------------------------------------------------------------------------


def test_a_job_that_passed_on_trunk_and_fails_here_is_new() -> None:
    assert only(pull(failed())) == "NEW"


@pytest.mark.parametrize("outcome", [Outcome.PENDING, Outcome.SKIPPED, Outcome.CANCELLED])
def test_a_job_that_did_not_end_on_trunk_is_unclassified(outcome: Outcome) -> None:
    assert only(pull(failed(), at_base=(check(outcome),))) == "UNCLASSIFIED"
    assert only(pull(failed(), at_base=())) == "UNCLASSIFIED"


def test_the_same_failure_on_trunk_is_broken_trunk_and_is_waived() -> None:
    assert only(pull(failed(), at_base=(failed(),))) == "~BROKEN TRUNK"
    assert only(pull(failed(), at_base=(failed(cause="KeyError: 'other'"),))) == "NEW"
    assert only(pull(failed(), at_base=(failed("CI / other"), check(Outcome.PASSED)))) == "NEW"


def test_a_generic_cause_makes_it_uncertain_and_nothing_is_waived() -> None:
    same, other = failed(cause=GENERIC.format(1)), failed(cause=GENERIC.format(139))
    assert only(pull(same, at_base=(same,))) == "BROKEN TRUNK?"
    assert only(pull(other, at_base=(same,))) == "NEW"


def test_a_failure_of_unknown_cause_stays_new_though_the_job_fails_on_trunk() -> None:
    silent = failed(cause="")
    assert only(pull(silent, at_base=(silent,))) == "NEW"
    assert only(pull(silent, at_base=(failed(),))) == "NEW"


def test_one_more_failing_test_than_on_trunk_is_new() -> None:
    log = "FAILED a.py::one\nFAILED a.py::two"
    both, one = failed(cause="", log=log), failed(cause="", log="FAILED a.py::two")
    assert only(pull(both, at_base=(one,))) == "NEW"
    assert only(pull(one, at_base=(both,))) == "~BROKEN TRUNK"


def test_a_job_is_compared_across_shards() -> None:
    at_base = (check(Outcome.PASSED, "CI / tests (1/2)"), failed("CI / tests (2/2)"))
    assert only(pull(failed("CI / tests (1/2)"), at_base=at_base)) == "~BROKEN TRUNK"


def test_a_failure_of_a_change_below_is_inherited_from_the_lowest() -> None:
    stack = [pull(number=10), pull(failed(), number=11), pull(failed(), number=12), pull(failed(), number=13)]
    assert judged(*stack) == [[], ["NEW"], ["INHERITED #11"], ["INHERITED #11"]]


def test_an_inherited_failure_is_waived_only_with_the_blamed_one() -> None:
    flaky = failed(passed_before=True)
    lower, upper = pull(flaky, number=11), pull(failed(), number=12)
    assert judged(lower, upper) == [["~FLAKY"], ["~INHERITED #11"]]


def test_an_inherited_failure_of_a_generic_cause_is_uncertain() -> None:
    same = failed(cause=GENERIC.format(1))
    assert judged(pull(same, number=11), pull(same, number=12)) == [["NEW"], ["INHERITED? #11"]]
    flaky = failed(cause=GENERIC.format(1), passed_before=True)
    assert judged(pull(flaky, number=11), pull(same, number=12)) == [["~FLAKY"], ["INHERITED? #11"]]


def test_trunk_is_blamed_before_a_change_below() -> None:
    lower = pull(failed(), at_base=(failed(),), number=11)
    assert judged(lower, replace(lower, number=12)) == [["~BROKEN TRUNK"], ["~BROKEN TRUNK"]]


def test_a_job_that_passed_in_another_attempt_is_flaky() -> None:
    assert only(pull(failed(passed_before=True))) == "~FLAKY"
    cancelled = replace(check(Outcome.CANCELLED), evidence=Evidence(passed_before=True))
    assert only(pull(cancelled)) == "~FLAKY"


@pytest.mark.parametrize("name", ["CI / tests (unstable)", "Unstable / build", "linux-unstable"])
def test_a_job_whose_name_says_unstable_is(name: str) -> None:
    assert only(pull(failed(name))) == "~UNSTABLE"


@pytest.mark.parametrize("name", ["CI / unstable-features", "test_unstable", "unstable_ops"])
def test_a_job_that_tests_something_unstable_is_not(name: str) -> None:
    assert only(pull(failed(name))) == "UNCLASSIFIED"


def test_a_job_without_a_runner_is_infra_even_if_it_ended_as_cancelled() -> None:
    evidence = Evidence((NO_RUNNER,), failing_step=False)
    for outcome in (Outcome.FAILED, Outcome.CANCELLED):
        alone = replace(check(outcome), evidence=evidence)
        assert only(pull(alone, at_base=(alone,))) == "~INFRA"


def test_a_failing_step_that_only_says_it_had_no_runner_is_not_believed() -> None:
    for failing_step in (True, None):
        assert only(pull(failed(cause=NO_RUNNER, failing_step=failing_step))) == "NEW"


def test_a_job_without_log_and_without_a_failing_step_is_infra() -> None:
    assert only(pull(failed(cause="", log="", failing_step=False))) == "~INFRA"
    assert only(pull(failed(cause="", log="", failing_step=True))) == "NEW"
    assert only(pull(failed(cause="", log="", failing_step=None))) == "NEW"
    assert only(pull(failed(cause="", log=None, failing_step=False))) == "NEW"
    lost = "The self-hosted runner: gpu-1 lost communication with the server. Verify the machine is running."
    assert only(pull(failed(cause=lost, log="", failing_step=False))) == "~INFRA"


def test_a_job_that_could_not_start_because_it_is_written_wrong_is_not_infra() -> None:
    wrong = "Error when evaluating 'runs-on' for job 'tests'"
    assert only(pull(failed(cause=wrong, log="", failing_step=False))) == "NEW"


def test_a_cancelled_job_is_cancelled_whatever_trunk_does() -> None:
    cancelled = replace(check(Outcome.CANCELLED), evidence=Evidence((CAUSE,), failing_step=False, log=""))
    assert only(pull(cancelled, at_base=(failed(), cancelled))) == "CANCELLED"
    assert judged(pull(cancelled, number=11), pull(cancelled, number=12)) == [["CANCELLED"], ["CANCELLED"]]


# -- the repository's rules ----------------------------------------------------------------------------------


def test_the_repository_names_unstable_jobs_and_flaky_or_infra_jobs_and_causes() -> None:
    table = {"unstable": ["*nightly*"], "flaky": ["*BAD shape*"], "infra": ["CI / gpu*", "*no space left*"]}
    rules = CiRules.from_table(table)
    assert only(pull(failed("CI / Nightly build")), rules) == "~UNSTABLE"
    assert only(pull(failed()), rules) == "~FLAKY"
    assert only(pull(failed("CI / GPU (1)", "ValueError: other")), rules) == "~INFRA"
    assert only(pull(failed(cause="OSError: No space left on device")), rules) == "~INFRA"
    assert only(pull(failed(cause="")), rules) == "NEW"


def test_a_rule_for_causes_has_to_match_all_of_them() -> None:
    rules = CiRules(flaky=("a.py::one",))
    assert only(pull(failed(cause="", log="FAILED a.py::one")), rules) == "~FLAKY"
    assert only(pull(failed(cause="", log="FAILED a.py::one\nFAILED a.py::two")), rules) == "NEW"


# -- what it amounts to --------------------------------------------------------------------------------------


def test_verdicts_are_sorted_by_job_and_know_what_is_required() -> None:
    found = classify([pull(failed("b"), check(Outcome.PENDING, "C"), failed("A"))], ["b", "d"])[10]
    assert [(verdict.job, verdict.required) for verdict in found] == [
        ("A", False),
        ("b", True),
        ("C", False),
        ("d", True),
    ]


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([], 0),
        ([Verdict("a", Kind.FLAKY, waivable=True)], 0),
        ([Verdict("a", Kind.FLAKY, waivable=True), Verdict("b", Kind.PENDING)], 2),
        ([Verdict("a", Kind.MISSING), Verdict("b", Kind.AWAITING)], 2),
        ([Verdict("a", Kind.PENDING), Verdict("b", Kind.NEW)], 1),
        ([Verdict("a", Kind.BROKEN_TRUNK, uncertain=True)], 1),
        ([Verdict("a", Kind.CANCELLED)], 1),
        ([Verdict("a", Kind.INHERITED, blamed=7)], 1),
    ],
)
def test_the_exit_code_tells_failed_from_not_there_yet(verdicts: list[Verdict], code: int) -> None:
    assert exit_code(verdicts) == code
