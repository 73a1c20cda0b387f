"""``stackr id``: which change a commit is, and making it another one."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.core import identity
from stackr.core.guards import refuse_busy
from stackr.core.model import Stack
from stackr.core.renaming import plan_new_id
from stackr.core.steps import actions_json
from stackr.errors import Refused, UsageError
from stackr.ui import as_json as documents
from stackr.ui import plan_view


@click.command()
@click.argument("revision", metavar="[REV]", default="HEAD")
@click.option("--new", is_flag=True, help="Give the commit a new id; it becomes a change of its own.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, revision: str, new: bool, dry_run: bool, as_json: bool) -> None:
    """Show a commit's Change-Id, or give it a new one.

    With --new the commit at REV (default: HEAD) is rewritten with another id, those above it follow, and local branches
    move along; no file changes. The pull request stays with the old id.
    """
    app = App(context)
    oid = app.repo.resolve(revision)
    if new:
        with app.lock("id", needed=not dry_run):
            _rename(app, oid, dry_run=dry_run, as_json=as_json)
    else:
        commit = app.repo.read_commits([oid])[oid]
        _show(app, identity.change_id(commit.message), oid, as_json=as_json)


def _show(app: App, change: str, oid: str, *, as_json: bool) -> None:
    if not change:
        raise Refused(
            f"commit {oid[:7]} has no Change-Id yet",
            next_step="stackr submit gives it one; stackr hook install gives every new commit one",
        )
    if as_json:
        app.ui.json(documents.envelope("id", id=change, commit=oid))
    else:
        app.ui.result(change)


def _rename(app: App, oid: str, *, dry_run: bool, as_json: bool) -> None:
    from stackr.execute import execute_local
    from stackr.observe import observe_offline

    observed = observe_offline(app.repo, app.wanted(app.known_user()))
    refuse_busy(observed.state.busy)
    stack = observed.stack
    index = _position(stack, oid)
    plan = plan_new_id(stack, index)
    if dry_run:
        if as_json:
            app.ui.json(documents.envelope("id", commit=oid, actions=actions_json(plan.actions)))
        else:
            app.ui.lines(plan_view.lines(plan, stack))
        return
    oids = execute_local(plan, app.repo)
    renamed = oids[f":local/{oid}"]
    change = identity.change_id(app.repo.read_commits([renamed])[renamed].message)
    app.ui.note(f'"{stack.changes[index].title}" is now {renamed[:7]}')
    _show(app, change, renamed, as_json=as_json)


def _position(stack: Stack, oid: str) -> int:
    for index, change in enumerate(stack.changes):
        if change.commit.oid == oid:
            return index
    raise UsageError(
        f'commit {oid[:7]} is not in the stack between "{stack.trunk.name}" and HEAD',
        next_step="check out the branch that holds it, and run the command again",
    )
