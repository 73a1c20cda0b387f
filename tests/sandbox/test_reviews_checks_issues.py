"""Reviews, reviewers, statuses, check runs, comments, labels, plain issues."""

from __future__ import annotations

from typing import Any

import pytest

from stackr.sandbox import checks, issues, reviews
from stackr.sandbox.errors import ApiError
from tests.support.sandbox import REPO, Box

# -- reviews -------------------------------------------------------------------------------------------


def test_a_review_belongs_to_the_commit_it_was_given_on(box: Box) -> None:
    (number,) = box.stack("feature")
    head = box.tip("feature")
    made = box.bob.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    assert (made["state"], made["commit_id"], made["user"]["login"]) == ("APPROVED", head, "bob")
    box.alice.clone.commit("More")
    box.alice.push("feature")
    (listed,) = box.alice.get(f"pulls/{number}/reviews")
    assert (listed["state"], listed["commit_id"]) == ("APPROVED", head)
    assert reviews.decision(box.server.engine, box.pull(number)) is None, "no rule asks for reviews"


def test_reviews_that_cannot_be_are_refused(box: Box) -> None:
    (number,) = box.stack("feature")
    for person, body, said in [
        (box.alice, {"event": "APPROVE"}, "Can not approve your own pull request"),
        (box.alice, {"event": "REQUEST_CHANGES", "body": "x"}, "Can not request changes on your own pull request"),
        (box.bob, {"event": "COMMENT"}, "Body can't be blank"),
        (box.bob, {"event": "SHOUT"}, "Variable $event is invalid"),
        (box.bob, {"event": "APPROVE", "commit_id": "0" * 40}, "The commit could not be found"),
    ]:
        assert person.post(f"pulls/{number}/reviews", body, expect=422)["errors"] == [said]
    box.anonymous.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=401)
    box.alice.put(f"pulls/{number}/reviews/7/dismissals", {"message": "x"}, expect=404)


def test_a_review_is_dismissed_with_a_reason(box: Box) -> None:
    (number,) = box.stack("feature")
    approval = box.bob.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)["id"]
    comment = box.bob.post(f"pulls/{number}/reviews", {"event": "COMMENT", "body": "hm"}, expect=200)["id"]
    path = f"pulls/{number}/reviews/{approval}/dismissals"
    assert box.alice.put(path, {"message": ""}, expect=422)["errors"] == ["Message can't be blank"]
    assert box.alice.put(path, {"message": "outdated"})["state"] == "DISMISSED"
    box.alice.put(f"pulls/{number}/reviews/{comment}/dismissals", {"message": "x"}, expect=422)
    box.dave.put(path, {"message": "x"}, expect=403)


def test_the_decision_follows_the_latest_opinions_of_writers(box: Box) -> None:
    (number,) = box.stack("feature")
    rule = {"type": "pull_request", "parameters": {"required_approving_review_count": 1}}
    box.server.protect(REPO, "main", rule)
    engine, pull = box.server.engine, box.pull(number)
    seen = [reviews.decision(engine, pull)]
    for person, event in [("dave", "APPROVE"), ("bob", "REQUEST_CHANGES"), ("bob", "APPROVE"), ("bob", "COMMENT")]:
        reviews.add_review(engine, box.server.user(person), pull, event=event, body="text")
        seen.append(reviews.decision(engine, pull))
    assert seen == ["REVIEW_REQUIRED", "REVIEW_REQUIRED", "CHANGES_REQUESTED", "APPROVED", "APPROVED"]
    assert [row.state for row in reviews.latest_reviews(engine, pull)] == ["APPROVED", "COMMENTED"]
    assert [row.state for row in reviews.latest_opinionated(engine, pull)] == ["APPROVED", "APPROVED"]


def test_changes_requested_count_without_any_rule(box: Box) -> None:
    (number,) = box.stack("feature")
    box.bob.post(f"pulls/{number}/reviews", {"event": "REQUEST_CHANGES", "body": "no"}, expect=200)
    assert reviews.decision(box.server.engine, box.pull(number)) == "CHANGES_REQUESTED"


def test_reviewers_are_asked_answer_and_are_let_off(box: Box) -> None:
    (number,) = box.stack("feature")
    path = f"pulls/{number}/requested_reviewers"
    asked = box.alice.post(path, {"reviewers": ["bob", "carol"]})
    assert [user["login"] for user in asked["requested_reviewers"]] == ["bob", "carol"]
    box.bob.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    assert [user["login"] for user in box.alice.get(path)["users"]] == ["carol"]
    assert box.alice.delete(path, {"reviewers": ["carol"]}, expect=200)["requested_reviewers"] == []
    reviews.request_reviewers(box.server.engine, box.server.user("alice"), box.pull(number), [box.server.user("bob")])
    reviews.request_reviewers(
        box.server.engine, box.server.user("alice"), box.pull(number), [box.server.user("carol")], replace=True
    )
    assert [user["login"] for user in box.alice.get(path)["users"]] == ["carol"]


def test_reviewers_who_cannot_be_are_refused(box: Box) -> None:
    (number,) = box.stack("feature")
    box.server.add_user("stranger")
    path = f"pulls/{number}/requested_reviewers"
    author = box.bob.post(path, {"reviewers": ["alice"]}, expect=422)
    assert author["message"] == "Review cannot be requested from pull request author."
    for body in ({"reviewers": ["stranger"]}, {"reviewers": ["nobody"]}, {"team_reviewers": ["core"]}):
        assert "is not a collaborator of the" in box.bob.post(path, body, expect=422)["message"]
    box.dave.post(path, {"reviewers": ["bob"]}, expect=403)
    box.bob.post(path, {"reviewers": [1]}, expect=422)


# -- checks --------------------------------------------------------------------------------------------


def test_statuses_combine_by_context(box: Box) -> None:
    tip = str(box.tip("main"))
    assert box.alice.get("commits/main/status")["state"] == "pending"
    for context, state in [("ci", "failure"), ("lint", "success"), ("ci", "success")]:
        box.bob.post(f"statuses/{tip}", {"state": state, "context": context, "target_url": "http://x"})
    combined = box.alice.get("commits/main/status")
    assert (combined["state"], combined["total_count"]) == ("success", 2)
    assert [row["state"] for row in box.alice.get(f"commits/{tip}/statuses")] == ["success", "success", "failure"]
    box.bob.post(f"statuses/{tip}", {"state": "error"})
    assert box.alice.get("commits/main/status")["state"] == "failure"
    assert checks.rollup(box.server.engine, box.repo, tip) == "ERROR"


def test_statuses_that_cannot_be_are_refused(box: Box) -> None:
    tip = box.tip("main")
    box.bob.post(f"statuses/{tip}", {"state": "green"}, expect=422)
    box.bob.post(f"statuses/{'0' * 40}", {"state": "success"}, expect=422)
    box.dave.post(f"statuses/{tip}", {"state": "success"}, expect=403)
    assert box.alice.get("commits/nothing/status", expect=422)["message"] == "No commit found for SHA: nothing"


def test_check_runs_go_from_queued_to_a_conclusion(box: Box) -> None:
    (number,) = box.stack("feature")
    head = str(box.tip("feature"))
    run = box.bob.post("check-runs", {"name": "build", "head_sha": head})
    assert (run["status"], run["conclusion"], run["pull_requests"][0]["number"]) == ("queued", None, number)
    engine, repo = box.server.engine, box.repo
    assert checks.suite_state(engine, checks.suites(engine, repo, head)[0]) == ("in_progress", None)
    note = {"path": "src/code.py", "start_line": 1, "end_line": 2, "annotation_level": "failure", "message": "bad"}
    output = {"title": "Broken", "summary": "It is", "annotations": [note]}
    done = box.bob.patch(f"check-runs/{run['id']}", {"conclusion": "failure", "output": output})
    assert (done["status"], done["conclusion"], done["output"]["annotations_count"]) == ("completed", "failure", 1)
    assert box.alice.get(f"check-runs/{run['id']}/annotations")[0]["message"] == "bad"
    box.bob.post("check-runs", {"name": "build", "head_sha": head, "conclusion": "success"})
    latest = box.alice.get(f"commits/{head}/check-runs")
    assert (latest["total_count"], latest["check_runs"][0]["conclusion"]) == (1, "success")
    assert box.alice.get(f"commits/{head}/check-runs?filter=all")["total_count"] == 2
    assert box.alice.get(f"commits/{head}/check-runs?check_name=other")["total_count"] == 0
    assert box.alice.get(f"commits/{head}/check-suites")["check_suites"][0]["conclusion"] == "success"
    assert checks.rollup(engine, repo, head) == "SUCCESS"
    box.bob.post("check-runs", {"name": "slow", "head_sha": head, "status": "in_progress"})
    assert checks.rollup(engine, repo, head) == "PENDING"
    box.bob.post("check-runs", {"name": "slow", "head_sha": head, "conclusion": "cancelled"})
    assert checks.rollup(engine, repo, head) == "FAILURE"
    assert box.alice.get(f"commits/{head}/check-suites")["check_suites"][0]["conclusion"] == "cancelled"
    assert box.alice.get(f"check-runs/{run['id']}")["name"] == "build"


def test_check_runs_that_cannot_be_are_refused(box: Box) -> None:
    tip = box.tip("main")
    for body in (
        {"name": "x", "head_sha": "0" * 40},
        {"name": "x", "head_sha": tip, "conclusion": "splendid"},
        {"name": "x", "head_sha": tip, "status": "completed"},
    ):
        box.bob.post("check-runs", body, expect=422)
    run = box.bob.post("check-runs", {"name": "x", "head_sha": tip, "status": "in_progress"})
    box.bob.patch(f"check-runs/{run['id']}", {"external_id": "7"}, expect=422)
    assert box.bob.patch(f"check-runs/{run['id']}", {"name": "y"})["status"] == "in_progress"
    box.bob.patch("check-runs/99", {"name": "y"}, expect=404)


def test_a_token_without_the_permission_cannot_read_checks(box: Box) -> None:
    token = box.server.add_user("alice", kind="fine-grained")
    assert token.startswith("github_pat_")
    box.alice.session.headers["Authorization"] = f"Bearer {token}"
    response = box.alice.call("GET", "commits/main/check-runs")
    assert (response.status_code, response.json()["message"]) == (
        403,
        "Resource not accessible by personal access token",
    )
    assert response.headers["X-Accepted-GitHub-Permissions"] == "checks=read"
    assert "X-OAuth-Scopes" not in response.headers
    box.alice.get("commits/main/status")


def test_an_empty_suite_is_queued(box: Box) -> None:
    run = checks.put_check(box.server.engine, box.repo, oid=str(box.tip("main")), name="ci", conclusion=None)
    engine = box.server.engine
    suite = engine.store.check_suites.need(run.suite_id)
    engine.store.check_runs.delete(run)
    assert checks.suite_state(engine, suite) == ("queued", None)
    assert checks.rollup(engine, box.repo, run.oid) is None


# -- comments, labels, issues --------------------------------------------------------------------------


def test_comments_are_paged_edited_and_deleted(box: Box) -> None:
    (number,) = box.stack("feature")
    made = [box.bob.post(f"issues/{number}/comments", {"body": f"No {n}"}) for n in range(31)]
    first = box.alice.call("GET", f"issues/{number}/comments")
    assert (len(first.json()), set(first.links)) == (30, {"next", "last"})
    rest = box.alice.session.get(first.links["next"]["url"], timeout=10)
    assert [row["body"] for row in rest.json()] == ["No 30"]
    assert len(box.alice.get(f"issues/{number}/comments?per_page=100")) == 31
    path = f"issues/comments/{made[0]['id']}"
    assert box.bob.patch(path, {"body": "Edited"})["body"] == "Edited"
    box.dave.patch(path, {"body": "Mine"}, expect=403)
    assert box.alice.get(path)["body"] == "Edited"
    box.bob.delete(path)
    box.alice.get(path, expect=404)
    again = box.bob.post(f"issues/{number}/comments", {"body": "New"})
    assert again["id"] == made[-1]["id"] + 1, "ids are not used twice"
    assert box.alice.get(f"issues/{number}/comments?since=2999-01-01T00:00:00Z") == []


def test_blank_and_long_comments_are_refused(box: Box) -> None:
    (number,) = box.stack("feature")
    blank = box.bob.post(f"issues/{number}/comments", {"body": " "}, expect=422)
    assert blank["errors"] == [{"resource": "IssueComment", "code": "missing_field", "field": "body"}]
    long = box.bob.post(f"issues/{number}/comments", {"body": "x" * 65_537}, expect=422)
    assert long["errors"][0]["message"] == "body is too long (maximum is 65536 characters)"
    box.anonymous.post(f"issues/{number}/comments", {"body": "x"}, expect=401)
    with pytest.raises(ApiError, match="Requires authentication"):
        issues.add_comment(box.server.engine, None, box.pull(number), "x")


def test_labels_are_put_on_taken_off_and_made_when_missing(box: Box) -> None:
    (number,) = box.stack("feature")
    path = f"issues/{number}/labels"
    assert [row["name"] for row in box.alice.post(path, {"labels": ["bug", "new one"]}, expect=200)] == [
        "bug",
        "new one",
    ]
    assert box.alice.post(path, {"labels": ["BUG"]}, expect=200)[0]["name"] == "bug"
    assert [row["name"] for row in box.alice.put(path, {"labels": ["new one", {"name": "x"}]})] == ["new one", "x"]
    assert [row["name"] for row in box.alice.delete(f"{path}/x", expect=200)] == ["new one"]
    assert box.alice.delete(f"{path}/x", expect=404)["message"] == "Label does not exist"
    assert [row["name"] for row in box.alice.get(path)] == ["new one"]
    assert [row["name"] for row in box.alice.get(f"pulls/{number}")["labels"]] == ["new one"]
    box.dave.post(path, {"labels": ["bug"]}, expect=403)
    assert box.events(number) == ["labeled", "labeled", "unlabeled", "labeled", "unlabeled"]


def test_the_labels_of_a_repository(box: Box) -> None:
    made = box.alice.post("labels", {"name": "sev:1", "color": "ff0000"})
    assert box.alice.get("labels/SEV:1") == made
    taken = box.alice.post("labels", {"name": "sev:1"}, expect=422)
    assert taken["errors"] == [{"resource": "Label", "code": "already_exists", "field": "name"}]
    assert len(box.alice.get("labels")) == 4
    box.alice.get("labels/none", expect=404)
    box.dave.post("labels", {"name": "x"}, expect=403)


def test_plain_issues_share_numbers_with_pull_requests(box: Box) -> None:
    (number,) = box.stack("feature")
    body = {"title": "Outage", "body": "All is red", "labels": ["bug"], "assignees": ["bob", "nobody"]}
    made = box.alice.post("issues", body)
    assert made["number"] == number + 1
    assert ([label["name"] for label in made["labels"]], made["assignee"]["login"]) == (["bug"], "bob")
    unlabelled = box.dave.post("issues", {"title": "Me too", "labels": ["bug"]})
    assert unlabelled["labels"] == [], "readers cannot set labels"
    assert [row["number"] for row in box.alice.get("issues?labels=bug")] == [made["number"]]
    listed = box.alice.get("issues?direction=asc")
    assert [("pull_request" in row) for row in listed] == [True, False, False]
    closed = box.bob.patch(f"issues/{made['number']}", {"state": "closed", "state_reason": "not_planned"})
    assert (closed["state"], closed["state_reason"], closed["closed_by"]["login"]) == ("closed", "not_planned", "bob")
    opened = box.bob.patch(f"issues/{made['number']}", {"state": "open", "title": "Outage!", "body": "Green"})
    assert (opened["state"], opened["title"], opened["body"], opened["closed_at"]) == ("open", "Outage!", "Green", None)
    box.dave.patch(f"issues/{made['number']}", {"title": "x"}, expect=403)
    box.alice.post("issues", {"title": " "}, expect=422)
    with pytest.raises(ApiError, match="Requires authentication"):
        issues.create_issue(box.server.engine, None, box.repo, title="x")


def test_a_pull_request_is_edited_as_an_issue_too(box: Box) -> None:
    (number,) = box.stack("feature")
    engine, alice = box.server.engine, box.server.user("alice")
    issues.add_milestone(engine, alice, box.repo, "1.0")
    body: dict[str, Any] = {"labels": ["bug"], "milestone": 1, "assignees": ["bob"], "title": "New", "state": "closed"}
    found = box.alice.patch(f"issues/{number}", body)
    assert (found["title"], found["state"], found["milestone"]["title"]) == ("New", "closed", "1.0")
    assert found["milestone"]["closed_issues"] == 1
    cleared = box.alice.patch(f"issues/{number}", {"milestone": None, "assignee": "carol", "labels": []})
    assert (cleared["milestone"], cleared["assignee"]["login"], cleared["labels"]) == (None, "carol", [])
    box.alice.patch(f"issues/{number}", {"milestone": 9}, expect=422)
    assert box.alice.post(f"issues/{number}/assignees", {"assignees": ["bob"]})["assignees"][1]["login"] == "bob"
    left = box.alice.delete(f"issues/{number}/assignees", {"assignees": ["bob", "carol"]}, expect=200)
    assert left["assignees"] == []
    assert box.alice.get(f"issues/{number}")["pull_request"]["merged_at"] is None
    box.alice.get("issues/99", expect=404)
