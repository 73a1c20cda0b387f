"""What the commands that work on the stack here have in common: look without the network, act, show what it came to.

Used by ``stackr.stories.moving`` and ``stackr.stories.editing``. GitHub hears of nothing until the next submit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stackr.core.guards import refuse_busy, refuse_duplicate_ids, refuse_shape
from stackr.core.status import with_new_words
from stackr.observe import observe_offline
from stackr.records import dataclass
from stackr.stories import looking
from stackr.ui import show

if TYPE_CHECKING:
    from stackr.app import App
    from stackr.core.model import Stack
    from stackr.core.plan import Plan
    from stackr.core.status import Report
    from stackr.observe import Observed


@dataclass(frozen=True, slots=True)
class Way:
    """How to act: not at all (``dry_run``), and what to print."""

    dry_run: bool = False
    as_json: bool = False


def read_stack(app: App) -> Stack:
    """The whole stack as this clone knows it, wherever in it HEAD is; refuses what cannot be reshaped."""
    observed = _observe(app)
    refuse_busy(observed.state.busy)
    refuse_shape(observed.stack)
    refuse_duplicate_ids(observed.stack)
    return observed.stack


def carry_out(app: App, plan: Plan, stack: Stack, way: Way) -> None:
    """Move branches, HEAD and files as planned, and show the stack; or show the plan, refusing what it would refuse."""
    from stackr.execute import execute_local

    if way.dry_run:
        app.refuse_loss(plan)
        show.plan(
            app.ui, plan, stack, replace(_report(app, plan, _observe(app)), notes=plan.notes), as_json=way.as_json
        )
        return
    execute_local(plan, app.repo)
    observed = _observe(app)
    shown = with_new_words(_report(app, plan, observed), stack, observed.stack)
    show.reshaped(app.ui, plan, shown, as_json=way.as_json)


def _report(app: App, plan: Plan, observed: Observed) -> Report:
    return replace(looking.report_of(app, observed, offline=True), command=plan.command)


def _observe(app: App) -> Observed:
    return observe_offline(app.repo, app.wanted(app.known_user()))
