"""Auto-merge: when it is refused, when it merges, and what switches it off."""

from __future__ import annotations

from typing import Any

from tests.support.graphql import data, on_pull, said
from tests.support.sandbox import REPO, Box

ENABLE, DISABLE = "enablePullRequestAutoMerge", "disablePullRequestAutoMerge"
READ = """query($n: Int!) {repository(owner: "acme", name: "widgets") {pullRequest(number: $n) {
  state mergeStateStatus viewerCanEnableAutoMerge viewerCanDisableAutoMerge
  mergeCommit {message committer {name}}
  autoMergeRequest {mergeMethod commitHeadline commitBody enabledBy {login}}
  timelineItems(last: 9, itemTypes: [AUTO_MERGE_DISABLED_EVENT, AUTO_MERGE_ENABLED_EVENT, AUTO_SQUASH_ENABLED_EVENT]) {
    nodes {
      ... on AutoMergeDisabledEvent {reason disabler {login}}
      ... on AutoSquashEnabledEvent {enabler {login}}
    }}
}}}"""
REVIEW = {"type": "pull_request", "parameters": {"required_approving_review_count": 1}}
CI = {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "ci"}]}}


def read(box: Box, number: int) -> Any:
    """A pull request, its mergeability waited for."""
    for _look in range(2):
        box.alice.get(f"pulls/{number}")
    return data(box.alice, READ, n=number)["repository"]["pullRequest"]


def enable(box: Box, number: int, **more: Any) -> str | None:
    """Switch it on as alice; what GitHub says against it."""
    return said(on_pull(box.alice, ENABLE, number, **more))


def test_it_is_refused_where_there_is_nothing_to_wait_for_and_in_every_other_case_of_github(box: Box) -> None:
    one, two = box.stack("one", "two")
    assert enable(box, one) == "Auto merge is not allowed for this repository"
    box.server.settings(REPO, allow_auto_merge=True, allow_squash_merge=False, allow_merge_commit=False)
    none = "Pull request Protected branch rules not configured for this branch"
    assert enable(box, one, mergeMethod="REBASE") == none
    box.server.protect(REPO, "main", "deletion")
    assert enable(box, one, mergeMethod="REBASE") == "Pull request Pull request is in clean status"
    assert enable(box, one, mergeMethod="SQUASH") == "Merge method squash merging is not allowed on this repository"
    assert enable(box, one) == "Merge method merge commits are not allowed on this repository"
    box.server.settings(REPO, allow_merge_commit=True)
    box.alice.post(f"statuses/{box.tip('one')}", {"state": "pending", "context": "optional"})
    assert enable(box, one) == "Pull request Pull request is in unstable status"
    assert said(on_pull(box.alice, DISABLE, one)) == "Can't disable auto-merge for this pull request"
    on_pull(box.alice, "convertPullRequestToDraft", one)
    assert enable(box, one) == "Pull request Pull request is in draft status"
    assert (
        enable(box, two, expectedHeadOid=box.tip("one")) == "Head branch was modified. Review and try the merge again."
    )
    box.server.settings(REPO, stacks_enabled=True)
    three = box.stack("three")[0]
    box.alice.branch("four", "three")
    box.alice.push("four")
    box.alice.post("stacks", {"pull_requests": [three, box.alice.open("four", "three")]})
    assert enable(box, three) == "Auto-merge is not supported for stacked pull requests"
    box.alice.patch(f"pulls/{two}", {"state": "closed"})
    assert enable(box, two) == "Pull request is not in the correct state to enable auto-merge"
    box.server.protect(REPO, "main", "update")
    on_pull(box.alice, "markPullRequestReadyForReview", one)
    assert enable(box, one) == "Pull request User is not authorized for this protected branch"
    answer = on_pull(box.dave, ENABLE, one)
    assert said(answer) == "dave does not have the correct permissions to execute `EnablePullRequestAutoMerge`"


def test_it_merges_as_asked_once_the_last_requirement_is_met(box: Box) -> None:
    one, two = box.stack("one", "two")
    box.server.settings(REPO, allow_auto_merge=True, delete_branch_on_merge=True)
    box.server.protect(REPO, "main", REVIEW, CI)
    assert enable(box, one, mergeMethod="SQUASH", commitHeadline="Mine", expectedHeadOid=box.tip("one")) is None
    found = read(box, one)
    assert found["autoMergeRequest"] == {
        "mergeMethod": "SQUASH",
        "commitHeadline": "Mine",
        "commitBody": None,
        "enabledBy": {"login": "alice"},
    }
    assert (found["viewerCanEnableAutoMerge"], found["viewerCanDisableAutoMerge"]) == (False, True)
    asked = box.alice.get(f"pulls/{one}")["auto_merge"]
    assert (asked["merge_method"], asked["commit_title"], asked["commit_message"]) == ("squash", "Mine", "")
    assert asked["enabled_by"]["login"] == "alice"
    box.bob.post(f"pulls/{one}/reviews", {"event": "APPROVE"}, expect=200)
    run = box.bob.post("check-runs", {"name": "ci", "head_sha": box.tip("one")})["id"]
    assert read(box, one)["state"] == "OPEN"
    box.bob.patch(f"check-runs/{run}", {"conclusion": "success"})
    assert box.state(one) == "open"  # not in the answer to the report: whoever asks next finds it merged
    merged = read(box, one)
    assert (merged["state"], merged["mergeCommit"]["message"]) == ("MERGED", "Mine")
    assert (box.tip("one"), box.pull(two).base_ref) == (None, "main")
    assert merged["timelineItems"]["nodes"] == [{"enabler": {"login": "alice"}}]


def test_somebody_without_write_access_switches_it_off_by_a_push_or_a_new_base(box: Box) -> None:
    box.server.settings(REPO, allow_auto_merge=True)
    box.server.protect(REPO, "main", REVIEW)
    box.server.protect(REPO, "release", REVIEW)
    box.alice.clone.git("push", "-q", "origin", "origin/main:refs/heads/release")
    box.dave.post("forks", {}, expect=202)
    box.dave.branch("fix")
    fork = box.server.clone_url("dave/widgets", box.dave.token)
    box.dave.clone.git("push", "-q", fork, "fix")
    number = box.dave.open("dave:fix")
    assert enable(box, number) is None
    box.dave.patch(f"pulls/{number}", {"base": "release"})
    assert enable(box, number) is None
    box.alice.patch(f"pulls/{number}", {"base": "main"})  # she may write: it stays
    assert box.pull(number).auto_merge is not None
    box.dave.branch("fix", "fix", {"more.txt": "more\n"})
    box.dave.clone.git("push", "-q", fork, "fix")
    assert enable(box, number) is None
    assert said(on_pull(box.alice, DISABLE, number)) is None
    assert enable(box, number) is None
    box.alice.patch(f"pulls/{number}", {"state": "closed"})
    reasons = [node["reason"] for node in read(box, number)["timelineItems"]["nodes"] if "reason" in node]
    assert reasons == [
        "Base branch was changed",
        "Head branch was pushed to by a user without write access",
        None,
        "Pull request was closed",
    ]


def test_it_waits_through_conflicts_and_is_switched_off_when_the_method_is_forbidden(box: Box) -> None:
    box.alice.branch("one", files={"README.md": "mine\n"})
    box.alice.push("one")
    number = box.alice.open("one")
    box.server.settings(REPO, allow_auto_merge=True)
    box.server.protect(REPO, "main", CI).bypass_user_ids.append(box.server.user("bob").id)
    assert enable(box, number, mergeMethod="REBASE") is None
    box.bob.branch("main", "origin/main", {"README.md": "theirs\n"})
    box.bob.push("main")
    box.bob.post(f"statuses/{box.tip('one')}", {"state": "success", "context": "ci"})
    found = read(box, number)
    assert (found["mergeStateStatus"], found["autoMergeRequest"]["mergeMethod"]) == ("DIRTY", "REBASE")
    box.server.settings(REPO, allow_rebase_merge=False)
    box.bob.push("+main~1:main")
    found = read(box, number)
    assert (found["state"], found["autoMergeRequest"]) == ("OPEN", None)
    assert found["timelineItems"]["nodes"][-1]["reason"] == "Rebase merges are not allowed on this repository."
