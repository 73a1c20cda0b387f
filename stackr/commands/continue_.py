"""``stackr continue``: go on with the rebase that a sync has started, and with the sync."""

from __future__ import annotations

import click

from stackr import options, resolve
from stackr.app import App
from stackr.stories import syncing


@click.command()
@options.json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Go on after a conflict: git rebase --continue, then the rest of the sync.

    Also when you have finished the rebase with git already.
    """
    app = App(context)
    with app.lock("continue", resolving=True):
        resolution = resolve.under_way(app.repo, "continue")
        resolve.go_on(app.repo, resolution)
        syncing.run(app, syncing.Way(push=resolution.push, as_json=as_json))
