"""Who thinks what of a pull request: the latest reviews by opinion, and whether they are of its present head.

Whether a review counts is ``PullRequest.review``'s to say; this is for showing.
"""

from __future__ import annotations

from stackr.core.model import PullRequest, Review
from stackr.records import dataclass

_OPINIONS = {"CHANGES_REQUESTED": Review.CHANGES_REQUESTED, "APPROVED": Review.APPROVED}


@dataclass(frozen=True, slots=True)
class Opinion:
    """What some people think: ``APPROVED`` or ``CHANGES_REQUESTED``, of the present head or of an older one."""

    review: Review
    logins: tuple[str, ...]
    is_current: bool


def opinions(pull: PullRequest) -> tuple[Opinion, ...]:
    """The opinions on a pull request, weightiest first: of the present head before older ones, changes before approval.

    Old approvals say nothing where somebody has approved the present head.
    """
    found = [
        Opinion(review, logins, is_current)
        for is_current in (True, False)
        for state, review in _OPINIONS.items()
        if (logins := _logins(pull, state, is_current=is_current))
    ]
    is_approved = Review.APPROVED in {opinion.review for opinion in found if opinion.is_current}
    return tuple(
        opinion for opinion in found if opinion.is_current or opinion.review is not Review.APPROVED or not is_approved
    )


def _logins(pull: PullRequest, state: str, *, is_current: bool) -> tuple[str, ...]:
    return tuple(
        vote.login for vote in pull.votes if vote.state == state and (vote.commit == pull.head_oid) == is_current
    )
