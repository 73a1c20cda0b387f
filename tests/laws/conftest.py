"""A stage with a bare branch, for laws that are tried with whole commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stackr.sandbox.server import SandboxServer
from tests.support.stories import Stage
from tests.support.world import Clone, World
from tests.support.world_fixtures import sandbox_server, source_repository

__all__ = ["sandbox_server", "source_repository"]


def bare_branch(world: World) -> Clone:
    """A clone on a branch without a commit of its own."""
    return world.stacked(submit=False)


@pytest.fixture
def stage(
    sandbox_server: SandboxServer, source_repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    """Copies of a clone on a bare branch."""
    root = tmp_path_factory.mktemp("stage")
    # Hundreds of histories are more than GitHub lets anybody ask for in an hour.
    sandbox_server.engine.limits.budgets.update(core=10**9, graphql=10**9)
    yield Stage(sandbox_server, source_repository, root, {"bare branch": bare_branch})
    sandbox_server.faults.clear()
