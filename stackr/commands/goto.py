"""``stackr goto``: HEAD goes to any change of the stack."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.core.moving import plan_goto
from stackr.stories import locally, moving


@click.command()
@click.argument("change", metavar="CHANGE")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, change: str, dry_run: bool, as_json: bool) -> None:
    """Go to a change of the stack.

    CHANGE is the number or address of its pull request, a revision, or the beginning of its Change-Id. The branch stays
    at the top of the stack. What you have not committed is kept.
    """
    app = App(context)
    way = locally.Way(dry_run, as_json)
    moving.move(
        app, "goto", lambda name, stack: plan_goto(name, stack, stack.position(app.find_change(stack, change).id)), way
    )
