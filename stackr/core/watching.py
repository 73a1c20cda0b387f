"""When ``stackr status --watch`` looks again, and when it has seen enough. Pure: the clock is the caller's.

GitHub's limits: https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

from __future__ import annotations

from stackr.core.model import Checks, PullState
from stackr.core.outlook import is_pending, pulls_of
from stackr.core.overview import Overview
from stackr.core.status import Report
from stackr.records import dataclass

SOON_S, LATER_S = 10.0, 30.0
LONGEST_S = 120.0
MOST_FAILURES = 30
_EAGER_LOOKS = 30
_FIRST_LOOKS = 3


@dataclass(frozen=True, slots=True)
class Budget:
    """What GitHub still answers: ``remaining`` points, all of them again in ``reset_s`` seconds."""

    remaining: int
    reset_s: float


def is_decided(shown: Report | Overview, looks: int) -> bool:
    """Whether no open pull request has checks that run; ``looks`` counts those taken, this one included.

    Right after a push GitHub has no checks yet, so where there are none at all the first looks decide nothing.
    """
    pulls = [pull for pull in pulls_of(shown) if pull.state is PullState.OPEN]
    if any(is_pending(pull) for pull in pulls):
        return False
    return looks >= _FIRST_LOOKS or not pulls or any(pull.checks is not Checks.NONE for pull in pulls)


def next_look_s(looks: int, before: Budget | None, now: Budget | None) -> float:
    """Seconds until the next look: soon at first, later on less often, and never more than half of the budget.

    ``before`` and ``now`` are the budgets after the last two looks; what a look costs is the difference.
    """
    usual = SOON_S if looks <= _EAGER_LOOKS else LATER_S
    if now is None:
        return usual
    cost = max(2, before.remaining - now.remaining) if before else 2
    return max(usual, now.reset_s * cost * 2 / max(1, now.remaining))


def retry_s(failures: int) -> float:
    """Seconds until the next try after so many looks in a row that failed; doubling."""
    return float(min(LONGEST_S, SOON_S * 2 ** (failures - 1)))
