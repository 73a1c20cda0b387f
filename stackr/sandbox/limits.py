"""Rate limits: the hourly budget every answer reports, and the secondary limits when switched on.

Sources: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api and
https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api; that rapid creation of
pull requests is refused earlier, with "was submitted too quickly", is from field reports.
"""

from __future__ import annotations

import math
import threading
from collections import defaultdict, deque
from dataclasses import dataclass

from stackr.sandbox.clock import Clock
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import User

HOUR_S = 3600
_PRIMARY_DOCS = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api"
_SECONDARY_DOCS = f"{_PRIMARY_DOCS}#about-secondary-rate-limits"


@dataclass(frozen=True, slots=True)
class Rate:
    """A budget as the headers show it; ``reset`` in seconds since the epoch."""

    limit: int
    remaining: int
    reset: int
    used: int
    resource: str


@dataclass(slots=True)
class Secondary:
    """Secondary limits, off until ``enabled``. Windows slide; numbers are GitHub's published ones.

    ``rapid_pulls`` creations of pull requests within ``rapid_window_s`` are let through, the next is refused.
    ``retry_after_s`` None: GitHub does not say how long to wait, as it need not.
    """

    enabled: bool = False
    rest_points_per_minute: int = 900
    graphql_points_per_minute: int = 2000
    contents_per_minute: int = 80
    contents_per_hour: int = 500
    rapid_pulls: int = 9
    rapid_window_s: float = 10.0
    concurrent: int = 100
    retry_after_s: int | None = 60


class Limits:
    """Budgets by user (0 is anonymous) and resource (``core``, ``graphql``)."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.secondary = Secondary()
        self.budgets = {"core": 5000, "graphql": 5000}
        self.anonymous = 60
        self._lock = threading.Lock()
        self._under_way: dict[int, int] = defaultdict(int)
        self._used: dict[tuple[int, str], tuple[float, int]] = {}
        self._windows: dict[tuple[int, str], deque[tuple[float, int]]] = defaultdict(deque)

    def rate(self, user: User | None, resource: str = "core") -> Rate:
        """The state of a budget."""
        key = (user.id if user else 0, resource)
        limit = self.budgets[resource] if user else self.anonymous
        start, used = self._used.get(key, (self.clock.time(), 0))
        if self.clock.time() >= start + HOUR_S:
            start, used = self.clock.time(), 0
        return Rate(limit, max(limit - used, 0), math.ceil(start + HOUR_S), used, resource)

    def charge(self, user: User | None, resource: str, *, cost: int = 1, points: int = 1) -> None:
        """Take ``cost`` from the hourly budget, ``points`` from the secondary one; refuse when used up."""
        with self._lock:
            rate = self.rate(user, resource)
            if rate.remaining < cost:
                raise _primary(user, rate)
            start = rate.reset - HOUR_S
            self._used[user.id if user else 0, resource] = (start, rate.used + cost)
            if self.secondary.enabled:
                allowed = (
                    self.secondary.graphql_points_per_minute
                    if resource == "graphql"
                    else self.secondary.rest_points_per_minute
                )
                self._spend(user, f"{resource} points", points, allowed, 60)

    def refund(self, user: User, resource: str) -> None:
        """An answer of 304 to a signed-in user costs nothing of the hour."""
        with self._lock:
            start, used = self._used[user.id, resource]
            self._used[user.id, resource] = (start, used - 1)

    def enter(self, user: User | None) -> None:
        """One more request is under way; refused when too many of this user's are, REST and GraphQL together."""
        key = user.id if user else 0
        with self._lock:
            if self.secondary.enabled and self._under_way[key] >= self.secondary.concurrent:
                raise secondary_limit(self.secondary.retry_after_s)
            self._under_way[key] += 1

    def leave(self, user: User | None) -> None:
        """It is over."""
        with self._lock:
            self._under_way[user.id if user else 0] -= 1

    def create_content(self, user: User | None, *, pull: bool = False) -> None:
        """Count one creation of content (pull request, comment, review, issue); refuse when too many.

        Calls that only read or edit do not count here.
        """
        limits = self.secondary
        if not limits.enabled:
            return
        with self._lock:
            if pull and not self._fits(user, "pulls", 1, limits.rapid_pulls, limits.rapid_window_s):
                error = {"resource": "PullRequest", "code": "custom", "message": "was submitted too quickly"}
                raise ApiError(422, "Validation Failed", errors=[error])
            self._spend(user, "contents", 1, limits.contents_per_minute, 60)
            self._spend(user, "contents an hour", 1, limits.contents_per_hour, HOUR_S)
            if pull:
                self._add(user, "pulls", 1)

    def _window(self, user: User | None, name: str) -> deque[tuple[float, int]]:
        return self._windows[user.id if user else 0, name]

    def _fits(self, user: User | None, name: str, points: int, allowed: int, seconds: float) -> bool:
        window = self._window(user, name)
        while window and window[0][0] <= self.clock.time() - seconds:
            window.popleft()
        return sum(count for _, count in window) + points <= allowed

    def _add(self, user: User | None, name: str, points: int) -> None:
        self._window(user, name).append((self.clock.time(), points))

    def _spend(self, user: User | None, name: str, points: int, allowed: int, seconds: float) -> None:
        if not self._fits(user, name, points, allowed, seconds):
            raise secondary_limit(self.secondary.retry_after_s)
        self._add(user, name, points)


def _primary(user: User | None, rate: Rate) -> ApiError:
    who = f"user ID {user.id}" if user else "127.0.0.1"
    return ApiError(403, f"API rate limit exceeded for {who}.", graphql_type="RATE_LIMITED", docs=_PRIMARY_DOCS)


def secondary_limit(retry_after_s: int | None) -> ApiError:
    """What GitHub answers when it is asked too much at once."""
    return ApiError(
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        graphql_type="RATE_LIMITED",
        docs=_SECONDARY_DOCS,
        headers={} if retry_after_s is None else {"Retry-After": str(retry_after_s)},
    )
