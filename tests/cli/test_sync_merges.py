"""A stack that lands bit by bit on the page (design: scenarios 16, 17 and 25), in every way in which people merge."""

from __future__ import annotations

import pytest

from tests.support.laws import check_laws
from tests.support.synced import BRANCHES, TITLES, check_settled, delete_branch, land, push_to_trunk
from tests.support.world import Clone, World


def synced(world: World, clone: Clone, landed: list[int], **more: bool) -> None:
    """After a sync the rest of the stack stands on trunk, lawful, and nothing is left to do."""
    clone.stackr("sync")
    left = list(TITLES[len(landed) :])
    assert clone.subjects() == left
    assert clone.git("rev-list", "--count", "HEAD..origin/main") == "0"
    assert clone.git("status", "--porcelain") == ""
    if left:
        check_laws(world, clone, landed=landed, gone=landed, **more)
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


@pytest.mark.parametrize("method", ["rebase", "merge"])
@pytest.mark.parametrize("branch", BRANCHES)
def test_the_lowest_landed_by_another_method_leave_the_stack_as_well(world: World, method: str, branch: str) -> None:
    clone = world.stacked(*TITLES)
    for number in (1, 2):
        land(world, number, method, branch)
    synced(world, clone, [1, 2])
