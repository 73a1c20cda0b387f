"""When to try again, and when to stop: GitHub's rate limits, and answers that got lost.

Not here: what counts as lost or limited (``failures``), sending (``http``). Waiting is a callable, so that the user
sees a countdown and tests see none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from email.utils import parsedate_to_datetime

from stackr.core.ports import Sleep
from stackr.core.watching import Budget
from stackr.github.failures import Limited, Lost

FIRST_WAIT_S = 60.0
LONGEST_WAIT_S = 900.0
LOST_TRIES = 3
LOST_BUDGET_S = 10.0
_LOST_PAUSES_S = (0.5, 1.5)

Clock = Callable[[], float]


class Patience:
    """How long one operation goes on trying.

    Lost answers: three tries, none begun later than ``budget_s`` after the first. Limits: what GitHub says, else 60 s
    and doubling, 15 minutes in all without progress. ``progress`` starts both counts anew.
    https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
    """

    def __init__(self, clock: Clock, sleep: Sleep, budget_s: float = LOST_BUDGET_S) -> None:
        self._clock = clock
        self._sleep = sleep
        self._budget_s = budget_s
        self.progress()

    def progress(self) -> None:
        """Something went through: count from here."""
        self._since = self._clock()
        self._lost = 0
        self._waited_s = 0.0
        self._next_s = FIRST_WAIT_S

    def pause(self, failures: Sequence[Lost | Limited]) -> bool:
        """Wait until these may be tried again; ``False``, at once, when there is no point in trying."""
        limits = [failure for failure in failures if isinstance(failure, Limited)]
        return self._pause_for_limit(limits) if limits else self._pause_for_lost(failures[0])

    def _pause_for_lost(self, failure: Lost | Limited) -> bool:
        self._lost += 1
        if self._lost >= LOST_TRIES:
            return False
        pause_s = _LOST_PAUSES_S[self._lost - 1]
        if self._clock() - self._since + pause_s > self._budget_s:
            return False
        self._sleep(pause_s, f"{failure.message}; trying again")
        return True

    def _pause_for_limit(self, failures: Sequence[Limited]) -> bool:
        named = [failure.wait_s for failure in failures if failure.wait_s is not None]
        wait_s = max(named) if named else self._next_s
        if self._waited_s + wait_s > LONGEST_WAIT_S:
            return False
        if not named:
            self._next_s *= 2
        self._waited_s += wait_s
        self._sleep(wait_s, failures[0].message)
        # The time spent waiting for a limit is not time in which answers got lost.
        self._since = self._clock()
        return True


def limited(headers: Mapping[str, str], words: str, now: float) -> Limited:
    """The exception for an answer that says to slow down; ``now`` is the wall clock, header names are lower case."""
    wait_s = seconds_to_wait(headers, now)
    said = f" ({words})" if words else ""
    if wait_s is None:
        return Limited(f"github asks to slow down{said}", None, "try again in a few minutes")
    at = time.strftime("%H:%M:%S", time.localtime(now + wait_s))
    return Limited(f"github's rate limit is used up{said}", wait_s, f"try again in {_spoken(wait_s)}, at {at}")


def seconds_to_wait(headers: Mapping[str, str], now: float) -> float | None:
    """What the headers ask for, in seconds, at least 1; ``None`` when they do not say.

    ``retry-after`` first, then ``x-ratelimit-reset`` if nothing remains. The server's own ``date`` is the clock to
    compare with where it is sent: this machine's may be wrong.
    """
    now = _epoch(headers.get("date", "")) or now
    after = headers.get("retry-after", "").strip()
    if after:
        seconds = _number(after)
        moment = _epoch(after) if seconds is None else None
        if moment is not None:
            seconds = moment - now
        if seconds is not None:
            return max(1.0, seconds)
    reset = _number(headers.get("x-ratelimit-reset", ""))
    if _number(headers.get("x-ratelimit-remaining", "")) == 0 and reset is not None:
        # One second more: the reset is given in whole seconds.
        return max(1.0, reset - now + 1)
    return None


def budget_in(headers: Mapping[str, str], now: float) -> Budget | None:
    """What is left of the limit that an answer counts against; ``None`` where the server has none.

    https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    remaining, reset = (_number(headers.get(f"x-ratelimit-{name}", "")) for name in ("remaining", "reset"))
    if remaining is None or reset is None:
        return None
    return Budget(int(remaining), max(0.0, reset - (_epoch(headers.get("date", "")) or now)))


def _number(text: str) -> float | None:
    text = text.strip()
    return float(text) if text.isascii() and text.isdigit() else None


def _epoch(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, IndexError):
        return None


def _spoken(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
