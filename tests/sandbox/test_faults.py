"""The fault plan on the wire: every kind, before and after the effect, on REST, GraphQL and git."""

from __future__ import annotations

import json
import threading

import pytest
import requests

from stackr.sandbox.app import create_flask
from stackr.sandbox.errors import ApiError
from stackr.sandbox.faults import Fault
from tests.support.sandbox import Box


def _comment(box: Box, number: int) -> requests.Response:
    return box.alice.call("POST", f"issues/{number}/comments", {"body": "Hello"})


def _comments(box: Box, number: int) -> int:
    return len(box.bob.get(f"issues/{number}/comments"))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("kind", "status"), [("500", 500), ("502-html", 502), ("401", 401), ("403-sso", 403), ("429", 429)]
)
def test_a_failing_answer_has_its_effect_only_after(box: Box, kind: str, status: int, when: str) -> None:
    (number,) = box.stack("feature")
    box.server.faults.add(kind, when=when, selector="write", value=7)
    response = _comment(box, number)
    assert response.status_code == status
    assert _comments(box, number) == (when == "after")
    if kind == "429":
        assert response.headers["Retry-After"] == "7"
    if kind == "403-sso":
        assert "url=" in response.headers["X-GitHub-SSO"]
    if kind == "502-html":
        assert response.text.startswith("<!DOCTYPE html>")
    assert _comment(box, number).status_code == 201, "only one request is struck"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_dropped_connection_says_nothing(box: Box, when: str) -> None:
    (number,) = box.stack("feature")
    box.server.faults.add("drop", when=when, selector="write")
    with pytest.raises(requests.ConnectionError):
        _comment(box, number)
    assert _comments(box, number) == (when == "after")
    assert [entry.fault for entry in box.server.log.api() if entry.fault] == [f"drop {when}"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_cut_answer_ends_in_the_middle(box: Box, when: str) -> None:
    (number,) = box.stack("feature")
    box.server.faults.add("cut-json", when=when, selector="write")
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        _comment(box, number)
    assert _comments(box, number) == (when == "after")


def test_the_kth_of_several_and_several_in_a_row(box: Box) -> None:
    box.server.faults.add("500", k=2, selector="read", times=2)
    statuses = [box.alice.call("GET", "/user").status_code for _ in range(5)]
    assert statuses == [200, 500, 500, 200, 200]
    assert box.server.faults.pending() == []


def test_a_held_request_waits_until_it_is_released(box: Box) -> None:
    (number,) = box.stack("feature")
    held = box.server.faults.add("hold", selector="write", when="after")
    answers: list[int] = []
    thread = threading.Thread(target=lambda: answers.append(_comment(box, number).status_code))
    thread.start()
    assert held.reached.wait(10)
    assert (_comments(box, number), answers) == (1, [])
    held.release()
    thread.join(10)
    assert answers == [201]


def test_a_client_that_dies_while_held_harms_nobody(box: Box) -> None:
    held = box.server.faults.add("hold", selector="api")
    with pytest.raises(requests.Timeout):
        box.alice.session.get(f"{box.server.url}/api/v3/user", timeout=0.2)
    assert held.reached.wait(10)
    held.release()
    assert box.bob.get("/user")["login"] == "bob"


def test_somebody_else_acts_at_the_moment_chosen(box: Box) -> None:
    box.alice.branch("feature")
    box.alice.push("feature")
    box.server.on(1, "write", lambda: box.bob.patch("pulls/1", {"body": "Edited by bob"}))
    number = box.alice.open("feature")
    assert box.alice.get(f"pulls/{number}")["body"] == "Edited by bob"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_push_fails_before_or_after_its_refs_moved(box: Box, when: str) -> None:
    box.alice.branch("feature")
    box.server.faults.add("500", selector="push", when=when)
    assert "HTTP 500" in box.alice.refused("origin", "feature")
    assert (box.tip("feature") is not None) == (when == "after")


def test_a_dropped_push_can_have_taken_effect(box: Box) -> None:
    (number,) = box.stack("feature")
    tip = box.alice.clone.commit("More")
    box.server.faults.add("drop", selector="push", when="after")
    box.alice.refused("origin", "feature")
    assert (box.tip("feature"), box.pull(number).head_oid) == (tip, tip)


def test_a_fetch_can_fail_too(box: Box) -> None:
    assert box.alice.clone.oid()
    box.server.faults.add("401", selector="git")
    assert box.alice.clone.git("ls-remote", "origin", check=False) == ""


def test_graphql_mutations_count_as_writes_and_queries_do_not(box: Box) -> None:
    url = f"{box.server.url}/api/graphql"
    box.server.faults.add("500", selector="mutation")

    def ask(query: object) -> int:
        return box.alice.session.post(url, json={"query": query}, timeout=10).status_code

    query = "query mutationFree { viewer { login } } # mutation {"
    fields = 'addComment(input: {subjectId: "x", body: "y"}) { clientMutationId }'
    mutation = f"fragment F on User {{ login }}\nmutation M {{ {fields} }}"
    assert ask(query) != 500
    assert ask(7) != 500
    assert ask(mutation) == 500
    for data in (b"no json", b"[]"):
        assert box.alice.session.post(url, data=data, timeout=10).status_code != 500


def test_slow_requests_and_latency_use_the_clock(box: Box) -> None:
    box.server.faults.add("slow", value=30)
    box.server.engine.settings.latency_ms = 20
    assert box.alice.call("GET", "/user").elapsed.total_seconds() >= 0.05
    assert box.alice.call("GET", "/user").elapsed.total_seconds() >= 0.02
    assert box.server.log.api()[-2].seconds >= 0.05


def test_a_write_that_takes_too_long_is_cut_with_a_page(box: Box) -> None:
    (number,) = box.stack("feature")
    box.server.engine.settings.mutation_ms = 50
    box.server.engine.settings.time_limit_s = 0.02
    response = _comment(box, number)
    assert (response.status_code, response.headers["Content-Type"]) == (502, "text/html; charset=utf-8")
    assert _comments(box, number) == 0, "reads have no server time of their own"


def test_plans_that_make_no_sense_are_refused(box: Box) -> None:
    for plan in ({"kind": "explode"}, {"kind": "500", "when": "never"}, {"kind": "500", "selector": "some"}):
        with pytest.raises(ApiError, match="unknown fault setting"):
            box.server.faults.add(**plan)  # type: ignore[arg-type]


def test_selectors(box: Box) -> None:
    box.alice.branch("feature")
    box.alice.push("feature")
    box.alice.open("feature")
    entries = box.server.log.entries()
    for selector, wanted in [
        ("any", len(entries)),
        ("api", 1),
        ("git", len(entries) - 1),
        ("write", 2),
        ("push", 1),
        ("mutation", 1),
        ("read", len(entries) - 2),
    ]:
        assert sum(Fault("500", selector=selector).matches(entry) for entry in entries) == wanted, selector


# -- the control API -----------------------------------------------------------------------------------


def _control(box: Box, method: str, path: str, body: object = None) -> requests.Response:
    return requests.request(method, f"{box.server.url}/_sandbox/{path}", json=body, timeout=10)


def test_faults_are_planned_over_http(box: Box) -> None:
    planned = _control(box, "POST", "faults", {"kind": "500", "selector": "api"}).json()["id"]
    assert box.alice.call("GET", "/user").status_code == 500
    (listed,) = _control(box, "GET", "faults").json()
    assert (listed["id"], listed["struck"], listed["reached"]) == (planned, 1, True)
    assert _control(box, "POST", f"faults/{planned}/release").status_code == 200
    assert _control(box, "POST", "faults/99/release").status_code == 404
    assert _control(box, "DELETE", "faults").json() == {}
    assert _control(box, "GET", "faults").json() == []
    unknown = _control(box, "POST", "faults", {"kind": "500", "colour": "red"})
    assert (unknown.status_code, "colour" in unknown.json()["message"]) == (422, True)


def test_the_log_and_the_world_are_there_over_http(box: Box) -> None:
    box.alice.get("/user")
    log = _control(box, "GET", "log").json()
    assert log["counts"]["api"] == 1
    assert log["entries"][0]["path"] == "/api/v3/user"
    _control(box, "DELETE", "log")
    assert json.loads(_control(box, "GET", "log").text)["entries"] == []
    assert _control(box, "PATCH", "settings", {"latency_ms": 5}).json()["latency_ms"] == 5
    assert _control(box, "PATCH", "limits", {"enabled": True}).json()["enabled"] is True
    assert _control(box, "PATCH", "repos/acme/widgets", {"stacks_enabled": True}).json()["stacks_enabled"] is True
    assert _control(box, "PATCH", "repos/acme/none", {"stacks_enabled": True}).status_code == 404
    rules = {"patterns": ["main"], "rules": [{"type": "deletion"}]}
    assert _control(box, "POST", "repos/acme/widgets/rulesets", rules).json()["id"] == 1
    check = {"oid": box.tip("main"), "name": "ci", "conclusion": "success", "log": "all good"}
    assert _control(box, "POST", "repos/acme/widgets/checks", check).json()["id"] == 1
    assert box.server.engine.store.check_runs.need(1).log == "all good"


def test_only_this_machine_controls_it(box: Box) -> None:
    client = create_flask(box.server.engine).test_client()
    answer = client.get("/_sandbox/log", environ_overrides={"REMOTE_ADDR": "192.0.2.7"})
    assert answer.status_code == 403
