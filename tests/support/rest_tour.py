"""A tour of the sandbox's REST API: every route is visited at least once, refusals too, and every answer is kept.

The tests that look at what was kept are in ``tests/contract``. Each stop is a story about one part of the API.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests

from stackr.sandbox import accounts, issues
from stackr.sandbox.app import create_flask
from tests.support.sandbox import REPO, Box

ZEROS = "0" * 40


@dataclass(frozen=True)
class Exchange:
    """One request and its answer; ``route`` is the path below /api/v3 with its parameters."""

    method: str
    route: str
    status: int
    body: Any


class Recorder:
    """Keeps every answer that the people of a box get."""

    def __init__(self, box: Box) -> None:
        self.box = box
        app = create_flask(box.server.engine)
        self._adapter = app.url_map.bind("127.0.0.1")
        self.routes = {
            (method, rule.rule.removeprefix("/api/v3"))
            for rule in app.url_map.iter_rules()
            if rule.endpoint.startswith("rest.") and not rule.endpoint.endswith("nothing_here")
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        }
        self.exchanges: list[Exchange] = []
        for person in box.people.values():
            person.session.hooks["response"].append(self._keep)

    def _keep(self, response: requests.Response, **_kwargs: Any) -> None:
        method = response.request.method or ""
        path = urlsplit(response.request.url or "").path
        if not str(path).startswith("/api/v3/"):
            return
        rule, _values = self._adapter.match(str(path), method, return_rule=True)
        route = rule.rule.removeprefix("/api/v3")
        body = response.json() if response.content else None
        self.exchanges.append(Exchange(method, route, response.status_code, body))


def people_and_places(box: Box) -> None:
    """Accounts, limits, the repository and its settings."""
    box.alice.get("/user")
    box.anonymous.get("/user", expect=401)
    box.alice.get("/users/bob")
    box.alice.get("/users/nobody", expect=404)
    box.alice.get("/rate_limit")
    box.alice.get("/meta")
    box.alice.get("")
    box.anonymous.get("")
    box.alice.get("/repos/acme/nothing", expect=404)
    box.carol.patch("", {"delete_branch_on_merge": True, "allow_auto_merge": True})
    box.carol.patch("", {"delete_branch_on_merge": False})
    box.dave.patch("", {"delete_branch_on_merge": True}, expect=403)
    box.alice.get("assignees")
    box.alice.get("collaborators/dave/permission")
    box.bob.post("forks", {}, expect=202)
    box.bob.get("/repos/bob/widgets")


def branches_and_refs(box: Box) -> None:
    """Refs by every route, and what cannot be done to them."""
    template = {".github/PULL_REQUEST_TEMPLATE.md": "What and why\n"}
    box.alice.branch("main", "origin/main", template)
    box.alice.clone.git("tag", "-a", "v1", "-m", "One", "main")
    box.alice.push("main", "v1")
    head = box.alice.branch("topic")
    box.alice.push("topic")
    box.alice.get("branches")
    box.alice.get("branches/topic")
    box.alice.get("branches/nothing", expect=404)
    box.carol.get("branches/topic/protection", expect=404)
    box.alice.get("git/ref/heads/topic")
    box.alice.get("git/ref/heads/nothing", expect=404)
    box.alice.get("git/matching-refs/heads/t")
    box.alice.post("git/refs", {"ref": "refs/heads/made", "sha": head})
    box.alice.post("git/refs", {"ref": "refs/heads/made", "sha": head}, expect=422)
    box.alice.post("git/refs", {"ref": "refs/heads/bad", "sha": ZEROS}, expect=422)
    main = box.tip("main")
    box.alice.patch("git/refs/heads/made", {"sha": main}, expect=422)
    box.alice.patch("git/refs/heads/made", {"sha": main, "force": True})
    box.alice.delete("git/refs/heads/made")
    box.alice.delete("git/refs/heads/made", expect=422)
    box.alice.get(f"git/commits/{head}")
    tree = box.alice.get(f"git/commits/{head}")["tree"]["sha"]
    box.alice.post("git/commits", {"message": "By hand", "tree": tree, "parents": [head]})


def commits_and_files(box: Box) -> None:
    """Commits, comparisons and contents."""
    box.alice.get("commits")
    box.alice.get("commits/topic")
    box.alice.get(f"commits/{ZEROS}", expect=422)
    box.alice.get("commits/topic/pulls")
    box.alice.get("compare/main...topic")
    box.alice.get("compare/main...nothing", expect=404)
    box.alice.get("contents/README.md")
    box.alice.get("contents/nothing", expect=404)


def pull_requests(box: Box) -> None:
    """A pull request from its creation to its reopening, and every refusal on the way."""
    number = box.alice.open("topic", body="With a text")
    again = {"title": "Again", "head": "topic", "base": "main"}
    box.alice.post("pulls", again, expect=422)
    box.alice.post("pulls", {**again, "head": "nothing"}, expect=422)
    box.alice.post("pulls", {**again, "title": ""}, expect=422)
    box.alice.post("pulls", {**again, "unheard_of": True}, expect=422)
    box.alice.get("pulls", params={"state": "all", "per_page": 1})
    box.alice.get("pulls", params={"unheard_of": "1"}, expect=422)
    for _look in range(3):
        box.alice.get(f"pulls/{number}")
    box.alice.get("pulls/999", expect=404)
    box.alice.patch(f"pulls/{number}", {"title": "New title", "body": "New text"})
    box.alice.patch(f"pulls/{number}", {"base": "nothing"}, expect=422)
    box.dave.patch(f"pulls/{number}", {"title": "Not mine"}, expect=403)
    box.alice.get(f"pulls/{number}/commits")
    box.alice.get(f"pulls/{number}/files")
    box.alice.patch(f"pulls/{number}", {"state": "closed"})
    box.alice.get(f"pulls/{number}")
    box.alice.patch(f"pulls/{number}", {"state": "open"})
    box.alice.get("commits/topic/pulls")


def reviewing(box: Box) -> None:
    """Requests, reviews, dismissals."""
    box.alice.get("pulls/1/requested_reviewers")
    box.alice.post("pulls/1/requested_reviewers", {"reviewers": ["bob", "carol"]})
    box.alice.post("pulls/1/requested_reviewers", {"reviewers": ["alice"]}, expect=422)
    box.alice.delete("pulls/1/requested_reviewers", {"reviewers": ["carol"]}, expect=200)
    box.alice.post("pulls/1/requested_reviewers", {"reviewers": ["dave"]})
    review = box.bob.post("pulls/1/reviews", {"event": "APPROVE", "body": "Good"}, expect=200)
    box.bob.post("pulls/1/reviews", {"event": "COMMENT", "body": "One more thing"}, expect=200)
    box.alice.post("pulls/1/reviews", {"event": "APPROVE"}, expect=422)
    box.alice.get("pulls/1/reviews")
    box.alice.get("pulls/1")
    box.carol.put(f"pulls/1/reviews/{review['id']}/dismissals", {"message": "Too early"})
    box.carol.put(f"pulls/1/reviews/{review['id']}/dismissals", {"message": "Again"}, expect=422)


def conversation(box: Box) -> None:
    """Comments, issues, labels, assignees, milestones."""
    comment = box.bob.post("issues/1/comments", {"body": "Hello"})
    box.bob.post("issues/1/comments", {"body": ""}, expect=422)
    box.alice.get("issues/1/comments")
    box.alice.get(f"issues/comments/{comment['id']}")
    box.bob.patch(f"issues/comments/{comment['id']}", {"body": "Hello again"})
    box.dave.patch(f"issues/comments/{comment['id']}", {"body": "Not mine"}, expect=403)
    box.bob.delete(f"issues/comments/{comment['id']}")
    box.bob.get(f"issues/comments/{comment['id']}", expect=404)
    box.dave.post("issues/1/comments", {"body": "This one stays"})
    robot = accounts.add_user(box.server.engine, "robot", kind="Bot")
    issues.add_comment(box.server.engine, robot, box.pull(1), "Beep")
    box.alice.get("issues/1/comments")
    issues.add_milestone(box.server.engine, box.server.user("carol"), box.repo, "1.0")
    box.alice.post("labels", {"name": "ci: sev", "color": "ff0000", "description": "On fire"})
    box.alice.post("labels", {"name": "ci: sev"}, expect=422)
    box.alice.get("labels")
    box.alice.get("labels/bug")
    issue = box.alice.post("issues", {"title": "A plain issue", "body": "Text", "labels": ["bug"]})["number"]
    box.alice.post("issues", {"title": ""}, expect=422)
    box.alice.patch(f"issues/{issue}", {"milestone": 1, "assignees": ["bob"]})
    box.alice.patch(f"issues/{issue}", {"state": "closed", "state_reason": "not_planned"})
    box.alice.get(f"issues/{issue}")
    box.alice.get("issues/1")
    box.alice.get("issues", params={"state": "all"})
    box.alice.post("issues/1/assignees", {"assignees": ["bob"]})
    box.alice.delete("issues/1/assignees", {"assignees": ["bob"]}, expect=200)
    box.alice.post("issues/1/labels", {"labels": ["bug", "ci: sev"]}, expect=200)
    box.alice.get("issues/1/labels")
    box.alice.put("issues/1/labels", {"labels": ["bug"]})
    box.alice.delete("issues/1/labels/bug", expect=200)
    box.alice.delete("issues/1/labels/bug", expect=404)
    box.alice.get("pulls/1")


def checking(box: Box) -> None:
    """Statuses and check runs."""
    head = box.tip("topic")
    box.alice.get(f"commits/{head}/status")
    box.alice.post(f"statuses/{head}", {"state": "pending", "context": "lint", "description": "Soon"})
    box.alice.post(f"statuses/{head}", {"state": "success", "context": "lint", "target_url": "http://ci.test/1"})
    box.alice.post(f"statuses/{head}", {"state": "great"}, expect=422)
    box.alice.get(f"commits/{head}/status")
    box.alice.get(f"commits/{head}/statuses")
    run = box.alice.post("check-runs", {"name": "build", "head_sha": head, "status": "in_progress"})["id"]
    box.alice.get(f"commits/{head}/check-suites")
    note = {"path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "No"}
    output = {"title": "Broken", "summary": "It broke", "annotations": [note]}
    box.alice.patch(f"check-runs/{run}", {"conclusion": "failure", "output": output})
    box.alice.get(f"check-runs/{run}")
    box.alice.get("check-runs/999", expect=404)
    box.alice.get(f"check-runs/{run}/annotations")
    box.alice.get(f"commits/{head}/check-runs")
    box.alice.get(f"commits/{head}/check-suites")


def actions(box: Box) -> None:
    """Jobs of GitHub Actions, which only GitHub's own CI makes: two attempts, their logs, and a run that is held."""
    head = str(box.tip("topic"))
    failed = box.server.job(REPO, head, "unit", "failure", log="It broke\n", annotations=["Exit code 1"]).id
    box.server.job(REPO, head, "unit", "success", attempt=2, log="It works\n")
    running = box.server.job(REPO, head, "slow", None, runner=None).id
    box.server.hold(REPO, head, "deploy")
    runs = box.alice.get("actions/runs", params={"head_sha": head})["workflow_runs"]
    run = runs[-1]["id"]
    box.alice.get("actions/runs", params={"status": "action_required"})
    box.alice.get(f"actions/runs/{run}")
    box.alice.get("actions/runs/999", expect=404)
    box.alice.get(f"actions/runs/{run}/attempts/2")
    box.alice.get(f"actions/runs/{run}/attempts/3", expect=404)
    box.alice.get(f"actions/runs/{run}/jobs", params={"filter": "all"})
    box.alice.get(f"actions/runs/{run}/attempts/1/jobs")
    box.alice.get(f"actions/jobs/{failed}")
    box.alice.get(f"actions/jobs/{running}")
    box.alice.get(f"actions/jobs/{running}/logs", expect=404)
    box.anonymous.get(f"actions/jobs/{failed}/logs", expect=403)
    assert box.alice.call("GET", f"actions/jobs/{failed}/logs").text == "It broke\n"
    box.alice.get(f"check-runs/{failed}/annotations")
    box.alice.get(f"commits/{head}/check-suites")


def rules(box: Box) -> None:
    """Branch protection and rulesets."""
    checks = {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "build"}]}}
    box.server.protect(
        REPO,
        "release",
        {"type": "pull_request", "parameters": {"required_approving_review_count": 1}},
        checks,
        "deletion",
        "creation",
        "update",
        "non_fast_forward",
        "required_linear_history",
        "required_signatures",
    )
    box.server.protect(REPO, "kept", checks, "deletion", classic=True)
    box.server.protect(REPO, "main", {"type": "pull_request", "parameters": {}}, "non_fast_forward", classic=True)
    box.alice.get("rules/branches/release")
    box.alice.get("rulesets")
    box.carol.get("branches/main/protection")
    box.dave.get("branches/main/protection", expect=403)
    box.alice.get("branches/main")


def merging(box: Box) -> None:
    """Merging, and every reason why not."""
    number = box.stack("below", "above")[0]
    box.alice.get(f"pulls/{number}/merge", expect=404)
    box.alice.put(f"pulls/{number}/merge", {"sha": ZEROS}, expect=409)
    box.alice.put(f"pulls/{number}/merge", {"merge_method": "guess"}, expect=422)
    box.alice.put(f"pulls/{number + 1}/update-branch", {}, expect=422)
    box.carol.put(f"pulls/{number}/merge", {"merge_method": "squash", "commit_title": "Squashed"})
    box.carol.put(f"pulls/{number}/merge", {}, expect=405)
    box.alice.get(f"pulls/{number}/merge", expect=204)
    box.alice.get(f"pulls/{number}")
    box.alice.patch(f"pulls/{number + 1}", {"base": "main"})
    box.alice.put(f"pulls/{number + 1}/update-branch", {}, expect=202)


def native_stacks(box: Box) -> None:
    """Native stacks and asynchronous merges."""
    box.alice.get("stacks", expect=404)
    box.server.settings(REPO, stacks_enabled=True)
    numbers = box.stack("one", "two", "three")
    box.alice.get("stacks")
    box.alice.post("stacks", {"pull_requests": [numbers[1], numbers[0]]}, expect=422)
    stack = box.alice.post("stacks", {"pull_requests": numbers[:2]})["number"]
    box.alice.get("stacks", params={"pull_request": numbers[0]})
    box.alice.get(f"stacks/{stack}")
    box.alice.get("stacks/999", expect=404)
    box.alice.post(f"stacks/{stack}/add", {"pull_requests": [numbers[2]]}, expect=200)
    box.alice.get(f"pulls/{numbers[0]}")
    box.alice.patch(f"pulls/{numbers[0]}", {"base": "main"}, expect=422)
    box.alice.put(f"pulls/{numbers[0]}/merge", {}, expect=403)
    asked = {"merge_method": "squash", "sha": box.tip("one")}
    merge = box.carol.put(f"pulls/{numbers[0]}/merge-async", asked, expect=202)
    box.carol.put(f"pulls/{numbers[0]}/merge-async", asked, expect=409)
    box.carol.put(f"pulls/{numbers[1]}/merge-async", {**asked, "sha": ZEROS}, expect=400)
    key = merge["details"]["uuid"]
    for _look in range(4):
        box.carol.get(f"pulls/{numbers[0]}/merge-async/{key}")
    box.carol.get(f"pulls/{numbers[0]}/merge-async/nothing", expect=404)
    box.alice.call("POST", f"stacks/{stack}/unstack")


def waiting(box: Box) -> None:
    """A pull request that waits for auto-merge, and one that waits in a queue; what only GraphQL can do."""
    ci = {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "ci"}]}}
    box.server.protect(REPO, "held", ci)
    box.server.protect(REPO, "queued", {"type": "merge_queue", "parameters": {}}, ci)
    for name in ("held", "queued"):
        box.alice.branch(f"for-{name}", "origin/main", {f"{name}.txt": name})
        box.alice.push(f"for-{name}", f"origin/main:refs/heads/{name}")
    held, queued = (box.alice.open(f"for-{name}", name) for name in ("held", "queued"))
    _on_pull(box, "enablePullRequestAutoMerge", held, mergeMethod="SQUASH")
    _on_pull(box, "disablePullRequestAutoMerge", held)
    _on_pull(box, "enablePullRequestAutoMerge", held, mergeMethod="REBASE")
    box.alice.get(f"pulls/{held}")
    _on_pull(box, "enablePullRequestAutoMerge", queued)
    box.alice.post(f"statuses/{box.tip('for-queued')}", {"state": "success", "context": "ci"})
    _on_pull(box, "dequeuePullRequest", queued)
    _on_pull(box, "enqueuePullRequest", queued)
    box.alice.get("rules/branches/queued")


def _on_pull(box: Box, change: str, number: int, **more: str) -> None:
    """A GraphQL mutation of a pull request, which must work."""
    node = box.alice.get(f"pulls/{number}")["node_id"]
    key = "id" if change == "dequeuePullRequest" else "pullRequestId"
    given = ", ".join([f'{key}: "{node}"', *(f"{name}: {value}" for name, value in more.items())])
    query = f"mutation {{{change}(input: {{{given}}}) {{clientMutationId}}}}"
    answer = box.alice.session.post(f"{box.server.url}/api/graphql", json={"query": query}, timeout=30).json()
    assert "errors" not in answer, answer


def upheavals(box: Box) -> None:
    """What pushes and deletions do to pull requests, and drafts, which only GraphQL knows."""
    numbers = box.stack("low", "middle", "high")
    for change in ("convertPullRequestToDraft", "markPullRequestReadyForReview"):
        _on_pull(box, change, numbers[2])
    box.alice.branch("high", "origin/main", {"other.txt": "rewritten\n"})
    box.alice.push("+high")
    box.carol.patch("", {"delete_branch_on_merge": True})
    box.carol.put(f"pulls/{numbers[0]}/merge", {"merge_method": "squash"})
    box.alice.push(":middle")
    box.alice.branch("left")
    box.alice.branch("base")
    box.alice.push("left", "base")
    box.alice.open("left", "base")
    box.alice.clone.git("fetch", "-q")
    box.alice.push("+origin/main~1:refs/heads/base")
    box.alice.push(":base")


STOPS: tuple[Callable[[Box], None], ...] = (
    people_and_places,
    branches_and_refs,
    commits_and_files,
    pull_requests,
    reviewing,
    conversation,
    checking,
    actions,
    rules,
    merging,
    waiting,
    upheavals,
    native_stacks,
)


def travel(box: Box) -> Recorder:
    """Make the whole tour, in order."""
    accounts.add_user(box.server.engine, "erin")
    recorder = Recorder(box)
    for stop in STOPS:
        stop(box)
    return recorder
