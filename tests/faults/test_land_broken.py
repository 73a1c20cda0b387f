"""A landing fails or is killed at every write, to GitHub and here; the next one finishes it, and nothing lands twice.

As for submit nothing says how many writes there are. By default every other one fails, and ways to fail take turns;
``STACKR_TEST_FAULTS=all`` takes every combination.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stackr.sandbox.server import SandboxServer
from tests.support.saboteur import DEEDS
from tests.support.stopping import in_turn, stopped_at_each_step
from tests.support.stories import Scene, Stage
from tests.support.world import Clone, World

IS_LONG = os.environ.get("STACKR_TEST_FAULTS") == "all"
LASTING = 99
KINDS = {"drop": 5, "500": 5, "502-html": 5, "cut-json": 5, "401": 7}
"""Ways to fail, each lasting, and the exit code they end in."""

METHODS = ("squash", "rebase", "merge", "push")
TURNS = (("drop", "after"), ("500", "before"))
AT_WRITES = (
    [(method, ((kind, when),)) for method in METHODS for kind in KINDS for when in ("before", "after")]
    if IS_LONG
    else [("rebase", TURNS), ("push", TURNS[::-1])]
)
AT_STEPS = (
    [(method, (deed,)) for method in METHODS for deed in DEEDS]
    if IS_LONG
    else [("squash", ("killed after", "killed before")), ("push", ("killed before", "killed after"))]
)


def two_of_three(world: World) -> Clone:
    """Three changes, of which two are to land; the second touches the lines of the first, so its head is pushed."""
    clone = world.clone()
    clone.git("checkout", "-q", "-b", "feature")
    clone.commit("A", {"same.txt": "A\n"})
    clone.commit("B", {"same.txt": "B\n"})
    clone.change("C")
    clone.stackr("submit")
    clone.git("config", "stackr.login", "alice")
    return clone


@pytest.fixture(scope="session")
def _land_stage(slow_server: SandboxServer, source_repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    root = tmp_path_factory.mktemp("land-stories")
    return Stage(slow_server, source_repository, root, {"two_of_three": two_of_three})


@pytest.fixture
def land_stage(_land_stage: Stage, slow_server: SandboxServer) -> Iterator[Stage]:
    """The story; no fault outlives its test."""
    yield _land_stage
    slow_server.faults.clear()


def land(method: str) -> tuple[str, ...]:
    return ("land", "2", "--yes", "--method", method)


def check_finished(scene: Scene, method: str) -> None:
    """Whatever came before, the next landing ends here; ids of commits that GitHub makes differ, trees do not."""
    scene.clone.stackr(*land(method))
    assert outcome(scene) == {
        "trunk": ["A (#1)", "B (#2)", "Add src/util.py"][:3],
        "same.txt": "B\n",
        "states": ["merged", "merged", "open"],
        "base": "main",
        "branches": ["main", scene.world.pull(3).head_ref],
        "local": ["C"],
        "on trunk": True,
        "clean": "",
    }
    assert "#1 (landed)" in (scene.world.pull(3).body or "") and "#2 (landed)" in (scene.world.pull(3).body or "")


def outcome(scene: Scene) -> dict[str, Any]:
    """All that a landing is for, without object ids and times."""
    bare, clone = scene.world.bare, scene.clone
    firsts = bare.git("log", "-3", "--first-parent", "--format=%s", "main").splitlines()
    return {
        "trunk": [*reversed(firsts[:2]), firsts[2]],
        "same.txt": bare.git("show", "main:same.txt") + "\n",
        "states": [scene.world.state(n) for n in (1, 2, 3)],
        "base": scene.world.pull(3).base_ref,
        "branches": sorted(ref.removeprefix("refs/heads/") for ref in bare.refs("refs/heads")),
        "local": clone.subjects(),
        "on trunk": clone.oid("HEAD~1") == bare.oid("main"),
        "clean": clone.git("status", "--short"),
    }


@pytest.mark.parametrize(("method", "turns"), AT_WRITES, ids=in_turn)
def test_a_landing_that_failed_at_any_write_is_finished_by_the_next(
    land_stage: Stage, tmp_path: Path, method: str, turns: tuple[tuple[str, str], ...]
) -> None:
    for (kind, when), k in zip(itertools.cycle(turns), itertools.count(1, 1 if IS_LONG else 2), strict=False):
        scene = land_stage.scene("two_of_three", tmp_path)
        faults = scene.world.server.faults
        fault = faults.add(kind, k, when=when, selector="write", times=LASTING)
        result = scene.clone.stackr(*land(method), code=None)
        faults.clear()
        if not fault.struck:
            break
        # A lost answer is looked up where that can be done: then all is well.
        assert result.code == KINDS[kind] or (result.code == 0 and when == "after"), f"write {k}: {result}"
        check_finished(scene, method)
    assert k > 3


@pytest.mark.parametrize(("method", "deeds"), AT_STEPS, ids=in_turn)
def test_a_landing_stopped_at_any_local_step_is_finished_by_the_next(
    land_stage: Stage, tmp_path: Path, method: str, deeds: tuple[str, ...]
) -> None:
    for scene in stopped_at_each_step(land_stage, "two_of_three", tmp_path, deeds, *land(method), stride=3):
        check_finished(scene, method)
