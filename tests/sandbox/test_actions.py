"""GitHub Actions: jobs in several attempts, their logs, and runs that wait for approval."""

from __future__ import annotations

from typing import Any

import requests

from stackr.sandbox.clock import ManualClock
from tests.support.graphql import data, errors
from tests.support.sandbox import REPO, Box

EVIDENCE = """query($o: GitObjectID!) {repository(owner: "acme", name: "widgets") {object(oid: $o) {... on Commit {
  statusCheckRollup {contexts(first: 9) {nodes {... on CheckRun {
    id databaseId name conclusion detailsUrl annotations(first: 9) {nodes {annotationLevel message path}}
    steps(first: 9) {nodes {number name status conclusion}}
    checkSuite {workflowRun {databaseId workflow {name}} checkRuns(
      first: 1, filterBy: {checkType: ALL, checkName: "unit", conclusions: [SUCCESS]}) {totalCount}}}}}}
  checkSuites(first: 9) {nodes {app {slug} status conclusion url checkRuns(first: 1) {totalCount}}}}}}}"""


def commit(box: Box) -> str:
    """A commit on a branch, pushed."""
    oid = box.alice.branch("feature")
    box.alice.push("feature")
    return oid


def test_a_job_is_a_check_run_of_a_workflow_under_one_number(box: Box) -> None:
    oid = commit(box)
    job = box.server.job(REPO, oid, "unit", "failure", annotations=["Process completed with exit code 1."])
    box.server.job(REPO, oid, "unit", "success", workflow="nightly")
    commit_ = data(box.alice, EVIDENCE, o=oid)["repository"]["object"]
    shown, nightly = commit_["statusCheckRollup"]["contexts"]["nodes"]
    run = shown["checkSuite"]["workflowRun"]
    assert (shown["databaseId"], shown["name"], run["workflow"]) == (job.id, "unit", {"name": "CI"})
    assert shown["detailsUrl"] == f"{box.server.url}/{REPO}/actions/runs/{run['databaseId']}/job/{job.id}"
    assert shown["annotations"]["nodes"] == [
        {"annotationLevel": "FAILURE", "message": "Process completed with exit code 1.", "path": ".github"}
    ]
    assert [step["conclusion"] for step in shown["steps"]["nodes"]] == ["SUCCESS", "FAILURE"]
    assert (shown["checkSuite"]["checkRuns"], nightly["checkSuite"]["checkRuns"]) == (
        {"totalCount": 0},
        {"totalCount": 1},
    )
    asked = box.alice.get(f"actions/jobs/{job.id}")
    assert (asked["run_id"], asked["html_url"], asked["run_attempt"]) == (run["databaseId"], shown["detailsUrl"], 1)
    assert box.alice.get(f"check-runs/{job.id}")["app"]["slug"] == "github-actions"


def test_every_attempt_of_a_job_stays_with_its_run(box: Box) -> None:
    oid = commit(box)
    first = box.server.job(REPO, oid, "unit", "failure").id
    second = box.server.job(REPO, oid, "unit", "success", attempt=2).id
    lint = box.server.job(REPO, oid, "lint", "success").id
    (run,) = box.alice.get("actions/runs", params={"head_sha": oid})["workflow_runs"]
    assert (run["run_attempt"], run["conclusion"]) == (2, "success")

    def jobs(path: str, **params: str) -> list[tuple[int, int]]:
        found = box.alice.get(f"actions/runs/{run['id']}/{path}", params=params)["jobs"]
        return [(job["id"], job["run_attempt"]) for job in found]

    assert jobs("jobs") == [(second, 2), (lint, 1)]
    assert jobs("jobs", filter="all") == [(first, 1), (second, 2), (lint, 1)]
    assert (jobs("attempts/1/jobs"), jobs("attempts/2/jobs")) == ([(first, 1), (lint, 1)], [(second, 2)])
    box.alice.get(f"actions/runs/{run['id']}/attempts/3/jobs", expect=404)
    earlier = box.alice.get(f"actions/runs/{run['id']}/attempts/2")["previous_attempt_url"]
    assert earlier.endswith(f"actions/runs/{run['id']}/attempts/1")
    (shown,) = [
        node
        for node in data(box.alice, EVIDENCE, o=oid)["repository"]["object"]["statusCheckRollup"]["contexts"]["nodes"]
        if node["name"] == "unit"
    ]
    assert (shown["databaseId"], shown["checkSuite"]["checkRuns"]) == (second, {"totalCount": 1})


def test_a_log_lies_elsewhere_for_a_minute_and_takes_no_token(box: Box) -> None:
    box.server.engine.clock = clock = ManualClock()
    oid = commit(box)
    job = box.server.job(REPO, oid, "unit", "failure", log="2026-12-01 It broke\n").id
    gone = box.server.job(REPO, oid, "old", "failure", log="Long ago\n", expired=True).id
    running = box.server.job(REPO, oid, "slow", None, log="So far\n").id

    def asked(number: int) -> requests.Response:
        return box.alice.call("GET", f"actions/jobs/{number}/logs", allow_redirects=False)

    answer = asked(job)
    place = answer.headers["Location"]
    assert (answer.status_code, answer.content) == (302, b"")
    assert place.startswith("http://localhost:")
    assert requests.get(place, timeout=30).text == "2026-12-01 It broke\n"
    assert requests.get(place, timeout=30, headers={"Authorization": "bearer x"}).status_code == 403
    assert requests.get(place.replace(f"/{job}/", f"/{gone}/"), timeout=30).status_code == 403
    clock.sleep(61)
    assert requests.get(place, timeout=30).status_code == 403
    assert [asked(number).status_code for number in (gone, running, 999)] == [410, 404, 404]
    refusal = box.anonymous.get(f"actions/jobs/{job}/logs", expect=403)
    assert refusal["message"] == "Must have admin rights to Repository."


def test_a_token_without_actions_or_checks_reads_neither(box: Box) -> None:
    oid = commit(box)
    job = box.server.job(REPO, oid, "unit", "failure", log="It broke\n").id
    node = box.alice.get(f"check-runs/{job}")["node_id"]
    token = box.server.add_user("alice", kind="fine-grained", reads_checks=False, reads_actions=False)
    box.alice.session.headers["Authorization"] = f"bearer {token}"
    answer = box.alice.call("GET", f"actions/jobs/{job}/logs")
    assert (answer.status_code, answer.headers["X-Accepted-GitHub-Permissions"]) == (403, "actions=read")
    box.alice.get("actions/runs", expect=403)
    box.alice.get(f"check-runs/{job}/annotations", expect=403)
    text = "Resource not accessible by personal access token"
    assert errors(box.alice, "query($i: ID!) {node(id: $i) {id}}", i=node) == [("FORBIDDEN", ["node"], text)]


def test_a_run_that_waits_for_approval_has_no_jobs(box: Box) -> None:
    oid = commit(box)
    control = f"{box.server.url}/_sandbox/repos/{REPO}"

    def post(what: str, **body: Any) -> int:
        answer = requests.post(f"{control}/{what}", json={"oid": oid, **body}, timeout=30)
        assert answer.status_code == 200, answer.text
        return int(answer.json()["id"])

    post("held", workflow="CI")
    post("held", workflow="deploy", status="waiting")
    suites = data(box.alice, EVIDENCE, o=oid)["repository"]["object"]["checkSuites"]["nodes"]
    assert [(s["app"]["slug"], s["status"], s["conclusion"], s["checkRuns"]["totalCount"]) for s in suites] == [
        ("github-actions", "COMPLETED", "ACTION_REQUIRED", 0),
        ("github-actions", "WAITING", None, 0),
    ]
    held = box.alice.get("actions/runs", params={"status": "action_required"})["workflow_runs"]
    assert [(run["name"], run["status"], run["conclusion"]) for run in held] == [("CI", "completed", "action_required")]
    job = post("jobs", name="unit", conclusion="success", workflow="CI")  # approved
    assert box.alice.get(f"actions/runs/{held[0]['id']}/jobs")["jobs"][0]["id"] == job
    assert box.alice.get(f"actions/runs/{held[0]['id']}")["conclusion"] == "success"
    assert requests.get(f"{control}/queue/1", timeout=30).json() == {"oid": None}
    answer = requests.post(f"{control}/jobs", json={"oid": "1" * 40, "name": "x", "conclusion": None}, timeout=30)
    assert answer.status_code == 422
