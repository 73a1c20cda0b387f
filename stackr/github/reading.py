"""``read``: everything observe wants to know of GitHub, in one request, the checks in another beside it.

Not here: the texts of the queries (``queries``), the meaning of a pull request's fields (``facts``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stackr.core.model import CheckCounts, Checks, PullRequest, ReviewVote
from stackr.core.ports import ForgeFacts, PullText, ReadRequest
from stackr.core.rules import LandingFacts
from stackr.errors import GitHubError, StackrError
from stackr.github import queries
from stackr.github.facts import checks_of, counts_of, own_nodes, pull_from, text_from, tip, vote_from
from stackr.github.failures import Problem, Rejected
from stackr.github.graphql import Answer, GraphQL, Query
from stackr.github.landing import hidden, landing_from, parts_missing, standing_nodes
from stackr.github.together import value

Rollup = tuple[Checks, CheckCounts]
_NOTHING: Rollup = (Checks.NONE, CheckCounts())
_MAY_PUSH = frozenset({"ADMIN", "MAINTAIN", "WRITE"})


class Reader:
    """Reads one repository. ``fork_owner``: whose fork the head branches are in, ``""`` if they are in it itself."""

    def __init__(self, graph: GraphQL, fork_owner: str = "") -> None:
        self._graph = graph
        self.fork_owner = fork_owner
        self._here = {"owner": graph.http.host.owner, "name": graph.http.host.name}

    def own(self, connection: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
        """The pull requests of a connection whose heads are where ours are."""
        return own_nodes(connection, self.fork_owner)

    def viewer(self) -> str:
        """The login of the token's owner; one request."""
        answer = self._graph.ask(Query(queries.viewer_query()))
        self._refuse(answer, answer.problems)
        return str(answer.data["viewer"]["login"])

    def read(self, request: ReadRequest) -> ForgeFacts:
        """All facts: one request for up to a hundred heads, further ones beside it."""
        parts = _split(request)
        asked = [self._read_query(part) for part in parts]
        if request.checks:
            asked += [self._checks_query(part) for part in parts]
        outcomes = self._graph.ask_all(asked)
        facts = [self._facts(part, value(answer)) for part, answer in zip(parts, outcomes, strict=False)]
        whole = _joined(facts)
        return self._with_checks(whole, parts, outcomes[len(parts) :]) if request.checks else whole

    def texts(self, numbers: Sequence[int]) -> dict[int, PullText]:
        """Title and description by number; one request. A number that does not exist is left out."""
        if not numbers:
            return {}
        variables = {**self._here, **_numbered("n", numbers)}
        answer = self._graph.ask(Query(queries.texts_query(len(numbers)), variables))
        repository = self.repository(answer, _missing_numbers(answer))
        nodes = [repository[f"n{i}"] for i in range(len(numbers))]
        return {node["number"]: text_from(node) for node in nodes if node}

    def open_by_head(self, heads: Sequence[str]) -> dict[str, PullRequest]:
        """The newest open pull request of each head branch that has one; one request."""
        variables = {**self._here, **_numbered("h", heads)}
        answer = self._graph.ask(Query(queries.lookup_query(len(heads)), variables))
        repository = self.repository(answer)
        found = {head: self.own(repository[f"h{i}"]) for i, head in enumerate(heads)}
        return {head: pull_from(nodes[0]) for head, nodes in found.items() if nodes}

    def tips(self, refs: Sequence[str]) -> dict[str, str | None]:
        """The commit of each full ref name, ``None`` when it does not exist; one request."""
        variables = {**self._here, **_numbered("b", refs)}
        answer = self._graph.ask(Query(queries.refs_query(len(refs)), variables))
        repository = self.repository(answer)
        return {ref: tip(repository[f"b{i}"]) for i, ref in enumerate(refs)}

    def states(self, node_ids: Sequence[str]) -> dict[str, tuple[bool, bool]]:
        """(is open, is draft) by node id; one request."""
        answer = self._graph.ask(Query(queries.states_query(), {"ids": list(node_ids)}))
        nodes = [node for node in answer.data.get("nodes") or [] if node]
        return {node["id"]: (node["state"] == "OPEN", node["isDraft"]) for node in nodes}

    def bases(self, node_ids: Sequence[str]) -> list[Mapping[str, Any]]:
        """What pull requests target, by node id, whether it is there or not; one request."""
        answer = self._graph.ask(Query(queries.bases_query(), {"ids": list(node_ids)}))
        return [node for node in answer.data.get("nodes") or [] if node]

    def open_pulls(self) -> tuple[PullRequest, ...]:
        """The newest hundred open pull requests whose head is in this repository, newest first; one request."""
        answer = self._graph.ask(Query(queries.open_query(), self._here))
        return tuple(pull_from(node) for node in own_nodes(self.repository(answer)["open"]))

    def reviews(self, number: int) -> tuple[ReviewVote, ...]:
        """What people said of a pull request, oldest first; one request. What is not sent yet is left out."""
        answer = self._graph.ask(Query(queries.reviews_query(), {**self._here, "n0": number}))
        nodes = self.repository(answer)["n0"]["reviews"]["nodes"] or []
        return tuple(vote_from(node) for node in nodes if node and node["state"] != "PENDING")

    def outcome(self, number: int) -> Mapping[str, Any]:
        """How a pull request stands after a merge that was refused or whose answer got lost; one request."""
        answer = self._graph.ask(Query(queries.outcome_query(), {**self._here, "n0": number}))
        outcome: Mapping[str, Any] = self.repository(answer)["n0"]
        return outcome

    def own_comments(self, number: int) -> list[str]:
        """The texts of the newest comments on a pull request that are by the token's owner; one request."""
        answer = self._graph.ask(Query(queries.comments_query(), {**self._here, "n0": number}))
        nodes = self.repository(answer)["n0"]["comments"]["nodes"] or []
        return [node["body"] for node in nodes if node and node["viewerDidAuthor"]]

    def repository(self, answer: Answer, tolerated: Sequence[Problem] = ()) -> Mapping[str, Any]:
        """The repository of an answer; raises when it is not there or a part of it failed."""
        self._refuse(answer, [problem for problem in answer.problems if problem not in tolerated])
        repository = answer.data.get("repository")
        if not isinstance(repository, Mapping):
            raise self._no_repository()
        return repository

    def _refuse(self, answer: Answer, problems: Sequence[Problem]) -> None:
        if any(problem.type == "NOT_FOUND" and problem.path == ("repository",) for problem in problems):
            raise self._no_repository()
        if problems:
            raise self._graph.error(problems, answer.headers)

    def _no_repository(self) -> GitHubError:
        host = self._graph.http.host
        return Rejected(
            f'github has no repository "{host.owner}/{host.name}",'
            f" or the token from {self._graph.http.token.source} may not see it: the two look the same",
            404,
            next_step="check the remote (git remote -v) and what the token may read (stackr auth status)",
        )

    def _read_query(self, request: ReadRequest) -> Query:
        text = queries.read_query(
            len(request.heads),
            len(request.numbers),
            trunk=request.trunk is not None,
            details=request.details,
            targeting=request.targeting,
            landing=request.landing,
            sevs=bool(request.sev_label),
        )
        variables: dict[str, Any] = {**self._here, **_asked(request)}
        variables |= _numbered("b", [f"refs/heads/{head}" for head in request.heads])
        if request.trunk is not None:
            variables["trunk"] = f"refs/heads/{request.trunk}"
        if request.trunk is not None and request.landing:
            variables["branch"] = request.trunk
        if request.landing and request.sev_label:
            variables["label"] = request.sev_label
        return Query(text, variables)

    def _checks_query(self, request: ReadRequest) -> Query:
        text = queries.checks_query(len(request.heads), len(request.numbers))
        return Query(text, {**self._here, **_asked(request)})

    def _facts(self, request: ReadRequest, answer: Answer) -> ForgeFacts:
        missing = parts_missing(answer.problems) if request.landing else {}
        tolerated = [problem for problems in missing.values() for problem in problems]
        repository = self.repository(answer, [*_missing_numbers(answer), *tolerated])
        default = repository["defaultBranchRef"] or {"name": ""}
        trunk = repository["trunk"] if request.trunk is not None else repository["defaultBranchRef"]
        nodes = [repository[f"n{i}"] for i in range(len(request.numbers))]
        facts = ForgeFacts(
            repository_id=repository["id"],
            default_branch=default["name"],
            can_push=repository["viewerPermission"] in _MAY_PUSH,
            trunk=default["name"] if request.trunk is None else request.trunk,
            trunk_oid=tip(trunk),
            branches={head: tip(repository[f"b{i}"]) for i, head in enumerate(request.heads)},
            pulls={h: self._pulls(h, repository[f"h{i}"], request.details) for i, h in enumerate(request.heads)},
            by_number={node["number"]: pull_from(node) for node in nodes if node},
            targeting=tuple(pull_from(node) for node in _targeting(request, repository)),
        )
        if not request.landing:
            return facts
        # Fine-grained tokens cannot read checks (cli/cli#12597): the rest is worth having all the same.
        warnings = [f"{what}: {self._graph.error(each, answer.headers).message}" for what, each in missing.items()]
        rollups = {node["number"]: _rollup(node) for node in standing_nodes(repository)}
        facts = _with_each(facts, rollups, (*hidden(trunk), *warnings))
        return replace(facts, landing=landing_from(repository, trunk))

    def _pulls(self, head: str, connection: Mapping[str, Any], details: bool) -> tuple[PullRequest, ...]:
        """The pull requests of a head, newest first; further pages only while forks fill all of the first ones."""
        nodes = self.own(connection)
        while not nodes and connection["pageInfo"]["hasNextPage"]:
            variables = {**self._here, "h0": head, "after": connection["pageInfo"]["endCursor"]}
            answer = self._graph.ask(Query(queries.more_pulls_query(details=details), variables))
            connection = self.repository(answer)["h0"]
            nodes = self.own(connection)
        return tuple(pull_from(node) for node in nodes)

    def _with_checks(
        self, facts: ForgeFacts, parts: Sequence[ReadRequest], outcomes: Sequence[Answer | StackrError]
    ) -> ForgeFacts:
        checks: dict[int, Rollup] = {}
        warnings: list[str] = []
        for part, outcome in zip(parts, outcomes, strict=True):
            try:
                checks |= self._checks(part, value(outcome))
            except StackrError as error:
                # Fine-grained tokens cannot read checks (cli/cli#12597); the rest is worth showing all the same.
                warnings.append(f"checks are not shown: {error.message}")
        return _with_each(facts, checks, tuple(dict.fromkeys(warnings)))

    def _checks(self, request: ReadRequest, answer: Answer) -> dict[int, Rollup]:
        repository = self.repository(answer, _missing_numbers(answer))
        nodes = [node for i in range(len(request.heads)) for node in self.own(repository[f"h{i}"])]
        nodes += [node for i in range(len(request.numbers)) if (node := repository[f"n{i}"])]
        return {node["number"]: _rollup(node) for node in nodes}


def _split(request: ReadRequest) -> list[ReadRequest]:
    """At most a hundred heads or numbers each; the numbers go with the first requests."""
    size = queries.HEADS_A_QUERY
    longest = max(len(request.heads), len(request.numbers), 1)
    return [
        replace(request, heads=request.heads[at : at + size], numbers=request.numbers[at : at + size])
        for at in range(0, longest, size)
    ]


def _joined(facts: Sequence[ForgeFacts]) -> ForgeFacts:
    whole = facts[0]
    for more in facts[1:]:
        whole = replace(
            whole,
            branches={**whole.branches, **more.branches},
            pulls={**whole.pulls, **more.pulls},
            by_number={**whole.by_number, **more.by_number},
            targeting=(*whole.targeting, *more.targeting),
            warnings=tuple(dict.fromkeys((*whole.warnings, *more.warnings))),
            landing=_joined_landing(whole.landing, more.landing),
        )
    return whole


def _joined_landing(whole: LandingFacts | None, more: LandingFacts | None) -> LandingFacts | None:
    if whole is None or more is None:
        return None
    forced_heads = whole.forced_heads and more.forced_heads
    return replace(whole, forced_heads=forced_heads, standings={**whole.standings, **more.standings})


def _rollup(node: Mapping[str, Any]) -> Rollup:
    return checks_of(node), counts_of(node)


def _targeting(request: ReadRequest, repository: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Open pull requests on the asked heads, from forks too: a push would merge those as well."""
    for i in range(len(request.heads) if request.targeting else 0):
        yield from (node for node in repository[f"t{i}"]["nodes"] or [] if node)


def _with_each(facts: ForgeFacts, checks: Mapping[int, Rollup], warnings: tuple[str, ...]) -> ForgeFacts:
    def checked(pull: PullRequest) -> PullRequest:
        state, counts = checks.get(pull.number, _NOTHING)
        return replace(pull, checks=state, counts=counts)

    return replace(
        facts,
        pulls={head: tuple(checked(pull) for pull in pulls) for head, pulls in facts.pulls.items()},
        by_number={number: checked(pull) for number, pull in facts.by_number.items()},
        warnings=facts.warnings + warnings,
    )


def _asked(request: ReadRequest) -> dict[str, Any]:
    return _numbered("h", request.heads) | _numbered("n", request.numbers)


def _numbered(letter: str, values: Sequence[Any]) -> dict[str, Any]:
    return {f"{letter}{i}": value for i, value in enumerate(values)}


def _missing_numbers(answer: Answer) -> list[Problem]:
    """Numbers that are no pull request: GitHub answers null, and a NOT_FOUND beside it, twice for a landing."""
    return [
        problem
        for problem in answer.problems
        if problem.type == "NOT_FOUND" and len(problem.path) == 2 and str(problem.path[1]).startswith(("n", "m"))
    ]
