"""Connections: pages of a list, their cursors, and GitHub's limits on them.

Source: https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api and
https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLSchema

from stackr.sandbox.errors import ApiError
from stackr.sandbox.graphql.binding import Fields, object_types
from stackr.sandbox.graphql.context import Info
from stackr.sandbox.model import Row

PAGE_LIMIT = 100
_PREFIX = "cursor:v2:"


@dataclass(slots=True)
class Connection:
    """One page of ``items``: those from ``start`` up to, not including, ``stop``.

    ``node`` turns an item into the node (rows are their own nodes); ``owner`` is what the list belongs to.
    """

    items: Sequence[Any]
    start: int
    stop: int
    node: Callable[[Any], Any] | None = None
    owner: Any = None

    def nodes(self) -> list[Any]:
        """The nodes of this page."""
        page = self.items[self.start : self.stop]
        return [self.node(item) for item in page] if self.node else list(page)


@dataclass(slots=True)
class Edge:
    """A node and its cursor."""

    cursor: str
    node: Any
    owner: Any = None


def page(
    info: Info,
    items: Sequence[Any],
    arguments: dict[str, Any],
    *,
    node: Callable[[Any], Any] | None = None,
    owner: Any = None,
) -> Connection:
    """The page that ``first``/``after`` or ``last``/``before`` of ``arguments`` ask for.

    Raises ApiError in GitHub's words without ``first`` or ``last``, and above 100.
    """
    first, last = arguments.get("first"), arguments.get("last")
    _refuse_bad_bounds(info.field_name, first, last)
    start, stop = 0, len(items)
    if arguments.get("after"):
        place, there = _place(items, arguments["after"])
        start = place + 1 if there else place
    if arguments.get("before"):
        stop = min(stop, _place(items, arguments["before"])[0])
    if first is not None:
        stop = min(stop, start + first)
    else:
        start = max(start, stop - (last or 0))
    return Connection(items, start, max(start, stop), node, owner)


def _refuse_bad_bounds(name: str, first: int | None, last: int | None) -> None:
    if first is None and last is None:
        text = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
        raise ApiError(200, text, graphql_type="MISSING_PAGINATION_BOUNDARIES")
    for bound, value in (("first", first), ("last", last)):
        if value is not None and value < 0:
            text = f"`{bound}` on the `{name}` connection cannot be less than zero."
            raise ApiError(200, text, graphql_type="ARGUMENT_LIMIT")
        if value is not None and value > PAGE_LIMIT:
            text = (
                f"Requesting {value} records on the `{name}` connection exceeds "
                f"the `{bound}` limit of {PAGE_LIMIT} records."
            )
            raise ApiError(200, text, graphql_type="EXCESSIVE_PAGINATION")


def cursor(items: Sequence[Any], index: int) -> str:
    """The opaque cursor of an item. Rows are found again by their id, also when others came or went."""
    item = items[index]
    text = f"{_PREFIX}{index}:{item.id if isinstance(item, Row) else ''}"
    return base64.b64encode(text.encode()).decode()


def _place(items: Sequence[Any], text: str) -> tuple[int, bool]:
    """Where the item of a cursor stands, and that it does; or where it stood, if it is gone."""
    try:
        plain = base64.b64decode(text, validate=True).decode()
        index, _, row_id = plain.removeprefix(_PREFIX).partition(":")
        place = int(index)
    except (binascii.Error, UnicodeDecodeError, ValueError) as error:
        message = f"`{text}` does not appear to be a valid cursor."
        raise ApiError(200, message, graphql_type="INVALID_CURSOR_ARGUMENTS") from error
    if row_id:
        now = next((i for i, item in enumerate(items) if str(getattr(item, "id", "")) == row_id), None)
        return (place, False) if now is None else (now, True)
    return place, True


def edges(connection: Connection, _info: Info) -> list[Edge]:
    """The page's edges."""
    pairs = enumerate(connection.nodes(), connection.start)
    return [Edge(cursor(connection.items, i), node, connection.owner) for i, node in pairs]


def page_info(connection: Connection, _info: Info) -> dict[str, Any]:
    """Where the page begins and ends, and whether there is more."""
    items, start, stop = connection.items, connection.start, connection.stop
    return {
        "hasNextPage": stop < len(items),
        "hasPreviousPage": start > 0,
        "startCursor": cursor(items, start) if start < stop else None,
        "endCursor": cursor(items, stop - 1) if start < stop else None,
    }


def _add_count(fields: Fields) -> None:
    # A resolver of its own, where the count is of more than the connection's items, comes first.
    if not fields.has("totalCount"):
        fields.add("totalCount", lambda connection, _info: len(connection.items))


def register(schema: GraphQLSchema) -> None:
    """Give every connection and edge type of the schema the fields they all share."""
    for type_ in object_types(schema):
        if type_.name.endswith("Connection"):
            fields = Fields(type_.name)
            fields.add("nodes", lambda connection, _info: connection.nodes())
            fields.add("edges", edges)
            fields.add("pageInfo", page_info)
            if "totalCount" in type_.fields:
                _add_count(fields)
        elif type_.name.endswith("Edge"):
            Fields(type_.name).attributes("cursor node")
    info = Fields("PageInfo")
    for name in ("hasNextPage", "hasPreviousPage", "startCursor", "endCursor"):
        info.add(name, lambda value, _info, key=name: value[key])
