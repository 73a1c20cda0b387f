"""A sandbox server for the session, and a world of its own for every test."""

from __future__ import annotations

from tests.support.world_fixtures import sandbox_server, source_repository, world

__all__ = ["sandbox_server", "source_repository", "world"]
