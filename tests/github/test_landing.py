"""``read`` for a landing: rules, settings, standings and blocking issues, in the request that reads all else."""

from __future__ import annotations

from typing import Any

import pytest

from stackr.core.model import CheckCounts, Checks
from stackr.core.ports import ReadRequest
from stackr.core.rules import LandingFacts, MergeState, Method, PullStanding, Sev, TrunkRules
from stackr.github.api import GitHub
from tests.github.test_rules import ref, reviews, rule
from tests.support.canned_github import CannedGitHub, Json, Said
from tests.support.canned_http import Canned

HEAD = "a" * 40
DENIED = "Resource not accessible by personal access token"
LANDING = ReadRequest(heads=("s/one", "s/two"), trunk="main", landing=True)


def landing(github: GitHub, request: ReadRequest = LANDING) -> LandingFacts:
    facts = github.read(request).landing
    assert facts is not None
    return facts


def test_all_that_a_landing_has_to_know_comes_with_the_rest(github: GitHub, forge: CannedGitHub) -> None:
    forge.branches |= {"s/one": HEAD, "s/two": HEAD, "dev": HEAD}
    forge.settings = {"rebaseMergeAllowed": False, "autoMergeAllowed": True, "deleteBranchOnMerge": True}
    forge.rules["dev"] = ref(reviews(requiredApprovingReviewCount=1))
    forge.rules["main"] = ref(rule("UPDATE"))
    forge.add("s/one", state="CLOSED", mergeStateStatus="DIRTY")
    threads: Json = {"nodes": [{"isResolved": True}, {"isResolved": False}, None]}
    forge.add("s/one", mergeStateStatus="BLOCKED", rollup="FAILURE", runs={"FAILURE": 1}, reviewThreads=threads)
    entry = {"state": "AWAITING_CHECKS"}
    forge.add("s/two", mergeStateStatus="UNKNOWN", mergeQueueEntry=entry, autoMergeRequest={"enabledAt": "2026"})
    sev = {"number": 9, "title": "CI is down", "url": "/9", "labels": {"nodes": [{"name": "sev"}, {"name": "x"}]}}
    forge.issues += [sev, {**sev, "number": 8, "labels": {"nodes": [{"name": "bug"}]}}]
    facts = github.read(ReadRequest(heads=LANDING.heads, trunk="dev", landing=True, sev_label="sev", details=True))
    assert facts.landing == LandingFacts(
        rules=TrunkRules(
            approvals=1, pushable=False, sources=dict.fromkeys(("approvals", "pushable"), 'ruleset "main"')
        ),
        methods=frozenset({Method.SQUASH, Method.MERGE}),
        auto=True,
        deletes_heads=True,
        forced_heads=True,
        standings={
            2: PullStanding(MergeState.BLOCKED, Checks.FAILING, threads=1),
            3: PullStanding(MergeState.UNKNOWN, Checks.NONE, queue="awaiting_checks", auto=True),
        },
        sevs=(Sev(9, "CI is down", "/9", ("sev", "x")),),
    )
    assert [(pull.number, pull.checks, pull.counts.failing) for pull in facts.pulls["s/one"]] == [
        (2, Checks.FAILING, 1),
        (1, Checks.NONE, 0),
    ]
    assert (facts.warnings, forge.operations()) == ((), ["StackrRead"])


def test_pull_requests_asked_by_number_stand_too(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/one", rollup="SUCCESS", runs={"SUCCESS": 2})
    facts = github.read(ReadRequest(numbers=(1, 99), landing=True))
    assert facts.landing is not None
    assert facts.landing.standings == {1: PullStanding(MergeState.CLEAN, Checks.PASSING)}
    assert (facts.by_number[1].checks, facts.by_number[1].counts) == (Checks.PASSING, CheckCounts(passing=2))
    assert facts.warnings == ()


def test_the_default_branch_is_trunk_where_none_is_named(github: GitHub, forge: CannedGitHub) -> None:
    forge.rules["main"] = ref(rule("REQUIRED_LINEAR_HISTORY"))
    forge.queues = {"main": {"configuration": {"mergeMethod": "SQUASH"}}}
    found = landing(github, ReadRequest(landing=True))
    assert (found.rules.linear, found.rules.queue, found.standings) == (True, True, {})
    forge.branches["dev"] = HEAD
    assert landing(github, ReadRequest(trunk="dev", landing=True)).rules == TrunkRules()
    assert landing(github, ReadRequest(trunk="gone", landing=True)).rules == TrunkRules()


@pytest.mark.parametrize("there", [("s/one",), ("s/two",), ("s/one", "s/two")])
def test_a_rule_for_head_branches_is_seen_on_any_that_is_there(
    github: GitHub, forge: CannedGitHub, there: tuple[str, ...]
) -> None:
    assert landing(github).forced_heads
    forge.branches |= dict.fromkeys(there, HEAD)
    for name in there:
        forge.rules[name] = ref(rule("NON_FAST_FORWARD"))
    assert not landing(github).forced_heads


def test_one_request_is_enough_for_a_hundred_heads_and_more_go_beside_it(github: GitHub, forge: CannedGitHub) -> None:
    heads = tuple(f"s/{i}" for i in range(101))
    for head in heads:
        forge.add(head)
    assert len(landing(github, ReadRequest(heads=heads[:100], landing=True)).standings) == 100
    assert len(forge.asked) == 1
    forge.branches["s/100"] = HEAD
    forge.rules["s/100"] = ref(rule("NON_FAST_FORWARD"))
    found = landing(github, ReadRequest(heads=heads, landing=True))
    assert (list(found.standings), found.forced_heads) == ([*range(1, 102)], False)
    assert len(forge.asked) == 3


def test_a_token_that_may_not_read_checks_still_reads_how_things_stand(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/one", rollup="SUCCESS", mergeStateStatus="BLOCKED")
    forge.add("s/two", rollup="SUCCESS")
    forge.checks_error = Said("FORBIDDEN", DENIED)
    facts = github.read(LANDING)
    assert facts.landing is not None
    assert facts.landing.standings == {1: PullStanding(MergeState.BLOCKED), 2: PullStanding(MergeState.CLEAN)}
    assert facts.warnings == (f"checks are not shown: the token from STACKR_TOKEN may not do this ({DENIED})",)


def test_a_word_that_github_added_later_is_as_good_as_unknown(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/one")
    github.read(LANDING)
    answer = forge.answer_to_last()
    answer["data"]["repository"]["s0"]["nodes"][0]["mergeStateStatus"] = "SHINY"
    forge.fail(2, Canned(body=answer))
    assert landing(github).standings == {1: PullStanding(MergeState.UNKNOWN)}


def test_branch_protection_that_is_hidden_is_told(github: GitHub, forge: CannedGitHub) -> None:
    forge.rules["main"] = ref(visible={"requiredApprovingReviewCount": 1})
    facts = github.read(LANDING)
    assert facts.warnings == (
        'the token\'s owner may not see all of the branch protection of "main":'
        " whether a push dismisses approvals is not known",
    )
    assert facts.landing is not None
    assert facts.landing.rules.approvals == 1


def problem(*path: str | int, kind: str = "FORBIDDEN") -> Json:
    return {"type": kind, "message": DENIED, "path": ["repository", *path]}


@pytest.mark.parametrize(
    ("path", "what"),
    [
        (("trunk", "branchProtectionRule"), "not all rules are known"),
        (("b0", "rules"), "not all rules are known"),
        (("queue",), "not all rules are known"),
        (("s0", "nodes", 0, "mergeStateStatus"), "not everything about pull requests is known"),
        (("s0", "nodes", 0, "statusCheckRollup"), "checks are not shown"),
        (("sev",), "open issues are not shown"),
    ],
)
def test_what_cannot_be_read_is_told_and_the_rest_is_kept(
    github: GitHub, forge: CannedGitHub, path: tuple[Any, ...], what: str
) -> None:
    forge.add("s/one")
    forge.branches["s/one"] = HEAD
    request = ReadRequest(heads=("s/one",), trunk="main", landing=True, sev_label="sev")
    github.read(request)
    answer = forge.answer_to_last()
    part: Any = answer["data"]["repository"]
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = None
    if path[-1] == "mergeStateStatus":
        answer["data"]["repository"]["s0"]["nodes"][0] = None
    forge.fail(2, Canned(body={**answer, "errors": [problem(*path), problem(*path)]}))
    facts = github.read(request)
    assert facts.warnings == (f"{what}: the token from STACKR_TOKEN may not do this ({DENIED})",)
    assert facts.landing is not None
    assert facts.landing.methods == LandingFacts().methods
    assert [pull.number for pull in facts.pulls["s/one"]] == [1]
