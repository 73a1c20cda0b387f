"""Whether anything has to be done about a stack, and whether waiting may change how it stands.

For ``stackr status --exit-code`` and ``--watch``. Why checks fail is ``stackr.core.triage``'s to say.
"""

from __future__ import annotations

from stackr.core.model import Checks, Mergeable, PullRequest, PullState, Review
from stackr.core.overview import Overview
from stackr.core.status import Report

FINE, NEEDED, PENDING = 0, 1, 2


def is_pending(pull: PullRequest) -> bool:
    """Whether waiting alone may change how a pull request stands: its checks run."""
    return pull.state is PullState.OPEN and pull.checks is Checks.PENDING


def needs_attention(pull: PullRequest) -> bool:
    """Whether an open pull request cannot land until somebody does something: checks, a review, a conflict."""
    return pull.state is PullState.OPEN and (
        pull.checks is Checks.FAILING
        or pull.review is Review.CHANGES_REQUESTED
        or pull.mergeable is Mergeable.CONFLICTING
    )


def ready(shown: Report) -> tuple[int, ...]:
    """Numbers of the pull requests that look ready to land, from the bottom up to the first that does not.

    Approved, checked, and as this clone has it; what rules ask for beyond that is ``stackr land``'s to find out.
    """
    found = []
    for row in shown.rows:
        if row.pull is None or row.state != "in-sync" or not _looks_ready(row.pull):
            break
        found.append(row.pull.number)
    return tuple(found)


def _looks_ready(pull: PullRequest) -> bool:
    return (
        not pull.draft
        and pull.review is Review.APPROVED
        and pull.checks is Checks.PASSING
        and pull.mergeable is not Mergeable.CONFLICTING
    )


def exit_code(shown: Report | Overview) -> int:
    """The exit code: everything in sync and nothing failing, something to be done, or checks still run.

    An overview knows pull requests alone, and nothing of what this clone has otherwise.
    """
    if isinstance(shown, Report) and (shown.refused or any(row.next for row in shown.rows)):
        return NEEDED
    pulls = pulls_of(shown)
    if any(needs_attention(pull) for pull in pulls):
        return NEEDED
    return PENDING if any(is_pending(pull) for pull in pulls) else FINE


def pulls_of(shown: Report | Overview) -> tuple[PullRequest, ...]:
    """The pull requests that are shown."""
    return shown.pulls if isinstance(shown, Overview) else tuple(row.pull for row in shown.rows if row.pull)
