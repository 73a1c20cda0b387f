"""``stackr log``: what stackr did to local branches."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.ui import operations


@click.command()
@options.json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List what stackr did to your branches, newest on top.

    Each line has the number that stackr undo takes, when it was, the command, and what moved. The newest 100 of the
    last 90 days are kept.
    """
    app = App(context)
    found = app.repo.list_operations(app.repo.local_state(""))
    operations.show(app.ui, "log", found, as_json=as_json)
