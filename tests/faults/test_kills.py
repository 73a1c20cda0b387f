"""Killed, interrupted, out of disk space: at every write to GitHub and at every local one; the next submit finishes.

As in ``test_failing`` nothing says how many writes there are, ways to die take turns, and ``STACKR_TEST_FAULTS=all``
takes every combination.
"""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from stackr.sandbox.faults import Fault
from tests.support import processes
from tests.support.saboteur import DEEDS
from tests.support.stopping import check_interrupted, in_turn, stopped_at_each_step
from tests.support.stories import STORIES, Scene, Stage, finish

IS_LONG = os.environ.get("STACKR_TEST_FAULTS") == "all"
MOMENTS = ("never sent", "never answered", "late")
"""What becomes of the write at which stackr dies; a late one has its effect after the next submit."""

AT_WRITES = (
    [(story, (moment,)) for story in STORIES for moment in MOMENTS]
    if IS_LONG
    else [
        ("new", ("never answered", "late", "never sent")),
        ("inserted", ("late", "never sent", "never answered")),
        ("reordered", ("never sent", "never answered", "late")),
    ]
)
AT_STEPS = (
    [(story, 1, (deed,)) for story in STORIES for deed in DEEDS]
    if IS_LONG
    else [
        ("new", 1, ("killed after", "interrupted before", "disk full")),
        ("amended", 1, ("read only", "killed after", "killed before")),
        ("reordered", 2, ("killed before", "killed after", "interrupted after")),
    ]
)
"""Stories, the first step at which they are stopped, and how, in turn."""


@pytest.mark.parametrize(("story", "moments"), AT_WRITES, ids=in_turn)
def test_a_submit_killed_at_any_write_is_finished_by_the_next(
    stage: Stage, tmp_path: Path, story: str, moments: tuple[str, ...]
) -> None:
    writes = 0
    for scene, moment, fault, running in held_at_each_write(stage, tmp_path, story, moments):
        writes += 1
        assert running.kill().code == -signal.SIGKILL
        if moment == "late":
            scene.clone.stackr("submit")
        fault.release()
        if moment == "late":
            wait_for_the_last_answer(scene)
        scene.world.server.faults.clear()
        finish(stage, story, scene, again=writes == 1)
    assert writes == sum(entry.is_write for entry in stage.requests(story))


@pytest.mark.parametrize("story", STORIES if IS_LONG else ["new"])
def test_a_submit_interrupted_at_any_write_says_so_and_is_finished_by_the_next(
    stage: Stage, tmp_path: Path, story: str
) -> None:
    for scene, _, fault, running in held_at_each_write(stage, tmp_path, story, ("never answered",)):
        running.signal(signal.SIGINT)
        check_interrupted(running.end())
        fault.release()
        finish(stage, story, scene, again=False)


@pytest.mark.parametrize(("story", "first", "deeds"), AT_STEPS, ids=in_turn)
def test_a_submit_stopped_at_any_local_step_is_finished_by_the_next(
    stage: Stage, tmp_path: Path, story: str, first: int, deeds: tuple[str, ...]
) -> None:
    for number, scene in enumerate(stopped_at_each_step(stage, story, tmp_path, deeds, "submit", first=first)):
        finish(stage, story, scene, again=number == 0)


def test_stackr_started_from_a_shell_dies_and_recovers_just_so(stage: Stage, tmp_path: Path) -> None:
    scene = stage.scene("reordered", tmp_path)
    fault = scene.world.server.faults.add("hold", 2, when="after", selector="write")
    process = scene.clone.start("submit")
    processes.until(fault.reached.is_set, "the push")
    process.kill()
    process.communicate()
    fault.release()
    finish(stage, "reordered", scene)


def held_at_each_write(
    stage: Stage, root: Path, story: str, moments: Sequence[str]
) -> Iterator[tuple[Scene, str, Fault, processes.Running]]:
    """Submits that hang at their first write, their second, and so on; the fault lets them go on."""
    for moment, k in zip(itertools.cycle(moments), itertools.count(1), strict=False):
        scene = stage.scene(story, root)
        faults = scene.world.server.faults
        fault = faults.add("hold", k, when="after" if moment == "never answered" else "before", selector="write")
        if moment == "never sent":
            faults.add("drop", k, selector="write")
        running = processes.start(scene.clone, "submit")
        processes.until(lambda: fault.reached.is_set() or not running.process.is_alive(), f"write {k}")  # noqa: B023
        if not fault.reached.is_set():
            assert running.end().code == 0
            faults.clear()
            return
        yield scene, moment, fault, running


def wait_for_the_last_answer(scene: Scene) -> None:
    """Until every request has its answer, though nobody may be there to read it."""
    log = scene.world.server.log
    processes.until(lambda: all(entry.status for entry in log.entries()), "the late write")
