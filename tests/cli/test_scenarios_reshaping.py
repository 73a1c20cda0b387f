"""What went wrong for users of other tools (design: scenarios 5 to 9 and 12): a stack that changes its shape."""

from __future__ import annotations

import itertools

import pytest

from tests.support.laws import Seen, check_diff, check_laws
from tests.support.world import Clone, World


def titles(stack: list[Seen]) -> list[str]:
    return [seen.pull.title for seen in stack]


def numbers(stack: list[Seen]) -> list[int]:
    return [seen.pull.number for seen in stack]


def lower_ones(world: World) -> list[object]:
    return [(world.facts()["pulls"][str(number)], world.events(number)) for number in (1, 2)]


def orphans(clone: Clone) -> list[int]:
    return [orphan["number"] for orphan in clone.stackr("status", "--json").json["orphans"]]


def test_a_new_stack_becomes_one_pull_request_for_each_commit(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    stack = check_laws(world, clone)
    assert titles(stack) == ["A", "B", "C"]
    assert numbers(stack) == [1, 2, 3]


def test_a_single_commit_becomes_a_pull_request_without_a_list(world: World) -> None:
    assert numbers(check_laws(world, world.stacked("A"))) == [1]


def test_submitting_an_unchanged_stack_pushes_and_writes_nothing(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    before = [clone.raw_commit(oid) for oid in clone.stack()], world.facts()
    for _ in range(2):
        clone.stackr("submit", "--update-fields")
    assert ([clone.raw_commit(oid) for oid in clone.stack()], world.facts()) == before
    assert world.server.log.counts() == {"api": 2, "mutations": 0, "git": 0, "pushes": 0, "fetches": 0}
    check_laws(world, clone)


def test_dropping_the_middle_commit_orphans_its_pull_request_and_leaves_it_open(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.reorder("A", "C")
    clone.stackr("submit")
    stack = check_laws(world, clone)
    assert titles(stack) == ["A", "C"]
    assert world.state(2) == "open"
    assert "#2" not in "".join(pull.body or "" for pull in (world.pull(1), world.pull(3)))
    assert orphans(clone) == [2]


def test_dropping_the_lowest_commit_puts_the_next_one_on_trunk(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.reorder("B", "C")
    clone.stackr("submit")
    assert numbers(check_laws(world, clone)) == [2, 3]
    assert orphans(clone) == [1]


def test_dropping_the_top_commit_touches_no_branch(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.reorder("A", "B")
    clone.stackr("submit")
    assert world.server.log.pushes() == []
    assert numbers(check_laws(world, clone)) == [1, 2]
    assert orphans(clone) == [3]


def test_a_dropped_commit_that_comes_back_has_its_old_pull_request(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    before = clone.oid()
    clone.reorder("A", "C")
    clone.stackr("submit")
    clone.git("reset", "-q", "--hard", before)
    clone.stackr("submit")
    assert numbers(check_laws(world, clone)) == [1, 2, 3]
    assert orphans(clone) == []


def test_squashing_two_changes_leaves_one_id_and_flags_the_other(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.rebase("2s/^pick/squash/")
    assert clone.git("log", "--format=%(trailers:key=Change-Id,valueonly)", "HEAD~1", "-1").count("I") <= 2
    clone.stackr("submit")
    stack = check_laws(world, clone)
    assert titles(stack) == ["A", "C"]
    assert numbers(stack) == [1, 3]
    assert clone.git("log", "-1", "--format=%B", "HEAD~1").count("Change-Id:") == 1
    assert orphans(clone) == [2]


def test_a_fixup_into_the_lower_change_flags_the_upper_one(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.rebase("3s/^pick/fixup/")
    clone.stackr("submit")
    assert numbers(check_laws(world, clone)) == [1, 2]
    assert orphans(clone) == [3]


@pytest.mark.parametrize("order", [o for o in itertools.permutations("ABC") if o != ("A", "B", "C")], ids="".join)
def test_reordering_keeps_every_pull_request_open_with_its_own_diff(world: World, order: tuple[str, ...]) -> None:
    clone = world.stacked("A", "B", "C")
    clone.reorder(*order)
    clone.stackr("submit")
    stack = check_laws(world, clone)
    assert titles(stack) == list(order)
    assert numbers(stack) == ["ABC".index(title) + 1 for title in order]


def test_reordering_there_and_back_again_keeps_everything_open(world: World) -> None:
    clone = world.stacked("A", "B", "C", "D")
    for order in ("DCBA", "BADC", "ABCD"):
        clone.reorder(*order)
        clone.stackr("submit")
        assert titles(check_laws(world, clone, again=False)) == list(order)
    check_laws(world, clone)


def test_reordering_and_amending_at_once_keeps_every_diff_right(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.reorder("C", "A", "B")
    clone.amend("A")
    clone.stackr("submit")
    assert titles(check_laws(world, clone)) == ["C", "A", "B"]


def test_swapping_two_commits_that_touch_the_same_file_keeps_both_open(world: World) -> None:
    clone = world.stacked("A")
    text = (clone.path / "src/app.py").read_text()
    clone.commit("Top line", {"src/app.py": "top\n" + text})
    clone.commit("Last line", {"src/app.py": "top\n" + text + "last\n"})
    clone.stackr("submit")
    clone.reorder("Last line", "A", "Top line")
    clone.stackr("submit")
    assert titles(check_laws(world, clone)) == ["Last line", "A", "Top line"]


def test_a_commit_inserted_below_everything_becomes_the_new_bottom(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.change("Z")
    clone.reorder("Z", "A", "B")
    clone.stackr("submit")
    stack = check_laws(world, clone)
    assert titles(stack) == ["Z", "A", "B"]
    assert numbers(stack) == [3, 1, 2]


def test_a_commit_inserted_in_the_middle_becomes_the_base_of_the_next(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.change("Z")
    clone.reorder("A", "Z", "B")
    clone.stackr("submit")
    stack = check_laws(world, clone)
    assert titles(stack) == ["A", "Z", "B"]
    assert numbers(stack) == [1, 3, 2]


def test_splitting_a_commit_in_two_keeps_its_pull_request_for_the_part_with_its_id(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.commit("B", {"b1.txt": "1\n", "b2.txt": "2\n"})
    clone.change("C")
    clone.stackr("submit")
    (id_line,) = [line for line in clone.git("log", "-1", "--format=%B", "HEAD~1").split("\n") if "Change-Id" in line]
    clone.git("checkout", "-q", "--detach", "HEAD~2")
    clone.commit(f"B first\n\n{id_line}", {"b1.txt": "1\n"})
    clone.commit("B second", {"b2.txt": "2\n"})
    clone.git("cherry-pick", "feature")
    clone.git("checkout", "-q", "-B", "feature")
    clone.stackr("submit")
    stack = check_laws(world, clone)
    assert titles(stack) == ["A", "B first", "B second", "C"]
    assert numbers(stack) == [1, 2, 4, 3]


def test_only_the_top_commit_amended_leaves_the_lower_pull_requests_alone(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    before = lower_ones(world)
    clone.amend("C")
    clone.stackr("submit")
    assert [ref["name"] for push in world.server.log.pushes() for ref in push.refs] == [
        f"refs/heads/{world.pull(3).head_ref}"
    ]
    assert lower_ones(world) == before
    check_laws(world, clone)


def test_amending_the_bottom_commit_moves_every_branch_forward_in_one_push(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.amend("A")
    clone.stackr("submit")
    counts = world.server.log.counts()
    assert counts["pushes"] == 1
    assert counts["api"] <= 2
    assert len(world.server.log.pushes()[0].refs) == 3
    check_laws(world, clone)


def test_a_stack_rebased_onto_newer_trunk_shows_no_work_of_trunk(world: World) -> None:
    clone = world.stacked("A", "B")
    world.advance()
    clone.git("pull", "-q", "--rebase", "origin", "main", env={"GIT_ASKPASS": "true"})
    clone.stackr("submit")
    check_laws(world, clone)


def test_trunk_that_moved_on_without_the_stack_changes_nothing(world: World) -> None:
    clone = world.stacked("A", "B")
    world.advance()
    world.forget()
    clone.stackr("submit")
    assert world.server.log.pushes() == []
    check_laws(world, clone)


def test_an_orphan_still_shows_its_own_diff(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    dropped = Seen(clone.stack()[1], "", world.pull(2))
    clone.reorder("A", "C")
    clone.stackr("submit")
    check_diff(world, clone, Seen(dropped.commit, "", world.pull(2)))
