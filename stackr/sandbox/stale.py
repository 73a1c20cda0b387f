"""Approvals that a push or a new base makes stale.

https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches#require-pull-request-reviews-before-merging
"""

from __future__ import annotations

from stackr.sandbox import protection, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.git import GitRepo
from stackr.sandbox.model import PullRequest, User


def head_changed(engine: Engine, pull: PullRequest, before: str, actor: User | None) -> None:
    """Dismiss approvals after a push, where a rule wants it and the pull request's diff changed."""
    _dismiss(engine, pull, actor, (pull.base_oid, before), "The head branch was pushed to.")


def base_changed(engine: Engine, pull: PullRequest, before: str, actor: User | None) -> None:
    """Dismiss approvals after a change of base, where a rule wants it and the diff changed."""
    _dismiss(engine, pull, actor, (before, pull.head_oid), "The base branch was changed.")


def _dismiss(engine: Engine, pull: PullRequest, actor: User | None, before: tuple[str, str], message: str) -> None:
    repo = engine.store.repositories.need(pull.repo_id)
    rule = protection.parameters(engine, repo, pull.base_ref, "pull_request")
    if rule is None or not rule.get("dismiss_stale_reviews_on_push"):
        return
    git = engine.git(repo)
    if _shape(git, *before) == _shape(git, pull.base_oid, pull.head_oid):
        return
    for review in engine.store.reviews.by(repo_id=pull.repo_id, number=pull.number):
        if review.state == "APPROVED":
            review.dismissed_state, review.state = review.state, "DISMISSED"
            engine.store.reviews.save(review)
            timeline.record(
                engine, pull, "review_dismissed", actor, review_id=review.id, state="approved", message=message
            )


def _shape(git: GitRepo, base: str, head: str) -> list[tuple[str, str]]:
    """What a reviewer sees: the three-dot diff, as paths and patches."""
    bases = git.graph.merge_bases(base, head)
    if not bases:
        return []
    return [(change.path, change.patch or change.oid) for change in git.diff(bases[0], head)]
