"""Native stacks and merging in the background."""

from __future__ import annotations

from typing import Any

import pytest

from stackr.sandbox import asyncmerge
from tests.support.graphql import on_pull, said
from tests.support.sandbox import REPO, Box


@pytest.fixture
def stacked(box: Box) -> Box:
    box.server.settings(REPO, stacks_enabled=True)
    return box


def _poll(box: Box, number: int, **body: Any) -> dict[str, Any]:
    asked = box.alice.put(f"pulls/{number}/merge-async", {"merge_method": "squash", **body}, expect=202)
    key = asked["details"]["uuid"]
    assert (asked["status"], asked["details"]["expected_head_sha"]) == ("pending", box.pull(number).head_oid)
    seen = [box.alice.get(f"pulls/{number}/merge-async/{key}") for _ in range(2)]
    assert seen[0]["status"] == "pending"
    return dict(seen[1])


def test_where_it_is_not_enabled_everything_is_404(box: Box) -> None:
    numbers = box.stack("a", "b")
    box.alice.get("stacks", expect=404)
    box.alice.post("stacks", {"pull_requests": numbers}, expect=404)
    box.alice.get("stacks/1", expect=404)
    box.alice.put(f"pulls/{numbers[0]}/merge-async", {}, expect=404)
    box.alice.get(f"pulls/{numbers[0]}/merge-async/x", expect=404)


def test_a_stack_is_registered_read_and_shown_on_its_members(stacked: Box) -> None:
    numbers = stacked.stack("a", "b")
    made = stacked.alice.post("stacks", {"pull_requests": numbers})
    assert ([p["number"] for p in made["pull_requests"]], made["base"], made["open"]) == (
        numbers,
        {"ref": "main"},
        True,
    )
    shown = stacked.alice.get(f"pulls/{numbers[1]}")["stack"]
    assert shown == {
        "id": made["id"],
        "number": 1,
        "size": 2,
        "position": 2,
        "base": {"ref": "main", "sha": stacked.tip("main")},
    }
    assert stacked.alice.get("stacks/1")["number"] == 1
    assert [s["number"] for s in stacked.alice.get(f"stacks?pull_request={numbers[0]}")] == [1]
    assert stacked.alice.get("stacks?pull_request=99") == []
    assert len(stacked.alice.get("stacks")) == 1


def test_what_is_no_stack_is_refused(stacked: Box) -> None:
    numbers = stacked.stack("a", "b", "c")
    lone = stacked.stack("lone")[0]

    def refused(*chain: Any) -> str:
        error = stacked.alice.post("stacks", {"pull_requests": list(chain)}, expect=422)
        return str(error["errors"][0]["message"]) if "errors" in error else str(error["message"])

    assert refused(numbers[0]) == "A stack must have between 2 and 100 pull requests"
    assert refused(numbers[0], numbers[0]) == "Pull requests must be unique"
    assert refused(numbers[0], 99) == "Pull request #99 could not be found"
    assert "must be based on a" in refused(numbers[0], numbers[2])
    assert "are integers" in refused("1", "2")
    stacked.alice.post("stacks", {"pull_requests": numbers[:2]})
    assert "already part of a stack" in refused(numbers[1], numbers[2])
    stacked.alice.patch(f"pulls/{lone}", {"state": "closed"})
    assert "is not open" in refused(lone, numbers[2])
    stacked.dave.post("stacks", {"pull_requests": numbers}, expect=403)


def test_pull_requests_are_added_on_top_only(stacked: Box) -> None:
    a, b, c, d = stacked.stack("a", "b", "c", "d")
    stacked.alice.post("stacks", {"pull_requests": [a, b]})
    assert stacked.alice.post("stacks/1/add", {"pull_requests": [d]}, expect=422)
    grown = stacked.alice.post("stacks/1/add", {"pull_requests": [c, d]}, expect=200)
    assert [p["number"] for p in grown["pull_requests"]] == [a, b, c, d]
    stacked.alice.post("stacks/1/add", {"pull_requests": []}, expect=422)
    stacked.alice.post("stacks/9/add", {"pull_requests": [d]}, expect=404)


def test_a_fork_cannot_be_in_a_stack(stacked: Box) -> None:
    a, b = stacked.stack("a", "b")
    with stacked.server.engine.transaction():
        stacked.pull(b).head_repo_id = None
    error = stacked.alice.post("stacks", {"pull_requests": [a, b]}, expect=422)
    assert error["errors"][0]["message"] == f"Pull request #{b} is from a fork"


def test_in_a_stack_any_base_is_refused_while_the_title_applies(stacked: Box) -> None:
    """Mergifyio/mergify-cli#1762."""
    a, b = stacked.stack("a", "b")
    stacked.alice.post("stacks", {"pull_requests": [a, b]})
    stacked.alice.patch(f"pulls/{b}", {"title": "New", "base": "a"}, expect=422)
    assert stacked.alice.get(f"pulls/{b}")["title"] == "New"
    refused = stacked.alice.put(f"pulls/{a}/merge", {}, expect=403)
    assert refused["message"] == (
        "Merging stacked PRs via this endpoint is not supported. Use the asynchronous merge endpoint instead."
    )
    text = said(on_pull(stacked.alice, "mergePullRequest", a))
    assert text is not None and text.startswith(
        "This pull request is part of a stack and must be merged using the asynchronous merge REST API."
    )


def test_unstacking_dissolves_and_frees_the_members(stacked: Box) -> None:
    a, b = stacked.stack("a", "b")
    stacked.alice.post("stacks", {"pull_requests": [a, b]})
    stacked.alice.post("stacks/1/unstack", expect=204)
    stacked.alice.get("stacks/1", expect=404)
    assert stacked.alice.get(f"pulls/{a}")["stack"] is None
    stacked.alice.patch(f"pulls/{b}", {"base": "main"})
    assert stacked.events(a) == ["added_to_stack", "removed_from_stack"]


def test_what_is_merged_or_queued_stays_in_a_stack(stacked: Box) -> None:
    checks = {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "ci"}]}}
    stacked.server.protect(REPO, "main", {"type": "merge_queue"}, checks)
    a, b, c = stacked.stack("a", "b", "c")
    stacked.alice.post("stacks", {"pull_requests": [a, b, c]})
    for name in ("a", "b"):
        stacked.alice.post(f"statuses/{stacked.tip(name)}", {"state": "success", "context": "ci"})
    assert _poll(stacked, b, merge_method="default")["status"] == "enqueued"
    left = stacked.alice.post("stacks/1/unstack", expect=200)
    assert [pull["number"] for pull in left["pull_requests"]] == [a, b]
    refused = stacked.alice.post("stacks/1/unstack", expect=422)
    assert "cannot be removed" in refused["errors"][0]["message"]


def test_merging_one_merges_everything_below_and_retargets_what_is_above(stacked: Box) -> None:
    stacked.server.settings(REPO, delete_branch_on_merge=True)
    a, b, c = stacked.stack("a", "b", "c")
    stacked.alice.post("stacks", {"pull_requests": [a, b, c]})
    done = _poll(stacked, b)
    assert (done["status"], done["details"]["sha"]) == ("merged", stacked.tip("main"))
    assert [stacked.state(n) for n in (a, b, c)] == ["merged", "merged", "open"]
    assert stacked.pull(c).base_ref == "main"
    assert (stacked.tip("a"), stacked.tip("b")) == (None, None)
    git = stacked.server.engine.git(stacked.repo)
    assert [git.need(oid).headline for oid in git.graph.history(str(stacked.tip("main")), 2)] == [
        f"Change b (#{b})",
        f"Change a (#{a})",
    ]
    left = stacked.alice.post("stacks/1/unstack", expect=200)
    assert [p["number"] for p in left["pull_requests"]] == [a, b]
    again = stacked.alice.put(f"pulls/{b}/merge-async", {})
    assert again["details"]["message"] == "Pull request is already merged."
    stacked.alice.post("stacks/1/add", {"pull_requests": [c]}, expect=422)  # complete: nothing comes on top any more


@pytest.mark.parametrize("method", ["merge", "rebase"])
def test_the_other_methods_land_a_stack_too(stacked: Box, method: str) -> None:
    a, b = stacked.stack("a", "b")
    stacked.alice.post("stacks", {"pull_requests": [a, b]})
    assert _poll(stacked, b, merge_method=method)["status"] == "merged"
    assert [stacked.state(n) for n in (a, b)] == ["merged", "merged"]


def test_a_pull_request_outside_a_stack_merges_in_the_background_too(stacked: Box) -> None:
    (number,) = stacked.stack("feature")
    assert _poll(stacked, number)["status"] == "merged"


def test_what_is_not_ready_is_told_at_once(stacked: Box) -> None:
    (number,) = stacked.stack("feature")
    path = f"pulls/{number}/merge-async"
    queue = stacked.alice.put(path, {"merge_action": "merge_queue"}, expect=400)
    assert queue["status"] == "failed"
    stale = stacked.alice.put(path, {"sha": "1" * 40}, expect=400)
    assert stale["details"]["message"].startswith("Head branch was modified.")
    with stacked.server.engine.transaction():
        stacked.pull(number).draft = True
    assert "draft" in stacked.alice.put(path, {}, expect=400)["details"]["message"]
    stacked.alice.patch(f"pulls/{number}", {"state": "closed"})
    assert "closed" in stacked.alice.put(path, {}, expect=400)["details"]["message"]
    stacked.alice.get(f"{path}/none", expect=404)
    stacked.alice.put(path, {"merge_action": "magic"}, expect=422)


def test_a_second_request_gets_the_running_one(stacked: Box) -> None:
    (number,) = stacked.stack("feature")
    first = stacked.alice.put(f"pulls/{number}/merge-async", {}, expect=202)
    second = stacked.bob.put(f"pulls/{number}/merge-async", {}, expect=409)
    assert second["details"]["uuid"] == first["details"]["uuid"]


def test_a_push_in_between_cancels(stacked: Box) -> None:
    (number,) = stacked.stack("feature")
    key = stacked.alice.put(f"pulls/{number}/merge-async", {}, expect=202)["details"]["uuid"]
    stacked.alice.clone.commit("More")
    stacked.alice.push("feature")
    seen = [stacked.alice.get(f"pulls/{number}/merge-async/{key}") for _ in range(3)]
    assert [look["status"] for look in seen] == ["pending", "failed", "failed"]
    assert stacked.state(number) == "open"


def test_what_was_merged_by_another_way_meanwhile_is_merged(stacked: Box) -> None:
    a, b = stacked.stack("a", "b")
    stacked.alice.post("stacks", {"pull_requests": [a, b]})
    key = stacked.alice.put(f"pulls/{b}/merge-async", {}, expect=202)["details"]["uuid"]
    stacked.bob.clone.git("push", "-q", "origin", "origin/b:main")
    seen = [stacked.alice.get(f"pulls/{b}/merge-async/{key}") for _ in range(2)]
    assert [look["status"] for look in seen] == ["pending", "merged"]


def test_nobody_needs_to_look_for_it_to_happen(stacked: Box) -> None:
    (number,) = stacked.stack("feature")
    stacked.alice.put(f"pulls/{number}/merge-async", {}, expect=202)
    engine = stacked.server.engine
    (row,) = engine.store.async_merges.all()
    row.created_at = "2020-01-01T00:00:00Z"
    asyncmerge.run_due(engine)
    assert stacked.state(number) == "merged"


def test_a_stack_with_merge_commits_in_it_does_not_land(stacked: Box) -> None:
    a, b = stacked.stack("a", "b")
    clone = stacked.alice.clone
    clone.git("checkout", "-q", "a")
    clone.commit("Fix")
    clone.git("checkout", "-q", "b")
    clone.git("merge", "-q", "-m", "Take a in", "a")
    stacked.alice.push("a", "b")
    stacked.alice.post("stacks", {"pull_requests": [a, b]})
    failed = _poll(stacked, b)
    assert failed == {
        "status": "failed",
        "details": {"message": "The stack must have a linear history to be merged."},
    }


def test_a_stack_out_of_step_under_rules_or_in_draft_does_not_land(stacked: Box) -> None:
    a, b = stacked.stack("a", "b")
    stacked.alice.post("stacks", {"pull_requests": [a, b]})
    clone = stacked.alice.clone
    clone.git("checkout", "-q", "a")
    clone.commit("Fix")
    stacked.alice.push("a")
    assert f"#{b} is not based on the head of #{a}" in _poll(stacked, b)["details"]["message"]
    with stacked.server.engine.transaction():
        stacked.pull(a).draft = True
    assert f"#{a}: Pull request is in draft state." in _poll(stacked, b)["details"]["message"]
    with stacked.server.engine.transaction():
        stacked.pull(a).draft = False
    stacked.server.protect(REPO, "main", "update")
    assert "Cannot update this protected ref." in _poll(stacked, b)["details"]["message"]


def test_a_stack_whose_base_moved_must_be_rebased_first(stacked: Box) -> None:
    a, b = stacked.stack("a", "b")
    stacked.alice.post("stacks", {"pull_requests": [a, b]})
    stacked.bob.branch("main", files={"other.txt": "other\n"})
    stacked.bob.push("main")
    before = stacked.tip("main")
    text = "The stack is not based on the latest commit of its base branch; rebase the stack."
    assert _poll(stacked, b)["details"]["message"] == text
    assert ([stacked.state(n) for n in (a, b)], stacked.tip("main")) == (["open", "open"], before)


def test_every_member_is_held_to_the_rules_of_the_base_of_the_stack(stacked: Box) -> None:
    a, b = stacked.stack("a", "b")
    stacked.server.protect(REPO, "main", {"type": "pull_request", "parameters": {"required_approving_review_count": 1}})
    states = [stacked.alice.get(f"pulls/{b}")["mergeable_state"] for _look in range(2)]
    stacked.alice.post("stacks", {"pull_requests": [a, b]})
    states.append(stacked.alice.get(f"pulls/{b}")["mergeable_state"])
    assert states == ["unknown", "clean", "blocked"]
    stacked.bob.post(f"pulls/{a}/reviews", {"event": "APPROVE"}, expect=200)
    assert "At least 1 approving review is required" in _poll(stacked, b)["details"]["message"]


def test_github_rebases_what_is_left_of_a_stack_as_far_as_it_goes(stacked: Box) -> None:
    stacked.alice.branch("a", files={"README.md": "a\n"})
    stacked.alice.branch("b", "a", {"b.txt": "b\n"})
    stacked.alice.branch("c", "b", {"c.txt": "c\n"})
    stacked.alice.push("a", "b", "c")
    a, b, c = (stacked.alice.open(name, base) for name, base in (("a", "main"), ("b", "a"), ("c", "b")))
    stacked.alice.post("stacks", {"pull_requests": [a, b, c]})
    before = [stacked.tip(name) for name in ("b", "c")]
    assert _poll(stacked, a)["status"] == "merged"
    git = stacked.server.engine.git(stacked.repo)
    rebased = [git.need(stacked.tip(name) or "") for name in ("b", "c")]
    assert [info.oid for info in rebased] != before
    assert [info.parents for info in rebased] == [(stacked.tip("main"),), (rebased[0].oid,)]
    assert (stacked.pull(b).base_ref, stacked.pull(c).base_ref) == ("main", "b")
    assert [kind for kind in stacked.events(b) if kind != "added_to_stack"] == [
        "automatic_base_change_succeeded",
        "head_ref_force_pushed",
    ]
