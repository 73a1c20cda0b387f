"""Every request of a submit fails, in every way, before and after its effect; the next submit finishes the work.

The number of requests is not written down here: the k-th is made to fail for k = 1, 2, … until there is no k-th. By
default every story meets every write with a few ways to fail; ``STACKR_TEST_FAULTS=all`` takes all of them.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from stackr.github import creating, pace
from tests.support.stories import STORIES, Scene, Stage, finish
from tests.support.truth import check_error
from tests.support.world import Result

ALWAYS = 99
"""More often than stackr tries."""


@dataclass(frozen=True)
class Way:
    """One way to fail: the fault's kind and value, how often in a row, and what the run has to end with."""

    kind: str
    times: int
    code: int
    value: float = 0

    def __str__(self) -> str:
        return f"{self.kind}-{'lasting' if self.times == ALWAYS else 'once'}"


BROKEN = ("drop", "500", "502-html", "cut-json")
# After 600 s twice more there is no patience left; a minute's slowness is within what anybody waits for a push.
PASSING = [*(Way(kind, 1, 0) for kind in BROKEN), Way("429", 1, 0, 7), Way("slow", 1, 0, 60_000)]
LASTING = [*(Way(kind, ALWAYS, 5) for kind in BROKEN), Way("429", ALWAYS, 5, 600)]
FINAL = [Way("401", ALWAYS, 7), Way("403-sso", ALWAYS, 7)]
WAYS = [*PASSING, *LASTING, *FINAL]


def chosen() -> list[tuple[str, str, Way]]:
    """Every story, once with a way that passes and once with one that does not, before and after in turn; or all."""
    cells = list(itertools.product(STORIES, ("before", "after")))
    if os.environ.get("STACKR_TEST_FAULTS") == "all":
        return [(*cell, way) for cell in cells for way in WAYS]
    sorts = (PASSING, [*LASTING, *FINAL])
    turns = ((cell, sorts[(number + number // 2) % 2], number) for number, cell in enumerate(cells))
    return [(*cell, sort[number % len(sort)]) for cell, sort, number in turns]


@pytest.mark.parametrize(("story", "when", "way"), chosen(), ids=str)
def test_a_submit_that_failed_at_any_write_is_finished_by_the_next(
    stage: Stage, tmp_path: Path, story: str, when: str, way: Way
) -> None:
    writes = 0
    for k in itertools.count(1):
        scene = stage.scene(story, tmp_path)
        broken = break_off(scene, way, k, when, "write")
        if broken is None:
            break
        writes = k
        assert broken.code == way.code, f"write {k}: {broken}"
        finish(stage, story, scene)
    assert writes == sum(entry.is_write for entry in stage.requests(story))


@pytest.mark.parametrize(
    ("story", "way", "when"), [("new", LASTING[0], "after"), ("reordered", FINAL[0], "before")], ids=str
)
def test_a_network_that_dies_at_any_request_leaves_what_the_next_submit_finishes(
    stage: Stage, tmp_path: Path, story: str, way: Way, when: str
) -> None:
    requests = 0
    for k in itertools.count(1):
        scene = stage.scene(story, tmp_path)
        broken = break_off(scene, way, k, when, "any")
        if broken is None:
            break
        requests = k
        assert broken.code == way.code, f"request {k}: {broken}"
        finish(stage, story, scene)
    assert requests == len(stage.requests(story))


def test_a_stack_of_which_only_a_part_was_created_or_updated_is_finished_by_the_next_submit(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a request for every single mutation, as for a stack so big that it takes several."""
    monkeypatch.setattr(creating, "FIRST_CREATES", 1)
    for name in ("MOST_CREATES", "FEWEST_EDITS", "MOST_EDITS"):
        monkeypatch.setattr(pace, name, 1)
    for k in itertools.count(1):
        scene = stage.scene("new", tmp_path)
        if break_off(scene, LASTING[k % len(LASTING)], k, "after", "write") is None:
            break
        finish(stage, "new", scene)
    assert k > 1 + 3 + 3, "a push, three creates, three updates"


@pytest.mark.parametrize("way", [LASTING[1], PASSING[3]], ids=str)
def test_a_submit_whose_reading_failed_is_finished_by_the_next(stage: Stage, tmp_path: Path, way: Way) -> None:
    for k in itertools.count(1):
        scene = stage.scene("behind", tmp_path)
        broken = break_off(scene, way, k, "before", "read")
        if broken is None:
            break
        assert broken.code == way.code, f"read {k}: {broken}"
        finish(stage, "behind", scene)
    assert any(entry.service == "upload-pack" for entry in stage.requests("behind"))


def break_off(scene: Scene, way: Way, k: int, when: str, selector: str) -> Result | None:
    """Submit with the k-th request failing; ``None`` when there is no k-th. What an error says has to be true."""
    faults = scene.world.server.faults
    before = scene.view()
    fault = faults.add(way.kind, k, when=when, selector=selector, value=way.value, times=way.times)
    result = scene.clone.stackr("submit", code=None)
    faults.clear()
    if not fault.struck:
        return None
    # What a server refused and did all the same, nobody can tell.
    is_lie = way.kind in ("401", "403-sso", "429") and when == "after"
    if result.code:
        check_error(result, before, before if is_lie else scene.view())
    return result
