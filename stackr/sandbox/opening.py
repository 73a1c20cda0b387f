"""Opening a pull request. https://docs.github.com/rest/pulls/pulls#create-a-pull-request"""

from __future__ import annotations

from stackr.sandbox import accounts, aftermath, latepushes
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import sign_in
from stackr.sandbox.git import GitRepo, RefMove
from stackr.sandbox.model import ZERO_OID, PullRequest, Repository, User
from stackr.sandbox.pullrows import others
from stackr.sandbox.pullwords import custom, missing_branches, refuse_texts


def create_pull(
    engine: Engine,
    viewer: User | None,
    repo: Repository,
    *,
    title: str,
    head: str,
    base: str,
    body: str | None = None,
    draft: bool = False,
    maintainer_can_modify: bool = True,
    head_repo: Repository | None = None,
) -> PullRequest:
    """Open a pull request; ``head`` is a branch of ``repo``, or ``owner:branch``, or a branch of ``head_repo``."""
    author = _signed_in(engine, viewer, repo)
    with engine.transaction():
        source, head_ref = _head(engine, repo, head, head_repo)
        head_oid = engine.git(source).branch(head_ref) if source else None
        base_oid = engine.git(repo).branch(base)
        if source is not None and latepushes.is_unseen(engine, source, head_ref):
            head_oid = None
        if latepushes.is_unseen(engine, repo, base):
            base_oid = None
        refuse_texts(title, body)
        if source is None or head_oid is None or base_oid is None:
            raise missing_branches(head_ref, base, head_oid, base_oid)
        if source.id != repo.id:
            aftermath.fetch_across(engine, source, repo, head_oid)
        _refuse_nothing_new(engine.git(repo), base, head_ref, base_oid, head_oid)
        _refuse_second(engine, repo, source, head_ref, base)
        engine.limits.create_content(author, pull=True)
        repo.last_number += 1
        engine.store.repositories.save(repo)
        pull = engine.store.pulls.add(
            PullRequest(
                repo_id=repo.id,
                number=repo.last_number,
                title=title,
                body=body,
                author_id=author.id,
                created_at=engine.now(),
                updated_at=engine.now(),
                draft=draft,
                maintainer_can_modify=maintainer_can_modify,
                head_repo_id=source.id,
                head_ref=head_ref,
                head_oid=head_oid,
                base_ref=base,
                base_oid=base_oid,
            )
        )
        engine.git(repo).set_pull_heads([RefMove(f"refs/pull/{pull.number}/head", ZERO_OID, head_oid)])
        return pull


def _signed_in(engine: Engine, viewer: User | None, repo: Repository) -> User:
    if viewer is None:
        raise sign_in()
    accounts.require(engine, viewer, repo, "read")
    return viewer


def _head(engine: Engine, repo: Repository, head: str, head_repo: Repository | None) -> tuple[Repository | None, str]:
    owner, _, ref = head.rpartition(":")
    if head_repo is not None or not owner or owner.lower() == accounts.owner(engine, repo).login.lower():
        return head_repo or repo, ref
    account = accounts.user_by_login(engine, owner)
    root = repo.parent_id or repo.id
    family = [r for r in engine.store.repositories.all() if root in (r.id, r.parent_id)]
    return next((r for r in family if account and r.owner_id == account.id), None), ref


def _refuse_nothing_new(git: GitRepo, base: str, head: str, base_oid: str, head_oid: str) -> None:
    if not git.graph.merge_bases(base_oid, head_oid):
        raise custom(f"The {head} branch has no history in common with {base}")
    if git.graph.is_ancestor(head_oid, base_oid):
        raise custom(f"No commits between {base} and {head}")


def _refuse_second(engine: Engine, repo: Repository, source: Repository, head_ref: str, base: str) -> None:
    if others(engine, repo, source.id, head_ref, base):
        raise custom(f"A pull request already exists for {accounts.owner(engine, source).login}:{head_ref}.")
