"""A sync fails or is killed at every write, to GitHub and here; the next one finishes it, and no work is lost.

As for submit nothing says how many writes there are, ways to fail take turns, and ``STACKR_TEST_FAULTS=all`` takes
every combination.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from stackr.sandbox.server import SandboxServer
from tests.support import processes
from tests.support.saboteur import DEEDS, saboteur
from tests.support.stopping import in_turn, stopped_at_each_step
from tests.support.stories import Scene, Stage
from tests.support.sync_stories import SYNC_STORIES, SyncStage, check_work, finish_sync
from tests.support.truth import check_error

IS_LONG = os.environ.get("STACKR_TEST_FAULTS") == "all"
LASTING = 99
KINDS = {"drop": 5, "500": 5, "502-html": 5, "cut-json": 5, "401": 7, "403-sso": 7}
"""Ways to fail, each lasting, and the exit code they end in."""

AT_WRITES = (
    [(story, ((kind, when),)) for story in SYNC_STORIES for kind in KINDS for when in ("before", "after")]
    if IS_LONG
    else [
        ("landed", (("drop", "after"), ("500", "before"))),
        ("taken", (("401", "before"), ("500", "after"))),
        ("misplaced", (("500", "before"), ("drop", "after"))),
    ]
)
AT_STEPS = (
    [(story, (deed,)) for story in SYNC_STORIES for deed in DEEDS]
    if IS_LONG
    else [
        ("landed", ("killed after", "killed before")),
        ("misplaced", ("interrupted after", "interrupted before")),
        ("taken", ("disk full", "killed after")),
    ]
)


@pytest.fixture(scope="session")
def _sync_stage(
    slow_server: SandboxServer, source_repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> SyncStage:
    return SyncStage(slow_server, source_repository, tmp_path_factory.mktemp("sync-stories"))


@pytest.fixture
def sync_stage(_sync_stage: SyncStage, slow_server: SandboxServer) -> Iterator[SyncStage]:
    """The stories; no fault outlives its test."""
    yield _sync_stage
    slow_server.faults.clear()


@pytest.mark.parametrize(("story", "turns"), AT_WRITES, ids=in_turn)
def test_a_sync_that_failed_at_any_write_is_finished_by_the_next(
    sync_stage: SyncStage, tmp_path: Path, story: str, turns: tuple[tuple[str, str], ...]
) -> None:
    writes = 0
    for (kind, when), k in zip(itertools.cycle(turns), itertools.count(1), strict=False):
        scene = sync_stage.scene(story, tmp_path)
        before = scene.view()
        faults = scene.world.server.faults
        fault = faults.add(kind, k, when=when, selector="write", times=LASTING)
        result = scene.clone.stackr("sync", code=None)
        faults.clear()
        if not fault.struck:
            break
        writes = k
        # A lost answer is looked up where that can be done: then all is well.
        assert result.code == KINDS[kind] or (result.code == 0 and when == "after"), f"write {k}: {result}"
        # What a server refused and did all the same, nobody can tell.
        is_lie = KINDS[kind] == 7 and when == "after"
        if result.code:
            check_error(result, before, before if is_lie else scene.view())
        check_work(scene)
        finish_sync(sync_stage, story, scene)
    assert writes == sum(entry.is_write for entry in sync_stage.requests(story))


@pytest.mark.parametrize(("story", "deeds"), AT_STEPS, ids=in_turn)
def test_a_sync_stopped_at_any_local_step_is_finished_by_the_next(
    sync_stage: SyncStage, tmp_path: Path, story: str, deeds: tuple[str, ...]
) -> None:
    for scene in stopped_at_each_step(sync_stage, story, tmp_path, deeds, "sync", stride=3):
        finish_sync(sync_stage, story, scene)


def test_a_sync_killed_when_refs_have_moved_and_files_have_not_is_mended_by_any_command(
    sync_stage: SyncStage, tmp_path: Path
) -> None:
    scene = killed_between(sync_stage, tmp_path)
    assert scene.clone.subjects() == ["B", "C"]
    told = scene.clone.stackr("submit", "--no-fetch", code=None)
    assert "an earlier run was stopped while it switched files" in told.err
    check_work(scene)
    finish_sync(sync_stage, "landed", scene)


def killed_between(stage: Stage, root: Path) -> Scene:
    """A sync that was killed right after it moved its branches."""
    for k in itertools.count(1):
        scene = stage.scene("landed", root)
        before = scene.clone.oid()
        hand = saboteur(scene.world.root / "hand", "killed after", k)
        processes.start(scene.clone, "sync", env=hand.env).end()
        if scene.clone.oid() != before:
            return scene
    raise AssertionError
