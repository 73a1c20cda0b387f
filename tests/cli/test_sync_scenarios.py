"""What went wrong for users of other tools (design: scenarios 18 to 24): people and places around a sync."""

from __future__ import annotations

import shutil

from tests.support.laws import check_laws, refuses, untouched
from tests.support.synced import check_settled, land
from tests.support.world import Clone, World


def second_machine(world: World, clone: Clone) -> Clone:
    """Another clone of alice's, without any records, on the same commits."""
    other = world.clone("alice")
    other.git("fetch", "-q", str(clone.path), "feature")
    other.git("checkout", "-q", "-b", "feature", "FETCH_HEAD")
    return other


def test_with_trunk_checked_out_in_another_worktree_the_stack_goes_onto_the_remotes_trunk(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.git("worktree", "add", "-q", str(world.root / "linked"), "main")
    old = clone.oid("main")
    land(world, 1)
    clone.stackr("sync")
    assert clone.oid("main") == old != clone.oid("origin/main") == clone.oid("HEAD~1")
    check_laws(world, clone, landed=[1], gone=[1])


def test_branches_in_the_stack_move_along_and_those_in_other_worktrees_are_named(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    for name, at in (("middle", "HEAD~1"), ("low", "HEAD~2"), ("elsewhere", "HEAD~1")):
        clone.git("branch", name, at)
    clone.git("worktree", "add", "-q", str(world.root / "linked"), "elsewhere")
    old = clone.oid("elsewhere")
    land(world, 1)
    told = clone.stackr("sync")
    assert f'note: "elsewhere" is checked out in another worktree and stays at {old[:7]}\n' in told.out
    places = [clone.oid(name) for name in ("low", "middle", "elsewhere")]
    assert places == [clone.oid("origin/main"), clone.oid("HEAD~1"), old]


def test_the_worktree_in_which_the_stack_was_begun_may_be_gone(world: World) -> None:
    clone = world.clone()
    linked = Clone(world.root / "linked", clone.login, clone.token)
    clone.git("worktree", "add", "-q", "-b", "feature", str(linked.path))
    linked.change("A")
    linked.change("B")
    linked.stackr("submit")
    shutil.rmtree(linked.path)
    clone.git("worktree", "prune")
    clone.git("checkout", "-q", "feature")
    land(world, 1)
    clone.stackr("sync")
    check_laws(world, clone, landed=[1], gone=[1])
    check_settled(world, clone)


def test_a_branch_orphaned_and_deleted_long_ago_is_ignored(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    dropped = world.pull(2)
    clone.reorder("A", "C")
    clone.stackr("submit")
    world.edit(dropped.number, state="closed")
    clone.git("push", "-q", world.server.clone_url(world.name, clone.token), f":refs/heads/{dropped.head_ref}")
    land(world, 1)
    clone.stackr("sync")
    assert clone.subjects() == ["C"]
    check_laws(world, clone, landed=[1], gone=[1, 2])
    check_settled(world, clone)


def test_a_branch_that_was_rebased_outside_of_stackr_brings_its_own_commits_only(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    world.advance("README.md", "one\n")
    clone.git("fetch", "-q")
    clone.git("rebase", "-q", "origin/main")
    land(world, 1)
    world.advance("README.md", "two\n")
    clone.stackr("sync")
    assert clone.subjects() == ["B", "C"]
    check_laws(world, clone, landed=[1], gone=[1])
    check_settled(world, clone)


def test_a_change_merged_into_the_branch_below_is_told_loudly_and_repaired(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    below = world.pull(1).head_ref
    tree = clone.tree("HEAD~2")
    world.merge(2, method="squash")
    warned = clone.stackr("status")
    assert "landed  " not in warned.out
    assert (
        f'note: #2 "B" was merged into "{below}", which is not main: it has NOT landed unless that did;' in warned.out
    )
    told = clone.stackr("sync").out
    words = f'#2 "B" was merged into "{below}", which is not main: it has NOT landed; it is kept as a new change'
    assert f"note: {words}, and stackr submit gives it a new pull request\n" in told
    assert world.bare.tree(below) == tree
    check_settled(world, clone)
    clone.stackr("submit")
    stack = check_laws(world, clone, gone=[2])
    assert [seen.pull.number for seen in stack] == [1, 4, 3]
    # Nothing targets the branch of the merged pull request any more.
    (deletion,) = clone.stackr("sync", "--json").json["actions"]
    assert deletion["ref"] == f"refs/heads/{world.pull(2).head_ref}"
    check_settled(world, clone)


def test_a_change_merged_into_the_branch_below_which_is_deleted_then_is_repaired_as_well(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    world.merge(2, method="merge", delete=True)
    clone.stackr("sync")
    clone.stackr("submit")
    stack = check_laws(world, clone, gone=[2])
    assert [seen.pull.number for seen in stack] == [1, 4, 3]


def test_what_was_amended_after_the_merge_is_kept_as_a_new_change(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.amend("A", "late\n")
    tip = land(world, 1)
    told = clone.stackr("sync")
    words = f'#1 "A" landed on main as {tip[:7]}; what you changed since is kept as a change of its own'
    assert f"note: {words}\n" in told.out
    assert clone.git("diff", "origin/main", "HEAD~1").splitlines()[-1] == "+late"
    clone.stackr("submit")
    stack = check_laws(world, clone, landed=[1], gone=[1])
    assert [seen.pull.number for seen in stack] == [3, 2]


def test_a_suggestion_that_landed_with_the_change_is_not_taken_for_an_amendment(world: World) -> None:
    clone = world.stacked("A", "B")
    world.suggest(world.pull(1).head_ref, "A.txt", (clone.path / "A.txt").read_text() + "bob\n")
    land(world, 1)
    clone.stackr("sync")
    assert clone.subjects() == ["B"]
    check_laws(world, clone, landed=[1], gone=[1])


def test_a_pull_request_closed_without_a_merge_stays_in_the_stack_and_is_told(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    world.edit(2, state="closed")
    world.advance()
    told = clone.stackr("sync").out
    assert 'note: #2 "B" was closed on GitHub without being merged; it stays in your stack\n' in told
    assert clone.subjects() == ["A", "B", "C"]
    check_settled(world, clone)
    clone.stackr("submit", "--reopen")
    check_laws(world, clone, gone=[2])


def test_dirty_untracked_and_staged_files_are_kept(world: World) -> None:
    clone = world.stacked("A", "B")
    world.advance("src/app.py", "trunk\n")
    clone.write("README.md", "dirty\n")
    clone.write("notes.txt", "untracked\n")
    clone.write("staged.txt", "staged\n")
    clone.git("add", "staged.txt")
    clone.stackr("sync")
    assert clone.git("status", "--porcelain").splitlines() == [" M README.md", "A  staged.txt", "?? notes.txt"]
    texts = [(clone.path / name).read_text() for name in ("README.md", "notes.txt", "staged.txt", "src/app.py")]
    assert texts == ["dirty\n", "untracked\n", "staged\n", "trunk\n"]
    check_laws(world, clone)


def test_files_that_both_changed_are_named_before_anything_moves_by_a_dry_run_too(world: World) -> None:
    clone = world.stacked("A", "B")
    world.advance("README.md", "trunk\n")
    world.advance("notes.txt", "trunk\n")
    clone.write("README.md", "dirty\n")
    clone.write("notes.txt", "untracked\n")
    for args in (("sync",), ("sync", "--dry-run")):
        refuses(
            world,
            clone,
            *args,
            code=3,
            kind="refused",
            message='files you have changed would be overwritten: "README.md", "notes.txt"',
            next_step="commit or stash them (git stash -u), or move them away; then run the same command again",
        )


def test_changes_that_were_never_submitted_move_along_and_get_no_pull_request(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.change("Z")
    clone.reorder("A", "Z", "B")
    clone.change("Y")
    land(world, 1)
    clone.stackr("sync")
    assert clone.subjects() == ["Z", "B", "Y"]
    assert len(world.pulls()) == 2
    check_settled(world, clone)
    clone.stackr("submit")
    check_laws(world, clone, landed=[1], gone=[1])


def test_a_second_machine_without_records_syncs_as_well_and_the_first_follows(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    other = second_machine(world, clone)
    land(world, 1, branch="deleted")
    for machine in (other, clone):
        machine.stackr("sync")
        check_laws(world, machine, landed=[1], gone=[1])
        check_settled(world, machine)


def test_a_second_machine_takes_in_a_suggestion_without_a_conflict(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    other = second_machine(world, clone)
    world.suggest(world.pull(2).head_ref, "B.txt", (clone.path / "B.txt").read_text() + "bob\n")
    other.stackr("sync")
    assert (other.path / "B.txt").read_text().endswith("bob\n")
    check_laws(world, other)
    check_settled(world, other)


def test_a_stack_that_was_never_submitted_just_moves(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    world.advance()
    assert clone.stackr("sync").err.splitlines()[-1] == "moved 1 local branch"
    assert clone.git("rev-list", "--count", "HEAD..origin/main") == "0"
    check_settled(world, clone)


def test_a_branch_without_commits_of_its_own_goes_to_the_new_trunk(world: World) -> None:
    clone = world.clone()
    clone.git("checkout", "-q", "-b", "feature")
    world.advance()
    clone.stackr("sync")
    assert clone.oid() == clone.oid("origin/main")
    assert clone.git("status", "--porcelain") == ""


def test_a_detached_head_moves_along(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.git("checkout", "-q", "--detach")
    clone.git("branch", "-D", "-q", "feature")
    land(world, 1)
    clone.stackr("sync")
    assert clone.subjects() == ["B"]
    assert clone.git("status", "--porcelain", "--branch") == "## HEAD (no branch)"


def test_a_dry_run_writes_nothing_and_says_what_the_real_run_does(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    world.suggest(world.pull(3).head_ref, "C.txt", (clone.path / "C.txt").read_text() + "bob\n")
    land(world, 1)
    clone.git("fetch", "-q")
    objects = clone.git("count-objects", "-v")
    with untouched(world, clone):
        planned = clone.stackr("sync", "--dry-run", "--json").json
    assert clone.git("count-objects", "-v") == objects
    done = clone.stackr("sync", "--json").json
    assert list(planned) == ["schema", "command", "ok", "trunk", "head", "changes", "orphans", "actions"]
    assert list(done) == list(planned)
    assert [action["kind"] for action in done["actions"]] == [action["kind"] for action in planned["actions"]]
    kinds = {action["kind"] for action in done["actions"]}
    assert kinds == {"move", "park", "push", "update", "delete"}
    assert {change["state"] for change in planned["changes"]} == {"modified"}
    assert {change["state"] for change in done["changes"]} == {"in-sync"}
    assert [change["position"] for change in done["changes"]] == [1, 2]
    tips = [change["pull"]["head_oid"] for change in done["changes"]]
    assert tips == [world.bare.oid(change["head_ref"]) for change in done["changes"]]
    check_laws(world, clone, landed=[1], gone=[1])


def test_a_change_brought_back_after_a_revert_is_a_new_change(world: World) -> None:
    clone = world.stacked("A")
    land(world, 1)
    text = (clone.path / "A.txt").read_text()
    helper = world.clone("bob")
    helper.git("revert", "--no-edit", "HEAD", env=helper.person)
    helper.git("push", "-q", world.server.clone_url(world.name, helper.token), "HEAD:refs/heads/main")
    clone.git("fetch", "-q")
    old = clone.oid()
    clone.git("checkout", "-q", "-B", "feature", "origin/main")
    clone.git("cherry-pick", old)
    told = clone.stackr("sync").out
    merged = world.pull(1).merge_oid or ""
    assert (
        f'note: #1 "A" landed on main as {merged[:7]}; what you changed since is kept as a change of its own\n' in told
    )
    assert (clone.path / "A.txt").read_text() == text
    clone.stackr("submit")
    assert [world.state(number) for number in (1, 2)] == ["merged", "open"]
    check_settled(world, clone)


def test_the_rest_of_a_landed_change_that_was_rebased_by_hand_is_no_conflict(world: World) -> None:
    clone = world.stacked("A", "B")
    land(world, 1)
    world.advance("A.txt", "trunk\n")
    clone.git("fetch", "-q")
    commits = clone.commits()
    clone.git("checkout", "-q", "-B", "feature", "origin/main")
    change = clone.git("log", "-1", "--format=%(trailers:key=Change-Id)", commits["A"]).strip()
    clone.commit(f"A\n\n{change}\n", {"A.txt": "more\n"})
    clone.git("cherry-pick", commits["B"])
    clone.stackr("sync")
    assert (clone.path / "A.txt").read_text() == "more\n"
    clone.stackr("submit")
    check_laws(world, clone, landed=[1], gone=[1])


def test_style_rewrite_moves_the_branches_by_force_with_a_lease_each(world: World) -> None:
    clone = world.clone()
    clone.git("config", "stackr.style", "rewrite")
    clone.grow("A", "B", "C")
    clone.stackr("submit")
    land(world, 1)
    clone.stackr("sync")
    assert [world.bare.oid(world.pull(number).head_ref) for number in (2, 3)] == clone.stack()
    check_laws(world, clone, landed=[1], gone=[1], forced=True)
    check_settled(world, clone)
