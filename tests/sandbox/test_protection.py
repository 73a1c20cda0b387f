"""Rules for branches: what they say to a push, to the ref API and to a merge."""

from __future__ import annotations

from typing import Any

import pytest

from stackr.sandbox import protection
from stackr.sandbox.errors import ApiError
from tests.support.sandbox import REPO, Box

CHECKS: dict[str, Any] = {
    "type": "required_status_checks",
    "parameters": {"required_status_checks": [{"context": "ci"}], "strict_required_status_checks_policy": True},
}


def _review(**parameters: Any) -> dict[str, Any]:
    return {"type": "pull_request", "parameters": {"required_approving_review_count": 1, **parameters}}


def test_a_protected_branch_declines_a_push_in_githubs_words(box: Box) -> None:
    box.server.protect(REPO, "main", _review(), classic=True)
    box.alice.branch("main")
    said = box.alice.refused("origin", "main")
    assert "remote: error: GH006: Protected branch update failed for refs/heads/main." in said
    assert "remote: error: Changes must be made through a pull request." in said
    assert "! [remote rejected] main -> main (protected branch hook declined)" in said
    assert "hook declined to update" not in said


def test_a_ruleset_declines_a_push_in_githubs_words(box: Box) -> None:
    box.server.protect(REPO, "~DEFAULT_BRANCH", _review())
    box.alice.branch("main")
    said = box.alice.refused("origin", "main")
    assert "remote: error: GH013: Repository rule violations found for refs/heads/main." in said
    assert f"remote: Review all repository rules at {box.server.url}/{REPO}/rules?ref=refs%2Fheads%2Fmain" in said
    assert "remote: - Changes must be made through a pull request." in said
    assert "! [remote rejected] main -> main (push declined due to repository rule violations)" in said


def test_one_refused_ref_lets_the_others_through_unless_atomic(box: Box) -> None:
    box.server.protect(REPO, "main", "update")
    box.alice.branch("main")
    box.alice.branch("feature")
    said = box.alice.refused("--atomic", "origin", "main", "feature")
    assert "(atomic push failure)" in said
    assert box.tip("feature") is None
    box.alice.refused("origin", "main", "feature")
    assert box.tip("feature") is not None


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("creation", "Cannot create ref due to creations being restricted."),
        ("required_signatures", "Commits must have verified signatures."),
    ],
)
def test_new_branches_can_be_restricted(box: Box, rule: str, said: str) -> None:
    box.server.protect(REPO, "stackr/*", rule)
    box.alice.branch("stackr/alice/1")
    assert f"remote: - {said}" in box.alice.refused("origin", "stackr/alice/1")
    box.alice.push("stackr/alice/1:other")


def test_deleting_and_rewriting_can_be_restricted(box: Box) -> None:
    box.stack("feature")
    box.server.protect(REPO, "feature", "deletion", "non_fast_forward")
    assert "Cannot delete this branch" in box.alice.refused("origin", ":feature")
    box.alice.clone.commit("More")
    box.alice.push("feature")
    box.alice.clone.commit("Other", amend=True)
    assert "Cannot force-push to this branch" in box.alice.refused("origin", "+feature")


def test_linear_history_refuses_merges_even_those_that_other_branches_have(box: Box) -> None:
    box.server.protect(REPO, "linear*", "required_linear_history")
    box.alice.branch("side")
    box.alice.branch("linear", files={"l.txt": "l\n"})
    box.alice.push("linear")
    box.alice.clone.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert "This branch must not contain merge commits." in box.alice.refused("origin", "linear")
    assert "must not contain merge commits" in box.alice.refused("origin", "linear:linear-new")


def test_signed_commits_pass_where_signatures_are_required(box: Box) -> None:
    box.server.protect(REPO, "signed", "required_signatures")
    clone = box.alice.clone
    raw = clone.raw_commit("origin/main").replace(b"\n\n", b"\ngpgsig -----BEGIN\n x\n -----END\n\n", 1)
    raw = raw.replace(b"tree ", b"tree ", 1)
    box.alice.push(f"{clone.store(raw)}:refs/heads/signed")
    assert box.tip("signed") is not None


def test_required_checks_hold_for_pushes_too(box: Box) -> None:
    box.server.protect(REPO, "main", CHECKS)
    tip = box.alice.branch("main")
    assert 'Required status check "ci" is expected.' in box.alice.refused("origin", "main")
    box.alice.push("main:elsewhere")
    box.bob.post(f"statuses/{tip}", {"state": "pending", "context": "ci"})
    assert 'Required status check "ci" is pending.' in box.alice.refused("origin", "main")
    box.bob.post(f"statuses/{tip}", {"state": "success", "context": "ci"})
    box.alice.push("main")


def test_several_missing_checks_are_counted(box: Box) -> None:
    both = {"required_status_checks": [{"context": "ci"}, {"context": "lint"}]}
    box.server.protect(REPO, "main", {"type": "required_status_checks", "parameters": both})
    box.alice.branch("main")
    assert "2 of 2 required status checks are expected." in box.alice.refused("origin", "main")


def test_who_may_bypass_does(box: Box) -> None:
    bob = box.server.user("bob")
    protection.add_ruleset(
        box.server.engine, box.repo, ["main"], [{"type": "update"}, {"type": "required_signatures"}], bypass=[bob]
    )
    box.bob.branch("main")
    box.bob.push("main")
    box.alice.clone.git("fetch", "-q", "origin")
    box.alice.branch("main", "origin/main")
    box.alice.refused("origin", "main")


def test_a_hook_that_declines_everything(box: Box) -> None:
    box.server.settings(REPO, declined_message="policy: no pushes on Tuesdays")
    box.alice.branch("feature")
    said = box.alice.refused("origin", "feature")
    assert "remote: policy: no pushes on Tuesdays" in said
    assert "! [remote rejected] feature -> feature (pre-receive hook declined)" in said


def test_the_ref_api_obeys_the_same_rules(box: Box) -> None:
    box.stack("feature")
    box.server.protect(REPO, "main", "update", classic=True)
    box.server.protect(REPO, "linear", "required_linear_history")
    box.server.protect(REPO, "feature", "non_fast_forward")
    error = box.alice.patch("git/refs/heads/main", {"sha": box.tip("feature")}, expect=422)
    assert error["message"].startswith("Protected branch update failed for refs/heads/main.")
    clone = box.alice.clone
    clone.git("checkout", "-q", "-B", "m", "origin/main")
    clone.commit("Side")
    clone.git("merge", "-q", "--no-ff", "-m", "Merge", "feature")
    box.alice.push("m")
    refused = box.alice.post("git/refs", {"ref": "refs/heads/linear", "sha": box.tip("m")}, expect=422)
    assert "This branch must not contain merge commits." in refused["message"]
    back = {"sha": box.tip("main"), "force": True}
    assert "Cannot force-push" in box.alice.patch("git/refs/heads/feature", back, expect=422)["message"]


def test_rules_are_listed_also_for_branches_that_do_not_exist(box: Box) -> None:
    ruleset = box.server.protect(REPO, "refs/heads/stackr/*", "creation", _review())
    box.server.protect(REPO, "~ALL", "deletion", classic=True)
    listed = box.dave.get("rules/branches/stackr/alice/none-yet")
    assert listed[0] == {
        "type": "creation",
        "ruleset_source_type": "Repository",
        "ruleset_source": REPO,
        "ruleset_id": ruleset.id,
    }
    assert listed[1]["parameters"]["required_approving_review_count"] == 1
    assert box.dave.get("rules/branches/other") == []
    assert [row["name"] for row in box.dave.get("rulesets")] == ["rules"]
    with box.server.engine.transaction():
        ruleset.enforcement = "disabled"
    assert box.dave.get("rules/branches/stackr/x") == []


def test_old_style_protection_is_read_by_administrators(box: Box) -> None:
    assert box.carol.get("branches/main/protection", expect=404)["message"] == "Branch not protected"
    box.server.protect(REPO, "main", _review(), CHECKS, "deletion", classic=True)
    found = box.carol.get("branches/main/protection")
    assert found["required_status_checks"]["contexts"] == ["ci"]
    assert found["required_pull_request_reviews"]["required_approving_review_count"] == 1
    assert (found["allow_deletions"]["enabled"], found["allow_force_pushes"]["enabled"]) == (False, True)
    box.alice.get("branches/main/protection", expect=403)
    branch = box.alice.get("branches/main")
    assert (branch["protected"], branch["protection"]["required_status_checks"]["contexts"]) == (True, ["ci"])
    assert [row["protected"] for row in box.alice.get("branches?protected=true")] == [True]


def test_several_rules_of_a_kind_join_to_the_strictest(box: Box) -> None:
    box.server.protect(REPO, "main", _review(dismiss_stale_reviews_on_push=True), CHECKS)
    box.server.protect(REPO, "main", _review(required_approving_review_count=2))
    lint = {"required_status_checks": [{"context": "ci"}, {"context": "lint"}]}
    box.server.protect(REPO, "main", {"type": "required_status_checks", "parameters": lint})
    reviews = protection.parameters(box.server.engine, box.repo, "main", "pull_request") or {}
    assert (reviews["required_approving_review_count"], reviews["dismiss_stale_reviews_on_push"]) == (2, True)
    checks = protection.parameters(box.server.engine, box.repo, "main", "required_status_checks") or {}
    assert [c["context"] for c in checks["required_status_checks"]] == ["ci", "lint"]


def test_an_unknown_rule_is_refused(box: Box) -> None:
    with pytest.raises(ApiError, match="Invalid request"):
        box.server.protect(REPO, "main", "no_such_rule")


# -- merging under rules -------------------------------------------------------------------------------


def test_a_merge_needs_approval_on_the_present_head(box: Box) -> None:
    (number,) = box.stack("feature")
    box.server.protect(REPO, "main", _review(dismiss_stale_reviews_on_push=True))
    refused = box.alice.put(f"pulls/{number}/merge", {}, expect=405)
    assert refused["message"] == (
        "Repository rule violations found\n\n"
        "At least 1 approving review is required by reviewers with write access.\n\n"
    )
    box.dave.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    box.alice.put(f"pulls/{number}/merge", {}, expect=405)
    box.bob.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    assert [box.alice.get(f"pulls/{number}") for _ in range(2)][1]["mergeable_state"] == "clean"
    box.alice.clone.commit("More")
    box.alice.push("feature")
    assert [row["state"] for row in box.alice.get(f"pulls/{number}/reviews")] == ["DISMISSED", "DISMISSED"]
    assert [box.alice.get(f"pulls/{number}") for _ in range(2)][1]["mergeable_state"] == "blocked"


def test_a_push_that_leaves_the_diff_as_it_was_keeps_approvals(box: Box) -> None:
    (number,) = box.stack("feature")
    box.server.protect(REPO, "main", _review(dismiss_stale_reviews_on_push=True))
    box.bob.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    box.alice.clone.commit("Same tree, other words", {}, amend=True)
    box.alice.push("+feature")
    assert [row["state"] for row in box.alice.get(f"pulls/{number}/reviews")] == ["APPROVED"]


def test_a_new_base_that_changes_the_diff_dismisses_approvals(box: Box) -> None:
    _, upper = box.stack("a", "b")
    box.server.protect(REPO, "main", _review(dismiss_stale_reviews_on_push=True))
    box.bob.post(f"pulls/{upper}/reviews", {"event": "APPROVE"}, expect=200)
    box.alice.patch(f"pulls/{upper}", {"base": "main"})
    assert [row["state"] for row in box.alice.get(f"pulls/{upper}/reviews")] == ["DISMISSED"]
    assert box.events(upper) == ["reviewed", "base_ref_changed", "review_dismissed"]


def test_a_retarget_by_github_dismisses_approvals_only_of_what_now_shows_more(box: Box) -> None:
    box.server.settings(REPO, delete_branch_on_merge=True)
    numbers = box.stack("a", "b") + box.stack("c", "d")
    box.server.protect(REPO, "main", _review(dismiss_stale_reviews_on_push=True))
    for number in numbers:
        box.bob.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    for number, method in ((numbers[0], "squash"), (numbers[2], "merge")):
        box.carol.put(f"pulls/{number}/merge", {"merge_method": method})
    assert [box.pull(number).base_ref for number in numbers] == ["main"] * 4
    assert [box.alice.get(f"pulls/{n}/reviews")[0]["state"] for n in (numbers[1], numbers[3])] == [
        "DISMISSED",
        "APPROVED",
    ]


def test_an_approval_of_an_older_head_is_found_by_a_later_change_of_base(box: Box) -> None:
    _, upper = box.stack("a", "b")
    box.server.protect(REPO, "main", _review(dismiss_stale_reviews_on_push=True))
    box.bob.post(f"pulls/{upper}/reviews", {"event": "APPROVE"}, expect=200)
    box.alice.branch("b", "b", {"more.txt": "more\n"})
    box.alice.push("b")  # its base has no such rule
    assert [row["state"] for row in box.alice.get(f"pulls/{upper}/reviews")] == ["APPROVED"]
    lower = upper - 1
    box.bob.post(f"pulls/{lower}/reviews", {"event": "APPROVE"}, expect=200)
    box.carol.put(f"pulls/{lower}/merge", {"merge_method": "merge"})
    box.alice.patch(f"pulls/{upper}", {"base": "main"})
    assert [row["state"] for row in box.alice.get(f"pulls/{upper}/reviews")] == ["DISMISSED"]


def _state(box: Box, number: int) -> str:
    """The mergeable_state once it is known."""
    return str([box.alice.get(f"pulls/{number}")["mergeable_state"] for _look in range(2)][-1])


def test_the_merge_state_says_what_stands_in_the_way(box: Box) -> None:
    (number,) = box.stack("feature")
    head = box.tip("feature")
    strict = {**CHECKS, "parameters": {**CHECKS["parameters"], "required_status_checks": []}}
    box.bob.branch("main")
    box.bob.push("main")
    box.server.protect(REPO, "main", strict)
    assert _state(box, number) == "clean"  # strict about nothing
    box.server.protect(REPO, "main", CHECKS)
    assert _state(box, number) == "blocked"  # before "behind", which it is besides
    box.bob.post(f"statuses/{head}", {"state": "success", "context": "ci"})
    assert _state(box, number) == "behind"
    box.alice.put(f"pulls/{number}/update-branch", {}, expect=202)
    head = box.tip("feature")
    box.bob.post(f"statuses/{head}", {"state": "success", "context": "ci"})
    box.bob.post(f"statuses/{head}", {"state": "failure", "context": "optional"})
    assert _state(box, number) == "unstable"
    box.bob.post(f"statuses/{head}", {"state": "success", "context": "optional"})
    box.server.settings(REPO, declined_message="No.")
    assert _state(box, number) == "has_hooks"
    box.server.protect(REPO, "main", _review(required_approving_review_count=0, allowed_merge_methods=["rebase"]))
    error = box.alice.put(f"pulls/{number}/merge", {"merge_method": "squash"}, expect=405)
    assert "Squash merges are not allowed on this repository." in error["message"]
    box.server.protect(REPO, "main", "required_signatures")
    error = box.alice.put(f"pulls/{number}/merge", {"merge_method": "rebase"}, expect=405)
    assert "Commits must have verified signatures." in error["message"]
    assert _state(box, number) == "blocked"  # no method is left


def test_the_last_pusher_cannot_be_the_one_who_approves(box: Box) -> None:
    (number,) = box.stack("feature")
    box.server.protect(REPO, "main", _review(require_last_push_approval=True))
    box.bob.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    box.bob.clone.git("fetch", "-q", "origin")
    box.bob.branch("feature", "origin/feature", files={"suggestion.txt": "s\n"})
    box.bob.push("feature")
    box.bob.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    box.alice.put(f"pulls/{number}/merge", {}, expect=405)
    box.carol.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    box.alice.put(f"pulls/{number}/merge", {})


def test_requested_changes_block(box: Box) -> None:
    (number,) = box.stack("feature")
    box.server.protect(REPO, "main", _review())
    box.carol.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    box.bob.post(f"pulls/{number}/reviews", {"event": "REQUEST_CHANGES", "body": "no"}, expect=200)
    assert "Changes have been requested" in box.alice.put(f"pulls/{number}/merge", {}, expect=405)["message"]


def test_required_checks_strictness_and_method_hold_for_merges(box: Box) -> None:
    (number,) = box.stack("feature")
    box.server.protect(REPO, "main", CHECKS, "required_linear_history", classic=True)
    error = box.alice.put(f"pulls/{number}/merge", {"merge_method": "squash"}, expect=405)
    assert error["message"] == 'Required status check "ci" is expected.'
    head = box.tip("feature")
    for conclusion, said in [("failure", "is failing."), (None, "is in progress.")]:
        body: dict[str, Any] = {"name": "ci", "head_sha": head, "status": "in_progress"}
        box.bob.post("check-runs", body if conclusion is None else {**body, "conclusion": conclusion})
        error = box.alice.put(f"pulls/{number}/merge", {"merge_method": "squash"}, expect=405)
        assert error["message"] == f'Required status check "ci" {said}'
    box.bob.post("check-runs", {"name": "ci", "head_sha": head, "conclusion": "success"})
    linear = box.alice.put(f"pulls/{number}/merge", {"merge_method": "merge"}, expect=405)
    assert linear["message"] == "This branch must not contain merge commits."
    with box.server.engine.transaction():
        box.server.engine.store.rulesets.all()[0].bypass_user_ids.append(box.server.user("bob").id)
    box.bob.branch("main")
    box.bob.push("main")
    assert [box.alice.get(f"pulls/{number}") for _ in range(2)][1]["mergeable_state"] == "behind"
    old = box.alice.put(f"pulls/{number}/merge", {"merge_method": "squash"}, expect=405)
    assert old["message"] == "Head branch is out of date. Review and try the merge again."


def test_a_branch_under_a_queue_or_update_rule_is_not_merged_directly(box: Box) -> None:
    (number,) = box.stack("feature")
    box.server.protect(REPO, "main", "merge_queue", "update")
    message = box.alice.put(f"pulls/{number}/merge", {}, expect=405)["message"]
    assert "Changes must be made through the merge queue" in message
    assert "Cannot update this protected ref." in message
    assert "merge queue" in box.alice.refused("origin", "feature:main")
