"""Pull requests over GraphQL: created, edited, drafted, merged; and how refusals are worded and placed."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import issues
from tests.support.graphql import ask, data, errors, node_id, pull_id, repository_id
from tests.support.sandbox import Box, Person

CREATE = "mutation($i: CreatePullRequestInput!) {createPullRequest(input: $i) {clientMutationId pullRequest {number}}}"
UPDATE = """mutation($i: UpdatePullRequestInput!) {updatePullRequest(input: $i) {
  pullRequest {title body baseRefName state labels(first: 9) {nodes {name}} assignees(first: 9) {nodes {login}}
               milestone {title}}}}"""
READ = """query($n: Int!) {repository(owner: "acme", name: "widgets") {pullRequest(number: $n) {
  state isDraft merged mergeable mergeStateStatus reviewDecision headRefOid baseRefName
  mergedBy {login} mergeCommit {messageHeadline}
}}}"""


def read(person: Person, number: int) -> Any:
    return data(person, READ, n=number)["repository"]["pullRequest"]


def change(person: Person, name: str, number: int, **more: Any) -> list[tuple[str, list[Any], str]]:
    """The errors of a mutation that takes a pull request and returns it."""
    kind = name[0].upper() + name[1:]
    query = f"mutation($i: {kind}Input!) {{{name}(input: $i) {{pullRequest {{number}}}}}}"
    return errors(person, query, i={"pullRequestId": pull_id(person, number), **more})


def test_several_are_created_in_one_request_in_order(box: Box) -> None:
    for name, below in (("one", "origin/main"), ("two", "one")):
        box.alice.branch(name, below)
    box.alice.push("one", "two")
    repo = repository_id(box.alice)
    inputs = {
        "a": {"repositoryId": repo, "headRefName": "one", "baseRefName": "main", "title": "One", "draft": True},
        "b": {"repositoryId": repo, "headRefName": "two", "baseRefName": "one", "title": "Two"},
    }
    query = """mutation($a: CreatePullRequestInput!, $b: CreatePullRequestInput!) {
      a: createPullRequest(input: $a) {pullRequest {number isDraft author {login}}}
      b: createPullRequest(input: $b) {pullRequest {number isDraft baseRefName}}
    }"""
    assert data(box.alice, query, **inputs) == {
        "a": {"pullRequest": {"number": 1, "isDraft": True, "author": {"login": "alice"}}},
        "b": {"pullRequest": {"number": 2, "isDraft": False, "baseRefName": "one"}},
    }


def test_one_that_fails_leaves_the_others_standing(box: Box) -> None:
    box.alice.branch("one")
    box.alice.push("one")
    repo = repository_id(box.alice)
    bad = {"repositoryId": repo, "headRefName": "never-pushed", "baseRefName": "main", "title": "Bad"}
    good = {**bad, "headRefName": "one", "clientMutationId": "mine"}
    query = """mutation($a: CreatePullRequestInput!, $b: CreatePullRequestInput!) {
      a: createPullRequest(input: $a) {pullRequest {number}}
      b: createPullRequest(input: $b) {clientMutationId pullRequest {number}}
    }"""
    answer = ask(box.alice, query, a=bad, b=good)
    assert answer["data"] == {"a": None, "b": {"clientMutationId": "mine", "pullRequest": {"number": 1}}}
    (error,) = answer["errors"]
    assert (error["type"], error["path"]) == ("UNPROCESSABLE", ["a"])
    assert error["message"] == (
        "Head sha can't be blank, No commits between main and never-pushed, Head ref must be a branch"
    )
    assert error["locations"] == [{"line": 2, "column": 7}]


def test_creating_is_refused_in_githubs_words(box: Box) -> None:
    box.stack("one")
    repo = repository_id(box.alice)
    again = {"repositoryId": repo, "headRefName": "one", "baseRefName": "main", "title": "Again"}
    refused = {
        "A pull request already exists for acme:one.": again,
        "Title can't be blank": {**again, "title": ""},
        "Title is too long (maximum is 256 characters)": {**again, "title": "x" * 257},
        "No commits between one and main": {**again, "headRefName": "main", "baseRefName": "one"},
    }
    for message, fields in refused.items():
        assert errors(box.alice, CREATE, i=fields) == [("UNPROCESSABLE", ["createPullRequest"], message)]


def test_editing_changes_only_what_is_given(box: Box) -> None:
    one, two = box.stack("one", "two")
    label = data(box.alice, '{repository(owner: "acme", name: "widgets") {label(name: "BUG") {id}}}')
    changes = {
        "pullRequestId": pull_id(box.alice, two),
        "title": "New",
        "baseRefName": "main",
        "labelIds": [label["repository"]["label"]["id"]],
        "assigneeIds": [node_id(box.alice, "user", "bob")],
    }
    found = data(box.alice, UPDATE, i=changes)["updatePullRequest"]["pullRequest"]
    assert (found["title"], found["body"], found["baseRefName"]) == ("New", "", "main")
    assert (found["labels"]["nodes"], found["assignees"]["nodes"]) == ([{"name": "bug"}], [{"login": "bob"}])
    issues.add_milestone(box.server.engine, box.server.user("alice"), box.repo, "1.0")
    milestone = data(box.alice, '{repository(owner: "acme", name: "widgets") {milestone(number: 1) {id}}}')
    planned = {"pullRequestId": pull_id(box.alice, two), "milestoneId": milestone["repository"]["milestone"]["id"]}
    found = data(box.alice, UPDATE, i=planned)["updatePullRequest"]["pullRequest"]
    assert (found["title"], found["milestone"]) == ("New", {"title": "1.0"})
    closing = {"pullRequestId": pull_id(box.alice, one), "state": "CLOSED", "title": None, "assigneeIds": []}
    assert data(box.alice, UPDATE, i=closing)["updatePullRequest"]["pullRequest"]["state"] == "CLOSED"


def test_states_change_and_say_why_not(box: Box) -> None:
    (number,) = box.stack("one")
    assert change(box.alice, "convertPullRequestToDraft", number) == []
    assert read(box.alice, number)["isDraft"] is True
    assert change(box.alice, "markPullRequestReadyForReview", number) == []
    assert change(box.alice, "closePullRequest", number) == []
    assert read(box.alice, number)["state"] == "CLOSED"
    (refusal,) = change(box.alice, "convertPullRequestToDraft", number)
    assert refusal[:2] == ("UNPROCESSABLE", ["convertPullRequestToDraft"])
    assert change(box.alice, "reopenPullRequest", number) == []
    box.alice.push(":one")
    (refusal,) = change(box.alice, "reopenPullRequest", number)
    assert refusal == ("UNPROCESSABLE", ["reopenPullRequest"], "Could not open the pull request.")


def test_who_may_not_write_is_told_so(box: Box) -> None:
    (number,) = box.stack("one")
    text = "dave does not have the correct permissions to execute `MergePullRequest`"
    assert change(box.dave, "mergePullRequest", number) == [("FORBIDDEN", ["mergePullRequest"], text)]


def test_mergeability_is_computed_late(box: Box) -> None:
    (number,) = box.stack("one")
    looks = [read(box.alice, number) for _ in range(3)]
    assert looks[0]["mergeable"] == "UNKNOWN"
    assert (looks[-1]["mergeable"], looks[-1]["mergeStateStatus"]) == ("MERGEABLE", "CLEAN")


def test_merging_needs_the_expected_head(box: Box) -> None:
    (number,) = box.stack("one")
    (refusal,) = change(box.carol, "mergePullRequest", number, expectedHeadOid="1" * 40)
    assert refusal[2] == "Head branch was modified. Review and try the merge again."
    head = read(box.alice, number)["headRefOid"]
    wanted = {"expectedHeadOid": head, "mergeMethod": "SQUASH", "commitHeadline": "Mine", "commitBody": "Text"}
    assert change(box.carol, "mergePullRequest", number, **wanted) == []
    found = read(box.alice, number)
    assert (found["state"], found["merged"], found["mergedBy"]) == ("MERGED", True, {"login": "carol"})
    assert found["mergeCommit"] == {"messageHeadline": "Mine"}


def test_a_branch_is_brought_up_to_date(box: Box) -> None:
    one, two = box.stack("one", "two")
    assert change(box.carol, "mergePullRequest", one, mergeMethod="SQUASH") == []
    assert errors(box.alice, UPDATE, i={"pullRequestId": pull_id(box.alice, two), "baseRefName": "main"}) == []
    before = read(box.alice, two)["headRefOid"]
    assert change(box.alice, "updatePullRequestBranch", two, expectedHeadOid=before) == []
    assert read(box.alice, two)["headRefOid"] != before
