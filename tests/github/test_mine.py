"""``list_own_pulls``: everything of mine that is open, from one search."""

from __future__ import annotations

from stackr.core.model import CheckCounts, Checks
from stackr.core.watching import Budget
from stackr.github.api import GitHub
from stackr.github.limits import budget_in
from tests.support.canned_github import CannedGitHub, Said


def test_all_of_mine_that_is_open_comes_with_checks_in_two_requests(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/one", rollup="SUCCESS", runs={"SUCCESS": 2}, isDraft=True)
    forge.add("theirs", author="bob")
    forge.add("ended", state="CLOSED")
    forge.add("fork", isCrossRepository=True)
    forge.add("s/two", baseRefName="s/one")
    own = github.list_own_pulls()
    assert (own.trunk, own.warnings) == ("main", ())
    assert [(pull.number, pull.base_ref, pull.checks, pull.counts) for pull in own.pulls] == [
        (1, "main", Checks.PASSING, CheckCounts(2)),
        (4, "main", Checks.NONE, CheckCounts()),
        (5, "s/one", Checks.NONE, CheckCounts()),
    ]
    assert [pull.number for pull in own.pulls if pull.cross_repository] == [4]
    assert sorted(forge.operations()) == ["StackrOwn", "StackrOwnChecks"]


def test_pages_are_followed(github: GitHub, forge: CannedGitHub) -> None:
    for number in range(201):
        forge.add(f"s/{number}", rollup="FAILURE")
    own = github.list_own_pulls()
    assert len(own.pulls) == 201
    assert {pull.checks for pull in own.pulls} == {Checks.FAILING}
    assert len(forge.asked) == 6


def test_without_access_to_checks_the_rest_is_there_all_the_same(github: GitHub, forge: CannedGitHub) -> None:
    forge.checks_error = Said("FORBIDDEN", "Resource not accessible by personal access token")
    forge.branches.clear()
    forge.add("s/one", rollup="SUCCESS")
    own = github.list_own_pulls()
    assert (own.trunk, [pull.checks for pull in own.pulls]) == ("", [Checks.NONE])
    assert own.warnings[0].startswith("checks are not shown: the token from STACKR_TOKEN may not do this")


def test_what_is_left_of_the_limits_is_known_where_the_server_tells(github: GitHub, forge: CannedGitHub) -> None:
    github.viewer()
    assert github.budget is None
    headers = {"x-ratelimit-remaining": "4990", "x-ratelimit-reset": "1600"}
    assert budget_in(headers, 1000.0) == Budget(4990, 600.0)
    assert budget_in({**headers, "date": "Thu, 01 Jan 1970 00:20:00 GMT"}, 0.0) == Budget(4990, 400.0)
    assert budget_in({**headers, "x-ratelimit-reset": "10"}, 1000.0) == Budget(4990, 0.0)
