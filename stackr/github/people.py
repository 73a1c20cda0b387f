"""Logins, teams and labels to node ids, before anything is written.

Not here: requesting reviews and adding labels (``updating``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

from stackr.errors import Refused
from stackr.github import queries
from stackr.github.graphql import Answer, GraphQL, Query
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class People:
    """Node ids by the name asked for, compared without case: people by login, teams as ``org/slug``, labels."""

    users: dict[str, str] = field(default_factory=dict)
    teams: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    def user_ids(self, reviewers: Iterable[str]) -> list[str]:
        """The people among ``reviewers``."""
        return [self.users[_key(name)] for name in reviewers if "/" not in name]

    def team_ids(self, reviewers: Iterable[str]) -> list[str]:
        """The teams among ``reviewers``."""
        return [self.teams[_key(name)] for name in reviewers if "/" in name]

    def label_ids(self, labels: Iterable[str]) -> list[str]:
        """The labels."""
        return [self.labels[_key(name)] for name in labels]


class Directory:
    """Looks names up, each once."""

    def __init__(self, graph: GraphQL) -> None:
        self._graph = graph
        self._known = People()

    def resolve(self, reviewers: Iterable[str], labels: Iterable[str]) -> People:
        """Everything known so far, with these; no request when all are known, else one.

        Raises Refused naming every reviewer and label that does not exist.
        """
        names = list(dict.fromkeys(_key(name) for name in reviewers))
        users = [name for name in names if "/" not in name and name not in self._known.users]
        teams = [name for name in names if "/" in name and name not in self._known.teams]
        wanted = [name for name in dict.fromkeys(_key(label) for label in labels) if name not in self._known.labels]
        if users or teams or wanted:
            self._learn(users, teams, wanted)
        return self._known

    def _learn(self, users: Sequence[str], teams: Sequence[str], labels: Sequence[str]) -> None:
        answer = self._graph.ask(self._query(users, teams, labels))
        final = [problem for problem in answer.problems if problem.type != "NOT_FOUND"]
        if final:
            raise self._graph.error(final, answer.headers, "reviewers and labels could not be looked up")
        repository = answer.data.get("repository") or {}
        found = People(
            users={name: node["id"] for i, name in enumerate(users) if (node := answer.data.get(f"u{i}"))},
            teams={name: node["id"] for i, name in enumerate(teams) if (node := _team(answer, i))},
            labels={name: node["id"] for i, name in enumerate(labels) if (node := repository.get(f"l{i}"))},
        )
        _refuse_unknown("reviewer", [n for n in [*users, *teams] if n not in found.users | found.teams])
        _refuse_unknown("label", [name for name in labels if name not in found.labels])
        self._known.users.update(found.users)
        self._known.teams.update(found.teams)
        self._known.labels.update(found.labels)

    def _query(self, users: Sequence[str], teams: Sequence[str], labels: Sequence[str]) -> Query:
        host = self._graph.http.host
        variables = {"owner": host.owner, "name": host.name} if labels else {}
        variables |= {f"u{i}": name for i, name in enumerate(users)}
        for i, team in enumerate(teams):
            variables[f"o{i}"], _, variables[f"t{i}"] = team.partition("/")
        variables |= {f"l{i}": name for i, name in enumerate(labels)}
        return Query(queries.people_query(len(users), len(teams), len(labels)), variables)


def _key(name: str) -> str:
    """GitHub compares logins, slugs and labels without case; people write ``@`` before a login."""
    return name.strip().removeprefix("@").lower()


def _team(answer: Answer, i: int) -> Any:
    return (answer.data.get(f"t{i}") or {}).get("team")


def _refuse_unknown(kind: str, names: Sequence[str]) -> None:
    if names:
        shown = ", ".join(f'"{name}"' for name in names)
        raise Refused(
            f"github knows no {kind} {shown}",
            next_step=f"check the spelling, or create the {kind}" if kind == "label" else "check the spelling",
        )
