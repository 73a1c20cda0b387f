"""What every resolver is told besides its value: who asks, and the engine that knows.

The one place where a GraphQL request holds the engine's lock: a query as a whole, a mutation field by field, so
that the server time of a mutation is slept outside of it.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphql import GraphQLResolveInfo

from stackr.sandbox import accounts, request
from stackr.sandbox.errors import ApiError
from stackr.sandbox.git import GitRepo
from stackr.sandbox.model import Issue, Repository, Token, User

if TYPE_CHECKING:
    from stackr.sandbox.engine import Engine

Info = GraphQLResolveInfo


@dataclass(slots=True)
class Context:
    """One request. ``stopped`` is what cut it short: later mutations must not run any more.

    ``headers`` are those that refusals want on the answer (Retry-After).
    """

    engine: Engine
    viewer: User
    token: Token | None
    held: ExitStack = field(default_factory=ExitStack)
    stopped: BaseException | None = None
    headers: dict[str, str] = field(default_factory=dict)
    node_count: int = 0
    connection_count: int = 0
    _levels: dict[int, str] = field(default_factory=dict)

    @property
    def cost(self) -> int:
        """What the request takes of the hour's points.

        https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api#predicting-the-point-value-of-a-query
        """
        return max(1, round(self.connection_count / 100))

    def user(self, user_id: int | None) -> User | None:
        """The account with this id; None for nobody and for deleted accounts, as GitHub's Actor fields have it."""
        return self.engine.store.users.get(user_id)

    def repository(self, row: Any) -> Repository:
        """The repository that a row belongs to."""
        return self.engine.store.repositories.need(row.repo_id)

    def git(self, repo: Repository) -> GitRepo:
        """The git repository of a repository."""
        return self.engine.git(repo)

    def level(self, repo: Repository) -> str:
        """The viewer's permission: none, read, triage, write, maintain or admin."""
        if repo.id not in self._levels:
            self._levels[repo.id] = accounts.permission(self.engine, self.viewer, repo)
        return self._levels[repo.id]

    def sees(self, repo: Repository) -> bool:
        """Whether the viewer may know that the repository exists."""
        return self.level(repo) != "none"

    def refuse_without_sign_on(self) -> None:
        """FORBIDDEN for what is the organization's, and the address on the answer, without single sign-on."""
        try:
            request.refuse_without_sign_on(self.engine, self.token)
        except ApiError as error:
            self.headers.update(error.headers)
            raise

    def writes(self, repo: Repository) -> bool:
        """Whether the viewer may push."""
        return self.level(repo) in {"write", "maintain", "admin"}

    def repository_url(self, repo: Repository) -> str:
        """The page of a repository."""
        return f"{self.engine.url}/{accounts.full_name(self.engine, repo)}"

    def issue_url(self, issue: Issue) -> str:
        """The page of an issue or pull request."""
        kind = "pull" if hasattr(issue, "head_ref") else "issues"
        return f"{self.repository_url(self.repository(issue))}/{kind}/{issue.number}"

    def path(self, url: str) -> str:
        """The resourcePath of a URL of ours."""
        return url[len(self.engine.url) :]

    def begin_mutation(self) -> None:
        """Before each top-level mutation: its server time and its share of the limits, then the engine's lock.

        When the ten seconds are over, that is remembered: graphql-core takes an exception for the failure of one
        field, and would go on with the next.
        """
        self.held.close()
        if self.stopped is not None:
            raise ApiError(502, "the request was cut short")
        try:
            request.before_mutation(self.engine)
        except request.TimeCut as cut:
            self.stopped = cut
            raise
        self.held.enter_context(self.engine.lock)


def ctx(info: Info) -> Context:
    """The context of a resolver call."""
    context: Context = info.context
    return context
