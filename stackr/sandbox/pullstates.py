"""Closing, reopening, drafts."""

from __future__ import annotations

from stackr.sandbox import aftermath, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.git import RefMove
from stackr.sandbox.model import PullRequest, Repository, User
from stackr.sandbox.pullrows import others, repository_of, require_edit
from stackr.sandbox.pullwords import custom


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
    if others(engine, repo, pull.head_repo_id, pull.head_ref, pull.base_ref):
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
            raise custom("Pull request is closed")
        if pull.draft != draft:
            pull.draft = draft
            timeline.record(engine, pull, kind, viewer)
            if draft:
                timeline.auto_merge_off(engine, pull, None, "Pull request was converted to draft")
