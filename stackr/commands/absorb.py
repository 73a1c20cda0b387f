"""``stackr absorb``: staged hunks go where their lines come from."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.stories import absorbing, editing
from stackr.stories.locally import Way


@click.command()
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, dry_run: bool, as_json: bool) -> None:
    """Put every staged hunk into the change that last touched its lines.

    What goes where is shown first. What has no home stays staged: lines of several changes or of trunk, and files that
    are new, deleted or renamed. No file is touched.
    """
    app, way = App(context), Way(dry_run, as_json)
    editing.run(app, "absorb", way, lambda stack: absorbing.absorb(app, stack, way), reads_index=True)
