"""What others pushed to the branches of a stack is taken into its changes by a sync (docs/internals/protocol.md 6)."""

from __future__ import annotations

from tests.support.laws import check_laws
from tests.support.synced import check_settled, land
from tests.support.world import Clone, World


def credits_of(clone: Clone, revision: str) -> list[str]:
    return clone.git("log", "-1", "--format=%(trailers:key=Co-authored-by,valueonly)", revision).splitlines()


def lines(clone: Clone, name: str) -> str:
    return (clone.path / name).read_text()


def contains(world: World, number: int, oid: str) -> bool:
    """Whether the branch of a pull request has a commit in its history."""
    return world.bare.git("merge-base", oid, world.pull(number).head_ref) == oid


def test_a_suggestion_becomes_part_of_the_change_with_its_author_and_what_is_above_follows(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    theirs = world.suggest(world.pull(2).head_ref, "B.txt", lines(clone, "B.txt") + "bob\n")
    assert '#2 "B" now holds what Bob Author pushed to its branch\n' in clone.stackr("sync").out
    assert lines(clone, "B.txt").endswith("bob\n")
    assert credits_of(clone, "HEAD~1") == ["Bob Author <bob@example.com>"]
    assert contains(world, 2, theirs)
    assert contains(world, 3, theirs)
    check_laws(world, clone)
    check_settled(world, clone)


def test_the_author_goes_on_afterwards_and_so_do_the_colleagues(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    text = lines(clone, "B.txt")
    world.suggest(world.pull(2).head_ref, "B.txt", text + "bob\n")
    clone.stackr("sync")
    clone.amend("B", "alice\n")
    clone.stackr("submit")
    check_laws(world, clone)
    world.suggest(world.pull(2).head_ref, "B.txt", text + "bob\nalice\nbob again\n")
    world.suggest(world.pull(2).head_ref, "carol.txt", "carol\n", login="carol")
    assert "now holds what Bob Author and Carol Author pushed" in clone.stackr("sync").out
    assert credits_of(clone, "HEAD~1") == ["Bob Author <bob@example.com>", "Carol Author <carol@example.com>"]
    assert lines(clone, "B.txt").endswith("bob\nalice\nbob again\n")
    check_laws(world, clone)
    check_settled(world, clone)


def test_a_suggestion_and_an_amendment_and_a_landing_come_together(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    text = lines(clone, "B.txt")
    world.suggest(world.pull(2).head_ref, "B.txt", "bob\n" + text)
    clone.amend("B", "alice\n")
    land(world, 1)
    clone.stackr("sync")
    assert lines(clone, "B.txt") == "bob\n" + text + "alice\n"
    check_laws(world, clone, landed=[1], gone=[1])
    check_settled(world, clone)


def test_suggestions_on_two_branches_are_taken_into_the_change_they_belong_to(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    world.suggest(world.pull(1).head_ref, "A.txt", lines(clone, "A.txt") + "bob\n")
    world.suggest(world.pull(3).head_ref, "C.txt", lines(clone, "C.txt") + "carol\n", login="carol")
    clone.stackr("sync")
    assert [credits_of(clone, f"HEAD~{n}") for n in (2, 1, 0)] == [
        ["Bob Author <bob@example.com>"],
        [],
        ["Carol Author <carol@example.com>"],
    ]
    check_laws(world, clone)
    check_settled(world, clone)


def test_binary_files_and_renames_are_taken_in(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    helper = world.clone("bob")
    branch = world.pull(2).head_ref
    helper.git("checkout", "-q", branch)
    helper.write("moved/B.txt", (helper.path / "B.txt").read_bytes())
    (helper.path / "B.txt").unlink()
    helper.write("logo.png", b"\x89PNG\0\xff")
    helper.git("add", "-A")
    helper.git("commit", "-q", "-m", "Move it", env=helper.person)
    helper.git("push", "-q", world.server.clone_url(world.name, helper.token), f"HEAD:refs/heads/{branch}")
    clone.amend("B", "alice\n")
    clone.stackr("sync")
    assert lines(clone, "moved/B.txt").endswith("alice\n")
    assert not (clone.path / "B.txt").exists()
    assert (clone.path / "logo.png").read_bytes() == b"\x89PNG\0\xff"
    check_laws(world, clone)
    check_settled(world, clone)


def test_update_branch_on_the_page_makes_nobody_an_author(world: World) -> None:
    clone = world.stacked("A", "B")
    world.advance()
    world.update_branch(1)
    clone.stackr("sync")
    assert credits_of(clone, "HEAD~1") == []
    check_laws(world, clone)
    check_settled(world, clone)


def test_update_branch_and_a_trunk_that_goes_on_in_the_same_lines_are_no_conflict(world: World) -> None:
    clone = world.stacked("A", "B")
    for text in ("one\n", "two\n"):
        world.advance("README.md", text)
        world.update_branch(1)
    world.advance("README.md", "three\n")
    clone.stackr("sync")
    assert lines(clone, "README.md") == "three\n"
    check_laws(world, clone)
    check_settled(world, clone)


def test_without_push_what_others_pushed_is_taken_in_locally_and_counts_as_ours(world: World) -> None:
    clone = world.stacked("A", "B")
    world.suggest(world.pull(1).head_ref, "A.txt", lines(clone, "A.txt") + "bob\n")
    facts = world.facts()
    clone.stackr("sync", "--no-push")
    assert world.facts() == facts
    clone.stackr("submit")
    check_laws(world, clone)
