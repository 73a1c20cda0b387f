"""What a command shows at its end: the stack it leaves, the plan it would carry out, or one JSON document.

Which facts to show is settled by then; the drawings are in ``tree``, ``plan_view`` and ``as_json``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from stackr.core.model import Stack
from stackr.core.overview import Overview
from stackr.core.plan import (
    ClosePull,
    CreatePull,
    DeleteRefs,
    LinkStack,
    MergePull,
    MoveRefs,
    Plan,
    PushRefs,
    UpdatePull,
)
from stackr.core.rules import Method
from stackr.core.status import Report
from stackr.core.steps import actions_json
from stackr.core.words import counted
from stackr.ui import as_json as documents
from stackr.ui import overview, plan_view, tree
from stackr.ui.console import Console
from stackr.ui.line import Line

if TYPE_CHECKING:
    from stackr.core.triage import Triage


def stack(ui: Console, shown: Report | Overview, *, as_json: bool) -> None:
    """One stack, or all of them, as they stand (``stackr status``)."""
    if as_json:
        ui.json(documents.overview(shown.stacks) if isinstance(shown, Overview) else documents.report(shown))
        return
    ui.lines(lines(shown, ui.columns, links=ui.color_out))


def lines(shown: Report | Overview, columns: int | None, *, links: bool) -> list[Line]:
    """The drawing of one stack, or of all of them; ``columns`` and ``links`` are those of ``tree.lines``."""
    if isinstance(shown, Overview):
        return overview.lines(shown.stacks, columns, links=links)
    return tree.lines(shown, columns, links=links)


def triage(ui: Console, report: Report, found: Triage, *, as_json: bool) -> None:
    """One stack, and whose failure each of its failed checks is (``stackr status --ci``)."""
    from stackr.ui import triage_view

    if as_json:
        ui.json(triage_view.document(report, found))
        return
    ui.lines(triage_view.lines(report, found, ui.columns, links=ui.color_out))


def plan(ui: Console, planned: Plan, facts: Stack, report: Report, *, as_json: bool) -> None:
    """What would be done (``--dry-run``): the very plan that a real run would carry out."""
    if as_json:
        ui.json(documents.report(report, actions_json(planned.actions, numbers=_numbers(report))))
    else:
        ui.lines(plan_view.lines(planned, facts))
    for note in report.notes:
        ui.note(note)


def outcome(ui: Console, done: Plan, report: Report, oids: Mapping[str, str], *, as_json: bool) -> None:
    """What was done, and the stack it left."""
    if as_json:
        ui.json(documents.report(report, actions_json(done.actions, oids, _numbers(report))))
        for note in done.notes:
            ui.note(note)
        return
    ui.lines(tree.lines(report, ui.columns, links=ui.color_out))
    ui.note(summary(done))


def reshaped(ui: Console, done: Plan, report: Report, *, as_json: bool) -> None:
    """What was done to the stack here, which GitHub does not know of yet, and the stack it left."""
    if as_json:
        ui.json(documents.report(report, actions_json(done.actions)))
    else:
        ui.lines(tree.lines(report, ui.columns, links=ui.color_out))
    for note in done.notes:
        ui.note(note)


def _numbers(report: Report) -> dict[str, int]:
    return {row.id: row.pull.number for row in report.rows if row.pull}


def summary(done: Plan) -> str:
    """One sentence: ``pushed 3 branches, created 1 pull request, updated 2 pull requests``."""
    counts = Counter(type(action) for action in done.actions)
    pushed = sum(len(action.pushes) for action in done.actions if isinstance(action, PushRefs))
    created, updated = counts[CreatePull], _updated(done)
    removed = sum(len(action.refs) for action in done.actions if isinstance(action, DeleteRefs))
    kind = "" if done.command in ("abandon", "adopt") else "landed "
    moved = _moved(done)
    given = sum(isinstance(a, MergePull) and a.method in (Method.QUEUE, Method.AUTO) for a in done.actions)
    merged = counts[MergePull] - given
    parts = [
        f"moved {counted(moved, 'local branch', 'local branches')}" if moved else "",
        f"pushed {counted(pushed, 'branch', 'branches')}" if pushed else "",
        f"created {counted(created, 'pull request')}" if created else "",
        f"merged {counted(merged, 'pull request')}" if merged else "",
        f"gave {counted(given, 'pull request')} to GitHub to merge" if given else "",
        f"updated {counted(updated, 'pull request')}" if updated else "",
        f"closed {counted(counts[ClosePull], 'pull request')}" if counts[ClosePull] else "",
        "registered the stack with GitHub" if counts[LinkStack] else "",
        f"removed {counted(removed, f'{kind}branch', f'{kind}branches')}" if removed else "",
    ]
    return ", ".join(part for part in parts if part) or "nothing to do: GitHub has all of it"


def _moved(done: Plan) -> int:
    """Local branches that a sync moved; a submit moves them only to name changes, which nobody needs to hear."""
    moves = [move for action in done.actions if isinstance(action, MoveRefs) for move in action.moves]
    local = [move for move in moves if move.ref == "HEAD" or move.ref.startswith("refs/heads/")]
    return len(local) if done.command in ("sync", "land") else 0


def _updated(done: Plan) -> int:
    """Pull requests that existed before and were changed; what it takes to create or merge one is part of that."""
    others = {action.change_id for action in done.actions if isinstance(action, (CreatePull, MergePull))}
    return sum(isinstance(a, UpdatePull) and a.change_id not in others for a in done.actions)
