"""``stackr amend``: what is staged goes into a change."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.stories import editing
from stackr.stories.locally import Way


@click.command()
@click.argument("change", metavar="[CHANGE]", required=False)
@click.option("--all", "everything", is_flag=True, help="Take everything that is modified in tracked files as well.")
@click.option("-m", "message", metavar="TEXT", help="The new message of the change.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(
    context: click.Context, change: str | None, everything: bool, message: str | None, dry_run: bool, as_json: bool
) -> None:
    """Put what is staged into a change, the one at HEAD if none is named.

    The changes above follow, in memory: no file is touched. A real conflict is named, and then nothing has moved.
    """
    app, way = App(context), Way(dry_run, as_json)
    editing.run(
        app,
        "amend",
        way,
        lambda stack: editing.amend(app, stack, change, message, way, everything=everything),
        reads_index=True,
    )
