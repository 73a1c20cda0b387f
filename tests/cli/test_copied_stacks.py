"""A stack that a test gets as a copy (``tests/support/templates.py``) is just what a submit leaves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from stackr.sandbox.server import SandboxServer
from tests.support.laws import check_laws
from tests.support.world import Clone, World

_VARYING = ("id", "repo_id", "head_repo_id", "created_at", "updated_at", "last_edited_at")


def test_a_copied_stack_is_as_a_submitted_one(
    sandbox_server: SandboxServer, source_repository: Path, tmp_path: Path, world: World
) -> None:
    world.stacked("A", "B", "C")
    copied, real = (_world(sandbox_server, source_repository, tmp_path / name) for name in ("copied", "real"))
    copied = World(copied.server, copied.name, copied.root, begun=world.begun)
    clones = copied.stacked("A", "B", "C"), real.stacked("A", "B", "C")
    assert _all(copied, clones[0]) == _all(real, clones[1])
    check_laws(copied, clones[0])
    assert clones[0].stackr("undo").out.replace(copied.name, real.name) == clones[1].stackr("undo").out


def _world(server: SandboxServer, source: Path, root: Path) -> World:
    root.mkdir()
    server.add_repository(f"acme/{root.name}", source, writers=("alice", "bob", "carol"))
    return World(server, f"acme/{root.name}", root)


def _all(world: World, clone: Clone) -> dict[str, Any]:
    """What is in the clone and on the server, but for times, row ids and the repository's name."""
    facts = world.facts()
    pulls = [{k: v for k, v in fields.items() if k not in _VARYING} for fields in facts["pulls"].values()]
    own = {path.name: path.read_text() for path in (clone.path / ".git" / "stackr").iterdir()}
    own["config"] = (clone.path / ".git" / "config").read_text()
    return {
        "server": facts["refs"],
        "pulls": pulls,
        "events": [world.events(number) for number in (1, 2, 3)],
        "edits": [len(world.server.engine.store.edits.by(repo_id=world.pull(n).repo_id, number=n)) for n in (1, 2, 3)],
        "last": world.server.repository(world.name).last_number,
        "refs": clone.refs(),
        "status": clone.git("status", "--porcelain", "--branch"),
        "own": {name: re.sub(r'"at": \d+', "", text).replace(world.name, "R") for name, text in own.items()},
        "log": world.server.log.entries(),
    }
