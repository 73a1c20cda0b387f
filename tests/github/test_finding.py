"""Pull requests by number and by head branch."""

from __future__ import annotations

from typing import Any

from stackr.core.job import Base
from stackr.github.api import GitHub
from stackr.github.finding import Found, find_pulls, read_pull
from tests.support.canned_http import Canned, CannedServer

PULLS = "/api/v3/repos/acme/widgets/pulls"


def entry(number: int, base: str) -> dict[str, Any]:
    target = {"ref": base, "sha": f"base {number}", "repo": {"default_branch": "main"}}
    return {"number": number, "head": {"sha": f"head {number}"}, "base": target}


def test_open_pull_requests_are_found_by_the_branch_of_a_fork(github: GitHub, server: CannedServer) -> None:
    server.answer = lambda asked: Canned(body=[entry(2, "main"), entry(1, "s/0")])
    assert find_pulls(github.http, "eve:topic") == [
        Found(2, "head 2", Base("main", "base 2", is_trunk=True)),
        Found(1, "head 1", Base("s/0", "base 1", is_trunk=False)),
    ]
    (asked,) = server.requests
    assert (asked.path, asked.params["head"], asked.params["state"]) == (PULLS, "eve:topic", "open")


def test_a_pull_request_is_read_by_its_number(github: GitHub, server: CannedServer) -> None:
    server.answer = lambda asked: Canned(body=entry(7, "main"))
    assert read_pull(github.http, 7) == Found(7, "head 7", Base("main", "base 7", is_trunk=True))
    assert [asked.path for asked in server.requests] == [f"{PULLS}/7"]
