"""Runs one GraphQL request as GitHub does: parsed and validated once per text, mutations one after the other.

Source: https://spec.graphql.org/October2021/#sec-Mutation, and #sec-Handling-Field-Errors: the others go on.
HTTP is ``http``, what fields answer is ``resolvers`` and ``mutations``.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import threading
from dataclasses import dataclass
from typing import Any

import graphql
from graphql import DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema, OperationDefinitionNode

from stackr.sandbox.errors import ApiError
from stackr.sandbox.graphql import analysis, binding, paging, wording
from stackr.sandbox.graphql import mutations as mutation_files
from stackr.sandbox.graphql import resolvers as resolver_files
from stackr.sandbox.graphql.context import Context
from stackr.sandbox.graphql.sdl import sandbox_schema
from stackr.sandbox.request import TimeCut

Json = dict[str, Any]
MAX_ERRORS = 100
_BUILDING = threading.Lock()
# The schema has no subscriptions, @defer or @stream: other rules refuse those already. Each costs a walk's share.
_NEEDLESS = ("SingleFieldSubscriptions", "DeferStream", "StreamDirective", "MaxIntrospectionDepth")
_RULES = [rule for rule in graphql.specified_rules if not rule.__name__.startswith(_NEEDLESS)]


def executable_schema() -> GraphQLSchema:
    """The schema with a resolver on every field; built once a process."""
    with _BUILDING:  # two threads that import the same files from two ends would meet half-made modules
        return _built()


@functools.lru_cache(maxsize=1)
def _built() -> GraphQLSchema:
    for package in (resolver_files, mutation_files):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    schema = sandbox_schema()
    paging.register(schema)
    return binding.bind(schema)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query text, parsed and validated. ``faults`` are errors entries; without any, it may be run."""

    document: DocumentNode
    faults: tuple[Json, ...]

    def operation(self, name: str | None) -> OperationDefinitionNode | None:
        """The operation to run: the named one, or the only one."""
        found = [d for d in self.document.definitions if isinstance(d, OperationDefinitionNode)]
        if name:
            return next((d for d in found if d.name is not None and d.name.value == name), None)
        return found[0] if len(found) == 1 else None


@functools.lru_cache(maxsize=512)
def prepare(text: str) -> Prepared:
    """Parse and validate. Remembered by text: clients send few different ones, and it is most of the work."""
    try:
        document = graphql.parse(text)
    except GraphQLError as error:
        return Prepared(DocumentNode(definitions=()), (wording.invalid(error),))
    errors = graphql.validate(executable_schema(), document, _RULES, max_errors=MAX_ERRORS)
    return Prepared(document, tuple(wording.invalid(error) for error in errors))


@dataclass(frozen=True, slots=True)
class Request:
    """The body of a request, taken apart."""

    prepared: Prepared
    operation: OperationDefinitionNode
    variables: Json
    name: str | None

    @property
    def mutations(self) -> list[str]:
        """The names of its top-level mutations, in order."""
        return analysis.mutations(self.prepared.document, self.operation)


def run(context: Context, request: Request) -> Json:
    """Run a request and return GitHub's answer: ``data`` and, if something was refused, ``errors``.

    Raises what cut the request short (TimeCut): what ran until then stays. An error that is no refusal is a bug
    of the sandbox, and raised too.
    """
    try:
        counts = analysis.count(request.prepared.document, request.operation, request.variables)
        context.node_count, context.connection_count = counts.nodes, counts.connections
        # The first point was taken when the request came.
        context.engine.limits.charge(context.viewer, "graphql", cost=context.cost - 1, points=0)
    except ApiError as error:
        return {"errors": [{"type": error.graphql_type, "message": error.message}]}
    if counts.contexts >= analysis.CONTEXTS_IN_TIME:
        raise TimeCut
    with context.held:
        if not request.mutations:
            context.held.enter_context(context.engine.lock)
        result = _execute(context, request)
    if context.stopped is not None:
        raise context.stopped
    return _answer(result)


def _execute(context: Context, request: Request) -> ExecutionResult:
    return graphql.execute_sync(
        executable_schema(),
        request.prepared.document,
        None,
        context,
        request.variables,
        request.operation.name.value if request.operation.name else None,
    )


def _answer(result: ExecutionResult) -> Json:
    errors = [_entry(error) for error in result.errors or []]
    if result.data is None and all("type" not in error for error in errors) and errors:
        return {"errors": errors}  # the variables did not fit: nothing was run
    return {"data": result.data, "errors": errors} if errors else {"data": result.data}


def _entry(error: GraphQLError) -> Json:
    original = error.original_error
    if isinstance(original, ApiError):
        return wording.failed(error, original)
    if original is not None and not isinstance(original, GraphQLError):
        raise original
    return wording.invalid(error)
