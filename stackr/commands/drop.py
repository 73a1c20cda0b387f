"""``stackr drop``: a change leaves the stack."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.stories import editing
from stackr.stories.locally import Way


@click.command()
@click.argument("change", metavar="CHANGE")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, change: str, dry_run: bool, as_json: bool) -> None:
    """Take a change out of the stack.

    The changes above follow, in memory. Its pull request stays open until you close it; stackr undo brings the change
    back.
    """
    app, way = App(context), Way(dry_run, as_json)
    editing.run(app, "drop", way, lambda stack: editing.drop(app, stack, change))
