"""``delete_refs``: all or none, and none that moved."""

from __future__ import annotations

import pytest

from stackr.errors import ConfigError, LeaseLost
from stackr.github.api import GitHub
from stackr.github.failures import Lost
from tests.support.canned_github import CannedGitHub, Said
from tests.support.canned_http import Canned, CannedServer

REFS = [("refs/heads/s/one", "a" * 40), ("refs/heads/s/two", "b" * 40)]


@pytest.fixture(autouse=True)
def branches(forge: CannedGitHub) -> None:
    forge.branches |= {"s/one": "a" * 40, "s/two": "b" * 40}


def test_branches_go_in_one_request(github: GitHub, forge: CannedGitHub) -> None:
    github.delete_refs("R_1", REFS)
    assert list(forge.branches) == ["main"]
    zeros = "0" * 40
    updates = [{"name": ref, "beforeOid": oid, "afterOid": zeros, "force": False} for ref, oid in REFS]
    assert forge.mutations == [("updateRefs", {"repositoryId": "R_1", "refUpdates": updates})]
    assert len(forge.asked) == 1


def test_nothing_to_delete_needs_no_request(github: GitHub, forge: CannedGitHub) -> None:
    github.delete_refs("R_1", [])
    assert forge.asked == []


def test_a_branch_that_moved_is_named_and_none_is_deleted(github: GitHub, forge: CannedGitHub) -> None:
    forge.branches["s/two"] = "c" * 40
    with pytest.raises(LeaseLost, match='somebody pushed to "s/two" meanwhile') as caught:
        github.delete_refs("R_1", REFS)
    assert (caught.value.exit_code, caught.value.safe) == (3, "no branch was deleted")
    assert sorted(forge.branches) == ["main", "s/one", "s/two"]


def test_a_branch_that_is_gone_already_is_fine(github: GitHub, forge: CannedGitHub) -> None:
    del forge.branches["s/one"]
    github.delete_refs("R_1", REFS)
    assert list(forge.branches) == ["main"]
    assert forge.operations() == ["StackrRefs", "StackrRefs", "StackrRefs"]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("canned", [Canned(502, "<html>"), Canned(drop=True), Canned(429, {}, {"Retry-After": "3"})])
def test_a_lost_answer_is_looked_up_and_the_rest_repeated(
    github: GitHub, forge: CannedGitHub, canned: Canned, after: bool
) -> None:
    forge.fail(1, canned, after=after)
    github.delete_refs("R_1", REFS)
    assert list(forge.branches) == ["main"]


@pytest.mark.parametrize("message", ["was submitted too quickly", "Something went wrong while executing your query."])
def test_a_limit_or_a_time_out_is_tried_again(github: GitHub, forge: CannedGitHub, message: str) -> None:
    troubles = iter([Said("UNPROCESSABLE", message)])
    forge.refuse = lambda mutation, given: next(troubles, None)
    github.delete_refs("R_1", REFS)
    assert list(forge.branches) == ["main"]


def test_a_rule_that_forbids_deleting_is_told(github: GitHub, forge: CannedGitHub) -> None:
    forge.refuse = lambda mutation, given: Said("FORBIDDEN", "Cannot delete this protected branch")
    with pytest.raises(ConfigError, match="Cannot delete this protected branch") as caught:
        github.delete_refs("R_1", REFS)
    assert caught.value.safe == "all of the branches are still there"


def test_three_lost_answers_are_enough(github: GitHub, forge: CannedGitHub, server: CannedServer) -> None:
    for call in (1, 3, 5):
        forge.fail(call, Canned(502, "<html>"))
    with pytest.raises(Lost):
        github.delete_refs("R_1", REFS)
    assert forge.operations() == ["StackrRefs"] * 6
