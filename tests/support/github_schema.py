"""GitHub's own GraphQL schema, for tests: is a query one that GitHub would accept?

What lives here: loading the schema that ``fetch_schemas`` put into ``.cache/github``, and validating a query
against it. Not here: the sandbox's subset (``stackr.sandbox.graphql``), which is tested against this one.
"""

from __future__ import annotations

import functools
import gc
import os
import pickle
import tempfile
from pathlib import Path

import graphql
from graphql import DocumentNode, GraphQLError, GraphQLSchema

from tests.support import fetch_schemas


@functools.lru_cache(maxsize=1)
def github_schema() -> GraphQLSchema:
    """GitHub's whole public GraphQL schema. Read once a process, about 0.3 s (1.2 s the very first time).

    Raises fetch_schemas.SchemasMissing, with what to run, when the description was not fetched.
    Source: https://docs.github.com/en/graphql/overview/public-schema
    """
    text = fetch_schemas.require(fetch_schemas.GRAPHQL)
    # assume_valid: GitHub publishes it, we need not prove it again (that takes seconds).
    schema = graphql.build_ast_schema(_parsed(text), assume_valid=True)
    # 150,000 objects that stay: the garbage collector need not look through them, 0.3 s a time.
    gc.freeze()
    return schema


def validate_query(text: str) -> list[str]:
    """What GitHub would say against a query: one line for each fault, empty when there is none.

    ``text`` is one whole document (query or mutation, with its fragments). Unknown fields and arguments,
    wrong types of variables, missing required arguments, unused variables or fragments are all faults.
    """
    return list(_faults(text))


@functools.lru_cache(maxsize=4096)
def _faults(text: str) -> tuple[str, ...]:
    try:
        document = graphql.parse(text)
    except GraphQLError as error:
        return (_line(error),)
    return tuple(_line(error) for error in graphql.validate(github_schema(), document))


def _line(error: GraphQLError) -> str:
    places = ", ".join(f"{place.line}:{place.column}" for place in error.locations or [])
    return f"{places}: {error.message}"


def _parsed(schema: Path) -> DocumentNode:
    """The parsed schema; kept beside it as a pickle, since parsing is four fifths of the time."""
    kept = schema.with_suffix(f".graphql-core-{graphql.version}.pickle")
    if kept.is_file():
        document: DocumentNode = pickle.loads(kept.read_bytes())
        return document
    document = graphql.parse(schema.read_text(encoding="utf-8"), no_location=True)
    _write_whole(kept, pickle.dumps(document, protocol=pickle.HIGHEST_PROTOCOL))
    return document


def _write_whole(path: Path, content: bytes) -> None:
    """Writes a file that no other test process ever sees half of."""
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    Path(name).replace(path)
