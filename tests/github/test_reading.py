"""``read``: all facts in one request."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from stackr.core.model import CheckCounts, Checks, Mergeable, PullRequest, PullState, Review, ReviewVote
from stackr.core.ports import PullText, ReadRequest
from stackr.errors import ConfigError, GitHubError
from stackr.github.api import GitHub
from stackr.github.facts import review_of
from stackr.github.failures import Rejected
from tests.support.canned_github import CannedGitHub, Said
from tests.support.canned_http import Asked, Canned, CannedServer

HEAD = "a" * 40
NO_CHECKS = Said("FORBIDDEN", "Resource not accessible by personal access token")


def test_everything_about_a_stack_comes_in_one_request(github: GitHub, forge: CannedGitHub) -> None:
    forge.branches |= {"s/one": HEAD}
    forge.add("s/one", state="CLOSED")
    forge.add("s/one", author="bob", isDraft=True, baseRefName="dev", body="text\r\nmore")
    facts = github.read(ReadRequest(heads=("s/one", "s/two"), numbers=(1, 99)))
    assert (facts.repository_id, facts.default_branch, facts.trunk) == ("R_1", "main", "main")
    assert (facts.trunk_oid, facts.can_push, facts.warnings) == (forge.branches["main"], True, ())
    assert facts.branches == {"s/one": HEAD, "s/two": None}
    assert facts.pulls["s/two"] == ()
    assert facts.pulls["s/one"][0] == PullRequest(
        number=2,
        node_id="PR_2",
        url="https://github.com/acme/widgets/pull/2",
        state=PullState.OPEN,
        draft=True,
        head_ref="s/one",
        head_oid=HEAD,
        base_ref="dev",
        title="title 2",
        body="text\r\nmore",
        author="bob",
    )
    assert [pull.number for pull in facts.pulls["s/one"]] == [2, 1]
    assert facts.by_number == {1: facts.pulls["s/one"][1]}
    assert forge.operations() == ["StackrRead"]


def test_what_targets_the_asked_heads_is_told_when_asked_forks_included(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/one")
    forge.add("s/two", baseRefName="s/one")
    forge.add("theirs", baseRefName="s/one", isCrossRepository=True)
    forge.add("ended", baseRefName="s/one", state="CLOSED")
    asked = ReadRequest(heads=("s/one", "s/two"), targeting=True)
    assert [pull.head_ref for pull in github.read(asked).targeting] == ["theirs", "s/two"]
    assert github.read(ReadRequest(heads=("s/one", "s/two"))).targeting == ()
    heads = (*(f"x/{i}" for i in range(100)), "s/one")
    assert [pull.head_ref for pull in github.read(ReadRequest(heads=heads, targeting=True)).targeting] == [
        "theirs",
        "s/two",
    ]


@pytest.mark.parametrize("count", [0, 1, 5, 20, 100])
def test_one_request_is_enough_for_a_stack_of_any_usual_size(github: GitHub, forge: CannedGitHub, count: int) -> None:
    heads = tuple(f"s/{i}" for i in range(count))
    for head in heads:
        forge.add(head)
    facts = github.read(ReadRequest(heads=heads, trunk="main", details=True))
    assert [len(facts.pulls[head]) for head in heads] == [1] * count
    assert len(forge.asked) == 1


def test_more_than_a_hundred_heads_are_asked_for_side_by_side(github: GitHub, forge: CannedGitHub) -> None:
    heads = tuple(f"s/{i}" for i in range(201))
    forge.branches |= dict.fromkeys(heads, HEAD)
    forge.add("s/0")
    facts = github.read(ReadRequest(heads=heads, numbers=(1,)))
    assert facts.branches == dict.fromkeys(heads, HEAD)
    assert list(facts.pulls) == list(heads)
    assert list(facts.by_number) == [1]
    assert len(forge.asked) == 3


def test_a_trunk_is_read_by_name_and_may_not_exist(github: GitHub, forge: CannedGitHub) -> None:
    forge.branches["dev"] = "d" * 40
    facts = github.read(ReadRequest(trunk="dev"))
    assert (facts.default_branch, facts.trunk, facts.trunk_oid) == ("main", "dev", "d" * 40)
    assert github.read(ReadRequest(trunk="gone")).trunk_oid is None


def test_an_empty_repository_has_no_default_branch(github: GitHub, forge: CannedGitHub) -> None:
    forge.branches.clear()
    facts = github.read(ReadRequest())
    assert (facts.default_branch, facts.trunk, facts.trunk_oid) == ("", "", None)


@pytest.mark.parametrize(
    ("permission", "expected"),
    [("ADMIN", True), ("MAINTAIN", True), ("WRITE", True), ("TRIAGE", False), ("READ", False)],
)
def test_who_may_push_is_known_before_anything_is_pushed(
    github: GitHub, forge: CannedGitHub, permission: str, expected: bool
) -> None:
    forge.permission = permission
    assert github.read(ReadRequest()).can_push is expected


def test_pull_requests_from_forks_with_the_same_branch_name_are_not_ours(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/one")
    for _ in range(11):
        forge.add("s/one", isCrossRepository=True)
    facts = github.read(ReadRequest(heads=("s/one",), details=True))
    assert [pull.number for pull in facts.pulls["s/one"]] == [1]
    assert forge.operations() == ["StackrRead", "StackrMorePulls", "StackrMorePulls"]


def test_details_tell_reviews_and_mergeability(github: GitHub, forge: CannedGitHub) -> None:
    votes = [
        {"state": "APPROVED", "author": {"__typename": "User", "login": "bob"}, "commit": {"oid": HEAD}},
        {"state": "CHANGES_REQUESTED", "author": None, "commit": None},
    ]
    forge.add("s/one", latestOpinionatedReviews={"nodes": votes}, mergeable="MERGEABLE", reviewDecision="APPROVED")
    forge.add("s/two", mergeable="CONFLICTING", mergeCommit={"oid": "c" * 40}, state="MERGED")
    facts = github.read(ReadRequest(heads=("s/one", "s/two"), details=True))
    one, two = facts.pulls["s/one"][0], facts.pulls["s/two"][0]
    assert one.votes == (ReviewVote("bob", "APPROVED", HEAD), ReviewVote("ghost", "CHANGES_REQUESTED", ""))
    assert (one.review, one.mergeable) == (Review.APPROVED, Mergeable.YES)
    assert (two.mergeable, two.merge_commit, two.state) == (Mergeable.CONFLICTING, "c" * 40, PullState.MERGED)


OLD = "b" * 40


@pytest.mark.parametrize(
    ("votes", "decision", "expected"),
    [
        ([], None, Review.NONE),
        ([], "REVIEW_REQUIRED", Review.REQUIRED),
        ([("APPROVED", HEAD)], None, Review.APPROVED),
        ([("APPROVED", HEAD)], "REVIEW_REQUIRED", Review.APPROVED),
        ([("APPROVED", HEAD), ("CHANGES_REQUESTED", HEAD)], "CHANGES_REQUESTED", Review.CHANGES_REQUESTED),
        ([("CHANGES_REQUESTED", HEAD)], None, Review.CHANGES_REQUESTED),
        ([("APPROVED", OLD)], None, Review.NONE),
        ([("APPROVED", OLD)], "APPROVED", Review.REQUIRED),
        ([("CHANGES_REQUESTED", OLD)], "CHANGES_REQUESTED", Review.REQUIRED),
        ([("CHANGES_REQUESTED", OLD), ("APPROVED", HEAD)], None, Review.APPROVED),
        ([("DISMISSED", HEAD)], None, Review.NONE),
    ],
)
def test_reviews_count_for_the_commit_they_were_given_on(
    votes: list[tuple[str, str]], decision: str | None, expected: Review
) -> None:
    given = [ReviewVote(f"user{i}", state, oid) for i, (state, oid) in enumerate(votes)]
    assert review_of(given, HEAD, decision) is expected


@pytest.mark.parametrize(
    ("rollup", "expected"),
    [
        ("SUCCESS", Checks.PASSING),
        ("FAILURE", Checks.FAILING),
        ("ERROR", Checks.FAILING),
        ("PENDING", Checks.PENDING),
        ("EXPECTED", Checks.PENDING),
        (None, Checks.NONE),
    ],
)
def test_checks_are_asked_for_beside_the_rest(
    github: GitHub, forge: CannedGitHub, rollup: str | None, expected: Checks
) -> None:
    forge.add("s/one", rollup=rollup)
    facts = github.read(ReadRequest(heads=("s/one",), numbers=(1, 99), checks=True))
    assert facts.pulls["s/one"][0].checks is expected
    assert facts.by_number[1].checks is expected
    assert sorted(forge.operations()) == ["StackrChecks", "StackrRead"]


def test_checks_are_counted_by_outcome(github: GitHub, forge: CannedGitHub) -> None:
    runs = {"SUCCESS": 3, "SKIPPED": 1, "NEUTRAL": 1, "TIMED_OUT": 2, "IN_PROGRESS": 4, "WAITING": 1}
    forge.add("s/one", rollup="FAILURE", runs=runs, statuses={"SUCCESS": 2, "ERROR": 1, "EXPECTED": 1})
    (pull,) = github.read(ReadRequest(heads=("s/one",), checks=True)).pulls["s/one"]
    assert pull.counts == CheckCounts(passing=7, failing=3, pending=6)
    assert pull.counts.total == 16


def test_the_two_requests_run_at_the_same_time(github: GitHub, forge: CannedGitHub, server: CannedServer) -> None:
    both = threading.Barrier(2, timeout=10)

    def together(asked: Asked) -> Canned:
        both.wait()
        return forge.answer(asked)

    server.answer = together
    assert github.read(ReadRequest(checks=True)).repository_id == "R_1"


def test_a_token_that_may_not_read_checks_still_reads_the_rest(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/one", rollup="SUCCESS")
    forge.checks_error = NO_CHECKS
    facts = github.read(ReadRequest(heads=("s/one",), checks=True))
    assert facts.pulls["s/one"][0].checks is Checks.NONE
    assert facts.warnings == (
        "checks are not shown: the token from STACKR_TOKEN may not do this"
        " (Resource not accessible by personal access token)",
    )


def test_a_repository_that_is_not_there_looks_like_one_that_may_not_be_seen(
    github: GitHub, forge: CannedGitHub
) -> None:
    forge.exists = False
    with pytest.raises(
        Rejected, match='no repository "acme/widgets", or the token from STACKR_TOKEN may not see'
    ) as caught:
        github.read(ReadRequest(heads=("s/one",)))
    assert caught.value.exit_code == 5


def errors(**entry: Any) -> Canned:
    return Canned(body={"data": None, "errors": [entry]})


SLOW_DOWN = errors(type="RATE_LIMITED", message="API rate limit exceeded for user ID 1.")
SECONDARY = errors(message="You have exceeded a secondary rate limit. Please wait.")
TIMEOUT = errors(message="Something went wrong while executing your query. This may be the result of a timeout")
PART = Canned(body={"data": {"viewer": None}, "errors": [{"message": "was submitted too quickly", "path": ["viewer"]}]})
LATE = Canned(body={"data": {"viewer": None}, "errors": [{"message": "Timedout", "path": ["viewer"]}]})


@pytest.mark.parametrize(
    ("canned", "wait"),
    [(SLOW_DOWN, 60), (SECONDARY, 60), (PART, 60), (TIMEOUT, 0.5), (LATE, 0.5), (Canned(body={"odd": 1}), 0.5)],
)
def test_a_limit_or_a_time_out_inside_an_answer_is_tried_again(
    github: GitHub, forge: CannedGitHub, canned: Canned, wait: float
) -> None:
    forge.fail(1, canned)
    assert github.viewer() == "alice"
    assert [seconds for seconds, _ in forge.clock.waits] == [wait]


@pytest.mark.parametrize(
    ("canned", "kind", "message"),
    [
        (
            errors(type="INSUFFICIENT_SCOPES", message="needs read:org"),
            ConfigError,
            r"may not do this \(needs read:org\)",
        ),
        (errors(message="Parse error"), GitHubError, "github refused the request: Parse error"),
        (errors(extensions={"code": "odd"}), GitHubError, "github refused the request: no reason given"),
        (
            Canned(
                body={
                    "data": {"viewer": None},
                    "errors": [{"type": "FORBIDDEN", "message": "SAML", "path": ["viewer"]}],
                },
                headers={"X-GitHub-SSO": "required; url=https://github.com/sso"},
            ),
            ConfigError,
            "wants single sign-on",
        ),
    ],
)
def test_a_final_problem_is_raised(
    github: GitHub, forge: CannedGitHub, canned: Canned, kind: type[Exception], message: str
) -> None:
    forge.fail(1, canned)
    with pytest.raises(kind, match=message):
        github.viewer()
    assert len(forge.asked) == 1


def test_a_read_that_lacks_the_repository_without_a_reason_is_refused(github: GitHub, forge: CannedGitHub) -> None:
    forge.fail(1, Canned(body={"data": {"repository": None}}))
    with pytest.raises(Rejected):
        github.read(ReadRequest())


def test_texts_are_read_by_number_in_one_request(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/one")
    forge.add("s/two")
    assert github.read_texts([2, 1, 99]) == {2: PullText("title 2", "body 2"), 1: PullText("title 1", "body 1")}
    assert github.read_texts([]) == {}
    assert forge.operations() == ["StackrTexts"]
