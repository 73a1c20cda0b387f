"""The sandbox's clocks: real ones in service, hand-moved ones in tests of limits and of order."""

from __future__ import annotations

import time
from datetime import datetime, timezone


class Clock:
    """The real time, and real sleep."""

    def time(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        if seconds > 0:
            time.sleep(seconds)

    def now(self) -> str:
        """Now, as GitHub prints it: ``2026-12-01T05:00:00Z``."""
        return datetime.fromtimestamp(self.time(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class ManualClock(Clock):
    """A clock that only moves when told to; its sleep moves it instead of waiting."""

    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self.at = start

    def time(self) -> float:
        """The time it was set to."""
        return self.at

    def sleep(self, seconds: float) -> None:
        """Move on by ``seconds``."""
        self.at += max(seconds, 0.0)
