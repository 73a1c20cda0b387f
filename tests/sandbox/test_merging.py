"""Merging by GitHub itself: methods, default messages, guards, updating a branch."""

from __future__ import annotations

import pytest

from stackr.sandbox import merging
from tests.support.sandbox import REPO, Box


def _message(box: Box, oid: str | None = None) -> str:
    git = box.server.engine.git(box.repo)
    return git.need(oid or str(box.tip("main"))).message


def test_a_merge_commit_has_both_parents_and_githubs_words(box: Box) -> None:
    (number,) = box.stack("feature")
    before, head = box.tip("main"), box.tip("feature")
    done = box.bob.put(f"pulls/{number}/merge", {"sha": head})
    assert done == {"sha": box.tip("main"), "merged": True, "message": "Pull Request successfully merged"}
    info = box.server.engine.git(box.repo).need(done["sha"])
    assert info.parents == (before, head)
    assert info.message == f"Merge pull request #{number} from acme/feature\n\nChange feature"
    assert (info.author.name, info.committer.name) == ("Bob", "GitHub")
    found = box.alice.get(f"pulls/{number}")
    assert (found["merged"], found["merged_by"]["login"], found["merge_commit_sha"]) == (True, "bob", done["sha"])
    assert (found["commits"], found["base"]["sha"], found["mergeable"]) == (1, before, None)
    assert box.alice.call("GET", f"pulls/{number}/merge").status_code == 204


def test_a_squash_of_one_commit_takes_its_message(box: Box) -> None:
    box.alice.clone.git("checkout", "-q", "-b", "feature", "origin/main")
    box.alice.clone.commit("Subject\n\nBody text\n", {"a.txt": "a\n"})
    box.alice.push("feature")
    number = box.alice.open("feature")
    box.alice.put(f"pulls/{number}/merge", {"merge_method": "squash"})
    assert _message(box) == f"Subject (#{number})\n\nBody text"
    info = box.server.engine.git(box.repo).need(str(box.tip("main")))
    assert (info.author.email, len(info.parents)) == ("alice@example.com", 1)


def test_a_squash_of_several_lists_them_and_credits_other_authors(box: Box) -> None:
    box.alice.branch("feature")
    other = {"GIT_AUTHOR_NAME": "Bob", "GIT_AUTHOR_EMAIL": "bob@example.com"}
    box.alice.clone.commit("Second\n\nMore\n", {"b.txt": "b\n"}, env=other)
    box.alice.push("feature")
    number = box.alice.open("feature")
    box.alice.put(f"pulls/{number}/merge", {"merge_method": "squash"})
    assert _message(box) == (
        f"Change feature (#{number})\n\n* Change feature\n\n* Second\n\nMore\n\n---------\n\n"
        "Co-authored-by: Bob <bob@example.com>"
    )


def test_the_repository_chooses_default_messages(box: Box) -> None:
    box.server.settings(
        REPO,
        squash_merge_commit_title="PR_TITLE",
        squash_merge_commit_message="PR_BODY",
        merge_commit_title="PR_TITLE",
        merge_commit_message="PR_BODY",
    )
    first, second = box.stack("a", "b")
    box.alice.patch(f"pulls/{first}", {"title": "Late title", "body": "Late body"})
    box.alice.put(f"pulls/{first}/merge", {"merge_method": "squash"})
    assert _message(box) == f"Late title (#{first})\n\nLate body"
    box.alice.patch(f"pulls/{second}", {"base": "main"})
    box.alice.put(f"pulls/{second}/merge", {"merge_method": "merge"})
    assert _message(box) == f"Change b (#{second})"


def test_given_messages_are_taken(box: Box) -> None:
    (number,) = box.stack("feature")
    body = {"merge_method": "squash", "commit_title": "Mine", "commit_message": "And why"}
    box.alice.put(f"pulls/{number}/merge", body)
    assert _message(box) == "Mine\n\nAnd why"


def test_a_rebase_replays_every_commit_and_always_changes_the_hash(box: Box) -> None:
    box.alice.branch("feature")
    box.alice.clone.commit("Second")
    box.alice.push("feature")
    number = box.alice.open("feature")
    head = box.tip("feature")
    done = box.bob.put(f"pulls/{number}/merge", {"merge_method": "rebase"})
    git = box.server.engine.git(box.repo)
    info = git.need(done["sha"])
    assert done["sha"] != head
    assert info.tree == git.need(str(head)).tree
    assert (info.author.name, info.committer.name) == ("Alice Author", "Bob")
    assert [git.need(oid).headline for oid in git.graph.history(done["sha"], 2)] == ["Second", "Change feature"]


def test_conflicts_are_found_late_and_refuse_every_method(box: Box) -> None:
    box.alice.branch("feature", files={"README.md": "mine\n"})
    box.alice.push("feature")
    number = box.alice.open("feature")
    box.bob.branch("main", files={"README.md": "theirs\n"})
    box.bob.push("main")
    looks = [box.alice.get(f"pulls/{number}") for _ in range(2)]
    assert [(look["mergeable"], look["mergeable_state"]) for look in looks] == [(None, "unknown"), (False, "dirty")]
    for method in merging.METHODS:
        error = box.alice.put(f"pulls/{number}/merge", {"merge_method": method}, expect=405)
        assert error["message"] == "Pull Request is not mergeable"


def test_a_true_merge_needs_git_and_gives_both_sides(box: Box) -> None:
    (number,) = box.stack("feature")
    box.bob.branch("main")
    box.bob.push("main")
    done = box.alice.put(f"pulls/{number}/merge", {"merge_method": "squash"})
    files = box.server.engine.git(box.repo).run("ls-tree", "-r", "--name-only", done["sha"]).decode().split("\n")
    assert {"Change-feature.txt", "Change-main.txt"} <= set(files)


def test_a_rebase_that_leaves_nothing_is_not_mergeable(box: Box) -> None:
    (number,) = box.stack("feature")
    clone = box.alice.clone
    clone.git("checkout", "-q", "-B", "main", "origin/main")
    clone.git("cherry-pick", "feature", env={"GIT_COMMITTER_DATE": "1700000001 +0000"})
    box.alice.push("main")
    box.alice.put(f"pulls/{number}/merge", {"merge_method": "rebase"}, expect=405)


@pytest.mark.parametrize(
    ("setting", "method", "said"),
    [
        ("allow_merge_commit", "merge", "Merge commits are not allowed on this repository."),
        ("allow_squash_merge", "squash", "Squash merges are not allowed on this repository."),
        ("allow_rebase_merge", "rebase", "Rebase merges are not allowed on this repository."),
    ],
)
def test_methods_can_be_switched_off(box: Box, setting: str, method: str, said: str) -> None:
    (number,) = box.stack("feature")
    box.carol.patch("", {setting: False})
    assert box.carol.put(f"pulls/{number}/merge", {"merge_method": method}, expect=405)["message"] == said


def test_drafts_closed_ones_wrong_heads_and_strangers_are_refused(box: Box) -> None:
    (number,) = box.stack("feature")
    stale = box.alice.put(f"pulls/{number}/merge", {"sha": box.tip("main")}, expect=409)
    assert stale["message"] == "Head branch was modified. Review and try the merge again."
    box.dave.put(f"pulls/{number}/merge", {}, expect=403)
    bad = box.alice.put(f"pulls/{number}/merge", {"merge_method": "octopus"}, expect=422)
    assert bad["message"].startswith("Invalid request.\n\noctopus is not a member of")
    with box.server.engine.transaction():
        box.pull(number).draft = True
    draft = box.alice.put(f"pulls/{number}/merge", {}, expect=405)
    assert draft["message"] == "Pull Request is still a draft"
    assert [box.alice.get(f"pulls/{number}") for _ in range(2)][1]["mergeable_state"] == "draft"
    box.alice.patch(f"pulls/{number}", {"state": "closed"})
    closed = box.alice.put(f"pulls/{number}/merge", {}, expect=405)
    assert closed["message"] == "Pull Request is not mergeable"
    assert box.alice.call("GET", f"pulls/{number}/merge").status_code == 404


def test_merging_one_also_settles_the_others(box: Box) -> None:
    lower, upper = box.stack("a", "b")
    box.alice.patch(f"pulls/{upper}", {"base": "main"})
    box.alice.put(f"pulls/{upper}/merge", {"merge_method": "merge"})
    assert box.state(lower) == "merged", "a's head came in with b"


def test_updating_a_branch_brings_the_base_in(box: Box) -> None:
    (number,) = box.stack("feature")
    behind = box.alice.put(f"pulls/{number}/update-branch", {}, expect=422)
    assert behind["message"] == "There are no new commits on the base branch."
    box.bob.branch("main")
    box.bob.push("main")
    wrong = box.alice.put(f"pulls/{number}/update-branch", {"expected_head_sha": "0" * 40}, expect=422)
    assert wrong["message"] == "expected head sha didn't match current head ref."
    box.alice.put(f"pulls/{number}/update-branch", {"expected_head_sha": box.tip("feature")}, expect=202)
    assert _message(box, box.tip("feature")) == "Merge branch 'main' into feature"
    assert box.events(number) == ["branch_updated", "pushed"]


def test_updating_a_branch_by_rebase_rewrites_it(box: Box) -> None:
    (number,) = box.stack("feature")
    box.bob.branch("main")
    box.bob.push("main")
    alice = box.server.user("alice")
    oid = merging.update_branch(box.server.engine, alice, box.pull(number), method="rebase")
    assert box.server.engine.git(box.repo).need(oid).parents == (box.tip("main"),)
    assert box.events(number) == ["branch_updated", "head_ref_force_pushed"]


def test_updating_a_branch_can_conflict(box: Box) -> None:
    box.alice.branch("feature", files={"README.md": "mine\n"})
    box.alice.push("feature")
    number = box.alice.open("feature")
    box.bob.branch("main", files={"README.md": "theirs\n"})
    box.bob.push("main")
    error = box.alice.put(f"pulls/{number}/update-branch", {}, expect=422)
    assert error["message"] == "merge conflict between base and head"
    assert box.state(number) == "open"


def test_a_base_that_moved_behind_the_caches_refuses_the_merge(box: Box) -> None:
    (number,) = box.stack("feature")
    engine = box.server.engine
    engine.git(box.repo).run("update-ref", "refs/heads/main", "refs/heads/main~1")
    error = box.alice.put(f"pulls/{number}/merge", {}, expect=405)
    assert error["message"] == "Base branch was modified. Review and try the merge again."
    assert box.pull(number).merging_oid is None


def test_a_deleted_head_can_be_kept_back(box: Box) -> None:
    lower, upper = box.stack("a", "b")
    engine, alice = box.server.engine, box.server.user("alice")
    box.server.protect(REPO, "a", "deletion")
    box.server.settings(REPO, delete_branch_on_merge=True)
    box.alice.put(f"pulls/{lower}/merge", {"merge_method": "squash"})
    assert box.tip("a") is not None, "a rule keeps it"
    merging.merge_pull(engine, alice, box.pull(upper), delete_branch=False)
    assert box.tip("b") is not None
    merging.delete_head(engine, alice, box.pull(upper))
    assert box.tip("b") is None
    merging.delete_head(engine, alice, box.pull(upper))
