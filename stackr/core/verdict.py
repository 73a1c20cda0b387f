"""Whether anything has to be done about a stack, and whether waiting may change how it stands.

For ``stackr status --exit-code`` and ``--watch``. Why checks fail is ``stackr.core.triage``'s to say.
"""

from __future__ import annotations

from collections.abc import Iterable

from stackr.core.model import Checks, Mergeable, PullRequest, PullState, Review
from stackr.core.status import Report

FINE, NEEDED, PENDING = 0, 1, 2


def is_pending(pull: PullRequest | None) -> bool:
    """Whether waiting alone may change how a pull request stands: its checks run."""
    return pull is not None and pull.state is PullState.OPEN and pull.checks is Checks.PENDING


def needs_attention(pull: PullRequest | None) -> bool:
    """Whether an open pull request cannot land until somebody does something: checks, a review, a conflict."""
    return (
        pull is not None
        and pull.state is PullState.OPEN
        and (
            pull.checks is Checks.FAILING
            or pull.review is Review.CHANGES_REQUESTED
            or pull.mergeable is Mergeable.CONFLICTING
        )
    )


def verdict(shown: Report) -> int:
    """The exit code for one stack: everything in sync and nothing failing, something to be done, or checks run."""
    if shown.refused or any(row.next or needs_attention(row.pull) for row in shown.rows):
        return NEEDED
    return verdict_of(row.pull for row in shown.rows)


def verdict_of(pulls: Iterable[PullRequest | None]) -> int:
    """The exit code for pull requests alone, whatever this clone has."""
    pulls = list(pulls)
    if any(needs_attention(pull) for pull in pulls):
        return NEEDED
    return PENDING if any(is_pending(pull) for pull in pulls) else FINE
