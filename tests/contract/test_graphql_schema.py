"""The sandbox's GraphQL schema against GitHub's: a query that one accepts, the other accepts, and means the same.

Every definition of ours must be GitHub's: same kind, same name, same type strings, same arguments with the same
defaults, same enum values. Ours may have fewer types and fields, never different ones.
"""

from __future__ import annotations

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLUnionType,
    is_introspection_type,
    is_required_input_field,
    is_specified_scalar_type,
    parse,
    validate_schema,
)
from graphql.utilities.print_schema import print_input_value
from graphql.validation.validate import validate_sdl

from stackr.sandbox.graphql.sdl import sandbox_schema, schema_text
from tests.support.github_schema import github_schema

Fielded = (GraphQLObjectType, GraphQLInterfaceType)


def ours() -> list[GraphQLNamedType]:
    """The types that the sandbox defines, by name."""
    types = sandbox_schema().type_map.values()
    return [t for t in types if not is_introspection_type(t) and not is_specified_scalar_type(t)]


def theirs(type_: GraphQLNamedType) -> GraphQLNamedType | None:
    """GitHub's type of that name."""
    return github_schema().type_map.get(type_.name)


def described(name: str, field: GraphQLField) -> str:
    """A field as one line: its name, arguments with types and defaults, and its type."""
    arguments = ", ".join(print_input_value(a, argument) for a, argument in sorted(field.args.items()))
    return f"{name}({arguments}): {field.type} deprecated={bool(field.deprecation_reason)}"


def fields_of(type_: GraphQLNamedType) -> dict[str, str]:
    """Every field of an object, interface or input type, described so that equal means the same contract."""
    if isinstance(type_, Fielded):
        return {name: described(name, field) for name, field in type_.fields.items()}
    if isinstance(type_, GraphQLInputObjectType):
        return {name: print_input_value(name, field) for name, field in type_.fields.items()}
    return {}


def test_the_schema_itself_is_valid() -> None:
    assert validate_sdl(parse(schema_text())) == []
    assert validate_schema(sandbox_schema()) == []


def test_every_type_exists_on_github_and_is_of_the_same_kind() -> None:
    assert [t.name for t in ours() if type(theirs(t)) is not type(t)] == []


@pytest.mark.parametrize("name", [t.name for t in ours() if fields_of(t)])
def test_every_field_and_argument_is_githubs(name: str) -> None:
    mine = fields_of(sandbox_schema().type_map[name])
    github = fields_of(github_schema().type_map[name])
    assert mine == {field: github.get(field, "no such field on GitHub") for field in mine}


def test_what_github_requires_of_an_input_can_be_given() -> None:
    missing = [
        f"{type_.name}.{name}"
        for type_ in ours()
        if isinstance(type_, GraphQLInputObjectType)
        for name, field in theirs(type_).fields.items()  # type: ignore[union-attr]
        if is_required_input_field(field) and name not in type_.fields
    ]
    assert missing == []


def test_every_enum_has_exactly_githubs_values() -> None:
    enums = [t for t in ours() if isinstance(t, GraphQLEnumType)]
    github = {t.name: theirs(t) for t in enums}
    assert {t.name: list(t.values) for t in enums} == {name: list(t.values) for name, t in github.items()}  # type: ignore[union-attr]


def test_unions_and_interfaces_hold_only_githubs_members() -> None:
    strangers = []
    for type_ in ours():
        github = theirs(type_)
        if isinstance(type_, GraphQLUnionType):
            members = {m.name for m in github.types}  # type: ignore[union-attr]
            strangers += [m.name for m in type_.types if m.name not in members]
        if isinstance(type_, Fielded):
            known = {i.name for i in github.interfaces}  # type: ignore[union-attr]
            strangers += [f"{type_.name}: {i.name}" for i in type_.interfaces if i.name not in known]
    assert strangers == []
