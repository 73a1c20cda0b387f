"""GitHub's own stacks over REST: payloads, what a refusal means, and answers that got lost."""

from __future__ import annotations

from typing import Any

import pytest

from stackr.core.native import NativeStack
from stackr.errors import GitHubError
from stackr.github.api import GitHub
from stackr.github.failures import Rejected
from tests.support.canned_github import CannedGitHub
from tests.support.canned_http import Canned, CannedServer

STACKS = "/repos/acme/widgets/stacks"


def row(number: int, *pulls: int, merged: tuple[int, ...] = ()) -> dict[str, Any]:
    """A stack as GitHub lists it."""
    when = "2026-12-01T00:00:00Z"
    return {
        "id": number,
        "number": number,
        "node_id": f"S_{number}",
        "url": f"https://api.github.com{STACKS}/{number}",
        "base": {"ref": "main"},
        "pull_requests": [
            {
                "number": pull,
                "state": "closed" if pull in merged else "open",
                "draft": False,
                "merged_at": when if pull in merged else None,
                "head": {"ref": f"h{pull}", "sha": "a" * 40},
            }
            for pull in pulls
        ],
        "open": True,
        "created_at": when,
    }


def refused(words: str) -> Canned:
    """A refusal of GitHub's."""
    return Canned(422, {"message": "Validation Failed", "errors": [{"message": words, "code": "custom"}]})


def test_each_stack_is_read_once_with_what_landed_apart(github: GitHub, server: CannedServer) -> None:
    listed = [row(4, 1, 2, 3, merged=(1,))]
    asked = server.in_turn(Canned(body=listed))
    assert github.read_stacks([2, 3]) == (NativeStack(4, (2, 3), (1,)),)
    assert sorted(params["pull_request"] for _, _, params in asked) == ["2", "3"]
    assert {(method, path) for method, path, _ in asked} == {("GET", STACKS)}


def test_where_stacks_are_not_enabled_it_is_none(github: GitHub, server: CannedServer) -> None:
    asked = server.in_turn(Canned(404, {"message": "Not Found"}))
    assert (github.read_stacks([2]), github.link_stack([1, 2]), github.dissolve_stack(4)) == (None, False, ())
    assert len(asked) == 3


def test_nobody_waits_for_a_limit_and_a_refusal_is_told(
    github: GitHub, server: CannedServer, forge: CannedGitHub
) -> None:
    server.in_turn(Canned(429, {"message": "slow down"}, {"Retry-After": "600"}))
    with pytest.raises(GitHubError, match="github's rate limit is used up"):
        github.read_stacks([2])
    server.in_turn(refused("no such filter"))
    with pytest.raises(Rejected, match="no such filter"):
        github.read_stacks([2])
    assert forge.clock.waits == []


def test_a_stack_is_registered_and_grows(github: GitHub, server: CannedServer) -> None:
    asked = server.in_turn(Canned(201, row(4, 1, 2)), Canned(200, row(4, 1, 2, 3)))
    assert (github.link_stack([1, 2]), github.link_stack([3], onto=4)) == (True, True)
    assert asked == [
        ("POST", STACKS, {"pull_requests": [1, 2]}),
        ("POST", f"{STACKS}/4/add", {"pull_requests": [3]}),
    ]


@pytest.mark.parametrize("failure", [Canned(drop=True), refused("Pull request #2 is already part of a stack")])
def test_what_is_registered_all_the_same_is_found(github: GitHub, server: CannedServer, failure: Canned) -> None:
    asked = server.in_turn(failure, Canned(body=[row(4, 1, 2)]))
    assert github.link_stack([1, 2])
    assert [method for method, _, _ in asked] == ["POST", "GET"]


def test_a_lost_answer_is_asked_for_again_when_nothing_is_there(
    github: GitHub, server: CannedServer, forge: CannedGitHub
) -> None:
    asked = server.in_turn(Canned(502, "<html>"), Canned(body=[]), Canned(201, row(4, 1, 2)))
    assert github.link_stack([1, 2])
    assert [method for method, _, _ in asked] == ["POST", "GET", "POST"]
    assert [seconds for seconds, _ in forge.clock.waits] == [0.5]


def test_a_refusal_is_raised_with_githubs_words(github: GitHub, server: CannedServer) -> None:
    server.in_turn(refused("Pull request #2 is not open"), Canned(body=[row(4, 2, 3)]))
    with pytest.raises(Rejected, match="Pull request #2 is not open"):
        github.link_stack([1, 2])
    server.in_turn(refused("Pull request #2 is not open"), Canned(500))
    with pytest.raises(Rejected, match="Pull request #2 is not open"):
        github.link_stack([1, 2])


def test_dissolving_tells_what_stays(github: GitHub, server: CannedServer) -> None:
    asked = server.in_turn(Canned(204), Canned(200, row(4, 1, 2, merged=(1,))))
    assert (github.dissolve_stack(4), github.dissolve_stack(4)) == ((), (2,))
    assert asked[0] == ("POST", f"{STACKS}/4/unstack", {})


def test_a_stack_that_somebody_changes_now_is_tried_again(
    github: GitHub, server: CannedServer, forge: CannedGitHub
) -> None:
    server.in_turn(Canned(409, {"message": "Stack is currently being modified"}), Canned(204))
    assert github.dissolve_stack(4) == ()
    assert forge.clock.waits == [
        (0.5, "the stack is being changed by somebody else (Stack is currently being modified); trying again")
    ]
    server.in_turn(refused("Pull requests in this stack cannot be removed"))
    with pytest.raises(Rejected, match="cannot be removed"):
        github.dissolve_stack(4)
