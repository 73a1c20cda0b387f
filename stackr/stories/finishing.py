"""The sync at the end of a landing: what is left goes onto the new trunk, and what landed is cleaned up.

Unlike ``stackr sync`` it leaves heads alone that need no push, so that reviews and checks stay
(docs/internals/protocol.md 7.3). Used by ``stackr.stories.landing``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from stackr.core import land
from stackr.core.model import Stack
from stackr.core.plan import MoveRefs, Plan
from stackr.core.status import Report, outdated, report
from stackr.core.submit import plan_submit
from stackr.core.sync import refreshed
from stackr.execute import execute
from stackr.stories import syncing
from stackr.stories.progress import Progress
from stackr.stories.prospecting import Look

if TYPE_CHECKING:
    from stackr.app import App


def sync(app: App, look: Look, progress: Progress, notes: Sequence[str]) -> tuple[Plan, Report]:
    """Carry it out; returns all that the landing did, and the stack it leaves. A ``Conflict`` leaves all as it is."""
    rebased = syncing.rebase(app, look.stack)
    if rebased.conflict is not None:
        raise rebased.conflict
    stays: list[MoveRefs] = []

    def keep(synced: Stack) -> Stack:
        kept, moves = land.keep(synced, land.kept(look.prospect))
        stays.extend(moves)
        return kept

    plan, synced = syncing.prepare(app, look.stack, rebased, push=True, keep=keep)
    left = outdated_in(app, synced) - {change.id for change in refreshed(synced)}
    outcome = execute(replace(plan, actions=(*stays, *plan.actions)), synced, app.repo, app.forge, app.ui)
    progress.add(outcome)
    whole = Plan("land", tuple(progress.done), (*notes, *plan.notes))
    return whole, report("land", outcome.stack, left, whole.notes)


def outdated_in(app: App, stack: Stack) -> set[str]:
    """The ids of the changes that a submit would send."""
    return outdated(plan_submit(stack, syncing.choices(app))) if stack.changes else set()
