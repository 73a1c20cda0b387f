"""Pull requests: editing and their contents here; finding, opening, closing in their own files, all named here.

What pushes do to them is ``aftermath``; merging is ``merging``; reviews, labels, comments have their own
modules. Source: https://docs.github.com/rest/pulls/pulls; texts from there and from public threads.
"""

from __future__ import annotations

from stackr.sandbox import aftermath, stale, timeline
from stackr.sandbox.diffs import EMPTY_TREE, FileChange
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import validation_failed
from stackr.sandbox.model import Edit, PullRequest, Repository, User
from stackr.sandbox.objects import CommitInfo
from stackr.sandbox.opening import create_pull
from stackr.sandbox.pullrows import (
    by_id,
    find,
    head_owner,
    in_native_stack,
    list_pulls,
    may_edit,
    others,
    repository_of,
    require_edit,
    state_of,
    target_branch,
)
from stackr.sandbox.pullstates import close_pull, convert_to_draft, ready_for_review, reopen_pull
from stackr.sandbox.pullwords import BODY_LIMIT, TITLE_LIMIT, custom, refuse_texts

__all__ = [
    "BODY_LIMIT",
    "TITLE_LIMIT",
    "UNSET",
    "Unset",
    "by_id",
    "close_pull",
    "commits",
    "compare_base",
    "convert_to_draft",
    "create_pull",
    "files",
    "find",
    "head_owner",
    "in_native_stack",
    "list_pulls",
    "may_edit",
    "ready_for_review",
    "reopen_pull",
    "repository_of",
    "require_edit",
    "state_of",
    "target_branch",
    "update_pull",
    "with_commit",
]


class Unset:
    """The type of UNSET, a value that says "leave as it is" where None means something."""


UNSET = Unset()


def update_pull(
    engine: Engine,
    viewer: User | None,
    pull: PullRequest,
    *,
    title: str | None = None,
    body: str | Unset | None = UNSET,
    base: str | None = None,
    state: str | None = None,
    maintainer_can_modify: bool | None = None,
) -> PullRequest:
    """Edit what is given. In a native stack a ``base`` is refused, but the rest still applies, as on GitHub."""
    require_edit(engine, viewer, pull)
    with engine.transaction():
        refuse_texts(title, None if isinstance(body, Unset) else body)
        stacked = base is not None and in_native_stack(engine, pull)
        target = None if base is None or stacked else _checked_base(engine, pull, base)
        if title is not None and title != pull.title:
            timeline.record(engine, pull, "renamed", viewer, before=pull.title, after=title)
            pull.title = title
        if not isinstance(body, Unset):
            _set_body(engine, viewer, pull, body)
        if maintainer_can_modify is not None:
            pull.maintainer_can_modify = maintainer_can_modify
        if base is not None and target is not None and base != pull.base_ref:
            _change_base(engine, viewer, pull, base, target)
        pull.updated_at = engine.now()
        engine.store.pulls.save(pull)
        if stacked:
            # Mergifyio/mergify-cli#1762: any base key, even an unchanged one; the title still applies.
            raise custom("Cannot change the base branch because the pull request is part of a stack.")
        if state == "closed" and pull.state == "open":
            close_pull(engine, viewer, pull)
        if state == "open" and pull.state == "closed":
            reopen_pull(engine, viewer, pull)
        return pull


def _set_body(engine: Engine, viewer: User | None, pull: PullRequest, body: str | None) -> None:
    if body == pull.body or viewer is None:
        return
    subject = {"repo_id": pull.repo_id, "number": pull.number}
    if not engine.store.edits.by(**subject):  # the first edit also keeps what was there before
        first = Edit(**subject, editor_id=pull.author_id, body=pull.body or "", created_at=pull.created_at)
        engine.store.edits.add(first)
    engine.store.edits.add(Edit(**subject, editor_id=viewer.id, body=body or "", created_at=engine.now()))
    pull.body, pull.last_edited_at = body, engine.now()


def _checked_base(engine: Engine, pull: PullRequest, base: str) -> str:
    """The tip of the new base, if GitHub would take it."""
    git = engine.git(repository_of(engine, pull))
    if base == pull.base_ref:
        return pull.base_oid
    if pull.state == "closed":
        raise custom("Cannot change the base branch of a closed pull request.")
    oid = git.branch(base)
    if oid is None:
        raise validation_failed([{"resource": "PullRequest", "field": "base", "code": "invalid"}])
    if others(engine, repository_of(engine, pull), pull.head_repo_id, pull.head_ref, base):
        raise custom(f"A pull request already exists for base branch '{base}' and head branch '{pull.head_ref}'")
    if git.graph.is_ancestor(_live_head(engine, pull), oid):
        raise custom(f"There are no new commits between base branch '{base}' and head branch '{pull.head_ref}'")
    return oid


def _live_head(engine: Engine, pull: PullRequest) -> str:
    """Where the head branch is, also when the pull request does not know that yet.

    Bases are set right after the push that makes them possible (ezyang/ghstack#280, Mergifyio/mergify-cli#1559).
    """
    source = engine.store.repositories.get(pull.head_repo_id)
    tip = engine.git(source).branch(pull.head_ref) if source else None
    return pull.head_oid if tip is None or engine.git(repository_of(engine, pull)).commit(tip) is None else tip


def _change_base(engine: Engine, viewer: User | None, pull: PullRequest, base: str, oid: str) -> None:
    old_ref = pull.base_ref
    pull.base_ref, pull.base_oid = base, oid
    timeline.record(engine, pull, "base_ref_changed", viewer, old_base=old_ref, new_base=base)
    stale.base_changed(engine, pull, viewer)
    aftermath.distrust(engine, pull, viewer, "Base branch was changed")


def commits(engine: Engine, pull: PullRequest) -> list[CommitInfo]:
    """Its commits, oldest first: what head has and base, as it was when last looked at, has not.

    Of a merged one, what it brought: base is then taken before the merge.
    """
    git = engine.git(repository_of(engine, pull))
    return [git.need(oid) for oid in git.graph.ahead(compare_base(engine, pull), pull.head_oid)]


def compare_base(engine: Engine, pull: PullRequest) -> str:
    """The base commit that diffs and commit lists are taken against."""
    return pull.base_oid


def files(engine: Engine, pull: PullRequest) -> list[FileChange]:
    """Its three-dot diff. https://docs.github.com/pull-requests (three-dot comparison)"""
    git = engine.git(repository_of(engine, pull))
    bases = git.graph.merge_bases(compare_base(engine, pull), pull.head_oid)
    return git.diff(bases[0] if bases else EMPTY_TREE, pull.head_oid)


def with_commit(engine: Engine, repo: Repository, oid: str) -> list[PullRequest]:
    """The pull requests that brought a commit, or would bring it.

    https://docs.github.com/rest/commits/commits#list-pull-requests-associated-with-a-commit
    """
    return [
        pull
        for pull in engine.store.pulls.by(repo_id=repo.id)
        if oid in (pull.head_oid, pull.merge_oid) or any(info.oid == oid for info in commits(engine, pull))
    ]
