"""Commands that are stopped at each of their local steps in turn: killed, interrupted, out of disk.

What a stopped run must have said is checked here; what the next run has to make of it is the test's.
"""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.support import processes
from tests.support.saboteur import saboteur
from tests.support.stories import Scene, Stage, View
from tests.support.truth import check_error
from tests.support.world import Result


def stopped_at_each_step(
    stage: Stage, story: str, root: Path, deeds: Sequence[str], *args: str, first: int = 1, stride: int = 2
) -> Iterator[Scene]:
    """Scenes in which the command ``args`` was stopped at its ``first`` step, and each ``stride`` further on.

    The deeds take turns; there must be four steps at least, or nothing was tried. What is left after one step is what
    is there before the next, so deeds before and after a step lose little; ``STACKR_TEST_FAULTS=all`` takes every step.
    """
    every = os.environ.get("STACKR_TEST_FAULTS") == "all"
    for deed, k in zip(itertools.cycle(deeds), itertools.count(*((1, 1) if every else (first, stride))), strict=False):
        scene = stage.scene(story, root)
        before = scene.view()
        hand = saboteur(scene.world.root / "hand", deed, k)
        result = processes.start(scene.clone, *args, env=hand.env).end()
        if hand.steps < k:
            assert result.code == 0, str(result)
            assert hand.steps >= 4, "hardly any step"
            return
        _check_stopped(result, deed, before, scene)
        yield scene


def in_turn(value: object) -> str:
    """What a test with several ways to fail is called by."""
    return " then ".join(map(in_turn, value)) if isinstance(value, tuple) else str(value)


def check_interrupted(result: Result) -> None:
    """Ctrl-C ends a run at once, and it says what to do."""
    assert result.code == 130, str(result)
    error, safe, todo = result.err.splitlines()[-3:]
    assert error == "error: interrupted" and safe.startswith("safe:  "), str(result)
    assert todo in (
        "next:  run the same command again; it goes on from here",
        "next:  stackr land again goes on from there",
    )


def _check_stopped(result: Result, deed: str, before: View, scene: Scene) -> None:
    if deed.startswith("killed"):
        assert result.code == -signal.SIGKILL, str(result)
    elif deed.startswith("interrupted"):
        check_interrupted(result)
    elif result.code:
        assert result.code == 6, str(result)
        check_error(result, before, scene.view())
