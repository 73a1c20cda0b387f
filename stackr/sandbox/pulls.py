"""Pull requests: finding, creating, editing, closing, reopening. All refusals in GitHub's words.

What pushes do to them is ``aftermath``; merging is ``merging``; reviews, labels, comments have their own
modules. Source: https://docs.github.com/rest/pulls/pulls; texts from there and from public threads.
"""

from __future__ import annotations

from collections.abc import Collection

from stackr.sandbox import accounts, aftermath, stale, timeline
from stackr.sandbox.diffs import EMPTY_TREE, FileChange
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, forbidden, not_found, sign_in, validation_failed
from stackr.sandbox.git import GitRepo, RefMove
from stackr.sandbox.model import ZERO_OID, Edit, PullRequest, Repository, User
from stackr.sandbox.objects import CommitInfo

TITLE_LIMIT = 256
BODY_LIMIT = 65_536


class Unset:
    """The type of UNSET, a value that says "leave as it is" where None means something."""


UNSET = Unset()


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


# -- creating ------------------------------------------------------------------------------------------


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
        _refuse_texts(title, body)
        if source is None or head_oid is None or base_oid is None:
            raise _missing_branches(head_ref, base, head_oid, base_oid)
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


def _refuse_texts(title: str | None, body: str | None) -> None:
    """https://docs.github.com/rest/pulls/pulls#create-a-pull-request; the limits are from refusals."""
    if title is not None and not title.strip():
        error = {"resource": "PullRequest", "code": "missing_field", "field": "title"}
        raise ApiError(422, "Validation Failed", errors=[error], texts=["Title can't be blank"])
    too_long = [
        (name, limit)
        for name, text, limit in (("title", title, TITLE_LIMIT), ("body", body, BODY_LIMIT))
        if text is not None and len(text) > limit
    ]
    if too_long:
        raise ApiError(
            422,
            "Validation Failed",
            errors=[
                {
                    "resource": "PullRequest",
                    "code": "custom",
                    "field": name,
                    "message": f"{name} is too long (maximum is {limit} characters)",
                }
                for name, limit in too_long
            ],
            texts=[f"{name.capitalize()} is too long (maximum is {limit} characters)" for name, limit in too_long],
        )


def _missing_branches(head_ref: str, base: str, head_oid: str | None, base_oid: str | None) -> ApiError:
    """Several messages at once, as GitHub gives them for branches that were never pushed."""
    sides = [("head", head_oid), ("base", base_oid)]
    missing = [name for name, oid in sides if oid is None]
    texts = [f"{name.capitalize()} sha can't be blank" for name in missing]
    texts.append(f"No commits between {base} and {head_ref}")
    texts += [f"{name.capitalize()} ref must be a branch" for name in missing]
    errors = [{"resource": "PullRequest", "field": name, "code": "invalid"} for name in missing]
    return ApiError(422, "Validation Failed", errors=errors, texts=texts)


def _custom(message: str) -> ApiError:
    return validation_failed([{"resource": "PullRequest", "code": "custom", "message": message}])


def _refuse_nothing_new(git: GitRepo, base: str, head: str, base_oid: str, head_oid: str) -> None:
    if not git.graph.merge_bases(base_oid, head_oid):
        raise _custom(f"The {head} branch has no history in common with {base}")
    if git.graph.is_ancestor(head_oid, base_oid):
        raise _custom(f"No commits between {base} and {head}")


def _refuse_second(engine: Engine, repo: Repository, source: Repository, head_ref: str, base: str) -> None:
    if _others(engine, repo, source.id, head_ref, base):
        raise _custom(f"A pull request already exists for {accounts.owner(engine, source).login}:{head_ref}.")


def _others(engine: Engine, repo: Repository, head_repo_id: int | None, head_ref: str, base: str) -> list[PullRequest]:
    """The open pull requests from this head into this base: GitHub allows one."""
    found = engine.store.pulls.by(head_repo_id=head_repo_id, head_ref=head_ref)
    return [p for p in found if p.repo_id == repo.id and p.state == "open" and p.base_ref == base]


# -- editing -------------------------------------------------------------------------------------------


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
        _refuse_texts(title, None if isinstance(body, Unset) else body)
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
            raise _custom("Cannot change the base branch of a pull request that is part of a stack.")
        if state == "closed" and pull.state == "open":
            close_pull(engine, viewer, pull)
        if state == "open" and pull.state == "closed":
            reopen_pull(engine, viewer, pull)
        return pull


def in_native_stack(engine: Engine, pull: PullRequest) -> bool:
    """Whether the pull request is a member of a native stack that was not dissolved."""
    stacks = engine.store.native_stacks.by(repo_id=pull.repo_id)
    return any(pull.number in stack.pulls and not stack.dissolved for stack in stacks)


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
        raise _custom("Cannot change the base branch of a closed pull request.")
    oid = git.branch(base)
    if oid is None:
        raise validation_failed([{"resource": "PullRequest", "field": "base", "code": "invalid"}])
    if _others(engine, repository_of(engine, pull), pull.head_repo_id, pull.head_ref, base):
        raise _custom(f"A pull request already exists for base branch '{base}' and head branch '{pull.head_ref}'")
    if git.graph.is_ancestor(pull.head_oid, oid):
        raise _custom(f"There are no new commits between base branch '{base}' and head branch '{pull.head_ref}'")
    return oid


def _change_base(engine: Engine, viewer: User | None, pull: PullRequest, base: str, oid: str) -> None:
    old_ref, old_oid = pull.base_ref, pull.base_oid
    pull.base_ref, pull.base_oid = base, oid
    timeline.record(engine, pull, "base_ref_changed", viewer, old_base=old_ref, new_base=base)
    stale.base_changed(engine, pull, old_oid, viewer)


# -- states --------------------------------------------------------------------------------------------


def close_pull(engine: Engine, viewer: User | None, pull: PullRequest) -> None:
    """Close it; closing a closed one does nothing."""
    require_edit(engine, viewer, pull)
    with engine.transaction():
        if pull.state == "open":
            aftermath.close(engine, pull, viewer)


def reopen_pull(engine: Engine, viewer: User | None, pull: PullRequest) -> None:
    """Open it again, if nothing stands in the way; see ``_no_reopening``."""
    require_edit(engine, viewer, pull)
    with engine.transaction():
        if pull.state == "open":
            return
        repo = repository_of(engine, pull)
        head_repo = engine.store.repositories.get(pull.head_repo_id)
        head_oid = engine.git(head_repo).branch(pull.head_ref) if head_repo else None
        base_oid = engine.git(repo).branch(pull.base_ref)
        reason = _no_reopening(engine, repo, pull, head_oid, base_oid)
        if reason or head_repo is None or head_oid is None or base_oid is None:
            error = {"resource": "PullRequest", "code": "invalid", "field": "state"}
            message = f"state cannot be changed. {reason}"
            raise ApiError(
                422,
                "Validation Failed",
                errors=[{**error, "message": message}],
                texts=["Could not open the pull request."],
            )
        moved = head_oid != pull.head_oid
        pull.head_oid, pull.base_oid = head_oid, base_oid
        if moved:
            name = f"refs/pull/{pull.number}/head"
            if head_repo.id != repo.id:
                aftermath.fetch_across(engine, head_repo, repo, head_oid)
            engine.git(repo).set_pull_heads([RefMove(name, engine.git(repo).refs[name], head_oid)])
        pull.state, pull.closed_at, pull.closed_by_id = "open", None, None
        timeline.record(engine, pull, "reopened", viewer)


def _no_reopening(
    engine: Engine, repo: Repository, pull: PullRequest, head_oid: str | None, base_oid: str | None
) -> str | None:
    """Why it cannot be reopened. The frozen head counts, not where the branch is now (atlas#952)."""
    graph = engine.git(repo).graph
    if pull.merged:
        return "The pull request cannot be reopened because it was merged."
    if head_oid is None:
        return f"The {pull.head_ref} branch has been deleted."
    if base_oid is None:
        return f"The {pull.base_ref} branch has been deleted."
    if graph.is_ancestor(pull.head_oid, base_oid):
        return f"There are no new commits between base branch '{pull.base_ref}' and head branch '{pull.head_ref}'"
    head_repo = engine.store.repositories.need(pull.head_repo_id or repo.id)
    if not engine.git(head_repo).graph.is_ancestor(pull.head_oid, head_oid):
        return f"The {pull.head_ref} branch was force-pushed or recreated."
    if _others(engine, repo, pull.head_repo_id, pull.head_ref, pull.base_ref):
        return f"A pull request already exists for base branch '{pull.base_ref}' and head branch '{pull.head_ref}'"
    return None


def convert_to_draft(engine: Engine, viewer: User | None, pull: PullRequest) -> None:
    """Make it a draft. https://docs.github.com/graphql/reference/mutations#convertpullrequesttodraft"""
    _set_draft(engine, viewer, pull, True, "convert_to_draft")


def ready_for_review(engine: Engine, viewer: User | None, pull: PullRequest) -> None:
    """Make it ready. https://docs.github.com/graphql/reference/mutations#markpullrequestreadyforreview"""
    _set_draft(engine, viewer, pull, False, "ready_for_review")


def _set_draft(engine: Engine, viewer: User | None, pull: PullRequest, draft: bool, kind: str) -> None:
    require_edit(engine, viewer, pull)
    with engine.transaction():
        if pull.state == "closed":
            raise _custom("Pull request is closed")
        if pull.draft != draft:
            pull.draft = draft
            timeline.record(engine, pull, kind, viewer)


# -- contents ------------------------------------------------------------------------------------------


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
