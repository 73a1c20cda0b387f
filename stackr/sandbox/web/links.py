"""Addresses of pages, and what ``#12`` and ``@alice`` in a text mean to one reader."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from stackr.sandbox import accounts, issues
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import Issue, PullRequest, Repository, User
from stackr.sandbox.web.markdown import Reference

_OWN = re.compile(r"/([^/]+/[^/]+)/(?:pull|issues)/([0-9]{1,9})/?")


def repository_path(engine: Engine, repo: Repository) -> str:
    """The page of a repository: ``/owner/name``."""
    return f"/{quote(accounts.full_name(engine, repo))}"


def issue_path(engine: Engine, issue: Issue) -> str:
    """The page of a pull request or issue, at GitHub's own address for it."""
    repo = engine.store.repositories.need(issue.repo_id)
    room = "pull" if isinstance(issue, PullRequest) else "issues"
    return f"{repository_path(engine, repo)}/{room}/{issue.number}"


def state_of(issue: Issue) -> str:
    """open, draft, closed or merged."""
    if isinstance(issue, PullRequest):
        if issue.merged:
            return "merged"
        if issue.draft and issue.state == "open":
            return "draft"
    return issue.state


def reference(engine: Engine, issue: Issue) -> Reference:
    """How other texts name it."""
    return Reference(issue_path(engine, issue), issue.number, issue.title, state_of(issue))


@dataclass(frozen=True, slots=True)
class EngineLinks:
    """The links in a text of one repository, as far as ``viewer`` may see where they lead."""

    engine: Engine
    repo: Repository
    viewer: User | None

    def reference(self, repository: str | None, number: int) -> Reference | None:
        """An issue or pull request; None if there is none, or none to be seen."""
        try:
            repo = self._repository(repository) if repository else self.repo
            return reference(self.engine, issues.find_issue(self.engine, repo, number))
        except ApiError:
            return None

    def _repository(self, full_name: str) -> Repository:
        owner, _, name = full_name.partition("/")
        return accounts.repository(self.engine, self.viewer, owner, name)

    def person(self, login: str) -> str | None:
        """The page of an account; None without one."""
        user = accounts.user_by_login(self.engine, login)
        return f"/{quote(user.login)}" if user else None

    def own(self, url: str) -> tuple[str, int] | None:
        """Repository and number, if the address is one of this sandbox's."""
        if not url.startswith(self.engine.url + "/"):
            return None
        found = _OWN.fullmatch(url[len(self.engine.url) :])
        return (found[1], int(found[2])) if found else None
