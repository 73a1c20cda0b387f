"""One GraphQL request and its answer, in which some parts may have failed and others not.

Not here: the texts (``queries``), what the answers mean (``facts``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any

from stackr.errors import StackrError
from stackr.github.failures import Lost, Problem, problem_error, problems_in
from stackr.github.http import Http, Reply
from stackr.github.limits import limited
from stackr.github.together import persist, value
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Query:
    """A document, and the values of its variables."""

    text: str
    variables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """``data`` by alias (``None`` where it failed), the problems, and the seconds it took."""

    data: Mapping[str, Any]
    problems: tuple[Problem, ...]
    headers: Mapping[str, str]
    seconds: float

    def problems_at(self, *path: str) -> tuple[Problem, ...]:
        """The problems at or below a path of aliases."""
        return tuple(problem for problem in self.problems if problem.path[: len(path)] == path)


class GraphQL:
    """Sends queries. https://docs.github.com/en/graphql/guides/forming-calls-with-graphql"""

    def __init__(self, http: Http) -> None:
        self.http = http

    def once(self, query: Query) -> Answer:
        """One attempt. Raises Lost and Limited when the whole request was, and what ``Http.send`` raises.

        Problems that concern a part only are in the answer: with HTTP 200, the rest may have happened.
        """
        body = {"query": query.text, "variables": query.variables}
        reply = self.http.send("POST", self.http.host.graphql, json=body)
        problems = problems_in(reply.data, self.http.token.hide)
        data = reply.data.get("data") if isinstance(reply.data, Mapping) else None
        if not isinstance(data, Mapping):
            raise self._whole(reply, problems)
        return Answer(data, problems, reply.headers, reply.seconds)

    def ask(self, query: Query) -> Answer:
        """A query that only reads: tried again when lost or limited."""
        return value(self.ask_all([query])[0])

    def ask_all(self, queries: Sequence[Query]) -> list[Answer | StackrError]:
        """Queries that only read, side by side; a failure is in its place in the list."""
        return persist([partial(self._read, query) for query in queries], self.http.patience())

    def error(self, problems: Sequence[Problem], headers: Mapping[str, str], what: str = "") -> StackrError:
        """The exception for problems that are final."""
        return problem_error(problems, headers, self.http.token.source, what)

    def _read(self, query: Query) -> Answer:
        """As ``once``; in a read, a part that was limited or timed out makes the whole worth repeating."""
        answer = self.once(query)
        part = next((problem for problem in answer.problems if problem.is_limit or problem.is_transient), None)
        if part is None:
            return answer
        if part.is_limit:
            raise limited(answer.headers, part.message, self.http.now())
        raise Lost(f"github could not answer ({part.message})")

    def _whole(self, reply: Reply, problems: Sequence[Problem]) -> StackrError:
        if not problems:
            return Lost("github's answer has neither data nor errors")
        if any(problem.is_limit for problem in problems):
            return limited(reply.headers, problems[0].message, self.http.now())
        if any(problem.is_transient for problem in problems):
            return Lost(f"github could not answer ({problems[0].message})")
        return self.error(problems, reply.headers)
