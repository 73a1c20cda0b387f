"""Connections: pages, cursors, and GitHub's limits on them."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.support.graphql import ask, data, errors, post
from tests.support.sandbox import Box

LABELS = """query($first: Int, $last: Int, $after: String, $before: String) {
  repository(owner: "acme", name: "widgets") {
    labels(first: $first, last: $last, after: $after, before: $before) {
      totalCount nodes {name} edges {cursor node {name}}
      pageInfo {startCursor endCursor hasNextPage hasPreviousPage}
    }
  }
}"""


@pytest.fixture
def labelled(box: Box) -> Box:
    """A box whose repository has exactly the labels a to e, besides those every repository has."""
    for row in box.server.engine.store.labels.by(repo_id=box.repo.id):
        box.server.engine.store.labels.delete(row)
    for name in "abcde":
        box.alice.post("labels", {"name": name, "color": "ffffff"})
    return box


def page(box: Box, **bounds: Any) -> Any:
    return data(box.alice, LABELS, **bounds)["repository"]["labels"]


def names(found: Any) -> str:
    return "".join(node["name"] for node in found["nodes"])


def test_pages_forward_show_everything_once(labelled: Box) -> None:
    shown, after = [], None
    while True:
        found = page(labelled, first=2, after=after)
        shown.append(names(found))
        after = found["pageInfo"]["endCursor"]
        if not found["pageInfo"]["hasNextPage"]:
            break
    assert shown == ["ab", "cd", "e"]
    assert found["totalCount"] == 5
    assert found["pageInfo"]["hasPreviousPage"] is True


def test_pages_backward_show_everything_once(labelled: Box) -> None:
    shown, before = [], None
    while True:
        found = page(labelled, last=2, before=before)
        shown.append(names(found))
        before = found["pageInfo"]["startCursor"]
        if not found["pageInfo"]["hasPreviousPage"]:
            break
    assert shown == ["de", "bc", "a"]


def test_edges_carry_the_cursor_of_their_node(labelled: Box) -> None:
    found = page(labelled, first=5)
    third = found["edges"][2]
    assert third["node"]["name"] == "c"
    assert names(page(labelled, first=5, after=third["cursor"])) == "de"
    assert found["pageInfo"]["startCursor"] == found["edges"][0]["cursor"]


def test_a_cursor_holds_its_place_when_rows_before_it_go(labelled: Box) -> None:
    cursor = page(labelled, first=2)["pageInfo"]["endCursor"]
    row = labelled.server.engine.store.labels.by(repo_id=labelled.repo.id)[0]
    labelled.server.engine.store.labels.delete(row)
    assert names(page(labelled, first=2, after=cursor)) == "cd"


def test_a_page_goes_on_where_a_row_that_is_gone_stood(labelled: Box) -> None:
    cursor = page(labelled, first=2)["pageInfo"]["endCursor"]
    row = labelled.server.engine.store.labels.by(repo_id=labelled.repo.id)[1]
    labelled.server.engine.store.labels.delete(row)
    assert names(page(labelled, first=2, after=cursor)) == "cd"
    assert names(page(labelled, last=2, before=cursor)) == "a"


def test_an_empty_page_has_no_cursors(labelled: Box) -> None:
    info = page(labelled, first=0)["pageInfo"]
    assert info == {"startCursor": None, "endCursor": None, "hasNextPage": True, "hasPreviousPage": False}


@pytest.mark.parametrize(
    ("bounds", "kind", "message"),
    [
        (
            {},
            "MISSING_PAGINATION_BOUNDARIES",
            "You must provide a `first` or `last` value to properly paginate the `labels` connection.",
        ),
        (
            {"first": 101},
            "EXCESSIVE_PAGINATION",
            "Requesting 101 records on the `labels` connection exceeds the `first` limit of 100 records.",
        ),
        (
            {"last": 200},
            "EXCESSIVE_PAGINATION",
            "Requesting 200 records on the `labels` connection exceeds the `last` limit of 100 records.",
        ),
        ({"first": -1}, "ARGUMENT_LIMIT", "`first` on the `labels` connection cannot be less than zero."),
        (
            {"first": 1, "after": "junk"},
            "INVALID_CURSOR_ARGUMENTS",
            "`junk` does not appear to be a valid cursor.",
        ),
    ],
)
def test_bounds_are_refused_as_on_github(box: Box, bounds: dict[str, Any], kind: str, message: str) -> None:
    assert errors(box.alice, LABELS, **bounds) == [(kind, ["repository", "labels"], message)]


def test_a_cursor_of_another_making_is_refused(box: Box) -> None:
    for plain in (b"cursor:v2:x:", b"\xff"):
        text = base64.b64encode(plain).decode()
        assert errors(box.alice, LABELS, first=1, after=text)[0][0] == "INVALID_CURSOR_ARGUMENTS"


DEEP = """query($n: Int!) {
  repository(owner: "acme", name: "widgets") {
    pullRequests(first: 100) {nodes {...F ... on PullRequest {commits(first: $n) {nodes {id}}}}}
  }
  rateLimit {nodeCount cost}
}
fragment F on PullRequest {reviews(first: 100) {nodes {id}}}"""


def test_nodes_are_counted_before_anything_runs(box: Box) -> None:
    assert data(box.alice, DEEP, n=10)["rateLimit"] == {"nodeCount": 11_100, "cost": 2}


def test_more_than_half_a_million_nodes_are_refused(box: Box) -> None:
    nested = "".join(f"labels(first: 100) {{nodes {{{'issues(first: 100) {nodes {'}" for _ in range(1))
    query = f'{{repository(owner: "acme", name: "widgets") {{{nested}labels(first: 100) {{totalCount}}}}}}}}}}}}}}'
    answer = ask(box.alice, query)
    text = "This query requests up to 1,010,100 possible nodes which exceeds the maximum limit of 500,000."
    assert answer == {"errors": [{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": text}]}
    assert post(box.alice, query).status_code == 200
