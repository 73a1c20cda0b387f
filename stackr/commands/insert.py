"""``stackr insert``: what is staged becomes a change in the middle."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.stories import editing
from stackr.stories.locally import Way


@click.command()
@click.argument("change", metavar="CHANGE")
@click.option("-m", "message", metavar="TEXT", help="The message of the new change.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, change: str, message: str | None, dry_run: bool, as_json: bool) -> None:
    """Commit what is staged as a new change, right above CHANGE.

    The changes above follow, in memory. Without -m your editor opens.
    """
    app, way = App(context), Way(dry_run, as_json)
    editing.run(app, "insert", way, lambda stack: editing.insert(app, stack, change, message, way), reads_index=True)
