"""Approvals that a push or a new base makes stale: those that were given to another diff than the present one.

Where nothing dismissed them at once, because the base had no such rule, a later change of base finds them.

https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches#require-pull-request-reviews-before-merging
"""

from __future__ import annotations

from stackr.sandbox import protection, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.git import GitRepo
from stackr.sandbox.model import PullRequest, User
from stackr.sandbox.pullrows import target_branch


def head_changed(engine: Engine, pull: PullRequest, actor: User | None) -> None:
    """Dismiss approvals after a push, where a rule wants it and they were not given to what is there now."""
    _dismiss(engine, pull, actor, "The head branch was pushed to.")


def base_changed(engine: Engine, pull: PullRequest, actor: User | None) -> None:
    """Dismiss approvals after a change of base, also one of GitHub's own, where they were given to another diff.

    What stood on a squashed pull request shows its commits again, on the new base (PriorLabs/TabPFN#1228,
    ejoffe/spr#176).
    """
    _dismiss(engine, pull, actor, "The base branch was changed.")


def _dismiss(engine: Engine, pull: PullRequest, actor: User | None, message: str) -> None:
    repo = engine.store.repositories.need(pull.repo_id)
    rule = protection.parameters(engine, repo, target_branch(engine, pull), "pull_request")
    if rule is None or not rule.get("dismiss_stale_reviews_on_push"):
        return
    git = engine.git(repo)
    now = _shape(git, pull.base_oid, pull.head_oid)
    for review in engine.store.reviews.by(repo_id=pull.repo_id, number=pull.number):
        if review.state == "APPROVED" and _shape(git, review.base_oid or pull.base_oid, review.oid) != now:
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
