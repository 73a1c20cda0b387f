"""Stacks that stand right before a sync, to be broken in every way, as ``tests/support/stories.py`` has for submit.

What differs: some pull requests are merged already, files of the work tree are switched, and uncommitted work is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from stackr.sandbox.log import Entry
from stackr.sandbox.server import SandboxServer
from tests.support.laws import check_laws
from tests.support.stories import Scene, Stage, View
from tests.support.synced import land
from tests.support.world import Clone, World

_UNCOMMITTED = {"README.md": "changed here\n", "notes.txt": "untracked\n"}
_GONE_WRONG = {"head_ref_force_pushed", "base_ref_deleted"}


def landed(world: World) -> Clone:
    """The lowest of three changes is squashed on trunk, which has more besides, and a branch stands in the middle."""
    clone = world.stacked("A", "B", "C")
    clone.git("branch", "middle", "HEAD~1")
    world.advance("src/app.py", "trunk\n")
    world.advance("src/new.py", "trunk\n")
    land(world, 1)
    return clone


def taken(world: World) -> Clone:
    """A suggestion on the lower of two branches, and another trunk."""
    clone = world.stacked("A", "B")
    world.suggest(world.pull(1).head_ref, "A.txt", (clone.path / "A.txt").read_text() + "bob\n")
    world.advance("src/app.py", "trunk\n")
    return clone


def misplaced(world: World) -> Clone:
    """The middle one of three is merged into the branch of the lowest."""
    clone = world.stacked("A", "B", "C")
    world.merge(2, method="squash")
    return clone


SYNC_STORIES: Mapping[str, Callable[[World], Clone]] = {story.__name__: story for story in (landed, taken, misplaced)}
_LAWFUL = {"landed": [1], "taken": []}
"""Stories after which every law holds, with the numbers that have landed."""


class SyncStage(Stage):
    """The stories, with uncommitted work in every copy."""

    def __init__(self, server: SandboxServer, source: Path, root: Path) -> None:
        super().__init__(server, source, root, SYNC_STORIES)

    def scene(self, story: str, root: Path) -> Scene:
        """A copy of a story, with that work in it."""
        scene = super().scene(story, root)
        for name, text in _UNCOMMITTED.items():
            scene.clone.write(name, text)
        return scene

    def _run(self, story: str) -> tuple[View, list[Entry]]:
        if story not in self._unbroken:
            scene = self.scene(story, self._root)
            scene.clone.stackr("sync")
            self._unbroken[story] = scene.view(), scene.world.server.log.entries()
            check_work(scene)
            if story in _LAWFUL:
                check_laws(scene.world, scene.clone, landed=_LAWFUL[story], gone=_LAWFUL[story])
        return self._unbroken[story]


def check_work(scene: Scene) -> None:
    """The uncommitted work is there byte for byte, everything else is as HEAD has it, nothing is half done."""
    assert scene.clone.git("status", "--porcelain").splitlines() == [" M README.md", "?? notes.txt"]
    assert {name: (scene.clone.path / name).read_text() for name in _UNCOMMITTED} == _UNCOMMITTED
    assert not (scene.clone.path / ".git" / "index.lock").exists()


def finish_sync(stage: Stage, story: str, scene: Scene) -> None:
    """The next sync ends where an unbroken one ends, whose laws are checked, and nothing went wrong on the way."""
    scene.clone.stackr("sync")
    assert scene.view() == stage.unbroken(story)
    check_work(scene)
    for pull in scene.world.pulls():
        assert not _GONE_WRONG & set(scene.world.events(pull.number)), scene.world.events(pull.number)
