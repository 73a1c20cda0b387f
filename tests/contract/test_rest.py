"""The sandbox's REST answers against GitHub's own description: names, types, nullability, error bodies."""

from __future__ import annotations

from tests.support import github_rest
from tests.support.rest_tour import Recorder

# The sandbox is reached below /api/v3 like a GitHub Enterprise Server, and tells its version as one does:
# https://docs.github.com/en/enterprise-server@latest/rest/meta/meta#get-github-enterprise-server-meta-information
ENTERPRISE = "GET /meta 200: (top): Additional properties are not allowed ('installed_version' was unexpected)"


def test_every_route_is_one_of_githubs(tour: Recorder) -> None:
    assert [route for route in sorted(tour.routes) if not github_rest.known(*route)] == []


def test_every_route_was_visited_with_success(tour: Recorder) -> None:
    visited = {(each.method, each.route) for each in tour.exchanges if each.status < 400}
    assert sorted(tour.routes - visited) == []


def test_every_answer_is_one_that_github_describes(tour: Recorder) -> None:
    found: dict[str, None] = {}
    for each in tour.exchanges:
        for fault in github_rest.faults(each.method, each.route, each.status, each.body):
            found[fault] = None
    assert "\n".join(found) == ENTERPRISE


def test_every_kind_of_refusal_was_met(tour: Recorder) -> None:
    assert {each.status for each in tour.exchanges} >= {401, 403, 404, 405, 409, 422}
