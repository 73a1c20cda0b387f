"""Counting before running: how many nodes a query may return, how many mutations it holds.

Source: https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

from __future__ import annotations

from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
)

from stackr.sandbox.errors import ApiError

NODE_LIMIT = 500_000
# Rollups of fifty pull requests and more, with every check, run into GitHub's time limit; of twenty they do not
# (cli/cli#7421, #6247; QwenLM/qwen-code#10861, Graphify-Labs/graphify#2912, HomericIntelligence/Mnemosyne#2155).
CONTEXTS_IN_TIME = 5_000


class Counter:
    """Walks one operation and adds up.

    ``nodes`` are those it may return, ``contexts`` the checks among them; ``connections`` must be asked for them.
    """

    def __init__(self, document: DocumentNode, variables: dict[str, Any]) -> None:
        self.fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
        self.variables = variables
        self.nodes = 0
        self.connections = 0
        self.contexts = 0

    def walk(self, selections: SelectionSetNode | None, times: int = 1) -> Counter:
        """Count a selection that is made ``times`` times."""
        for selection in selections.selections if selections else ():
            if isinstance(selection, FieldNode):
                size = self._size(selection)
                if size is not None:
                    self.connections += times
                    self.nodes += times * size
                    self.contexts += times * size if selection.name.value == "contexts" else 0
                self.walk(selection.selection_set, times * (1 if size is None else size))
            elif isinstance(selection, FragmentSpreadNode):
                self.walk(self.fragments[selection.name.value].selection_set, times)
            else:
                self.walk(selection.selection_set, times)  # type: ignore[attr-defined]
        return self

    def _size(self, field: FieldNode) -> int | None:
        """The ``first`` or ``last`` of a field; None for a field that is no connection."""
        for argument in field.arguments or ():
            if argument.name.value in {"first", "last"}:
                value = argument.value
                if isinstance(value, VariableNode):
                    bound = self.variables.get(value.name.value)
                    return bound if isinstance(bound, int) else None
                return int(value.value) if isinstance(value, IntValueNode) else None
        return None


def count(document: DocumentNode, operation: OperationDefinitionNode, variables: dict[str, Any]) -> Counter:
    """The counts of an operation; refuses one that may return more than NODE_LIMIT nodes."""
    counter = Counter(document, variables).walk(operation.selection_set)
    if counter.nodes > NODE_LIMIT:
        text = (
            f"This query requests up to {counter.nodes:,} possible nodes which exceeds the maximum limit "
            f"of {NODE_LIMIT:,}."
        )
        raise ApiError(200, text, graphql_type="MAX_NODE_LIMIT_EXCEEDED")
    return counter


def mutations(document: DocumentNode, operation: OperationDefinitionNode) -> list[str]:
    """The names of the top-level mutations of an operation, in order; empty for a query."""
    if operation.operation.value != "mutation":
        return []
    return _fields(document, operation.selection_set)


def _fields(document: DocumentNode, selections: SelectionSetNode) -> list[str]:
    fragments = Counter(document, {}).fragments
    found: list[str] = []
    for selection in selections.selections:
        if isinstance(selection, FieldNode):
            found.append(selection.name.value)
        elif isinstance(selection, FragmentSpreadNode):
            found += _fields(document, fragments[selection.name.value].selection_set)
        else:
            found += _fields(document, selection.selection_set)  # type: ignore[attr-defined]
    return found
