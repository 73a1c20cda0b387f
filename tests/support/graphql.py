"""Asking the sandbox's GraphQL in tests. Every query that is sent is first held against GitHub's own schema."""

from __future__ import annotations

import re
from typing import Any

import requests
from graphql import (
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_leaf_type,
    is_required_argument,
)

from tests.support.github_schema import validate_query
from tests.support.sandbox import Person

Json = dict[str, Any]


def post(person: Person, query: str, /, **variables: Any) -> requests.Response:
    """The bare HTTP answer, whatever the query is."""
    body = {"query": query, "variables": variables}
    return person.session.post(f"{person.server.url}/api/graphql", json=body, timeout=60)


def ask(person: Person, query: str, /, **variables: Any) -> Json:
    """The whole answer, ``data`` and ``errors``, to a query that GitHub would accept."""
    assert validate_query(query) == []
    response = post(person, query, **variables)
    assert response.status_code == 200, f"{response.status_code}: {response.text}"
    answer: Json = response.json()
    return answer


def data(person: Person, query: str, /, **variables: Any) -> Any:
    """The data of an answer that must have no errors."""
    answer = ask(person, query, **variables)
    assert "errors" not in answer, answer["errors"]
    return answer["data"]


def errors(person: Person, query: str, /, **variables: Any) -> list[tuple[str, list[Any], str]]:
    """Type, path and message of each error of an answer."""
    return [(e["type"], e["path"], e["message"]) for e in ask(person, query, **variables).get("errors", [])]


def repository_id(person: Person) -> str:
    """The node id of the box's repository."""
    found = data(person, '{repository(owner: "acme", name: "widgets") {id}}')
    return str(found["repository"]["id"])


def pull_id(person: Person, number: int) -> str:
    """The node id of a pull request."""
    query = 'query($n: Int!) {repository(owner: "acme", name: "widgets") {pullRequest(number: $n) {id}}}'
    return str(data(person, query, n=number)["repository"]["pullRequest"]["id"])


def node_id(person: Person, kind: str, login: str) -> str:
    """The node id of an account."""
    return str(data(person, f'{{{kind}(login: "{login}") {{id}}}}')[kind]["id"])


def on_pull(person: Person, name: str, number: int, returned: str = "pullRequest {number}", **more: Any) -> Json:
    """The whole answer to a mutation of one pull request; ``returned`` is what is asked of its payload."""
    kind = name[0].upper() + name[1:]
    query = f"mutation($i: {kind}Input!) {{{name}(input: $i) {{{returned}}}}}"
    key = "id" if name == "dequeuePullRequest" else "pullRequestId"
    return ask(person, query, i={key: pull_id(person, number), **more})


def said(answer: Json) -> str | None:
    """The message of the only error of an answer; None where nothing was refused."""
    found = [error["message"] for error in answer.get("errors", [])]
    assert len(found) < 2, found
    return found[0] if found else None


# -- asking for everything ---------------------------------------------------------------------------------


# GitHub requires an argument here that its schema calls optional.
_ARGUMENTS = {"isRequired": "(pullRequestNumber: 1)"}


def everything(schema: GraphQLSchema, type_: GraphQLNamedType, depth: int, prefix: str = "") -> str:
    """A selection of every field of a type that needs no argument but a page size, ``depth`` objects deep.

    Of an interface or a union it selects every field of every member, each under an alias of its own: fields of one
    name may differ in type. What lies deepest is named, for ``with_fragments`` to say: written out everywhere, a
    query would be twenty times as long, and as slow to check.
    """
    if isinstance(type_, GraphQLUnionType | GraphQLInterfaceType):
        members = schema.get_possible_types(type_)
        parts = [f"... on {m.name} {everything(schema, m, depth, f'{m.name}_')}" for m in members]
        return f"{{__typename {' '.join(parts)}}}"
    assert isinstance(type_, GraphQLObjectType)
    if depth == 0 and not _part_of_page(type_):
        return f"{{...Flat_{prefix}{type_.name}}}"
    return _fields(schema, type_, depth, prefix)


def with_fragments(schema: GraphQLSchema, query: str) -> str:
    """A query made of ``everything``, and the fragments it names."""
    fragments = []
    for name in sorted(set(re.findall(r"\.\.\.Flat_(\w+)", query))):
        prefix, _, type_name = name.rpartition("_")
        type_ = schema.type_map[type_name]
        assert isinstance(type_, GraphQLObjectType)
        flat = _fields(schema, type_, 0, f"{prefix}_" if prefix else "")
        fragments.append(f"fragment Flat_{name} on {type_name} {flat}")
    return "\n".join([query, *fragments])


def _fields(schema: GraphQLSchema, type_: GraphQLObjectType, depth: int, prefix: str) -> str:
    chosen = [_field(schema, name, field, depth, prefix) for name, field in type_.fields.items()]
    return f"{{__typename {' '.join(part for part in chosen if part)}}}"


def _field(schema: GraphQLSchema, name: str, field: GraphQLField, depth: int, prefix: str) -> str:
    if any(is_required_argument(argument) for argument in field.args.values()):
        return ""
    inner = get_named_type(field.type)
    arguments = "(first: 30)" if "first" in field.args else _ARGUMENTS.get(name, "")
    call = (f"{prefix}{name}: {name}" if prefix else name) + arguments
    if is_leaf_type(inner):
        return call
    if depth == 0 and not _part_of_page(inner):
        return ""
    return f"{call} {everything(schema, inner, depth if _part_of_page(inner) else depth - 1)}"


def _part_of_page(type_: GraphQLNamedType) -> bool:
    return type_.name.endswith(("Connection", "Edge", "PageInfo"))
