"""``stackr abandon``: a pull request is closed, and its branch removed."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App


@click.command()
@click.argument("change", metavar="CHANGE")
@click.option("--drop", is_flag=True, help="Take the local commit out of the stack, too.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, change: str, drop: bool, dry_run: bool, as_json: bool) -> None:
    """Close the pull request of a change, and remove its branch.

    What stands on it gets the branch below as its base first. A branch with commits of others that you have not taken
    in stays. CHANGE may also be a pull request that has left the stack.
    """
    from stackr.stories import abandoning

    app = App(context)
    with app.lock("abandon", needed=not dry_run):
        abandoning.run(app, change, abandoning.Way(drop, dry_run, as_json))
