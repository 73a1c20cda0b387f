"""A sandbox server for the session, and a world of its own for every test."""

from __future__ import annotations

import pytest

from stackr.ui.console import Console
from tests.support.world_fixtures import sandbox_server, source_repository, world

__all__ = ["sandbox_server", "source_repository", "waits", "world"]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that stackr asked for, in seconds; none is really made."""
    asked: list[float] = []

    def wait(console: Console, seconds: float, reason: str) -> None:
        asked.append(seconds)
        console.note(f"{reason}; waiting {seconds:g} s")

    monkeypatch.setattr(Console, "wait", wait)
    return asked
