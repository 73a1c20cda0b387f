"""Fixtures of the client's tests: a canned GitHub behind a real socket, and a client whose clock is the test's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stackr.github.api import GitHub
from stackr.github.auth import Token
from stackr.github.hosts import parse_remote
from tests.support.canned_github import CannedGitHub
from tests.support.canned_http import CannedServer

SECRET = "ghp_sEcReT0123456789"


@pytest.fixture
def forge() -> CannedGitHub:
    """The data behind the server."""
    return CannedGitHub()


@pytest.fixture
def server(forge: CannedGitHub) -> Iterator[CannedServer]:
    """The server; a test may replace its ``answer``."""
    with CannedServer(forge.answer) as running:
        yield running


@pytest.fixture
def github(server: CannedServer, forge: CannedGitHub) -> Iterator[GitHub]:
    """The client under test, with the test's clock."""
    host = parse_remote(f"{server.url}/acme/widgets.git")
    client = GitHub(host, Token(SECRET, "STACKR_TOKEN"), sleep=forge.clock.sleep, clock=forge.clock, now=forge.clock)
    yield client
    client.close()
