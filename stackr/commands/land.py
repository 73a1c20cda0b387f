"""``stackr land``: land the stack, or the part of it that is ready."""

from __future__ import annotations

from typing import Any

import click

from stackr import options
from stackr.app import App
from stackr.core.forks import refuse_landing
from stackr.core.rules import Method
from stackr.errors import UsageError


@click.command()
@click.argument("change", metavar="[CHANGE]", required=False)
@click.option("--method", type=click.Choice([method.value for method in Method]), help="How to land.")
@click.option("--ready", is_flag=True, help="Land what is ready, from the bottom up to the first that is not.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--wait/--no-wait",
    default=None,
    help="Wait for checks, for the merge queue, for auto-merge; or leave when GitHub has what it needs.",
)
@click.option("--ignore-current", is_flag=True, help="Put up with the checks that fail now; wait for those that run.")
@click.option("--force", "reason", metavar="REASON", help="Land in spite of checks and reviews; said in a comment.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(
    context: click.Context, /, change: str | None, method: str | None, dry_run: bool, as_json: bool, **flags: Any
) -> None:
    """Land the stack on its trunk, from the bottom up to CHANGE.

    First it tells everything that stands in the way, and then nothing is changed. Changes land one at a time (push and
    native: all at once), the branches of what landed are removed, and what is left is synced. It can be stopped at any
    moment: run it again and it goes on.
    """
    from stackr.stories import landing

    reason = flags["reason"]
    if reason is not None and len(reason.split()) < 2:
        raise UsageError("--force wants a reason of at least two words", next_step='stackr land --force "why it must"')
    app = App(context, {"method": method})
    chosen = app.config.method
    with app.lock("land", needed=not dry_run):
        refuse_landing(app.fork)
        landing.run(
            app,
            landing.Way(
                change,
                Method(chosen) if chosen else None,
                flags["ready"],
                flags["yes"],
                flags["wait"],
                flags["ignore_current"],
                reason or "",
                dry_run,
                as_json,
            ),
        )
