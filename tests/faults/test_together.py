"""Two at once: two people at the same stack, and two stackrs in one clone. Real processes, held where it hurts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import processes
from tests.support.laws import check_laws
from tests.support.stories import Scene, Stage
from tests.support.world import Clone

WAYS_OUT = "next:  stackr sync takes them in; stackr submit --overwrite puts your version on top of them"


def colleague(scene: Scene) -> Clone:
    """Bob's clone, on the same commits as alice's and with the same branches as his own."""
    bob = scene.world.clone("bob")
    bob.git("fetch", "-q", str(scene.clone.path), "HEAD")
    bob.git("checkout", "-q", "-b", "feature", "FETCH_HEAD")
    bob.git("config", "stackr.user", "alice")
    return bob


def contains(scene: Scene, number: int, oid: str) -> bool:
    """Whether the branch of a pull request has a commit in its history."""
    return scene.world.bare.git("merge-base", oid, scene.world.pull(number).head_ref) == oid


@pytest.mark.parametrize("selector", ["push", "git"])
def test_of_two_people_who_push_at_once_one_wins_and_the_other_is_told(
    stage: Stage, tmp_path: Path, selector: str
) -> None:
    """Alice's push is held when it has seen the old branches ("push"), or before that ("git")."""
    scene = stage.scene("reordered", tmp_path)
    bob = colleague(scene)
    bob.rewrite("A", "bob's\n")
    fault = scene.world.server.faults.add("hold", selector=selector)
    loser = processes.start(scene.clone, "submit")
    processes.until(fault.reached.is_set, "alice's push")
    bob.stackr("submit", "--overwrite")
    bobs = {number: scene.world.pull(number).head_oid for number in (1, 2, 3)}
    fault.release()
    lost = loser.end()
    assert lost.code == 3, str(lost)
    assert "meanwhile" in lost.err
    assert "nothing was pushed" in lost.err
    assert {number: scene.world.pull(number).head_oid for number in (1, 2, 3)} == bobs
    told = scene.clone.stackr("submit", code=3)
    assert told.err.splitlines()[-1] == WAYS_OUT
    scene.clone.stackr("submit", "--overwrite")
    check_laws(scene.world, scene.clone)
    assert all(contains(scene, number, oid) for number, oid in bobs.items())


def test_two_people_who_create_the_same_stack_at_once_make_it_once(stage: Stage, tmp_path: Path) -> None:
    scene = stage.scene("new", tmp_path)
    bob = colleague(scene)
    faults = scene.world.server.faults
    fault = faults.add("hold", selector="mutation")
    slower = processes.start(scene.clone, "submit")
    processes.until(fault.reached.is_set, "alice's first create")
    bob.stackr("submit")
    fault.release()
    done = slower.end()
    assert done.code == 0, str(done)
    check_laws(scene.world, scene.clone)
    check_laws(scene.world, bob)
    assert len(scene.world.pulls()) == 3


def test_two_people_who_park_and_update_at_once_end_with_the_stack_of_the_last(stage: Stage, tmp_path: Path) -> None:
    """Alice has parked and pushed when bob, on the same commits, starts and finishes before she goes on."""
    scene = stage.scene("reordered", tmp_path)
    bob = colleague(scene)
    fault = scene.world.server.faults.add("hold", 2, selector="mutation")
    slower = processes.start(scene.clone, "submit")
    processes.until(fault.reached.is_set, "alice's updates")
    bob.stackr("submit")
    fault.release()
    done = slower.end()
    assert done.code == 0, str(done)
    assert scene.view() == stage.unbroken("reordered")
    check_laws(scene.world, bob)


def test_a_second_stackr_in_the_same_clone_is_refused_and_the_first_goes_on(stage: Stage, tmp_path: Path) -> None:
    scene = stage.scene("amended", tmp_path)
    fault = scene.world.server.faults.add("hold", selector="api")
    first = processes.start(scene.clone, "submit")
    processes.until(fault.reached.is_set, "the first stackr's reading")
    second = scene.clone.stackr("submit", code=3)
    assert second.err.splitlines() == [
        f'error: "stackr submit" (process {first.process.pid}) is running in this repository',
        "safe:  nothing was changed",
        "next:  wait for it to end, or stop it, and try again",
    ]
    fault.release()
    assert first.end().code == 0
    assert scene.view() == stage.unbroken("amended")
    check_laws(scene.world, scene.clone)


def test_a_stackr_that_was_killed_leaves_no_lock(stage: Stage, tmp_path: Path) -> None:
    scene = stage.scene("new", tmp_path)
    fault = scene.world.server.faults.add("hold", selector="api")
    dead = processes.start(scene.clone, "submit")
    processes.until(fault.reached.is_set, "the reading")
    dead.kill()
    fault.release()
    scene.clone.stackr("submit")
    check_laws(scene.world, scene.clone)
