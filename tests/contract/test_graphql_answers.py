"""GraphQL's answers about a sandbox on which a lot has happened: every field of every object, asked for at once.

That types and nullability of an answer fit the schema is graphql-core's to enforce; here everything is asked for, so
that it does. The schema itself is held against GitHub's in ``test_graphql_schema``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from graphql import is_introspection_type

from stackr.sandbox.graphql import binding
from stackr.sandbox.graphql.execute import executable_schema
from tests.support.graphql import everything, post, with_fragments
from tests.support.rest_tour import Recorder

# Nothing in the sandbox is of these types; they are in the schema so that queries which mention them are accepted.
NOBODY = {"Mannequin", "Team"}
# Of these there is none on the tour: the engine does not make them.
NOT_MET = {"HeadRefRestoredEvent", "PullRequestReviewThread", "RepositoryRulesetBypassActor"}
# The sandbox's ``node`` does not find these again: they belong to something else, and are reached through it.
NOT_BY_ID = {"PullRequestCommit", "ReviewRequest", "RepositoryRule", "Status", "StatusCheckRollup"} | {
    "Workflow",
    "WorkflowRun",
    "Comparison",
}


def test_every_field_has_a_resolver() -> None:
    assert {name.partition(".")[0] for name in binding.unbound(executable_schema())} == NOBODY


def test_no_resolver_answers_a_field_that_the_schema_lacks() -> None:
    assert binding.homeless(executable_schema()) == []


@pytest.fixture(scope="session")
def answers(tour: Recorder) -> list[Any]:
    """One answer for each object that has an id and can be reached, with all its fields, two objects deep."""
    return list(crawl(tour))


def crawl(tour: Recorder) -> Iterator[Any]:
    """Ask for a repository with everything in it, then by id for some objects of each type that turns up."""
    waiting: list[tuple[str, str]] = []
    for query in roots():
        answer = data(tour, with_fragments(executable_schema(), query))
        waiting += found_nodes(answer)
        yield answer
    asked: dict[str, str] = {}
    while waiting:
        type_name, node = waiting.pop(0)
        enough = 30 if type_name == "PullRequest" else 2
        if node in asked or sum(name == type_name for name in asked.values()) >= enough:
            continue
        asked[node] = type_name
        query = f"query($id: ID!) {{node(id: $id) {{... on {type_name} {all_of(type_name)}}}}}"
        answer = data(tour, with_fragments(executable_schema(), query), id=node)
        waiting += found_nodes(answer)
        yield answer


def data(tour: Recorder, query: str, **variables: Any) -> Any:
    """The data of an answer without errors.

    The query is made of the sandbox's schema, which ``test_graphql_schema`` holds against GitHub's: held against it
    once more, each would cost a tenth of a second.
    """
    answer = post(tour.box.carol, query, **variables).json()
    assert "errors" not in answer, answer["errors"]
    return answer["data"]


def roots() -> Iterator[str]:
    """The repository, and what lies too deep in it to be met from there."""
    yield repository(all_of("Repository"))
    yield repository(f"{{pullRequestTemplates {all_of('PullRequestTemplate')}}}")
    yield repository(f'{{object(expression: "main:README.md") {{... on Blob {all_of("Blob")}}}}}')
    rule, check = all_of("RepositoryRule"), all_of("StatusCheckConfiguration")
    parameters = f"parameters {{... on RequiredStatusChecksParameters {{requiredStatusChecks {check}}}}}"
    yield repository(f"{{rulesets(first: 5) {{nodes {{rules(first: 30) {{nodes {rule}}}}}}}}}")
    yield repository(f"{{rulesets(first: 5) {{nodes {{rules(first: 30) {{nodes {{{parameters}}}}}}}}}}}")
    yield repository(f'{{ref(qualifiedName: "topic") {{compare(headRef: "main") {all_of("Comparison")}}}}}')
    for field, type_name in (("statusCheckRollup", "StatusCheckRollup"), ("status", "Status")):
        yield repository(f'{{object(expression: "topic") {{... on Commit {{{field} {all_of(type_name)}}}}}}}')
    yield repository(f"{{rulesets(first: 5) {{nodes {{conditions {all_of('RepositoryRuleConditions')}}}}}}}")
    annotations = f"annotations(first: 5) {{nodes {{location {all_of('CheckAnnotationSpan')}}}}}"
    run = f"workflowRun {all_of('WorkflowRun')} checkRuns(first: 5) {{nodes {{{annotations}}}}}"
    yield repository(f'{{object(expression: "topic") {{... on Commit {{checkSuites(first: 5) {{nodes {{{run}}}}}}}}}}}')
    yield repository(f'{{ref(qualifiedName: "refs/tags/v1") {{target {{... on Tag {all_of("Tag")}}}}}}}')
    yield f"{{rateLimit {all_of('RateLimit')} viewer {all_of('User')}}}"


def repository(selection: str) -> str:
    """A query for something in the repository."""
    return f'{{repository(owner: "acme", name: "widgets") {selection}}}'


def all_of(type_name: str) -> str:
    """Every field of a type, and of what stands in those fields."""
    schema = executable_schema()
    return everything(schema, schema.type_map[type_name], 1)


def found_nodes(answer: Any) -> Iterator[tuple[str, str]]:
    """Type and id of every object in an answer that ``node`` finds again."""
    for item in objects_in(answer):
        name = item["__typename"]
        node = item.get("id", item.get(f"{name}_id"))
        if node is not None and name not in NOT_BY_ID:
            yield name, node


def objects_in(answer: Any) -> Iterator[dict[str, Any]]:
    """Every object with a type in an answer."""
    if isinstance(answer, list):
        for each in answer:
            yield from objects_in(each)
    if isinstance(answer, dict):
        if "__typename" in answer:
            yield answer
        for each in answer.values():
            yield from objects_in(each)


def test_every_object_can_be_asked_for_everything(answers: list[Any]) -> None:
    met = {item["__typename"] for answer in answers for item in objects_in(answer)}
    known = {
        type_.name
        for type_ in binding.object_types(executable_schema())
        if not type_.name.endswith(("Payload", "Connection", "Edge")) and not is_introspection_type(type_)
    }
    assert sorted(known - met - NOBODY - NOT_MET - {"Query", "Mutation"}) == []


def test_a_node_is_found_again_under_its_own_id(answers: list[Any]) -> None:
    found = [answer["node"] for answer in answers if "node" in answer]
    assert len(found) > 50
    assert None not in found
