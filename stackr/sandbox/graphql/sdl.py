"""Reads the schema files; nothing here knows how a field is answered."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import graphql
from graphql import GraphQLError, GraphQLSchema

_FILES = Path(__file__).parent / "schema"
_OID = re.compile(r"[0-9a-f]{40}\Z")


def schema_text() -> str:
    """All schema files as one document."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(_FILES.glob("*.graphql")))


@functools.lru_cache(maxsize=1)
def sandbox_schema() -> GraphQLSchema:
    """The sandbox's schema, one for the process.

    It is a subset of GitHub's (https://docs.github.com/en/graphql/reference): fewer types and fields, never different
    ones. Fields have no resolvers until ``binding.bind`` was called on it.
    """
    # assume_valid: a test validates it, a server that starts need not.
    schema = graphql.build_ast_schema(graphql.parse(schema_text(), no_location=True), assume_valid=True)
    scalar = schema.type_map["GitObjectID"]
    # The first name is graphql-core 3.2's, the second 3.3's.
    for hook in ("parse_value", "coerce_input_value"):
        setattr(scalar, hook, _object_id)
    return schema


def _object_id(value: object) -> str:
    """Only a whole object name is a GitObjectID: https://docs.github.com/en/graphql/reference/scalars."""
    if isinstance(value, str) and _OID.match(value):
        return value
    raise GraphQLError(f"Could not coerce value {value!r} to GitObjectID")
