"""``stackr up``: HEAD goes to a change above."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.core.moving import plan_step
from stackr.stories import locally, moving


@click.command()
@click.argument("count", metavar="[N]", type=click.IntRange(min=1), default=1)
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, count: int, dry_run: bool, as_json: bool) -> None:
    """Go up the stack, by one change or by N.

    The branch stays at the top of the stack; at the top HEAD is on it again. What you have not committed is kept.
    """
    way = locally.Way(dry_run, as_json)
    moving.move(App(context), "up", lambda name, stack: plan_step(name, stack, count), way)
