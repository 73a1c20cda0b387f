"""A stack that lands bit by bit on the page (design: scenarios 16, 17 and 25), in every way in which people merge."""

from __future__ import annotations

import pytest

from tests.support.laws import check_laws
from tests.support.synced import BRANCHES, TITLES, check_settled, land, push_to_trunk
from tests.support.world import Clone, World


def synced(world: World, clone: Clone, landed: list[int]) -> None:
    """After a sync the rest of the stack stands on trunk, lawful, and nothing is left to do."""
    clone.stackr("sync")
    left = list(TITLES[len(landed) :])
    assert clone.subjects() == left
    assert clone.git("rev-list", "--count", "HEAD..origin/main") == "0"
    assert clone.git("status", "--porcelain") == ""
    if left:
        check_laws(world, clone, landed=landed, gone=landed, again=False)
    check_settled(world, clone)
    for number in landed:
        assert world.state(number) == "merged"
        assert f"refs/heads/{world.pull(number).head_ref}" not in world.bare.refs("refs/heads")
    assert len(world.pulls()) == len(TITLES)


@pytest.mark.parametrize("branch", BRANCHES)
@pytest.mark.parametrize("count", range(1, len(TITLES) + 1))
def test_the_lowest_of_four_squashed_leave_the_others_open_rightly_based_and_with_their_own_diff(
    world: World, count: int, branch: str
) -> None:
    clone = world.stacked(*TITLES)
    for number in range(1, count + 1):
        land(world, number, "squash", branch)
    synced(world, clone, list(range(1, count + 1)))


@pytest.mark.parametrize(
    ("method", "branch"),
    [("rebase", "kept"), ("rebase", "deleted"), ("merge", "deleted"), ("merge", "retargeted by hand")],
)
def test_the_lowest_landed_by_another_method_leave_the_stack_as_well(world: World, method: str, branch: str) -> None:
    clone = world.stacked(*TITLES)
    for number in (1, 2):
        land(world, number, method, branch)
    synced(world, clone, [1, 2])


def test_commits_pushed_to_trunk_as_they_are_have_landed(world: World) -> None:
    clone = world.stacked(*TITLES)
    clone.git("push", "-q", world.server.clone_url(world.name, clone.token), "HEAD~2:refs/heads/main")
    result = clone.stackr("sync")
    assert '#1 "A" landed on main as it is\n' in result.out
    # GitHub notices only what targets trunk.
    assert '#2 "B" landed on main as it is; GitHub still shows #2 as open, close it there\n' in result.out
    check_laws(world, clone, landed=[1, 2], gone=[1, 2])
    check_settled(world, clone)


@pytest.mark.parametrize("message", ["", "other words"])
def test_what_somebody_else_cherry_picked_to_trunk_has_landed(world: World, message: str) -> None:
    """Known by its Change-Id, and without one by its patch."""
    clone = world.stacked(*TITLES)
    tip = push_to_trunk(world, clone, "FETCH_HEAD~3", message=message)
    where = "" if message else f" as {tip[:7]}"
    told = clone.stackr("sync").out
    assert f'#1 "A" landed on main{where}; GitHub still shows #1 as open, close it there\n' in told
    assert world.state(1) == "open"
    check_laws(world, clone, landed=[1], gone=[1])
    check_settled(world, clone)


def test_a_change_in_the_middle_may_land_alone(world: World) -> None:
    clone = world.stacked(*TITLES)
    push_to_trunk(world, clone, "FETCH_HEAD~2")
    clone.stackr("sync")
    assert clone.subjects() == ["A", "C", "D"]
    check_laws(world, clone, landed=[2], gone=[2])
    check_settled(world, clone)


def test_two_changes_squashed_into_one_commit_have_landed_both(world: World) -> None:
    clone = world.stacked(*TITLES)
    world.edit(2, base="main")
    world.merge(2, method="squash", delete=True)
    told = clone.stackr("sync").out
    assert "GitHub still shows #1 as open, close it there" in told
    check_laws(world, clone, landed=[1, 2], gone=[1, 2])
    check_settled(world, clone)


def test_a_stack_merged_from_the_top_down_into_one_another_has_landed_whole(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    for number in (3, 2, 1):
        world.merge(number, method="squash")
    told = clone.stackr("sync").out
    assert [line for line in told.splitlines() if "NOT landed" in line] == []
    assert 'note: #2 "B" leaves your stack: main has all of it\n' in told
    assert clone.oid() == clone.oid("origin/main")
    check_settled(world, clone)


def test_a_change_of_which_trunk_has_all_in_another_commit_leaves_the_stack(world: World) -> None:
    clone = world.stacked("A", "B")
    lines = (clone.path / "A.txt").read_text()
    world.advance("A.txt", lines + "and more\n")
    world.advance("A.txt", lines)
    told = clone.stackr("sync").out
    assert 'note: #1 "A" leaves your stack: main has all of it; GitHub still shows #1 as open, close it there' in told
    assert clone.subjects() == ["B"]
    check_laws(world, clone, landed=[1], gone=[1])
    check_settled(world, clone)


def test_what_landed_before_a_sync_without_push_is_listed_by_the_next(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    land(world, 1)
    facts = world.facts()
    told = clone.stackr("sync", "--no-push")
    assert told.err.splitlines()[-1] == "moved 1 local branch"
    assert world.facts() == facts
    assert clone.subjects() == ["B", "C"]
    clone.stackr("sync")
    check_laws(world, clone, landed=[1], gone=[1])
    assert f"refs/heads/{world.pull(1).head_ref}" not in world.bare.refs("refs/heads")


def test_a_branch_that_was_pushed_to_after_the_merge_is_not_deleted(world: World) -> None:
    clone = world.stacked("A", "B")
    land(world, 1)
    theirs = world.suggest(world.pull(1).head_ref, "A.txt", "late\n")
    clone.stackr("sync")
    assert world.bare.oid(world.pull(1).head_ref) == theirs
    check_laws(world, clone, landed=[1], gone=[1])


def test_a_lower_pull_request_is_retargeted_before_its_branch_is_pushed(world: World) -> None:
    """Or it would show trunk's own files for a moment, and call in their code owners (scenario 25)."""
    clone = world.stacked("A", "B")
    world.advance("owned.txt", "trunk\n")
    land(world, 1)
    clone.stackr("sync")
    events = world.events(2)
    assert events.index("base_ref_changed") < events.index("pushed")
    check_laws(world, clone, landed=[1], gone=[1])
