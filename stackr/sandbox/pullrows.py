"""Finding pull requests, and who may edit them; the bottom of ``pulls``."""

from __future__ import annotations

from collections.abc import Collection

from stackr.sandbox import accounts
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import forbidden, not_found
from stackr.sandbox.model import PullRequest, Repository, User


def find(engine: Engine, repo: Repository, number: int) -> PullRequest:
    """The pull request with this number; 404 without one."""
    pull = engine.store.pulls.one(repo_id=repo.id, number=number)
    if pull is None:
        raise not_found()
    return pull


def by_id(engine: Engine, pull_id: int) -> PullRequest | None:
    """The pull request with this row id."""
    return engine.store.pulls.get(pull_id)


def state_of(pull: PullRequest) -> str:
    """open, closed or merged."""
    return "merged" if pull.merged else pull.state


def repository_of(engine: Engine, pull: PullRequest) -> Repository:
    """The repository that a pull request is for."""
    return engine.store.repositories.need(pull.repo_id)


def head_owner(engine: Engine, pull: PullRequest) -> User | None:
    """Whose repository the head branch is in."""
    repo = engine.store.repositories.get(pull.head_repo_id)
    return accounts.owner(engine, repo) if repo else None


def list_pulls(
    engine: Engine,
    repo: Repository,
    *,
    states: Collection[str] | None = None,
    head: str | None = None,
    base: str | None = None,
    labels: Collection[str] | None = None,
    sort: str = "created",
    descending: bool = False,
) -> list[PullRequest]:
    """Pull requests of a repository, oldest first unless ``descending``.

    ``states`` of open, closed, merged; ``head`` is ``ref`` or ``owner:ref``; ``sort`` is created or updated.
    """
    owner, _, ref = (head or "").rpartition(":")
    found = [
        pull
        for pull in engine.store.pulls.by(repo_id=repo.id)
        if (states is None or state_of(pull) in states)
        and (not ref or pull.head_ref == ref)
        and (base is None or pull.base_ref == base)
    ]
    if owner:
        found = [p for p in found if (u := head_owner(engine, p)) and u.login.lower() == owner.lower()]
    if labels is not None:
        wanted = {name.lower() for name in labels}
        ids = {row.id for row in engine.store.labels.by(repo_id=repo.id) if row.name.lower() in wanted}
        found = [pull for pull in found if ids.intersection(pull.label_ids)]
    key = (lambda p: (p.updated_at, p.number)) if sort == "updated" else (lambda p: (p.created_at, p.number))
    return sorted(found, key=key, reverse=descending)


def others(engine: Engine, repo: Repository, head_repo_id: int | None, head_ref: str, base: str) -> list[PullRequest]:
    """The open pull requests from this head into this base: GitHub allows one."""
    found = engine.store.pulls.by(head_repo_id=head_repo_id, head_ref=head_ref)
    return [p for p in found if p.repo_id == repo.id and p.state == "open" and p.base_ref == base]


def in_native_stack(engine: Engine, pull: PullRequest) -> bool:
    """Whether the pull request is a member of a native stack that was not dissolved."""
    stacks = engine.store.native_stacks.by(repo_id=pull.repo_id)
    return any(pull.number in stack.pulls and not stack.dissolved for stack in stacks)


def target_branch(engine: Engine, pull: PullRequest) -> str:
    """The branch whose rules hold for a pull request: its base, and within a native stack the base of the stack.

    https://docs.github.com/pull-requests/reference/stacked-pull-requests#branch-protections-and-required-checks
    """
    for stack in engine.store.native_stacks.by(repo_id=pull.repo_id):
        if pull.number in stack.pulls and not stack.dissolved:
            return stack.base_ref
    return pull.base_ref


def may_edit(engine: Engine, viewer: User | None, pull: PullRequest) -> bool:
    """The author, and everybody with triage rights, may edit, close and reopen."""
    if viewer is None:
        return False
    return viewer.id == pull.author_id or accounts.may(engine, viewer, repository_of(engine, pull), "triage")


def require_edit(engine: Engine, viewer: User | None, pull: PullRequest) -> None:
    """Refuse who may not edit."""
    accounts.require(engine, viewer, repository_of(engine, pull), "read")
    if not may_edit(engine, viewer, pull):
        raise forbidden("Resource not accessible by personal access token")
