"""``stackr adopt``: take over a stack that ghstack or mergify has made."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App


@click.command()
@click.argument("pull", metavar="[PR]", required=False)
@click.option("--cleanup", is_flag=True, help="Remove the branches that only ghstack needs, after everything else.")
@click.option("--others", is_flag=True, help="Take over pull requests of other people, too.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(
    context: click.Context, pull: str | None, cleanup: bool, others: bool, dry_run: bool, as_json: bool
) -> None:
    """Take over the stack at HEAD from ghstack or mergify.

    The same pull requests go on, on the same branches, with their reviews and comments: each targets the branch below,
    and has stackr's list in the place of the other one. Commits get a Change-Id and lose ghstack's lines. Nothing is
    closed, created or force-pushed. Run it again if it was stopped: it goes on.
    """
    from stackr.stories import adopting

    app = App(context)
    with app.lock("adopt", needed=not dry_run):
        adopting.run(app, pull, adopting.Way(cleanup, others, dry_run, as_json))
