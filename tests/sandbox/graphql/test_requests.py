"""GraphQL over HTTP: what is asked how, and how GitHub words what cannot be run."""

from __future__ import annotations

from typing import Any

import pytest

from stackr.sandbox.ids import node_id
from tests.support.graphql import ask, data, errors, post, pull_id
from tests.support.sandbox import Box

REPO = 'repository(owner: "acme", name: "widgets")'


def test_a_request_without_a_token_is_refused_with_401(box: Box) -> None:
    response = post(box.anonymous, "{viewer {login}}")
    assert response.status_code == 401
    assert response.json()["message"] == "Requires authentication"


def test_every_answer_carries_the_rate_limit(box: Box) -> None:
    headers = post(box.alice, "{viewer {login}}").headers
    assert headers["X-RateLimit-Resource"] == "graphql"
    assert int(headers["X-RateLimit-Remaining"]) < int(headers["X-RateLimit-Limit"])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("{viewer {shoeSize}}", "Field 'shoeSize' doesn't exist on type 'User'"),
        ("{viewer {login(x: 1)}}", "Field 'login' doesn't accept argument 'x'"),
        ("{user {login}}", "Field 'user' is missing required arguments: login"),
        ("query($x: Int) {viewer {login}}", "Variable $x is declared by anonymous query but not used"),
        ("{viewer {", "Parse error: Syntax Error: Expected Name, found <EOF>."),
    ],
)
def test_an_invalid_query_is_refused_in_githubs_words(box: Box, query: str, message: str) -> None:
    response = post(box.alice, query)
    assert response.status_code == 200
    assert [error["message"] for error in response.json()["errors"]] == [message]
    assert "data" not in response.json()


@pytest.mark.parametrize("body", [b"", b"[1]", b'{"query": 1}', b'{"query": "{viewer {login}}", "variables": 1}'])
def test_a_body_that_is_no_request_runs_nothing(box: Box, body: bytes) -> None:
    response = box.alice.session.post(f"{box.server.url}/api/graphql", data=body, timeout=30)
    assert response.status_code == (400 if body == b"" else 200)
    assert "data" not in response.json()


def test_of_several_operations_the_named_one_runs(box: Box) -> None:
    query = 'query One {viewer {login}} query Two {user(login: "bob") {login}}'
    body: dict[str, Any] = {"query": query, "operationName": "Two"}
    response = box.alice.session.post(f"{box.server.url}/api/graphql", json=body, timeout=30)
    assert response.json() == {"data": {"user": {"login": "bob"}}}
    response = box.alice.session.post(f"{box.server.url}/api/graphql", json={"query": query}, timeout=30)
    assert response.json() == {"errors": [{"message": "An operation name is required"}]}


def test_variables_that_do_not_fit_are_named(box: Box) -> None:
    query = "mutation($i: CreateRefInput!) {createRef(input: $i) {clientMutationId}}"
    found = post(box.alice, query, i={"name": "x", "oid": "abc", "repositoryId": "y"}).json()
    assert "data" not in found
    assert "GitObjectID" in found["errors"][0]["message"]


def test_what_is_missing_or_hidden_is_not_found(box: Box) -> None:
    box.server.add_repository("acme/secret", private=True)
    assert errors(box.alice, '{repository(owner: "acme", name: "secret") {id}}') == [
        ("NOT_FOUND", ["repository"], "Could not resolve to a Repository with the name 'acme/secret'.")
    ]
    assert errors(box.alice, '{user(login: "nobody") {id}}') == [
        ("NOT_FOUND", ["user"], "Could not resolve to a User with the login of 'nobody'.")
    ]
    assert errors(box.alice, f"{{{REPO} {{issueOrPullRequest(number: 9) {{__typename}}}}}}")[0][2] == (
        "Could not resolve to an issue or pull request with the number of 9."
    )
    assert errors(box.alice, f"{{{REPO} {{pullRequest(number: 9) {{id}} issue(number: 9) {{id}}}}}}") == [
        ("NOT_FOUND", ["repository", "pullRequest"], "Could not resolve to a PullRequest with the number of 9."),
        ("NOT_FOUND", ["repository", "issue"], "Could not resolve to an Issue with the number of 9."),
    ]


def test_nodes_that_are_missing_fail_one_by_one(box: Box) -> None:
    known = data(box.alice, "{viewer {id}}")["viewer"]["id"]
    answer = ask(box.alice, "query($ids: [ID!]!) {nodes(ids: $ids) {id}}", ids=["bad", known])
    assert answer["data"] == {"nodes": [None, {"id": known}]}
    assert [error["path"] for error in answer["errors"]] == [["nodes", 0]]


def test_a_hundred_nodes_are_the_most(box: Box) -> None:
    (refusal,) = errors(box.alice, "query($ids: [ID!]!) {nodes(ids: $ids) {id}}", ids=["x"] * 101)
    assert refusal[0] == "ARGUMENT_LIMIT"


def test_what_is_no_row_has_a_node_id_too(box: Box) -> None:
    query = "query($id: ID!) {node(id: $id) {__typename id}}"
    repo = box.repo.id
    for kind, parts in (("App", ["ci"]), ("Ref", [repo, "refs/heads/main"]), ("Commit", [repo, box.tip("main")])):
        ident = node_id(kind, *parts)
        assert data(box.alice, query, id=ident)["node"] == {"__typename": kind, "id": ident}
    for kind, parts in (("Ref", [repo, "refs/heads/gone"]), ("Stack", [repo]), ("Commit", ["x", "y"])):
        assert errors(box.alice, query, id=node_id(kind, *parts))[0][0] == "NOT_FOUND"


def test_a_hidden_row_cannot_be_reached_by_its_node_id(box: Box) -> None:
    repo = box.server.add_repository("acme/secret", private=True, writers=["carol"])
    node = data(box.carol, '{repository(owner: "acme", name: "secret") {id}}')["repository"]["id"]
    query = "query($id: ID!) {node(id: $id) {id}}"
    assert repo.private
    assert data(box.carol, query, id=node) == {"node": {"id": node}}
    assert errors(box.alice, query, id=node)[0][0] == "NOT_FOUND"


def test_the_log_knows_operations_and_mutations(box: Box) -> None:
    box.server.log.clear()
    post(box.alice, "query Me {viewer {login}}")
    mutation = 'mutation Two {a: deleteRef(input: {refId: "x"}) {clientMutationId} b: deleteRef(input: {refId: "y"}) '
    post(box.alice, mutation + "{clientMutationId}}")
    entries = box.server.log.api()
    assert [(e.operations, e.mutations) for e in entries] == [(["Me"], 0), (["Two", "deleteRef", "deleteRef"], 2)]
    assert [e.is_write for e in entries] == [False, True]


def test_mutations_in_fragments_count_too(box: Box) -> None:
    query = """mutation {...F ... on Mutation {b: deleteRef(input: {refId: "y"}) {clientMutationId}}}
      fragment F on Mutation {a: deleteRef(input: {refId: "x"}) {clientMutationId}}"""
    post(box.alice, query)
    assert box.server.log.api()[-1].mutations == 2


def test_a_page_finds_what_it_shows(box: Box) -> None:
    box.stack("one")
    query = "query($u: URI!) {resource(url: $u) {__typename url}}"
    for path, kind in (("", "Repository"), ("/pull/1", "PullRequest"), ("/commit/main", "Commit")):
        found = data(box.alice, query, u=f"{box.server.url}/acme/widgets{path}")["resource"]
        assert found["__typename"] == kind
    assert data(box.alice, query, u=f"{box.server.url}/alice")["resource"]["__typename"] == "User"
    assert data(box.alice, query, u=f"{box.server.url}/")["resource"] is None
    assert data(box.alice, query, u=f"{box.server.url}/acme/widgets/wiki")["resource"] is None


def test_without_single_sign_on_only_the_organizations_parts_are_refused(box: Box) -> None:
    """fwouts/prmonitor#1042: status 200, the rest of the answer, and the address in a header."""
    box.stack("one")
    pull = pull_id(box.alice, 1)
    box.bob.session.headers["Authorization"] = f"token {box.server.add_user('frank', sso_required=True)}"
    repository = 'repository(owner: "acme", name: "widgets") {id}'
    response = post(box.bob, f"{{viewer {{login}} {repository}}}")
    assert response.status_code == 200
    assert response.headers["X-GitHub-SSO"].startswith(f"required; url={box.server.url}/")
    answer = response.json()
    assert answer["data"] == {"viewer": {"login": "frank"}, "repository": None}
    (error,) = answer["errors"]
    assert (error["type"], error["path"], error["extensions"]) == ("FORBIDDEN", ["repository"], {"saml_failure": True})
    assert error["message"].startswith("Resource protected by organization SAML enforcement.")
    answer = post(box.bob, f'mutation {{closePullRequest(input: {{pullRequestId: "{pull}"}}) {{clientMutationId}}}}')
    assert answer.json()["errors"][0]["extensions"] == {"saml_failure": True}
    assert answer.headers["X-GitHub-SSO"].startswith("required")
    found = post(box.bob, '{search(query: "is:pr", type: ISSUE, first: 9) {issueCount}}').json()
    assert found == {"data": {"search": {"issueCount": 0}}}
    ref = node_id("Ref", box.repo.id, "refs/heads/main")
    assert post(box.bob, f'{{node(id: "{ref}") {{id}}}}').json()["errors"][0]["type"] == "FORBIDDEN"


def test_the_checks_of_many_pull_requests_do_not_come_in_time(box: Box) -> None:
    """cli/cli#7421, QwenLM/qwen-code#10861: fifty whole rollups are too many, twenty are not, counts are cheap."""
    box.stack("one")
    rollups = "nodes {commits(last: 1) {nodes {commit {statusCheckRollup {contexts(first: $checks) {totalCount}}}}}}"
    query = f"query($pulls: Int!, $checks: Int!) {{{REPO} {{pullRequests(first: $pulls) {{{rollups}}}}}}}"
    answers = [post(box.alice, query, pulls=p, checks=c).status_code for p, c in ((50, 100), (20, 100), (100, 1))]
    assert answers == [502, 200, 200]


def test_a_query_costs_by_what_it_connects(box: Box) -> None:
    nested = "pullRequests(first: 100) {nodes {reviews(first: 5) {totalCount} comments(first: 5) {totalCount}}}"
    query = f'{{rateLimit {{cost used}} repository(owner: "acme", name: "widgets") {{{nested}}}}}'
    before = int(post(box.alice, "{viewer {login}}").headers["X-RateLimit-Used"])
    response = post(box.alice, query)
    assert response.json()["data"]["rateLimit"] == {"cost": 2, "used": before + 2}
    assert response.headers["X-RateLimit-Used"] == str(before + 2)
    box.server.engine.limits.budgets["graphql"] = before + 3
    refused = post(box.alice, query)
    assert [error["type"] for error in refused.json()["errors"]] == ["RATE_LIMITED"]
