"""All open pull requests of the token's owner in one repository, found by GitHub's search.

https://docs.github.com/en/search-github/searching-on-github/searching-issues-and-pull-requests
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from stackr.core.ports import OwnPulls
from stackr.errors import StackrError
from stackr.github import queries
from stackr.github.facts import checks_of, counts_of, pull_from
from stackr.github.graphql import Answer, GraphQL, Query
from stackr.github.reading import Reader
from stackr.github.together import value


def list_own_pulls(graph: GraphQL, reader: Reader) -> OwnPulls:
    """One request, and one for the checks beside it; more of each above a hundred pull requests."""
    search = _Search(graph, reader)
    found, checks = graph.ask_all([search.query(queries.own_query()), search.query(queries.own_checks_query())])
    answer = value(found)
    repository = reader.repository(answer)
    pulls = [pull_from(node) for node in search.nodes(queries.own_query(), answer)]
    warnings: tuple[str, ...] = ()
    try:
        rollups = {node["number"]: node for node in search.nodes(queries.own_checks_query(), value(checks))}
    except StackrError as error:
        # Fine-grained tokens cannot read checks (cli/cli#12597); the rest is worth showing all the same.
        rollups, warnings = {}, (f"checks are not shown: {error.message}",)
    return OwnPulls(
        (repository["defaultBranchRef"] or {"name": ""})["name"],
        tuple(
            replace(pull, checks=checks_of(node), counts=counts_of(node))
            for pull in pulls
            for node in [rollups.get(pull.number, {})]
        ),
        warnings,
    )


class _Search:
    """Pages of one search, pull requests from forks included."""

    def __init__(self, graph: GraphQL, reader: Reader) -> None:
        self._graph, self._reader = graph, reader
        host = graph.http.host
        self._here = {
            "owner": host.owner,
            "name": host.name,
            "search": f"repo:{host.owner}/{host.name} is:pr is:open author:@me",
        }

    def query(self, text: str, after: str | None = None) -> Query:
        """One page of the search."""
        return Query(text, {**self._here, "after": after})

    def nodes(self, text: str, answer: Answer) -> Iterator[Mapping[str, Any]]:
        """What was found, further pages included."""
        self._reader.repository(answer)
        connection = answer.data["search"]
        yield from _found(connection)
        while connection["pageInfo"]["hasNextPage"]:
            answer = self._graph.ask(self.query(text, connection["pageInfo"]["endCursor"]))
            self._reader.repository(answer)
            connection = answer.data["search"]
            yield from _found(connection)


def _found(connection: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What the token may see of one page."""
    yield from (node for node in connection["nodes"] if node)
