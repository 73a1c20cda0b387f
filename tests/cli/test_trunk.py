"""Which branch a stack lands on when nobody names it."""

from __future__ import annotations

from tests.support.world import World


def test_a_branch_made_from_another_remote_branch_lands_there(world: World) -> None:
    clone = world.clone()
    world.bare.git("branch", "develop", "main")
    clone.git("fetch", "-q")
    clone.git("checkout", "-q", "-b", "topic", "origin/develop")
    clone.commit("Add a", {"a.txt": "a\n"})
    clone.stackr("submit")
    assert world.titled("Add a").base_ref == "develop"


def test_pushing_the_whole_branch_to_its_namesake_does_not_make_that_the_trunk(world: World) -> None:
    clone = world.clone()
    clone.git("checkout", "-q", "-b", "topic")
    clone.commit("Add a", {"a.txt": "a\n"})
    clone.git("config", "branch.topic.remote", "origin")
    clone.git("config", "branch.topic.merge", "refs/heads/topic")
    clone.stackr("submit")
    assert world.titled("Add a").base_ref == "main"


def test_a_clone_without_a_remote_head_still_needs_one_request(world: World) -> None:
    clone = world.clone()
    clone.git("remote", "set-head", "origin", "--delete")
    clone.commit("Add a", {"a.txt": "a\n"})
    clone.stackr("submit")
    world.forget()
    clone.stackr("submit")
    assert world.api_count() == 1
