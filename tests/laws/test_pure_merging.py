"""GitHub in memory merges as GitHub does: a law about landing would mean nothing otherwise."""

from __future__ import annotations

import pytest

from stackr.core.model import PullState
from stackr.core.ports import Merge, PullEdit, ReadRequest
from stackr.core.rules import MergeState, Method
from stackr.errors import LeaseLost, Refused
from tests.support.pure_github import PureGitHub
from tests.support.pure_work import Step, new_world


def submitted(*edits: dict[str, str | None]) -> tuple[PureGitHub, list[int], dict[str, str]]:
    """GitHub with a stack of these changes, the numbers bottom first, and the files of the top."""
    world = new_world()
    world.replay([Step(f"change {i}\n".encode(), change, "") for i, change in enumerate(edits)])
    world.submit()
    numbers = [world.pull_of(step.message) for step in world.steps()]
    return world.github, [n for n in numbers if n is not None], dict(world.repo.objects.content(world.repo.tip))


def merge(github: PureGitHub, number: int, method: Method = Method.SQUASH) -> str | None:
    """Retarget a pull request to trunk, and merge it as it stands."""
    pull = github.pulls[number]
    if pull.base_ref != "main":
        github.update_pulls([PullEdit(number, pull.node_id, base="main")])
    return github.merge_pull(Merge(number, pull.node_id, github.branches[pull.head_ref], method, pull.title, "text"))


@pytest.mark.parametrize("method", [each for each in Method if each is not Method.PUSH])
def test_a_stack_merged_from_the_bottom_leaves_its_files_on_trunk(method: Method) -> None:
    github, numbers, files = submitted({"one": "1"}, {"two": "2", "readme": None}, {"three": "3"})
    for number in numbers:
        assert merge(github, number, method) in (None, github.pulls[number].merge_commit)
    assert dict(github.objects.content(github.branches["main"])) == files
    assert [github.pulls[number].state for number in numbers] == [PullState.MERGED] * 3
    request = ReadRequest(heads=(github.pulls[numbers[0]].head_ref,), landing=True)
    landing = github.read(request).landing
    assert landing is not None
    assert {n: each.merge_state for n, each in landing.standings.items()} == {numbers[0]: MergeState.CLEAN}


def test_a_change_to_what_landed_below_conflicts_until_its_head_is_brought_up_to_date() -> None:
    github, (below, above), _ = submitted({"one": "1"}, {"one": "1.5"})
    merge(github, below)
    with pytest.raises(Refused, match="not mergeable"):
        merge(github, above)
    assert github.pulls[above].state is PullState.OPEN


def test_a_head_that_moved_is_not_merged_and_a_deleted_base_closes() -> None:
    github, (below, above), _ = submitted({"one": "1"}, {"two": "2"})
    first = github.pulls[below]
    with pytest.raises(Refused, match="its head is not"):
        github.merge_pull(Merge(below, first.node_id, "0" * 40, Method.MERGE))
    with pytest.raises(LeaseLost):
        github.delete_refs("R_1", [(f"refs/heads/{first.head_ref}", "0" * 40)])
    github.add_comment(below, "text")
    github.delete_refs("R_1", [(f"refs/heads/{first.head_ref}", github.branches[first.head_ref])])
    assert [github.pulls[number].state for number in (below, above)] == [PullState.CLOSED] * 2
    assert github.comments == [(below, "text")]
