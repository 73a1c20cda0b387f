"""``stackr fold``: two changes become one."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.stories import editing
from stackr.stories.locally import Way


@click.command()
@click.argument("change", metavar="CHANGE")
@click.option("-m", "message", metavar="TEXT", help="The message of the two together.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, change: str, message: str | None, dry_run: bool, as_json: bool) -> None:
    """Fold a change into the one below.

    The lower one keeps its title, its author and its pull request; its message gets the text of the upper one, unless
    -m gives another.
    """
    app, way = App(context), Way(dry_run, as_json)
    editing.run(app, "fold", way, lambda stack: editing.fold(app, stack, change, message, way))
