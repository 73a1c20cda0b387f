"""What GitHub does while nobody asks: done here between requests, before each is answered. No thread, no timer.

So a check that is reported merges nothing in the answer to its own report; whoever asks next finds it merged.
"""

from __future__ import annotations

from stackr.sandbox import asyncmerge, automerge, latepushes, playedci, queuegroups
from stackr.sandbox.engine import Engine


def catch_up(engine: Engine, requests: int | None = None) -> None:
    """Do what is due: late pushes, a CI that passes by itself, asynchronous merges, auto-merge, queues.

    ``requests``: how many have arrived, by which the lag of pushes is counted; None: none of them is late any more.
    """
    with engine.transaction():
        latepushes.catch_up(engine, requests)
        playedci.report(engine)
        asyncmerge.run_due(engine)
        automerge.carry_out(engine)
        queuegroups.advance(engine)
