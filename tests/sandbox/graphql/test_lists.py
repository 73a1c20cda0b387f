"""Lists of a repository: filters, orders, and search."""

from __future__ import annotations

from typing import Any

import pytest

from stackr.sandbox import accounts, issues
from tests.support.graphql import data, errors
from tests.support.sandbox import Box


@pytest.fixture
def three(box: Box) -> Box:
    """Three stacked pull requests (the second closed, the third a draft of bob's), and two issues."""
    box.stack("one", "two")
    box.bob.branch("three", "origin/two")
    box.bob.push("three")
    box.bob.open("three", "two", draft=True, body="Speaks of whales")
    box.alice.patch("pulls/2", {"state": "closed"})
    box.alice.post("issues/1/labels", {"labels": ["bug"]}, expect=200)
    box.alice.post("issues/3/comments", {"body": "Hello"})
    box.alice.post("issues", {"title": "On fire", "body": "@bob look", "labels": ["bug"], "assignees": ["bob"]})
    box.bob.post("issues", {"title": "Quiet"})
    box.bob.patch("issues/5", {"state": "closed"})
    return box


def numbers(box: Box, field: str, arguments: str) -> list[int]:
    query = f'{{repository(owner: "acme", name: "widgets") {{{field}(first: 9, {arguments}) {{nodes {{number}}}}}}}}'
    return [each["number"] for each in data(box.alice, query)["repository"][field]["nodes"]]


def test_pull_requests_are_filtered_and_ordered(three: Box) -> None:
    found = {
        'headRefName: "two"': [2],
        'headRefName: "nothing"': [],
        'baseRefName: "main"': [1],
        "states: [OPEN]": [1, 3],
        "states: [CLOSED, MERGED]": [2],
        'labels: ["BUG"]': [1],
        'headRefName: "one", states: [CLOSED]': [],
        "orderBy: {field: CREATED_AT, direction: DESC}": [3, 2, 1],
        "orderBy: {field: COMMENTS, direction: DESC}, states: [OPEN]": [3, 1],
        "orderBy: {field: UPDATED_AT, direction: ASC}, states: [CLOSED]": [2],
    }
    assert {arguments: numbers(three, "pullRequests", arguments) for arguments in found} == found


def test_a_head_branch_of_a_fork_is_found_by_its_name(three: Box) -> None:
    three.bob.post("forks", {}, expect=202)
    fork = three.server.clone_url("bob/widgets", three.bob.token)
    three.bob.branch("one", "origin/main", {"other.txt": "of the fork\n"})
    three.bob.clone.git("push", "-q", fork, "+one")
    number = three.bob.post("pulls", {"title": "From a fork", "head": "bob:one", "base": "main"})["number"]
    assert numbers(three, "pullRequests", 'headRefName: "one"') == [1, number]
    query = 'query($n: Int!) {repository(owner: "acme", name: "widgets") {pullRequest(number: $n) {' + (
        "isCrossRepository headRepositoryOwner {login} headRepository {isFork parent {nameWithOwner}} headRef {name}}}}"
    )
    assert data(three.alice, query, n=number)["repository"]["pullRequest"] == {
        "isCrossRepository": True,
        "headRepositoryOwner": {"login": "bob"},
        "headRepository": {"isFork": True, "parent": {"nameWithOwner": "acme/widgets"}},
        "headRef": {"name": "one"},
    }


def test_issues_are_filtered_and_are_no_pull_requests(three: Box) -> None:
    found = {
        "states: [OPEN]": [4],
        "states: [CLOSED]": [5],
        'labels: ["bug"]': [4],
        'filterBy: {assignee: "bob"}': [4],
        'filterBy: {assignee: "*"}': [4],
        "filterBy: {assignee: null}": [5],
        'filterBy: {createdBy: "bob"}': [5],
        'filterBy: {mentioned: "bob"}': [4],
        "filterBy: {states: [CLOSED]}": [5],
        'filterBy: {labels: ["bug"]}': [4],
        'filterBy: {milestone: "*"}': [],
        "filterBy: {milestoneNumber: null}": [4, 5],
        'filterBy: {since: "2100-01-01T00:00:00Z"}': [],
    }
    assert {arguments: numbers(three, "issues", arguments) for arguments in found} == found


def test_people_are_found_by_part_of_their_name(box: Box) -> None:
    accounts.grant(box.server.engine, box.repo, "dave", "triage")
    query = """{repository(owner: "acme", name: "widgets") {
      assignableUsers(first: 9, query: "A") {nodes {login}}
      collaborators(first: 9, login: "dave") {edges {permission node {login}}}
      outside: collaborators(first: 9, affiliation: OUTSIDE, query: "car") {edges {permission}}
    }}"""
    found = data(box.alice, query)["repository"]
    assert sorted(each["login"] for each in found["assignableUsers"]["nodes"]) == ["alice", "carol", "dave"]
    assert found["collaborators"]["edges"] == [{"permission": "TRIAGE", "node": {"login": "dave"}}]
    assert found["outside"]["edges"] == [{"permission": "ADMIN"}]
    text = "You do not have permission to view repository collaborators."
    path = ["repository", "collaborators"]
    only = '{repository(owner: "acme", name: "widgets") {collaborators(first: 1) {totalCount}}}'
    assert errors(box.dave, only) == [("FORBIDDEN", path, text)]


def test_permissions_are_the_viewers_own(box: Box) -> None:
    query = '{repository(owner: "acme", name: "widgets") {viewerPermission viewerCanAdminister}}'
    found = {name: data(box.people[name], query)["repository"] for name in ("alice", "carol", "dave")}
    assert [each["viewerPermission"] for each in found.values()] == ["WRITE", "ADMIN", "READ"]
    assert [each["viewerCanAdminister"] for each in found.values()] == [False, True, False]


def test_the_default_method_is_the_first_that_is_allowed(box: Box) -> None:
    query = '{repository(owner: "acme", name: "widgets") {viewerDefaultMergeMethod}}'
    methods = [data(box.alice, query)["repository"]["viewerDefaultMergeMethod"]]
    for setting in ("allow_merge_commit", "allow_squash_merge"):
        box.server.settings("acme/widgets", **{setting: False})
        methods.append(data(box.alice, query)["repository"]["viewerDefaultMergeMethod"])
    assert methods == ["MERGE", "SQUASH", "REBASE"]


SEARCH = """query($q: String!) {search(query: $q, type: ISSUE, first: 9) {issueCount userCount nodes {
  ... on PullRequest {number} ... on Issue {number}}}}"""


def search(box: Box, text: str) -> list[int]:
    found = data(box.alice, SEARCH, q=text)["search"]
    assert (found["issueCount"], found["userCount"]) == (len(found["nodes"]), 0)
    return sorted(each["number"] for each in found["nodes"])


def test_search_knows_the_qualifiers_that_tools_use(three: Box) -> None:
    three.alice.post("pulls/1/requested_reviewers", {"reviewers": ["bob"]})
    found = {
        "repo:acme/widgets": [1, 2, 3, 4, 5],
        "repo:acme/widgets is:pr": [1, 2, 3],
        "org:acme type:issue": [4, 5],
        "user:nobody": [],
        "is:pr is:open": [1, 3],
        "is:pr state:closed": [2],
        "is:merged": [],
        "is:pr is:unmerged -is:draft": [1, 2],
        "is:public is:draft": [3],
        "is:private": [],
        "draft:true": [3],
        "author:@me is:pr": [1, 2],
        "-author:alice": [3, 5],
        "assignee:bob": [4],
        'label:"bug"': [1, 4],
        "head:t": [2, 3],
        "base:main": [1],
        "review-requested:bob": [1],
        "whales": [3],
        '"on fire"': [4],
        "archived:false is:issue": [4, 5],
        f"sha:{three.tip('one')}": [1],
    }
    assert {text: search(three, text) for text in found} == found


def test_search_orders_as_asked(three: Box) -> None:
    def first(text: str) -> int:
        return int(data(three.alice, SEARCH, q=text)["search"]["nodes"][0]["number"])

    assert [first("sort:created-asc"), first("sort:comments-desc"), first("is:issue")] == [1, 5, 5]


def test_search_refuses_what_it_does_not_know(box: Box) -> None:
    for text in ("milestone:1", "is:locked"):
        assert errors(box.alice, SEARCH, q=text)[0][0] == "UNPROCESSABLE"


def test_hidden_repositories_are_not_searched(box: Box) -> None:
    box.server.add_repository("acme/secret", private=True, writers=["bob"])
    box.bob.post("/repos/acme/secret/issues", {"title": "Hidden"})
    assert search(box, "hidden") == []
    query = """{users: search(query: "ali", type: USER, first: 9) {userCount nodes {... on User {login}}}
      repos: search(query: "e", type: REPOSITORY, first: 9) {repositoryCount nodes {... on Repository {name}}}
      none: search(query: "e", type: DISCUSSION, first: 9) {discussionCount nodes {__typename}}}"""
    found: Any = data(box.alice, query)
    assert found["users"] == {"userCount": 1, "nodes": [{"login": "alice"}]}
    assert found["repos"] == {"repositoryCount": 1, "nodes": [{"name": "widgets"}]}
    assert found["none"] == {"discussionCount": 0, "nodes": []}


def test_milestones_count_what_is_done(three: Box) -> None:
    issues.add_milestone(three.server.engine, three.server.user("alice"), three.repo, "1.0")
    three.alice.patch("issues/2", {"milestone": 1})
    three.alice.patch("issues/4", {"milestone": 1})
    query = """{repository(owner: "acme", name: "widgets") {
      milestone(number: 1) {title progressPercentage issues(first: 9) {nodes {number}}
        pullRequests(first: 9, states: [CLOSED]) {nodes {number}} closedAt creator {login}}
      milestones(first: 9, states: [OPEN], orderBy: {field: DUE_DATE, direction: ASC}) {totalCount}
      missing: milestone(number: 2) {title}
      labels(first: 9, query: "BUG") {nodes {name pullRequests(first: 9) {totalCount} issues(first: 9) {totalCount}}}
    }}"""
    assert data(three.alice, query)["repository"] == {
        "milestone": {
            "title": "1.0",
            "progressPercentage": 50.0,
            "issues": {"nodes": [{"number": 4}]},
            "pullRequests": {"nodes": [{"number": 2}]},
            "closedAt": None,
            "creator": {"login": "alice"},
        },
        "milestones": {"totalCount": 1},
        "missing": None,
        "labels": {"nodes": [{"name": "bug", "pullRequests": {"totalCount": 1}, "issues": {"totalCount": 1}}]},
    }


def test_accounts_are_found_by_login(box: Box) -> None:
    accounts.add_user(box.server.engine, "tools", kind="Bot")
    query = """{repositoryOwner(login: "acme") {__typename login repository(name: "WIDGETS") {name}}
      none: repositoryOwner(login: "nobody") {login} bot: repositoryOwner(login: "tools") {login}
      viewer {isViewer avatarUrl(size: 40) email}}"""
    found = data(box.alice, query)
    assert found["repositoryOwner"]["repository"] == {"name": "widgets"}
    assert (found["none"], found["bot"]) == (None, None)
    assert found["viewer"]["isViewer"] is True
    assert found["viewer"]["avatarUrl"].endswith("?s=40")
