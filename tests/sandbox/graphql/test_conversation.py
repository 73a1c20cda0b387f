"""Labels, comments, reviews, requests for them, plain issues: over GraphQL."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import issues
from tests.support.graphql import data, errors, node_id, pull_id, repository_id
from tests.support.sandbox import Box, Person

PULL = """query($n: Int!) {repository(owner: "acme", name: "widgets") {pullRequest(number: $n) {
  labels(first: 9, orderBy: {field: NAME, direction: DESC}) {nodes {name}}
  assignees(first: 9) {nodes {login}}
  comments(first: 9) {totalCount nodes {id body bodyText author {login} lastEditedAt viewerDidAuthor editor {login}}}
  reviewRequests(first: 9) {nodes {requestedReviewer {... on User {login}}}}
  reviews(first: 9) {nodes {state author {login} commit {oid}}}
  approvals: reviews(first: 9, author: "bob", states: [APPROVED]) {totalCount}
  unknown: reviews(first: 9, author: "nobody") {totalCount}
  latestReviews(first: 9) {nodes {id state authorCanPushToRepository}}
  latestOpinionatedReviews(first: 9, writersOnly: true) {nodes {state}}
  viewerLatestReview {state} viewerLatestReviewRequest {id}
  participants(first: 9) {nodes {login}}
  userContentEdits(first: 9) {nodes {diff editor {login}}}
  lastEditedAt totalCommentsCount
}}}"""


def read(person: Person, number: int = 1) -> Any:
    return data(person, PULL, n=number)["repository"]["pullRequest"]


def run(person: Person, name: str, selection: str = "clientMutationId", /, **fields: Any) -> Any:
    """Run one mutation that must work; its payload."""
    return data(person, mutation(name, selection), i=fields)[name]


def mutation(name: str, selection: str = "clientMutationId") -> str:
    return f"mutation($i: {name[0].upper()}{name[1:]}Input!) {{{name}(input: $i) {{{selection}}}}}"


def label_id(person: Person, name: str) -> str:
    query = 'query($l: String!) {repository(owner: "acme", name: "widgets") {label(name: $l) {id}}}'
    return str(data(person, query, l=name)["repository"]["label"]["id"])


def test_labels_are_put_on_and_taken_off(box: Box) -> None:
    box.stack("one")
    node = pull_id(box.alice, 1)
    made = run(box.alice, "createLabel", "label {id}", repositoryId=repository_id(box.alice), name="zz", color="000000")
    both = [label_id(box.alice, "bug"), made["label"]["id"]]
    run(box.alice, "addLabelsToLabelable", labelableId=node, labelIds=both)
    assert read(box.alice)["labels"]["nodes"] == [{"name": "zz"}, {"name": "bug"}]
    run(box.alice, "removeLabelsFromLabelable", labelableId=node, labelIds=both[:1])
    run(box.alice, "removeLabelsFromLabelable", labelableId=node, labelIds=both[:1])
    assert read(box.alice)["labels"]["nodes"] == [{"name": "zz"}]
    run(box.alice, "clearLabelsFromLabelable", labelableId=node)
    assert read(box.alice)["labels"]["nodes"] == []


def test_a_label_is_made_once(box: Box) -> None:
    fields = {"repositoryId": repository_id(box.alice), "name": "bug", "color": "000000"}
    assert errors(box.alice, mutation("createLabel"), i=fields)[0][2] == "Name has already been taken"
    assert errors(box.dave, mutation("createLabel"), i=fields)[0][0] == "FORBIDDEN"


def test_a_node_of_another_kind_is_not_found(box: Box) -> None:
    fields = {"labelableId": repository_id(box.alice), "labelIds": []}
    (refusal,) = errors(box.alice, mutation("addLabelsToLabelable"), i=fields)
    assert refusal[0] == "NOT_FOUND"
    assert refusal[2].startswith("Could not resolve to an Issue node with the global id of")


def test_people_are_assigned_and_unassigned(box: Box) -> None:
    box.stack("one")
    fields = {"assignableId": pull_id(box.alice, 1), "assigneeIds": [node_id(box.alice, "user", "bob")]}
    run(box.alice, "addAssigneesToAssignable", **fields)
    assert read(box.alice)["assignees"]["nodes"] == [{"login": "bob"}]
    run(box.alice, "removeAssigneesFromAssignable", **fields)
    assert read(box.alice)["assignees"]["nodes"] == []


def test_comments_are_written_edited_and_removed(box: Box) -> None:
    box.stack("one")
    body = "Hello **you**\n\n<!-- hidden -->\n\n```\ncode\n```\n- [a](http://x.test) `b`\n"
    made = run(box.bob, "addComment", "commentEdge {cursor node {id}}", subjectId=pull_id(box.bob, 1), body=body)
    node = made["commentEdge"]["node"]["id"]
    (found,) = read(box.bob)["comments"]["nodes"]
    assert (found["id"], found["body"], found["author"]) == (node, body, {"login": "bob"})
    assert found["bodyText"] == "Hello you\ncode\na b"
    assert (found["viewerDidAuthor"], found["editor"], found["lastEditedAt"]) == (True, None, None)
    assert run(box.bob, "updateIssueComment", "issueComment {body}", id=node, body="New") == {
        "issueComment": {"body": "New"}
    }
    assert errors(box.dave, mutation("updateIssueComment"), i={"id": node, "body": "Mine"})[0][0] == "FORBIDDEN"
    run(box.bob, "deleteIssueComment", id=node)
    assert read(box.bob)["comments"]["totalCount"] == 0


def test_reviews_are_asked_for_given_and_dismissed(box: Box) -> None:
    box.stack("one")
    node, people = pull_id(box.alice, 1), {n: node_id(box.alice, "user", n) for n in ("bob", "carol")}
    run(box.alice, "requestReviews", pullRequestId=node, userIds=[people["bob"]])
    run(box.alice, "requestReviews", pullRequestId=node, userIds=[people["carol"]], union=True)
    asked = [each["requestedReviewer"]["login"] for each in read(box.bob)["reviewRequests"]["nodes"]]
    assert asked == ["bob", "carol"]
    assert read(box.bob)["viewerLatestReviewRequest"] is not None
    run(box.alice, "requestReviews", pullRequestId=node, userIds=[people["bob"]])
    given = run(box.bob, "addPullRequestReview", "pullRequestReview {id}", pullRequestId=node, event="APPROVE")
    run(box.bob, "addPullRequestReview", pullRequestId=node, event="COMMENT", body="And one more")
    found = read(box.bob)
    assert [each["state"] for each in found["reviews"]["nodes"]] == ["APPROVED", "COMMENTED"]
    assert found["reviews"]["nodes"][0]["commit"] == {"oid": box.tip("one")}
    assert (found["approvals"]["totalCount"], found["unknown"]["totalCount"]) == (1, 0)
    assert found["latestOpinionatedReviews"]["nodes"] == [{"state": "APPROVED"}]
    assert [each["state"] for each in found["latestReviews"]["nodes"]] == ["COMMENTED"]
    assert (found["viewerLatestReview"], found["reviewRequests"]["nodes"]) == ({"state": "COMMENTED"}, [])
    assert [each["login"] for each in found["participants"]["nodes"]] == ["alice", "bob"]
    review = given["pullRequestReview"]["id"]
    run(box.carol, "dismissPullRequestReview", pullRequestReviewId=review, message="Too early")
    assert read(box.bob)["latestOpinionatedReviews"]["nodes"] == [{"state": "DISMISSED"}]


def test_reviewing_is_refused_where_it_makes_no_sense(box: Box) -> None:
    box.stack("one")
    fields = {"pullRequestId": pull_id(box.alice, 1)}
    own = errors(box.alice, mutation("addPullRequestReview"), i={**fields, "event": "APPROVE"})
    assert own[0][2] == "Can not approve your own pull request"
    pending = errors(box.bob, mutation("addPullRequestReview"), i=fields)
    assert "pending" in pending[0][2]
    author = {**fields, "userIds": [node_id(box.alice, "user", "alice")]}
    assert errors(box.alice, mutation("requestReviews"), i=author)[0][0] == "UNPROCESSABLE"
    assert errors(box.alice, mutation("requestReviews"), i={**fields, "teamIds": ["T_x"]})[0][0] == "NOT_FOUND"


def test_everybody_has_a_standing_in_the_repository(box: Box) -> None:
    box.stack("one")
    box.server.add_user("stranger")
    stranger = box.server.user("stranger")
    issues.add_comment(box.server.engine, stranger, box.pull(1), "Nice\\\nwork ![x](y)")
    query = """{repository(owner: "acme", name: "widgets") {pullRequest(number: 1) {authorAssociation
      comments(first: 9) {nodes {authorAssociation bodyText viewerCanUpdate}}}}}"""
    found = data(box.dave, query)["repository"]["pullRequest"]
    assert found["authorAssociation"] == "COLLABORATOR"
    assert found["comments"]["nodes"] == [
        {"authorAssociation": "NONE", "bodyText": "Nice\nwork x", "viewerCanUpdate": False}
    ]


def test_edits_of_a_description_are_remembered(box: Box) -> None:
    box.stack("one")
    box.bob.patch("pulls/1", {"body": "By bob"})
    found = read(box.alice)
    assert found["userContentEdits"]["nodes"] == [
        {"diff": "By bob", "editor": {"login": "bob"}},
        {"diff": "", "editor": {"login": "alice"}},
    ]
    assert found["lastEditedAt"] is not None


ISSUE = """query($n: Int!) {repository(owner: "acme", name: "widgets") {issue(number: $n) {
  title body state stateReason(enableDuplicate: true) closed labels(first: 9) {nodes {name}} milestone {title}}}}"""


def test_plain_issues_open_change_close_and_reopen(box: Box) -> None:
    fields = {"repositoryId": repository_id(box.alice), "title": "Broken", "labelIds": [label_id(box.alice, "bug")]}
    node = run(box.alice, "createIssue", "issue {id}", **fields)["issue"]["id"]
    run(box.alice, "updateIssue", id=node, title="Very broken", body="Text")
    run(box.alice, "closeIssue", issueId=node, stateReason="NOT_PLANNED")
    assert data(box.alice, ISSUE, n=1)["repository"]["issue"] == {
        "title": "Very broken",
        "body": "Text",
        "state": "CLOSED",
        "stateReason": "NOT_PLANNED",
        "closed": True,
        "labels": {"nodes": [{"name": "bug"}]},
        "milestone": None,
    }
    run(box.alice, "reopenIssue", issueId=node)
    run(box.alice, "updateIssue", id=node, state="CLOSED")
    assert data(box.alice, ISSUE, n=1)["repository"]["issue"]["stateReason"] == "COMPLETED"


def test_a_pull_request_is_no_plain_issue(box: Box) -> None:
    box.stack("one")
    assert errors(box.alice, mutation("closeIssue"), i={"issueId": pull_id(box.alice, 1)})[0][0] == "NOT_FOUND"
