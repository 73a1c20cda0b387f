"""``stackr bottom``: HEAD goes to the lowest change."""

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
    """Go to the lowest change of the stack.

    The branch stays at the top of the stack. What you have not committed is kept.
    """
    way = locally.Way(dry_run, as_json)
    moving.move(App(context), "bottom", lambda name, stack: plan_goto(name, stack, 0), way)
