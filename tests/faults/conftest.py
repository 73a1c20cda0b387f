"""A sandbox whose clock is the tests' own, copies of stories on it, and a stackr that does not wait."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stackr.sandbox.clock import ManualClock
from stackr.sandbox.server import SandboxServer
from stackr.ui.console import Console
from tests.support.stories import Stage
from tests.support.world_fixtures import source_repository

__all__ = ["source_repository"]


@pytest.fixture(scope="session")
def slow_server(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxServer]:
    """A sandbox in which slowness takes no time."""
    with SandboxServer(tmp_path_factory.mktemp("sandbox"), clock=ManualClock()) as server:
        for login in ("alice", "bob", "carol"):
            server.add_user(login)
        # The hour of this clock never ends.
        server.engine.limits.budgets.update(core=10**9, graphql=10**9)
        yield server


@pytest.fixture(scope="session")
def _stage(slow_server: SandboxServer, source_repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(slow_server, source_repository, tmp_path_factory.mktemp("stories"))


@pytest.fixture
def stage(_stage: Stage, slow_server: SandboxServer) -> Iterator[Stage]:
    """The stories; no fault outlives its test."""
    yield _stage
    slow_server.faults.clear()


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that stackr asked for, in seconds; none is really made."""
    asked: list[float] = []
    monkeypatch.setattr(Console, "wait", lambda console, seconds, reason: asked.append(seconds))
    return asked
