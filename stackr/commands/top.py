"""``stackr top``: HEAD goes back to its branch."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.core.moving import plan_goto
from stackr.stories import locally, moving


@click.command()
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, dry_run: bool, as_json: bool) -> None:
    """Go to the top of the stack, and back onto its branch.

    What you have not committed is kept.
    """
    way = locally.Way(dry_run, as_json)
    moving.move(App(context), "top", lambda name, stack: plan_goto(name, stack, len(stack.changes) - 1), way)
