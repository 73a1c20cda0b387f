"""GitHub's words for what graphql-core finds wrong with a query, and the shape of its ``errors`` entries.

Source: https://docs.github.com/en/graphql/guides/forming-calls-with-graphql, and answers in public threads.
"""

from __future__ import annotations

import re
from typing import Any

from graphql import GraphQLError, GraphQLSyntaxError

from stackr.sandbox.errors import ApiError

Json = dict[str, Any]

# What graphql-core says, what GitHub says, and GitHub's code for it.
_WORDS = (
    (
        re.compile(r"Cannot query field '(?P<a>\w+)' on type '(?P<b>\w+)'\."),
        "Field '{a}' doesn't exist on type '{b}'",
        "undefinedField",
    ),
    (
        re.compile(r"Unknown argument '(?P<b>\w+)' on field '(?:\w+\.)?(?P<a>\w+)'\."),
        "Field '{a}' doesn't accept argument '{b}'",
        "argumentNotAccepted",
    ),
    (
        # As graphql-core 3.2 and 3.3 have it.
        re.compile(r"Field '(?:\w+\.)?(?P<a>\w+)' argument '(?P<b>\w+)' of type '[^']*' is required"),
        "Field '{a}' is missing required arguments: {b}",
        "missingRequiredArguments",
    ),
    (
        re.compile(r"Argument '(?:\w+\.)?(?P<a>\w+)\((?P<b>\w+):\)' of type '[^']*' is required"),
        "Field '{a}' is missing required arguments: {b}",
        "missingRequiredArguments",
    ),
    (
        re.compile(r"Variable '\$(?P<a>\w+)' is never used\."),
        "Variable ${a} is declared by anonymous query but not used",
        "variableNotUsed",
    ),
    (
        re.compile(r"Variable '\$(?P<a>\w+)' is never used in operation '(?P<b>\w+)'\."),
        "Variable ${a} is declared by {b} but not used",
        "variableNotUsed",
    ),
)


def invalid(error: GraphQLError) -> Json:
    """The entry for a query that is not valid; nothing of it was run."""
    if isinstance(error, GraphQLSyntaxError):
        return {"locations": locations(error), "message": f"Parse error: {error.message}"}
    for pattern, text, code in _WORDS:
        found = pattern.match(error.message)
        if found:
            message = text.format(**found.groupdict())
            return {"extensions": {"code": code}, "locations": locations(error), "message": message}
    return {"locations": locations(error), "message": error.message}


def failed(error: GraphQLError, refusal: ApiError) -> Json:
    """The entry for a field that the engine refused: its type, path, place and message."""
    return {
        "type": refusal.graphql_type,
        "path": list(error.path or []),
        **({"extensions": refusal.extensions} if refusal.extensions else {}),
        "locations": locations(error),
        "message": ", ".join(refusal.texts()),
    }


def locations(error: GraphQLError) -> list[Json]:
    """Line and column of every place that an error is about."""
    return [{"line": place.line, "column": place.column} for place in error.locations or []]
