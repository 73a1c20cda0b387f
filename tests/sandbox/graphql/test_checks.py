"""Checks, timelines and rules over GraphQL."""

from __future__ import annotations

import time
from typing import Any

from stackr.sandbox.graphql import execute
from tests.support.graphql import ask, data, errors, post, repository_id
from tests.support.sandbox import REPO, Box

ROLLUP = """query($n: Int!) {repository(owner: "acme", name: "widgets") {pullRequest(number: $n) {
  number
  statusCheckRollup {state contexts(first: 1) {
    checkRunCount statusContextCount totalCount
    checkRunCountsByState {state count} statusContextCountsByState {state count}
    nodes {__typename ... on CheckRun {name conclusion isRequired(pullRequestNumber: $n)}}
  }}
}}}"""


def rollup(box: Box) -> Any:
    return data(box.alice, ROLLUP, n=1)["repository"]["pullRequest"]["statusCheckRollup"]


def checked(box: Box) -> str:
    """A pull request with two check runs and one status on its head; that commit."""
    box.stack("one")
    head = str(box.tip("one"))
    box.alice.post("check-runs", {"name": "build", "head_sha": head, "conclusion": "success"})
    box.alice.post("check-runs", {"name": "test", "head_sha": head, "status": "in_progress"})
    box.alice.post(f"statuses/{head}", {"state": "success", "context": "lint"})
    return head


def test_counts_are_of_all_contexts_whatever_the_page(box: Box) -> None:
    box.stack("one")
    assert rollup(box) is None
    head = str(box.tip("one"))
    box.alice.post("check-runs", {"name": "build", "head_sha": head, "conclusion": "failure"})
    box.alice.post("check-runs", {"name": "test", "head_sha": head, "status": "in_progress"})
    box.alice.post(f"statuses/{head}", {"state": "success", "context": "lint"})
    box.server.protect(
        REPO,
        "main",
        {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "build"}]}},
    )
    found = rollup(box)
    assert found["state"] == "FAILURE"
    assert found["contexts"] == {
        "checkRunCount": 2,
        "statusContextCount": 1,
        "totalCount": 3,
        "checkRunCountsByState": [{"state": "FAILURE", "count": 1}, {"state": "IN_PROGRESS", "count": 1}],
        "statusContextCountsByState": [{"state": "SUCCESS", "count": 1}],
        "nodes": [{"__typename": "CheckRun", "name": "build", "conclusion": "FAILURE", "isRequired": True}],
    }


def test_a_token_without_checks_loses_the_checks_only(box: Box) -> None:
    checked(box)
    token = box.server.add_user("alice", kind="fine-grained")
    box.alice.session.headers["Authorization"] = f"bearer {token}"
    answer = ask(box.alice, ROLLUP, n=1)
    assert answer["data"]["repository"]["pullRequest"] == {"number": 1, "statusCheckRollup": None}
    (error,) = answer["errors"]
    assert error["type"] == "FORBIDDEN"
    assert error["message"] == "Resource not accessible by personal access token"
    assert error["path"] == ["repository", "pullRequest", "statusCheckRollup"]


def test_statuses_alone_have_a_sum_of_their_own(box: Box) -> None:
    head = checked(box)
    box.bob.post(f"statuses/{head}", {"state": "error", "context": "docs", "target_url": "http://ci.test/2"})
    query = """query($o: GitObjectID!) {repository(owner: "acme", name: "widgets") {object(oid: $o) {... on Commit {
      status {state context(name: "docs") {state targetUrl creator {login} avatarUrl(size: 9)} contexts {context}
        combinedContexts(first: 9) {totalCount}}}}}}"""
    found = data(box.alice, query, o=head)["repository"]["object"]["status"]
    assert (found["state"], found["combinedContexts"]["totalCount"]) == ("FAILURE", 2)
    assert found["context"]["creator"] == {"login": "bob"}
    assert [each["context"] for each in found["contexts"]] == ["lint", "docs"]


SUITES = """query($o: GitObjectID!, $check: String, $runs: CheckRunFilter) {
  repository(owner: "acme", name: "widgets") {object(oid: $o) {... on Commit {
    checkSuites(first: 9, filterBy: {checkName: $check}) {nodes {
      status conclusion branch {name} workflowRun {workflow {name} runNumber}
      checkRuns(first: 9, filterBy: $runs) {nodes {name}}
      matchingPullRequests(first: 9) {nodes {number}}}}}}}}"""


def test_suites_group_the_runs_of_a_commit(box: Box) -> None:
    head = checked(box)

    def suites(check: str | None = None, **runs: Any) -> Any:
        found = data(box.alice, SUITES, o=head, check=check, runs=runs or None)["repository"]["object"]
        return found["checkSuites"]["nodes"]

    (suite,) = suites()
    assert (suite["status"], suite["conclusion"], suite["branch"]) == ("IN_PROGRESS", None, {"name": "one"})
    assert (suite["workflowRun"], suite["matchingPullRequests"]["nodes"]) == (None, [{"number": 1}])
    assert [each["name"] for each in suite["checkRuns"]["nodes"]] == ["build", "test"]
    assert suites("nothing") == []
    wanted = {
        "build": {"conclusions": ["SUCCESS"]},
        "test": {"status": "IN_PROGRESS"},
    }
    for name, runs in wanted.items():
        assert suites(**runs)[0]["checkRuns"]["nodes"] == [{"name": name}]
    assert suites(checkType="ALL", checkName="test", statuses=["QUEUED"])[0]["checkRuns"]["nodes"] == []


def test_is_required_needs_a_pull_request(box: Box) -> None:
    head = checked(box)
    node = data(box.alice, '{repository(owner: "acme", name: "widgets") {pullRequest(number: 1) {id}}}')
    ident = node["repository"]["pullRequest"]["id"]
    query = """query($o: GitObjectID!, $p: ID) {repository(owner: "acme", name: "widgets") {object(oid: $o) {
      ... on Commit {status {contexts {isRequired(pullRequestId: $p)}}}}}}"""
    found = data(box.alice, query, o=head, p=ident)["repository"]["object"]["status"]["contexts"]
    assert found == [{"isRequired": False}]
    for other in (None, repository_id(box.alice)):
        assert errors(box.alice, query, o=head, p=other)[0][0] == "UNPROCESSABLE"


TIMELINE = """query($types: [PullRequestTimelineItemsItemType!], $skip: Int, $since: DateTime) {
  repository(owner: "acme", name: "widgets") {pullRequest(number: 1) {
    timelineItems(first: 50, itemTypes: $types, skip: $skip, since: $since) {
      totalCount filteredCount pageCount nodes {__typename
        ... on RenamedTitleEvent {previousTitle currentTitle actor {login}}
        ... on HeadRefForcePushedEvent {beforeCommit {oid} afterCommit {oid} ref {name}}
        ... on ClosedEvent {closer {__typename ... on Commit {messageHeadline}}}
        ... on LabeledEvent {label {name}}
        ... on ReviewRequestedEvent {requestedReviewer {... on User {login}}}
      }}}}}"""


def test_the_timeline_tells_what_happened_in_order(box: Box) -> None:
    box.stack("one")
    before = box.tip("one")
    box.bob.patch("pulls/1", {"title": "New title"})
    box.alice.post("issues/1/labels", {"labels": ["bug"]}, expect=200)
    box.alice.post("pulls/1/requested_reviewers", {"reviewers": ["bob"]})
    box.alice.branch("one", "origin/main", {"x.txt": "x\n"})
    box.alice.push("+one")
    box.bob.post("pulls/1/reviews", {"event": "COMMENT", "body": "Hm"}, expect=200)
    box.bob.post("issues/1/comments", {"body": "Hello"})
    box.carol.put("pulls/1/merge", {"merge_method": "squash", "commit_title": "Squashed"})

    def items(**arguments: Any) -> Any:
        found = data(box.alice, TIMELINE, **arguments)["repository"]["pullRequest"]["timelineItems"]
        assert found["pageCount"] == len(found["nodes"]) == found["filteredCount"] <= found["totalCount"]
        return found["nodes"]

    kinds = [item["__typename"] for item in items()]
    assert set(kinds) == {
        "PullRequestCommit",
        "RenamedTitleEvent",
        "LabeledEvent",
        "ReviewRequestedEvent",
        "HeadRefForcePushedEvent",
        "PullRequestReview",
        "IssueComment",
        "MergedEvent",
        "ClosedEvent",
    }
    (renamed,) = items(types=["RENAMED_TITLE_EVENT"])
    assert renamed["previousTitle"] == "Change one"
    assert (renamed["currentTitle"], renamed["actor"]) == ("New title", {"login": "bob"})
    forced, closed = items(types=["HEAD_REF_FORCE_PUSHED_EVENT", "CLOSED_EVENT"])
    assert (forced["beforeCommit"], forced["ref"]) == ({"oid": before}, {"name": "one"})
    assert closed["closer"] == {"__typename": "Commit", "messageHeadline": "Squashed"}
    assert items(types=["LABELED_EVENT"])[0]["label"] == {"name": "bug"}
    assert items(types=["REVIEW_REQUESTED_EVENT"])[0]["requestedReviewer"] == {"login": "bob"}
    assert items(since="2100-01-01T00:00:00Z") == []
    assert items(skip=len(kinds) - 1) == items()[-1:]


RULES = """{repository(owner: "acme", name: "widgets") {
  branchProtectionRules(first: 9) {nodes {pattern requiredStatusCheckContexts requiresApprovingReviews
    matchingRefs(first: 9) {nodes {name}}}}
  rulesets(first: 9) {nodes {name conditions {refName {include}} rules(first: 9, type: PULL_REQUEST) {nodes {type
    parameters {... on PullRequestParameters {requiredApprovingReviewCount}}}}}}
  tags: rulesets(first: 9, targets: [TAG]) {totalCount}
  main: ref(qualifiedName: "main") {branchProtectionRule {pattern}
    refUpdateRule {pattern viewerCanPush requiredStatusCheckContexts requiresSignatures}}
  one: ref(qualifiedName: "one") {branchProtectionRule {pattern} refUpdateRule {pattern} rules(first: 9) {totalCount}}
  release: ref(qualifiedName: "release/1") {rules(first: 9) {
    nodes {type repositoryRuleset {name bypassActors(first: 9) {totalCount}}}}}
  pullRequest(number: 1) {reviewThreads(first: 9) {totalCount}}
}}"""


def test_rules_are_shown_and_old_style_ones_to_administrators(box: Box) -> None:
    box.stack("one", "release/1")
    checks = {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "build"}]}}
    box.server.protect(REPO, "main", checks, "update", classic=True)
    reviews = {"type": "pull_request", "parameters": {"required_approving_review_count": 2}}
    box.server.protect(REPO, "release/*", reviews, "deletion")
    administered = data(box.carol, RULES)["repository"]
    assert administered["main"]["branchProtectionRule"] == {"pattern": "main"}
    assert administered["branchProtectionRules"]["nodes"] == [
        {
            "pattern": "main",
            "requiredStatusCheckContexts": ["build"],
            "requiresApprovingReviews": False,
            "matchingRefs": {"nodes": [{"name": "main"}]},
        }
    ]
    found = data(box.alice, RULES)["repository"]
    assert (found["branchProtectionRules"]["nodes"], found["main"]["branchProtectionRule"]) == ([], None)
    (ruleset,) = found["rulesets"]["nodes"]
    assert ruleset["conditions"] == {"refName": {"include": ["refs/heads/release/*"]}}
    assert ruleset["rules"]["nodes"] == [{"type": "PULL_REQUEST", "parameters": {"requiredApprovingReviewCount": 2}}]
    assert found["tags"]["totalCount"] == 0
    assert found["main"]["refUpdateRule"]["viewerCanPush"] is False
    assert found["one"] == {"branchProtectionRule": None, "refUpdateRule": None, "rules": {"totalCount": 0}}
    kinds = [(node["type"], node["repositoryRuleset"]) for node in found["release"]["rules"]["nodes"]]
    source = {"name": "rules", "bypassActors": None}
    assert kinds == [("PULL_REQUEST", source), ("DELETION", source)]
    assert found["pullRequest"]["reviewThreads"] == {"totalCount": 0}
    assert data(box.dave, RULES)["repository"]["release"] == found["release"]
    owned = administered["release"]["rules"]["nodes"]
    assert owned[0]["repositoryRuleset"]["bypassActors"] == {"totalCount": 0}


def test_a_hundred_heads_are_looked_up_in_one_quick_request(box: Box) -> None:
    numbers = box.stack(*(f"b{n}" for n in range(5)))
    assert len(numbers) == 5
    one = (
        'p{n}: pullRequests(headRefName: "b{n}", first: 5, orderBy: {{field: CREATED_AT, direction: DESC}}) '
        "{{nodes {{...P}}}}"
    )
    looks = " ".join(one.format(n=n) for n in range(100))
    query = (
        f'{{repository(owner: "acme", name: "widgets") {{{looks}}}}} fragment P on PullRequest '
        "{id number url title body state isDraft headRefName headRefOid baseRefName}"
    )
    assert post(box.alice, query).json()["data"]["repository"]["p4"]["nodes"][0]["number"] == 5
    misses = execute.prepare.cache_info().misses
    took = []
    for _try in range(5):
        started = time.perf_counter()
        post(box.alice, query)
        took.append(time.perf_counter() - started)
    assert execute.prepare.cache_info().misses == misses
    # Far above what it takes (about 30 ms), so that a loaded machine does not matter; a process a head would not fit.
    assert min(took) < 0.3
