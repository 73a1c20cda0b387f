"""Merging in the background: asked for once, looked at until it is through, adopted when it runs already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from stackr.core.ports import Merge
from stackr.core.rules import Method
from stackr.errors import GitHubError, Refused
from stackr.github.api import GitHub
from stackr.github.failures import Rejected
from tests.support.canned_github import CannedGitHub
from tests.support.canned_http import Canned, CannedServer

HEAD, KEY = "a" * 40, "630b9d5e"
ASYNC = "/repos/acme/widgets/pulls/3/merge-async"
MERGE = Merge(3, "PR_3", HEAD, Method.NATIVE, how=Method.SQUASH)


def said(status: str, http: int = 200, **details: str) -> Canned:
    """A status as GitHub gives it."""
    return Canned(http, {"status": status, "details": details})


def pending(http: int = 200, head: str = HEAD) -> Canned:
    asked: Mapping[str, str] = {"uuid": KEY, "merge_method": "squash", "merge_action": "default"}
    return said("pending", http, message="In progress.", expected_head_sha=head, **asked)


def test_it_is_asked_for_with_the_head_and_looked_at_until_it_is_through(
    github: GitHub, server: CannedServer, forge: CannedGitHub
) -> None:
    merged = said("merged", message="Merged.", sha="b" * 40)
    asked = server.in_turn(pending(202), pending(), pending(), merged)
    assert github.merge_pull(MERGE) == "b" * 40
    given = {"sha": HEAD, "merge_method": "squash", "merge_action": "default"}
    assert asked == [("PUT", ASYNC, given), *[("GET", f"{ASYNC}/{KEY}", {})] * 3]
    assert forge.clock.waits == [(n, "github merges #3 and what is below it") for n in (1.0, 2.0, 4.0)]


@pytest.mark.parametrize(
    ("answer", "commit"),
    [
        (said("merged", message="Pull request is already merged.", sha="b" * 40), "b" * 40),
        (said("enqueued", message="Pull request is already in the merge queue."), None),
    ],
)
def test_what_is_done_already_is_told_at_once(
    github: GitHub, server: CannedServer, answer: Canned, commit: str | None
) -> None:
    server.in_turn(answer)
    assert github.merge_pull(MERGE) == commit


def test_a_merge_that_runs_already_is_adopted_also_after_a_lost_answer(github: GitHub, server: CannedServer) -> None:
    asked = server.in_turn(Canned(drop=True), pending(409), said("enqueued", message="In the queue."))
    assert github.merge_pull(MERGE) is None
    assert [method for method, _, _ in asked] == ["PUT", "PUT", "GET"]


def test_a_merge_of_another_commit_is_not_adopted(github: GitHub, server: CannedServer) -> None:
    server.in_turn(pending(409, head="c" * 40))
    with pytest.raises(Refused, match=r"a merge of #3 is under way already, for another commit \(ccccccc\)"):
        github.merge_pull(MERGE)


def test_a_refusal_has_githubs_words_whether_it_comes_at_once_or_later(github: GitHub, server: CannedServer) -> None:
    server.in_turn(said("failed", 400, message="Head branch was modified. Review and try the merge again."))
    with pytest.raises(Refused, match="github did not merge #3: Head branch was modified") as caught:
        github.merge_pull(MERGE)
    assert (caught.value.exit_code, caught.value.safe) == (
        3,
        "a stack merges as a whole or not at all: nothing was merged",
    )
    server.in_turn(pending(202), said("failed", message="2 of 3 required status checks are expected."))
    with pytest.raises(Refused, match="2 of 3 required status checks are expected"):
        github.merge_pull(MERGE)


def test_where_a_queue_decides_how_to_merge_it_is_asked_without_saying_how(
    github: GitHub, server: CannedServer
) -> None:
    words = "Custom merge params are not supported when merging via a merge queue"
    asked = server.in_turn(pending(202), said("failed", message=words), pending(202), said("enqueued", message="Ok."))
    assert github.merge_pull(MERGE) is None
    assert asked[2] == ("PUT", ASYNC, {"sha": HEAD, "merge_action": "merge_queue"})


def test_after_a_quarter_of_an_hour_github_goes_on_alone(
    github: GitHub, server: CannedServer, forge: CannedGitHub
) -> None:
    server.in_turn(pending(202))
    assert github.merge_pull(MERGE) is None
    waited = [seconds for seconds, _ in forge.clock.waits]
    assert (waited[:6], waited[-1], 900 <= sum(waited) < 930) == ([1.0, 2.0, 4.0, 8.0, 16.0, 30.0], 30.0, True)


@pytest.mark.parametrize("body", [[], {"status": "sleeping"}, {"details": {}}])
def test_an_answer_that_makes_no_sense_is_an_error(github: GitHub, server: CannedServer, body: Any) -> None:
    server.in_turn(Canned(202, body))
    with pytest.raises(GitHubError, match="something that is no status"):
        github.merge_pull(MERGE)


def test_any_other_refusal_is_raised_as_it_is(github: GitHub, server: CannedServer) -> None:
    server.in_turn(Canned(404, {"message": "Not Found"}))
    with pytest.raises(Rejected, match="github has no"):
        github.merge_pull(MERGE)
