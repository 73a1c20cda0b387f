"""``stackr abort``: take back the rebase that a sync has started."""

from __future__ import annotations

import click

from stackr import options, resolve
from stackr.app import App
from stackr.ui import as_json as documents


@click.command()
@options.json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Give up after a conflict: git rebase --abort, and everything is as it was before the sync."""
    app = App(context)
    with app.lock("abort", resolving=True):
        resolution = resolve.under_way(app.repo, "abort")
        resolve.take_back(app.repo, resolution)
        if as_json:
            head = {"branch": resolution.head.branch_name, "oid": resolution.head.oid}
            app.ui.json(documents.envelope("abort", head=head))
        else:
            where = f'"{resolution.head.branch_name}"' if resolution.head.branch else "HEAD"
            app.ui.note(f"the rebase is taken back; {where} is at {resolution.head.oid[:7]} again")
