"""Waiting for GitHub, visibly and interruptibly: for checks, for a merge queue, for auto-merge.

A wait is a row of looks with pauses in between; it ends when what is waited for has happened or cannot happen any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stackr.core.model import PullRequest, PullState
from stackr.core.ports import ReadRequest
from stackr.core.rules import Method, PullStanding
from stackr.errors import Interrupted, Refused

if TYPE_CHECKING:
    from stackr.app import App

FIRST_PAUSE_S, LONGEST_PAUSE_S = 5.0, 60.0
# How long a check may take to appear after a push or a change of base; after that it is one that never runs there.
BEGINNING_S = 600.0
# GitHub tells of a merge a moment after it has happened.
SETTLING_S = (1.0, 2.0, 4.0, 8.0)


def pauses() -> Iterator[float]:
    """Seconds between looks: short at first, then longer, so that a night's wait costs few requests."""
    pause = FIRST_PAUSE_S
    while True:
        yield pause
        pause = min(LONGEST_PAUSE_S, pause * 1.5)


def is_merged(app: App, number: int) -> bool:
    """Whether a pull request is merged by now; one request."""
    return _look(app, number)[0].state is PullState.MERGED


def until_merged(app: App, number: int, method: Method) -> None:
    """Wait until GitHub has merged a pull request; raises ``Refused`` when it will not any more."""
    was_given_up = False
    for pause in pauses():
        pull, standing = _look(app, number)
        if pull.state is PullState.MERGED:
            return
        if pull.state is PullState.CLOSED:
            raise Refused(f"#{number} was closed while it waited to be merged", next_step=f"see why: {pull.url}")
        is_given_up = standing is not None and not (standing.queue or standing.auto)
        # Between auto-merge and the queue, and between the queue and the merge, it may be seen in neither.
        if is_given_up and was_given_up:
            raise _given_up(pull, method)
        was_given_up = is_given_up
        try:
            app.ui.wait(pause, f"#{number} {_words(standing)}")
        except KeyboardInterrupt:
            left = f"#{number} is left to GitHub"
            raise Interrupted("interrupted", safe=left, next_step="stackr land goes on when it is merged") from None


def _look(app: App, number: int) -> tuple[PullRequest, PullStanding | None]:
    """The pull request, and how it stands, as far as GitHub tells."""
    facts = app.forge.read(ReadRequest(numbers=(number,), details=True, landing=True))
    standings = facts.landing.standings if facts.landing else {}
    return facts.by_number[number], standings.get(number)


def _words(standing: PullStanding | None) -> str:
    if standing is None or not (standing.queue or standing.auto):
        return "waits to be merged"
    return f"is in the merge queue ({standing.queue.replace('_', ' ')})" if standing.queue else "waits for auto-merge"


def _given_up(pull: PullRequest, method: Method) -> Refused:
    what = "the merge queue removed" if method is Method.QUEUE else "auto-merge was turned off for"
    return Refused(
        f'{what} #{pull.number} "{pull.title}" before it was merged',
        next_step=f"see why: {pull.url}; then stackr land again",
    )
