"""How many mutations go into one request. Pure arithmetic on the time that the last ones took.

GitHub takes about a second to create a pull request and cuts a request after 10 s with a 502
(docs/internals/github-facts.md), so a request must stay far below that.
"""

from __future__ import annotations

FIRST_CREATES = 5
MOST_CREATES = 20
CREATES_S = 3.6
FEWEST_EDITS = 10
MOST_EDITS = 25
EDITS_S = 8.0


class Pace:
    """Remembers the seconds per mutation that were measured last."""

    def __init__(self) -> None:
        self._seconds: float | None = None

    def measure(self, seconds: float, mutations: int) -> None:
        """A request with this many mutations took this long, the way there and back included (the safe side)."""
        if mutations > 0:
            self._seconds = max(seconds / mutations, 0.001)

    def creates(self) -> int:
        """Creates in the next request: as many as take under 3.6 s, at least one, at most twenty."""
        if self._seconds is None:
            return FIRST_CREATES
        return max(1, min(MOST_CREATES, int(CREATES_S / self._seconds)))

    def edits(self, mutations: int, at_once: int) -> int:
        """Mutations in one of the next requests, when this many are to be done.

        As many as take under 8 s, ten if nothing was measured, at most 25; but no fewer requests than can run side by
        side with ten each.
        """
        most = FEWEST_EDITS
        if self._seconds is not None:
            most = max(1, min(MOST_EDITS, int(EDITS_S / self._seconds)))
        requests = max(-(-mutations // most), min(at_once, -(-mutations // FEWEST_EDITS)))
        return -(-mutations // max(1, requests))
