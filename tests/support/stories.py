"""Stacks that stand right before a submit, to be broken in every way: built once a session, copied for every run.

Here: the stories, ``Stage`` that copies them, and ``View``, all that a submit leaves behind, for comparing a broken and
finished submit with an unbroken one. Not here: faults and kills (the tests), the laws (``tests/support/laws.py``).
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stackr.sandbox import pulls
from stackr.sandbox.log import Entry
from stackr.sandbox.server import SandboxServer
from tests.support.folders import read_folder
from tests.support.laws import check_history, check_laws, check_nothing_to_do
from tests.support.templates import Template, copy_to, template_of
from tests.support.world import Clone, World

_numbers = itertools.count(1)


def new(world: World) -> Clone:
    """Three commits that GitHub has never seen."""
    return world.stacked("A", "B", "C", submit=False)


def inserted(world: World) -> Clone:
    """One commit more in the middle of two that are submitted, and another text for the one below it."""
    clone = world.stacked("A", "B")
    clone.reword("A", "A, renamed\n\nBecause.")
    clone.change("Z")
    clone.reorder("A, renamed", "Z", "B")
    return clone


def amended(world: World) -> Clone:
    """The code of the lowest of three commits changed, and the message of the middle one."""
    clone = world.stacked("A", "B", "C")
    clone.amend("A")
    clone.reword("B", "B, renamed\n\nBecause.")
    return clone


def reordered(world: World) -> Clone:
    """Three commits in another order, so that some have to be parked; one amended, and another text for it."""
    clone = world.stacked("A", "B", "C")
    clone.reorder("C", "A", "B")
    clone.amend("B", message="B, renamed\n\nBecause.")
    return clone


def behind(world: World) -> Clone:
    """One of two commits amended, while trunk moved on and was not fetched: the submit has to."""
    clone = world.stacked("A", "B")
    clone.amend("A")
    world.advance()
    return clone


STORIES: Mapping[str, Callable[[World], Clone]] = {
    story.__name__: story for story in (new, inserted, amended, reordered)
}
"""Those with writes of every kind; ``behind`` is about reading."""
ALL = {**STORIES, "behind": behind}


@dataclass(frozen=True)
class View:
    """What a submit leaves: pull requests by number, the server's branches, local refs and HEAD.

    Times and the order in which things happened are not in it.
    """

    pulls: dict[int, dict[str, Any]]
    branches: dict[str, str]
    refs: dict[str, str]
    head: str


@dataclass(frozen=True)
class Scene:
    """A world and the clone in it that is about to submit."""

    world: World
    clone: Clone

    def view(self) -> View:
        """Everything that must be as after an unbroken run."""
        refs = self.clone.refs("refs/heads", "refs/stackr")
        # The log of operations holds a line more when a run died between it and the refs.
        mine = {ref: oid for ref, oid in refs.items() if not ref.startswith("refs/stackr/undo/")}
        return View(
            {pull.number: _facts(self.world, pull) for pull in self.world.pulls()},
            self.world.bare.refs("refs/heads"),
            mine,
            self.clone.git("symbolic-ref", "HEAD"),
        )


def _facts(world: World, pull: pulls.PullRequest) -> dict[str, Any]:
    fields = ("title", "body", "draft", "head_ref", "head_oid", "base_ref")
    return {
        **{name: getattr(pull, name) for name in fields},
        "state": world.state(pull.number),
        "labels": world.labels(pull.number),
        "reviewers": world.reviewers(pull.number),
    }


class Stage:
    """Stories on one server, each built when first asked for."""

    def __init__(
        self,
        server: SandboxServer,
        source: Path,
        root: Path,
        stories: Mapping[str, Callable[[World], Clone]] = ALL,
    ) -> None:
        self._server = server
        self._stories = stories
        self._source = source
        self._root = root
        self._masters: dict[str, tuple[Template, Clone]] = {}
        self._unbroken: dict[str, tuple[View, list[Entry]]] = {}

    def scene(self, story: str, root: Path) -> Scene:
        """A copy of a story below ``root``, with a repository of its own on the server; the log is cleared."""
        template, master = self._masters.get(story) or self._build(story)
        world = self._world(root)
        clone = Clone(world.root / "clone", master.login, master.token)
        copy_to(world, clone.path, template)
        world.forget()
        return Scene(world, clone)

    def unbroken(self, story: str) -> View:
        """What an unbroken submit of a story leaves."""
        return self._run(story)[0]

    def requests(self, story: str) -> list[Entry]:
        """The requests that an unbroken submit of a story makes."""
        return self._run(story)[1]

    def _run(self, story: str) -> tuple[View, list[Entry]]:
        """An unbroken submit, once; that it is lawful is checked."""
        if story not in self._unbroken:
            scene = self.scene(story, self._root)
            scene.clone.stackr("submit")
            self._unbroken[story] = scene.view(), scene.world.server.log.entries()
            check_laws(scene.world, scene.clone)
        return self._unbroken[story]

    def _build(self, story: str) -> tuple[Template, Clone]:
        world = self._world(self._root)
        read_folder(self._source).write(world.bare.path)
        clone = self._stories[story](world)
        # Few files are copied in no time.
        clone.git("gc", "-q", "--prune=now")
        world.bare.git("gc", "-q")
        shutil.rmtree(clone.path / ".git" / "hooks")
        self._masters[story] = template_of(world, clone.path), clone
        return self._masters[story]

    def _world(self, root: Path) -> World:
        name = f"acme/story{next(_numbers)}"
        self._server.add_repository(name, writers=("alice", "bob", "carol"))
        folder = root / name.partition("/")[2]
        folder.mkdir(parents=True)
        return World(self._server, name, folder)


def finish(stage: Stage, story: str, scene: Scene, *, again: bool = True) -> None:
    """The next submit ends where an unbroken one ends, lawfully, and a third (``again``) finds nothing to do.

    That is so after an unbroken one, and what is the same need not be asked every time.
    """
    scene.clone.stackr("submit")
    assert scene.view() == stage.unbroken(story), "diffs, lists and bases are as lawful as those"
    check_history(scene.world)
    if again:
        check_nothing_to_do(scene.world, scene.clone)
