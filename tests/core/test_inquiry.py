"""What has to be asked before failures can be judged."""

from __future__ import annotations

from dataclasses import replace

from stackr.core.checks import Baseline, Check, Evidence, Outcome, PullChecks
from stackr.core.inquiry import (
    has_failures,
    list_silent,
    list_unexplained,
    newest_runs,
    split_heads,
    stack_below,
    with_evidence,
)
from stackr.core.model import Checks, PullState
from tests.support.builders import pull, ref


def check(name: str, outcome: Outcome = Outcome.FAILED, where: str = "here") -> Check:
    return Check(f"CI / {name}", name, outcome, node_id=f"{name} {where}", job_id=1)


def test_only_heads_with_something_to_read_are_asked_for() -> None:
    states = (Checks.FAILING, Checks.PENDING, Checks.PASSING, Checks.NONE)
    pulls = [replace(pull("A"), head_oid=state.value, checks=state) for state in states]
    assert split_heads(pulls, required=False) == (("failing", "pending"), ("none",))
    assert split_heads(pulls, required=True) == (("failing", "pending"), ("passing", "none"))


def test_the_stack_below_a_pull_request_follows_its_bases() -> None:
    a, b, c = pull("A"), pull("B", ref("A")), pull("C", ref("B"))
    assert stack_below(c, (b, c, a)) == (a, b, c)
    assert stack_below(c, (a,)) == (c,)
    assert stack_below(c, (replace(b, state=PullState.MERGED), a)) == (c,)
    assert stack_below(a, ()) == (a,)
    circle = replace(a, base_ref=ref("C"))
    assert stack_below(c, (circle, b, c)) == (circle, b, c)


def test_older_runs_of_a_workflow_for_the_same_event_do_not_count() -> None:
    old, new, other = (
        replace(check("tests"), run_id=run, event=event) for run, event in [(7, "a"), (8, "a"), (6, "b")]
    )
    twin = replace(new, node_id="twin")
    status = replace(check("external"), run_id=None)
    assert newest_runs([old, status, new, other, twin, status]) == (status, new, other, twin, status)


def test_what_ended_badly_is_asked_about_with_the_same_jobs_of_trunk() -> None:
    at_base = (
        check("tests (2/2)", where="base"),
        check("tests (1/2)", Outcome.CANCELLED, "base"),
        check("lint", where="base"),
    )
    checks = (check("tests (1/2)"), check("lint", Outcome.CANCELLED), check("docs", Outcome.PASSED))
    status = replace(check("external"), node_id="")
    pulls = [PullChecks(n, "h", (*checks, status), Baseline("b", "b", at_base)) for n in (1, 2)]
    assert [each.node_id for each in list_unexplained(pulls)] == ["tests (1/2) here", "tests (2/2) base", "lint here"]
    assert has_failures(checks)
    assert not has_failures(checks[2:])


def test_logs_are_worth_reading_where_annotations_say_nothing() -> None:
    told = replace(check("told"), evidence=Evidence(("ValueError: x",)))
    generic = replace(check("generic"), evidence=Evidence(("Process completed with exit code 1.",)))
    external = replace(check("external"), job_id=None)
    checks = (told, generic, external, check("nothing"), check("cancelled", Outcome.CANCELLED))
    assert [each.context for each in list_silent(checks)] == ["generic", "nothing"]


def test_evidence_finds_its_checks_on_pull_requests_and_on_trunk() -> None:
    here, there, other = check("a"), check("a", where="base"), check("b")
    found = {here.node_id: Evidence(("x",)), there.node_id: Evidence(("y",))}
    (told,) = with_evidence([PullChecks(1, "h", (here, other), Baseline("b", "b", (there,)))], found)
    assert [each.evidence.annotations for each in told.checks] == [("x",), ()]
    assert told.baseline.checks[0].evidence.annotations == ("y",)
