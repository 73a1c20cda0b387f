"""``stackr undo``: taking back what stackr did to local branches, HEAD and files."""

from __future__ import annotations

from collections.abc import Sequence

import click

from stackr import options
from stackr.app import App
from stackr.core.guards import refuse_busy
from stackr.core.plan import Plan
from stackr.core.ports import LocalState
from stackr.core.steps import actions_json
from stackr.core.undo import Operation, Place, choose, plan_undo
from stackr.errors import UsageError
from stackr.ui import as_json as json_documents
from stackr.ui import operations as view
from stackr.ui import plan_view


@click.command()
@click.argument("count", metavar="[N]", type=click.IntRange(min=1), required=False)
@click.option("--list", "listed", is_flag=True, help="List what can be taken back, newest on top.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, count: int | None, listed: bool, dry_run: bool, as_json: bool) -> None:
    """Take back what stackr did to your branches.

    Puts branches, HEAD and files back to before the last command that moved them, or the N last ones. Uncommitted work
    is never lost. An undo can be taken back by another. GitHub stays as it is until the next stackr submit.
    """
    if listed and (count is not None or dry_run):
        raise UsageError("--list shows all of them, and takes nothing back")
    app = App(context)
    if listed:
        view.show(app.ui, "undo", app.repo.list_operations(app.repo.local_state("")), as_json=as_json)
        return
    with app.lock("undo", needed=not dry_run):
        _undo(app, count or 1, dry_run=dry_run, as_json=as_json)


def _undo(app: App, count: int, *, dry_run: bool, as_json: bool) -> None:
    state = app.repo.local_state("")
    refuse_busy(state.busy)
    undone = choose(app.repo.list_operations(state), count)
    plan = plan_undo(undone, _place(app, state, undone))
    if dry_run:
        app.refuse_loss(plan)
    else:
        from stackr.execute import execute_local

        execute_local(plan, app.repo)
    _show(app, plan, undone, dry_run=dry_run, as_json=as_json)


def _place(app: App, state: LocalState, undone: Sequence[Operation]) -> Place:
    """What ``plan_undo`` has to know; the commits that ``undone`` names are read in one go."""
    moves = [move for operation in undone for move in operation.moves]
    named = [oid for move in moves for oid in (move.old, move.new) if oid is not None]
    return Place(state, app.repo.oplog.worktree, app.repo.read_commits(named))


def _show(app: App, plan: Plan, undone: Sequence[Operation], *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        document = json_documents.envelope("undo", undone=view.documents(undone), actions=actions_json(plan.actions))
        app.ui.json(document)
    else:
        app.ui.lines(plan_view.lines(plan))
    for note in plan.notes:
        app.ui.note(note)
    if not dry_run and not plan.is_empty:
        newest = undone[0]
        what = f'"{newest.name}" ({view.when(newest)})' if len(undone) == 1 else f"{len(undone)} operations"
        app.ui.note(f"took back {what}; stackr undo brings it back")
