"""``stackr sync``: rebase the stack in memory, drop what landed, refresh the pull requests."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.stories import syncing


@click.command()
@click.option("--resolve", is_flag=True, help="At a conflict, start git rebase in the work tree.")
@click.option("--no-push", is_flag=True, help="Bring only the local branches up to date.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, /, resolve: bool, no_push: bool, dry_run: bool, as_json: bool) -> None:
    """Rebase the stack onto trunk, drop what landed, and refresh the pull requests.

    Works in memory: only files that differ are touched, and a conflict moves nothing. What others pushed to your
    branches is taken into your commits. With --resolve, or when you say yes on a terminal, a conflict is resolved by an
    ordinary git rebase, which stackr continue and stackr abort finish or take back.
    """
    app = App(context)
    with app.lock("sync", needed=not dry_run):
        syncing.run(app, syncing.Way(not no_push, resolve, dry_run, as_json))
