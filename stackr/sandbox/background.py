"""What GitHub does while nobody asks: done here between requests, before each is answered. No thread, no timer.

So a check that is reported merges nothing in the answer to its own report; whoever asks next finds it merged.
"""

from __future__ import annotations

from stackr.sandbox import asyncmerge, automerge, playedci, queuegroups
from stackr.sandbox.engine import Engine


def catch_up(engine: Engine) -> None:
    """Let a CI that passes by itself report; then carry out what is due: asynchronous merges, auto-merge, queues."""
    with engine.transaction():
        playedci.report(engine)
        asyncmerge.run_due(engine)
        automerge.carry_out(engine)
        queuegroups.advance(engine)
