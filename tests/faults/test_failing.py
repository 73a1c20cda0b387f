"""Every request of a submit fails, in every way, before and after its effect; the next submit finishes the work.

The number of requests is not written down here: the k-th is made to fail for k = 1, 2, … until there is no k-th. By
default the ways to fail take turns from one request to the next; ``STACKR_TEST_FAULTS=all`` lets every request of every
story fail in all of them.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
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


@dataclass(frozen=True)
class Turns:
    """A story with ways to fail and when (``before``, ``after`` the effect), which its requests meet in turn."""

    story: str
    ways: tuple[tuple[str, Way], ...]

    def __str__(self) -> str:
        return "-".join([self.story, *(f"{when}-{way}" for when, way in self.ways)])


def turns(usual: Sequence[Turns], stories: Sequence[str], ways: Sequence[tuple[str, Way]]) -> list[Turns]:
    """The usual ones, or every story with every way alone."""
    if os.environ.get("STACKR_TEST_FAULTS") == "all":
        return [Turns(story, (way,)) for story in stories for way in ways]
    return list(usual)


# Each story meets a way that passes and one that does not; which comes first, and so strikes the push, takes turns too.
USUAL = [
    Turns("new", (("before", PASSING[0]), ("after", LASTING[1]))),
    Turns("inserted", (("after", PASSING[3]), ("before", LASTING[2]))),
    Turns("amended", (("before", PASSING[4]), ("after", FINAL[0]))),
    Turns("reordered", (("before", FINAL[1]), ("after", PASSING[1]))),
]
DYING = [("after", LASTING[0]), ("before", FINAL[0])]
UNREAD = [("before", LASTING[1]), ("before", PASSING[3])]


@pytest.mark.parametrize(
    "turn", turns(USUAL, list(STORIES), list(itertools.product(("before", "after"), WAYS))), ids=str
)
def test_a_submit_that_failed_at_any_write_is_finished_by_the_next(stage: Stage, tmp_path: Path, turn: Turns) -> None:
    fail_everywhere(stage, tmp_path, turn, "write")


@pytest.mark.parametrize("turn", turns([Turns("reordered", (*DYING,))], ["new", "reordered"], DYING), ids=str)
def test_a_network_that_dies_at_any_request_leaves_what_the_next_submit_finishes(
    stage: Stage, tmp_path: Path, turn: Turns
) -> None:
    fail_everywhere(stage, tmp_path, turn, "any")


@pytest.mark.parametrize("turn", turns([Turns("behind", (*UNREAD,))], ["behind"], UNREAD), ids=str)
def test_a_submit_whose_reading_failed_is_finished_by_the_next(stage: Stage, tmp_path: Path, turn: Turns) -> None:
    fail_everywhere(stage, tmp_path, turn, "read")
    assert any(entry.service == "upload-pack" for entry in stage.requests("behind"))


def fail_everywhere(stage: Stage, root: Path, turn: Turns, selector: str) -> None:
    """Let the first request of that kind fail, then the second, and so on; each time the next submit finishes."""
    for k in itertools.count(1):
        when, way = turn.ways[(k - 1) % len(turn.ways)]
        scene = stage.scene(turn.story, root)
        broken = break_off(scene, way, k, when, selector)
        if broken is None:
            break
        assert broken.code == way.code, f"{selector} {k}: {broken}"
        finish(stage, turn.story, scene, again=k == 1)
    kinds = {"write": (True,), "read": (False,), "any": (True, False)}[selector]
    assert k - 1 == sum(entry.is_write in kinds for entry in stage.requests(turn.story))


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
        finish(stage, "new", scene, again=k == 1)
    assert k > 1 + 3 + 3, "a push, three creates, three updates"


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
