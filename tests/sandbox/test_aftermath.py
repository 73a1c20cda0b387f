"""What happens to pull requests when refs move: the rules that no client may get wrong."""

from __future__ import annotations

from pathlib import Path

from stackr.sandbox import aftermath
from stackr.sandbox.git import RefMove
from stackr.sandbox.server import SandboxServer
from tests.support.git import GitRepo
from tests.support.sandbox import REPO, Box


def test_pushing_the_head_into_main_merges_the_pull_request_for_the_pusher(box: Box) -> None:
    (number,) = box.stack("feature")
    box.bob.clone.git("fetch", "-q", "origin")
    box.bob.push("origin/feature:main")
    found = box.alice.get(f"pulls/{number}")
    assert (found["state"], found["merged"], found["merged_by"]["login"]) == ("closed", True, "bob")
    assert found["merge_commit_sha"] == found["head"]["sha"] == box.tip("main")
    assert found["commits"] == 1, "what it brought is still shown"
    assert box.events(number) == ["merged", "closed"]


def test_a_merge_commit_pushed_to_main_is_what_merged_it(box: Box) -> None:
    (number,) = box.stack("feature")
    clone = box.alice.clone
    clone.git("checkout", "-q", "-B", "main", "origin/main")
    clone.git("merge", "-q", "--no-ff", "-m", "Merge feature", "feature")
    merge = clone.oid()
    clone.commit("One more")
    box.alice.push("main")
    assert box.state(number) == "merged"
    assert box.pull(number).merge_oid == merge


def test_a_reordered_stack_pushed_naively_is_merged_into_its_own_stack(box: Box) -> None:
    """The trap of ezyang/ghstack#367 and Mergifyio/mergify-cli#1559."""
    lower, upper = box.stack("a", "b")
    clone = box.alice.clone
    clone.git("checkout", "-q", "-B", "new-b", "origin/main")
    clone.git("cherry-pick", "b")
    clone.git("checkout", "-q", "-B", "new-a", "new-b")
    clone.git("cherry-pick", "a")
    box.alice.push("+new-b:b", "+new-a:a")
    assert box.state(upper) == "merged", "b's new head is inside a, its stale base"
    assert box.state(lower) == "open"


def test_parking_the_upper_one_on_trunk_first_keeps_both_open(box: Box) -> None:
    lower, upper = box.stack("a", "b")
    clone = box.alice.clone
    box.alice.patch(f"pulls/{upper}", {"base": "main"})
    clone.git("checkout", "-q", "-B", "new-b", "origin/main")
    clone.git("cherry-pick", "b")
    clone.git("checkout", "-q", "-B", "new-a", "new-b")
    clone.git("cherry-pick", "a")
    box.alice.push("+new-b:b", "+new-a:a")
    box.alice.patch(f"pulls/{lower}", {"base": "b"})
    assert [box.state(n) for n in (lower, upper)] == ["open", "open"]
    files = box.alice.get(f"pulls/{lower}/files")
    assert [f["filename"] for f in files] == ["Change-a.txt"]


def test_a_head_pushed_onto_its_base_is_closed_and_stays_closed(box: Box) -> None:
    """Avarok-Cybersecurity/atlas#952, Lucent-Financial-Group/Zeta#5011."""
    (number,) = box.stack("feature")
    box.alice.push("+origin/main:feature")
    assert box.state(number) == "closed"
    box.alice.push("feature:feature")
    error = box.alice.patch(f"pulls/{number}", {"state": "open"}, expect=422)
    assert error["errors"][0]["message"] == (
        "state cannot be changed. There are no new commits between base branch 'main' and head branch 'feature'"
    )


def test_a_head_pushed_back_into_trunks_history_is_closed_not_merged(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.push("+origin/main~1:feature")
    assert box.state(number) == "closed"
    assert box.events(number) == ["head_ref_force_pushed", "closed"]


def test_a_squash_made_elsewhere_is_not_recognised(box: Box) -> None:
    (number,) = box.stack("one")
    clone = box.alice.clone
    clone.git("checkout", "-q", "--detach", "origin/main")
    clone.git("merge", "-q", "--squash", "one")
    clone.commit("Squashed")
    box.alice.push("HEAD:main")
    assert box.state(number) == "open"
    assert box.alice.get(f"pulls/{number}")["mergeable"] is None, "it is computed anew for the new base"


def test_deleting_the_head_closes(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.push(":feature")
    assert box.state(number) == "closed"
    assert box.events(number) == ["head_ref_deleted", "closed"]
    error = box.alice.patch(f"pulls/{number}", {"state": "open"}, expect=422)
    assert error["errors"][0]["message"] == "state cannot be changed. The feature branch has been deleted."


def test_merging_and_deleting_the_head_in_one_push_merges(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.push("feature:main", ":feature")
    assert box.state(number) == "merged"


def test_trunk_and_a_rebased_head_moved_to_the_same_commit_in_one_push_merge(box: Box) -> None:
    """docs/internals/protocol.md 7.2, ``push``; nodejs/node#9391 has the same by two pushes."""
    (number,) = box.stack("feature")
    work = box.alice.clone
    work.git("checkout", "-q", "--detach", "origin/main")
    work.commit("Trunk", {"trunk.txt": "1"})
    work.git("cherry-pick", "feature")
    box.alice.push("+HEAD:feature", "HEAD:main")
    assert box.state(number) == "merged"


def test_deleting_the_base_by_push_closes_what_stands_on_it_for_good(box: Box) -> None:
    """cli/cli#1168."""
    lower, upper = box.stack("a", "b")
    box.alice.push(":a")
    assert [box.state(n) for n in (lower, upper)] == ["closed", "closed"]
    assert box.events(upper) == ["base_ref_deleted", "closed"]
    error = box.alice.patch(f"pulls/{upper}", {"base": "main"}, expect=422)
    assert error["errors"][0]["message"] == "Cannot change the base branch of a closed pull request."


def test_deleting_a_merged_base_through_the_api_still_closes(box: Box) -> None:
    lower, upper = box.stack("a", "b")
    box.alice.put(f"pulls/{lower}/merge", {"merge_method": "squash"})
    box.alice.delete("git/refs/heads/a")
    assert box.state(upper) == "closed"


def test_githubs_own_deletion_after_a_merge_retargets(box: Box) -> None:
    box.server.settings(REPO, delete_branch_on_merge=True)
    lower, upper = box.stack("a", "b")
    box.alice.put(f"pulls/{lower}/merge", {"merge_method": "squash"})
    assert box.tip("a") is None
    assert box.state(upper) == "open"
    assert box.pull(upper).base_ref == "main"
    assert "automatic_base_change_succeeded" in box.events(upper)
    assert box.events(lower)[-1] == "head_ref_deleted"


def test_a_fast_forward_is_recorded_as_a_push_and_a_rewrite_as_a_force_push(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.clone.commit("More")
    box.alice.push("feature")
    box.alice.clone.commit("Amended", amend=True)
    box.alice.push("+feature")
    assert box.events(number) == ["pushed", "head_ref_force_pushed"]
    assert [ref["name"] for ref in box.server.log.forced()] == ["refs/heads/feature"]
    assert box.alice.get(f"pulls/{number}")["head"]["sha"] == box.alice.clone.oid()


def test_a_rewritten_base_is_recorded(box: Box) -> None:
    _, upper = box.stack("a", "b")
    box.alice.clone.git("checkout", "-q", "a")
    box.alice.clone.commit("Other", amend=True)
    box.alice.push("+a")
    assert box.events(upper) == ["base_ref_force_pushed"]
    assert box.state(upper) == "open"


def test_the_heads_of_pull_requests_can_be_fetched_and_follow(box: Box) -> None:
    (number,) = box.stack("feature")
    tip = box.alice.clone.commit("More")
    box.alice.push("feature")
    box.bob.clone.git("fetch", "-q", "origin", f"refs/pull/{number}/head")
    assert box.bob.clone.oid("FETCH_HEAD") == tip


def test_moving_refs_through_the_api_has_the_same_effects(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.patch("git/refs/heads/main", {"sha": box.tip("feature")})
    assert box.state(number) == "merged"


def test_reopening_works_while_the_branch_went_on(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.patch(f"pulls/{number}", {"state": "closed"})
    tip = box.alice.clone.commit("More")
    box.alice.push("feature")
    assert box.alice.get(f"pulls/{number}")["head"]["sha"] != tip, "a closed one is frozen"
    assert box.alice.patch(f"pulls/{number}", {"state": "open"})["head"]["sha"] == tip


def test_reopening_is_refused_after_a_force_push(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.patch(f"pulls/{number}", {"state": "closed"})
    box.alice.clone.commit("Other", amend=True)
    box.alice.push("+feature")
    error = box.alice.patch(f"pulls/{number}", {"state": "open"}, expect=422)
    assert error["errors"][0]["message"] == (
        "state cannot be changed. The feature branch was force-pushed or recreated."
    )


def test_a_merged_one_cannot_be_reopened(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.push("feature:main")
    assert "merged" in box.alice.patch(f"pulls/{number}", {"state": "open"}, expect=422)["errors"][0]["message"]


def test_reopening_is_refused_when_the_base_is_gone_or_taken(box: Box) -> None:
    lower, upper = box.stack("a", "b")
    box.alice.patch(f"pulls/{lower}", {"state": "closed"})
    box.alice.open("a")
    taken = box.alice.patch(f"pulls/{lower}", {"state": "open"}, expect=422)["errors"][0]["message"]
    assert "A pull request already exists for base branch 'main' and head branch 'a'" in taken
    box.alice.push(":a")
    gone = box.alice.patch(f"pulls/{upper}", {"state": "open"}, expect=422)["errors"][0]["message"]
    assert gone == "state cannot be changed. The a branch has been deleted."


# -- the server killed between moving refs and writing that down ---------------------------------------------


def _moved_behind_its_back(box: Box, *moves: tuple[str, str]) -> SandboxServer:
    """Move refs in the bare repository, as a killed server leaves them, and start a new server."""
    engine = box.server.engine
    bare = GitRepo(engine.directory(box.repo))
    box.server.stop()
    for name, target in moves:
        bare.git("update-ref", *(["-d", name] if not target else [name, target]))
    return SandboxServer(box.root / "sandbox")


def test_a_restart_settles_a_push_that_was_not_written_down(box: Box) -> None:
    (number,) = box.stack("feature")
    feature = box.tip("feature")
    box.server = _moved_behind_its_back(box, ("refs/heads/main", str(feature)))
    assert box.state(number) == "merged"


def test_a_restart_follows_a_moved_head(box: Box) -> None:
    (number,) = box.stack("feature")
    tip = box.alice.clone.commit("More")
    box.alice.push("feature:elsewhere")
    box.server = _moved_behind_its_back(box, ("refs/heads/feature", tip))
    assert (box.state(number), box.pull(number).head_oid) == ("open", tip)
    assert box.server.engine.git(box.repo).refs[f"refs/pull/{number}/head"] == tip


def test_a_restart_finishes_a_squash_whose_ref_had_moved(box: Box) -> None:
    (number,) = box.stack("feature")
    engine = box.server.engine
    squash = engine.git(box.repo).write_commit(
        engine.git(box.repo).need(str(box.tip("feature"))).tree,
        (str(box.tip("main")),),
        engine.git(box.repo).need(str(box.tip("main"))).author,
        engine.git(box.repo).need(str(box.tip("main"))).committer,
        "Squashed\n",
    )
    with engine.transaction():
        pull = box.pull(number)
        pull.merging_oid, pull.merged_by_id = squash, box.server.user("bob").id
        engine.store.pulls.save(pull)
    box.server = _moved_behind_its_back(box, ("refs/heads/main", squash))
    pull = box.pull(number)
    assert (pull.merged, pull.merge_oid) == (True, squash)
    assert pull.merged_by_id == box.server.user("bob").id


def test_a_restart_forgets_a_merge_whose_ref_had_not_moved(box: Box) -> None:
    (number,) = box.stack("feature")
    with box.server.engine.transaction():
        pull = box.pull(number)
        pull.merging_oid = "1" * 40
        box.server.engine.store.pulls.save(pull)
    box.server = _moved_behind_its_back(box)
    assert (box.state(number), box.pull(number).merging_oid) == ("open", None)


def test_a_branch_moved_again_by_nobody_changes_nothing(box: Box, tmp_path: Path) -> None:
    (number,) = box.stack("feature")
    tags = [RefMove("refs/tags/v1", "0" * 40, str(box.tip("main")))]
    aftermath.refs_moved(box.server.engine, box.repo, None, tags)
    assert box.events(number) == []
