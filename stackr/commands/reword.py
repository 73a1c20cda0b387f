"""``stackr reword``: another message for a change."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.stories import editing
from stackr.stories.locally import Way


@click.command()
@click.argument("change", metavar="CHANGE")
@click.option("-m", "message", metavar="TEXT", help="The new message.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, change: str, message: str | None, dry_run: bool, as_json: bool) -> None:
    """Give a change another message.

    Without -m your editor opens. The change keeps its id, and its pull request; no file is touched.
    """
    app, way = App(context), Way(dry_run, as_json)
    editing.run(app, "reword", way, lambda stack: editing.reword(app, stack, change, message, way))
