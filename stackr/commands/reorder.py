"""``stackr reorder``: the changes in another order."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.stories import editing
from stackr.stories.locally import Way


@click.command()
@click.argument("changes", metavar="[CHANGE]...", nargs=-1)
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, changes: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Put the changes into another order, in an editor or as named.

    The editor shows one line a change, the lowest first, as git rebase -i does. With CHANGEs the new order is theirs,
    the lowest first; all of them have to be named.
    """
    app, way = App(context), Way(dry_run, as_json)
    editing.run(app, "reorder", way, lambda stack: editing.reorder(app, stack, changes, way))
