"""What ``stackr auth status`` can tell of a token."""

from __future__ import annotations

import subprocess
import sys

import pytest

from stackr.github.account import Account
from stackr.github.api import GitHub
from tests.support.canned_http import Canned, CannedServer


def test_a_classic_token_has_scopes(github: GitHub, server: CannedServer) -> None:
    headers = {
        "X-OAuth-Scopes": "repo, read:org",
        "X-RateLimit-Limit": "5000",
        "X-RateLimit-Remaining": "4990",
        "X-RateLimit-Reset": "1800000000",
        "GitHub-Authentication-Token-Expiration": "2027-01-01 00:00:00 UTC",
    }
    server.answer = lambda asked: Canned(body={"login": "alice"}, headers=headers)
    assert github.describe_auth() == Account(
        login="alice",
        source="STACKR_TOKEN",
        scopes=("repo", "read:org"),
        limit=5000,
        remaining=4990,
        reset=1_800_000_000,
        expires="2027-01-01 00:00:00 UTC",
    )
    assert [asked.path for asked in server.requests] == ["/api/v3/user"]


@pytest.mark.parametrize(("headers", "scopes"), [({}, None), ({"X-OAuth-Scopes": ""}, ())])
def test_what_github_does_not_tell_is_not_guessed(
    github: GitHub, server: CannedServer, headers: dict[str, str], scopes: tuple[str, ...] | None
) -> None:
    server.answer = lambda asked: Canned(body={"login": "app"}, headers=headers)
    assert github.describe_auth() == Account("app", "STACKR_TOKEN", scopes, None, None, None, None)


def test_only_the_wire_imports_requests() -> None:
    code = (
        "import sys, stackr.github.hosts, stackr.github.auth, stackr.github.facts, stackr.github.queries;"
        " sys.exit('requests' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
