"""Every button of a pull request: what it does, and how a refusal looks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stackr.sandbox import automerge, checks, reviews
from stackr.sandbox.web.pullactions import ACTIONS
from tests.support.pages import Reader
from tests.support.sandbox import REPO, Box

Readers = Callable[[str], Reader]
PULL = f"/{REPO}/pull/1"
REFUSED = "That was refused; nothing was changed."


def opinions(box: Box, number: int = 1) -> list[str]:
    return [review.state for review in reviews.list_reviews(box.server.engine, box.pull(number))]


def test_bob_approves_and_merges_what_alice_submitted(box: Box, reader: Readers) -> None:
    box.stack("one")
    rule = {"type": "pull_request", "parameters": {"required_approving_review_count": 1}}
    box.server.protect(REPO, "main", rule)
    bob = reader("bob").open(PULL)
    assert "Merging is blocked At least 1 approving review is required" in bob.text
    assert bob.button("merge") is False
    bob.press("approve", body="Good **work**")
    assert (bob.status, opinions(box)) == (200, ["APPROVED"])
    assert "You approved these changes." in bob.text and "Good work" in bob.text
    assert "Nothing is in the way." in bob.text and bob.button("merge") is True
    bob.press("merge", method="squash")
    assert bob.status == 200 and box.state(1) == "merged"
    assert "Merged. Change one #1 Merged bob merged 1 commit into main" in bob.text


def test_a_base_with_a_queue_has_a_button_for_it(box: Box, reader: Readers) -> None:
    box.stack("one")
    ci = {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "ci"}]}}
    box.server.protect(REPO, "main", {"type": "merge_queue"}, ci)
    box.server.settings(REPO, allow_auto_merge=True)
    bob = reader("bob").open(PULL)
    assert bob.button("merge") is None and bob.button("enqueue") is False
    bob.press("check", name="ci", state="success")
    bob.press("enqueue")
    assert "Added to the merge queue." in bob.text
    assert "It is number 1 in the merge queue of main: awaiting checks." in bob.text
    bob.open(PULL).press("dequeue")
    assert "Removed from the merge queue." in bob.text
    assert "bob removed this from the merge queue: manual" in bob.text
    bob.press("enqueue")
    oid = box.server.queued(REPO, 1)
    assert oid is not None
    checks.put_check(box.server.engine, box.repo, oid=oid, name="ci", conclusion="success")
    assert "github-merge-queue removed this from the merge queue: merged" in bob.open(PULL).text
    assert box.state(1) == "merged"


def test_auto_merge_is_shown_with_whoever_switched_it_on(box: Box, reader: Readers) -> None:
    box.stack("one")
    box.server.protect(REPO, "main", {"type": "pull_request", "parameters": {"required_approving_review_count": 1}})
    box.server.settings(REPO, allow_auto_merge=True)
    engine, alice = box.server.engine, box.server.user("alice")
    automerge.enable(engine, alice, box.pull(1), method="squash")
    shown = reader("bob").open(PULL).text
    assert "It merges by itself once nothing is in the way: alice switched on auto-merge." in shown
    assert "alice switched on auto-merge (squash)" in shown
    automerge.disable(engine, alice, box.pull(1))
    assert "alice switched off auto-merge" in reader("bob").open(PULL).text


def test_changes_can_be_requested_but_not_without_a_word(box: Box, reader: Readers) -> None:
    box.stack("one")
    bob = reader("bob").open(PULL).press("request-changes")
    assert bob.status == 422
    assert f"{REFUSED} Can not" not in bob.text and f"{REFUSED} Body can't be blank" in bob.text
    bob.press("request-changes", body="Rename it")
    assert "You requested changes." in bob.text and opinions(box) == ["CHANGES_REQUESTED"]


def test_nobody_approves_his_own_work(box: Box, reader: Readers) -> None:
    box.stack("one")
    alice = reader("alice").open(PULL)
    assert alice.button("approve") is False
    assert "You are its author. To review it, become somebody else" in alice.text
    alice.press("approve")
    assert alice.status == 422
    assert "Can not approve your own pull request" in alice.text and opinions(box) == []


def test_a_head_that_moved_meanwhile_is_not_approved_merged_or_checked(box: Box, reader: Readers) -> None:
    box.stack("one")
    for do in ("approve", "request-changes", "merge", "check"):
        bob = reader("bob").open(PULL)
        bob.press(do, head="0" * 40, body="x", name="build")
        assert bob.status == 409
        assert "Head branch was modified." in bob.text
    assert (opinions(box), box.state(1)) == ([], "open")


def test_comments_appear_and_empty_ones_are_refused(box: Box, reader: Readers) -> None:
    box.stack("one")
    dave = reader("dave").open(PULL).press("comment", body="I only *read*, see #1")
    assert "Your comment is there." in dave.text and "dave commented" in dave.text
    dave.press("comment", body="  ")
    assert dave.status == 422 and "Body can't be blank" in dave.text
    dave.press("comment", body="x" * 65_537)
    assert dave.status == 422 and "body is too long (maximum is 65536 characters)" in dave.text
    assert dave.form("comment").fields["body"] == "x" * 65_537


@pytest.mark.parametrize(
    ("state", "rollup"),
    [("success", "SUCCESS"), ("failure", "FAILURE"), ("in_progress", "PENDING"), ("skipped", "SUCCESS")],
)
def test_anybody_who_may_write_plays_the_ci(box: Box, reader: Readers, state: str, rollup: str) -> None:
    box.stack("one")
    bob = reader("bob").open(PULL).press("check", name=" build ", state=state)
    assert "The check is set." in bob.text
    assert checks.rollup(box.server.engine, box.repo, box.pull(1).head_oid) == rollup
    (run,) = checks.check_runs(box.server.engine, box.repo, box.pull(1).head_oid)
    assert run.name == "build"


@pytest.mark.parametrize(("name", "state"), [("", "success"), ("build", "splendid"), ("build", None)])
def test_a_check_without_name_or_with_a_wrong_state_is_refused(
    box: Box, reader: Readers, name: str, state: str | None
) -> None:
    box.stack("one")
    bob = reader("bob").open(PULL).press("check", name=name, state=state)
    assert bob.status == 422 and "A check needs a name and one of the states offered." in bob.text


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_each_method_of_merging_really_merges(box: Box, reader: Readers, method: str) -> None:
    box.stack("one")
    reader("bob").open(PULL).press("merge", method=method, title="Landed", message="With\r\na text")
    tip = box.server.engine.git(box.repo).need(box.tip("main") or "")
    assert box.state(1) == "merged"
    assert len(tip.parents) == (2 if method == "merge" else 1)
    assert tip.message == ("Change one" if method == "rebase" else "Landed\n\nWith\na text")


def test_without_a_message_github_writes_its_own(box: Box, reader: Readers) -> None:
    box.stack("one")
    reader("bob").open(PULL).press("merge", method="squash")
    assert box.server.engine.git(box.repo).need(box.tip("main") or "").headline == "Change one (#1)"


def test_only_allowed_methods_are_offered_and_others_refused(box: Box, reader: Readers) -> None:
    box.stack("one")
    box.server.settings(REPO, allow_squash_merge=False, allow_rebase_merge=False)
    bob = reader("bob").open(PULL)
    assert bob.form("merge").choices["method"] == ["merge"]
    for method, words in (("squash", "Squash merges are not allowed"), ("", "is not a member of")):
        bob.open(PULL).press("merge", method=method)
        assert bob.status in (405, 422) and words in bob.text
    box.server.settings(REPO, allow_merge_commit=False)
    assert "allow no way of merging" in bob.open(PULL).text


def test_everything_in_the_way_of_a_merge_is_named(box: Box, reader: Readers) -> None:
    box.stack("one")
    clone = box.bob.clone
    clone.commit("Same file", {"Change-one.txt": "other\n"})
    box.bob.push("main")
    checks_rule = {"required_status_checks": [{"context": "build"}]}
    box.server.protect(REPO, "main", {"type": "required_status_checks", "parameters": checks_rule})
    reader("alice").open(PULL).press("draft")
    dave = reader("dave").open(PULL)
    for reason in (
        "It is still a draft.",
        "It has conflicts with main that must be resolved.",
        'Required status check "build" is expected.',
        "dave has no write access to this repository.",
    ):
        assert reason in dave.text
    dave.press("merge")
    assert dave.status == 403
    assert "dave has read access to acme/widgets, and that is not enough for this." in dave.text
    bob = reader("bob").open(PULL).press("merge")
    assert bob.status == 405 and "Pull Request is still a draft" in bob.text
    assert "Somebody signed out has no write access" in reader("-").open(PULL).text


def test_rules_refuse_a_merge_in_githubs_words(box: Box, reader: Readers) -> None:
    box.stack("one")
    box.server.protect(REPO, "main", {"type": "pull_request", "parameters": {"required_approving_review_count": 2}})
    bob = reader("bob").open(PULL).press("merge")
    assert bob.status == 405 and "At least 2 approving reviews are required" in bob.text
    assert f"{REFUSED} Repository rule violations found" in bob.text


def test_a_registered_stack_is_merged_up_to_here(box: Box, reader: Readers) -> None:
    box.stack("one", "two", "three")
    box.server.settings(REPO, stacks_enabled=True)
    box.alice.post("stacks", {"pull_requests": [1, 2, 3]})
    bob = reader("bob").open(f"/{REPO}/pull/2")
    assert "it merges together with everything below it" in bob.text
    assert bob.button("merge") is None and bob.button("merge-stack") is True
    bob.press("merge-stack", head="0" * 40)
    assert bob.status == 405 and "Head branch was modified." in bob.text
    bob.open(f"/{REPO}/pull/2").press("merge-stack", method="squash")
    assert bob.status == 200 and "Merged." in bob.text
    assert [box.state(number) for number in (1, 2, 3)] == ["merged", "merged", "open"]
    nobody = reader("-").open(f"/{REPO}/pull/3").press("merge-stack")
    assert nobody.status == 401


def test_a_stack_that_cannot_be_merged_says_why(box: Box, reader: Readers) -> None:
    box.stack("one", "two")
    box.server.settings(REPO, stacks_enabled=True)
    box.alice.post("stacks", {"pull_requests": [1, 2]})
    reader("alice").open(PULL).press("draft")
    bob = reader("bob").open(f"/{REPO}/pull/2").press("merge-stack", method="squash")
    assert bob.status == 405 and "#1: Pull request is in draft state." in bob.text


def test_close_reopen_draft_and_ready(box: Box, reader: Readers) -> None:
    box.stack("one")
    alice = reader("alice").open(PULL)
    for do, state, notice in (
        ("draft", "open", "It is a draft now."),
        ("ready", "open", "It is ready for review now."),
        ("close", "closed", "Closed."),
        ("reopen", "open", "Reopened."),
    ):
        alice.press(do)
        assert (alice.status, box.state(1)) == (200, state)
        assert notice in alice.text
    kinds = ["convert_to_draft", "ready_for_review", "closed", "reopened"]
    assert box.events(1) == kinds
    assert "alice made this a draft" in alice.text and "alice marked this as ready for review" in alice.text


def test_strangers_may_not_close_edit_or_make_drafts(box: Box, reader: Readers) -> None:
    box.stack("one")
    dave = reader("dave").open(PULL)
    assert dave.button("edit") is False and "Only alice and people with triage rights may." in dave.text
    for do in ("close", "draft", "edit", "check"):
        dave.open(PULL).press(do)
        assert dave.status == 403
        assert "dave has read access to acme/widgets, and that is not enough for this." in dave.text
    assert (box.state(1), box.events(1)) == ("open", [])


def test_what_cannot_be_reopened_says_why(box: Box, reader: Readers) -> None:
    box.stack("one")
    alice = reader("alice").open(PULL).press("close").press("delete-branch")
    assert "The branch is deleted." in alice.text and box.tip("one") is None
    alice.press("reopen")
    assert alice.status == 422
    assert "Could not open the pull request." in alice.text


def test_title_description_and_base_can_be_edited(box: Box, reader: Readers) -> None:
    box.stack("one", "two")
    alice = reader("alice").open(f"/{REPO}/pull/2")
    assert alice.form("edit").choices["base"] == ["one", "main"]
    alice.press("edit", title="Better", body="line\r\nline", base="main")
    assert "Saved." in alice.text
    pull = box.pull(2)
    assert (pull.title, pull.body, pull.base_ref) == ("Better", "line\r\nline", "main")
    assert box.events(2) == ["renamed", "base_ref_changed"]


def test_an_edit_that_changes_nothing_changes_nothing(box: Box, reader: Readers) -> None:
    box.stack("one")
    box.alice.patch("pulls/1", {"body": "one\ntwo"})
    edited = box.pull(1).last_edited_at
    form = reader("alice").open(PULL)
    form.press("edit", body="one\r\ntwo")  # as a browser sends it
    assert (box.pull(1).body, box.pull(1).last_edited_at, box.events(1)) == ("one\ntwo", edited, [])


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"title": ""}, "Title can't be blank"),
        ({"title": "x" * 257}, "Title is too long (maximum is 256 characters)"),
        ({"body": "x" * 65_537}, "Body is too long (maximum is 65536 characters)"),
        ({"base": "nowhere"}, REFUSED),
    ],
)
def test_an_edit_that_github_refuses_keeps_what_was_typed(
    box: Box, reader: Readers, fields: dict[str, str], words: str
) -> None:
    box.stack("one")
    alice = reader("alice").open(PULL).press("edit", **{"title": "Typed", **fields})
    assert alice.status == 422 and words in alice.text
    assert box.pull(1).title == "Change one"
    assert alice.form("edit").fields["title"] == {"title": "Typed", **fields}["title"]


def test_in_a_registered_stack_the_title_can_be_edited(box: Box, reader: Readers) -> None:
    box.stack("one", "two")
    box.server.settings(REPO, stacks_enabled=True)
    box.alice.post("stacks", {"pull_requests": [1, 2]})
    alice = reader("alice").open(f"/{REPO}/pull/2").press("edit", title="Better")
    assert alice.status == 200 and box.pull(2).title == "Better"


def test_deleting_a_merged_branch_retargets_what_stands_on_it(box: Box, reader: Readers) -> None:
    box.stack("one", "two")
    bob = reader("bob").open(PULL).press("merge", method="squash").press("delete-branch")
    assert "The branch is deleted." in bob.text
    assert box.tip("one") is None and box.pull(2).base_ref == "main" and box.state(2) == "open"


def test_deleting_the_branch_of_a_closed_one_closes_what_stands_on_it(box: Box, reader: Readers) -> None:
    box.stack("one", "two")
    reader("alice").open(PULL).press("close").press("delete-branch")
    assert box.state(2) == "closed"


def test_branches_are_deleted_by_writers_only_and_not_while_they_are_open(box: Box, reader: Readers) -> None:
    box.stack("one")
    bob = reader("bob").open(PULL)
    token = bob.form("close").fields["form_token"]
    answer = bob.client.post(PULL, data={"do": "delete-branch", "form_token": token})
    assert answer.status_code == 422
    bob.press("close")
    dave = reader("dave").open(PULL).press("delete-branch")
    assert dave.status == 403 and box.tip("one")
    box.server.protect(REPO, "one", "deletion")
    bob.open(PULL).press("delete-branch")
    assert bob.status == 422 and "Cannot delete this branch" in bob.text and box.tip("one")


def test_limits_hold_on_pages_too(box: Box, reader: Readers) -> None:
    box.stack("one")
    secondary = box.server.engine.limits.secondary
    secondary.enabled, secondary.contents_per_minute = True, 0
    bob = reader("bob").open(PULL).press("comment", body="Hello")
    assert bob.status == 403 and f"{REFUSED} You have exceeded a secondary rate limit." in bob.text


def test_every_button_is_refused_to_somebody_signed_out(box: Box, reader: Readers) -> None:
    box.stack("one", "two")
    nobody = reader("-").open(PULL)
    token = nobody.form("comment").fields["form_token"]
    head, body = box.pull(1).head_oid, "x"
    for do in ACTIONS:
        data = {
            "do": do,
            "form_token": token,
            "head": head,
            "body": body,
            "name": "x",
            "state": "success",
            "title": "x",
        }
        answer = nobody.client.post(PULL, data={**data, "method": "squash"})
        # Reopening and deleting: it is open, which is said first.
        assert answer.status_code in ((401, 403, 422) if do == "delete-branch" else (401, 403))
    assert (box.state(1), box.events(1), opinions(box)) == ("open", [], [])
