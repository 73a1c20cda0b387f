"""``stackr split``: a change becomes two."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from stackr import options
from stackr.app import App
from stackr.stories import editing
from stackr.stories.locally import Way


@click.command()
@click.argument("change", metavar="CHANGE")
@click.argument("paths", metavar="[PATHS]...", nargs=-1)
@click.option("-m", "message", metavar="TEXT", help="The message of the rest.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(
    context: click.Context, change: str, paths: tuple[str, ...], message: str | None, dry_run: bool, as_json: bool
) -> None:
    """Make two changes of one: some of its files first, or some of its hunks.

    With PATHS the first part is what the change does to them; without, git asks hunk by hunk. The first part keeps the
    message and the pull request; the rest becomes a change of its own, with the message of -m or of your editor.
    """
    app, way = App(context), Way(dry_run, as_json)
    editing.run(app, "split", way, lambda stack: editing.split(app, stack, change, _inside(app, paths), message, way))


def _inside(app: App, paths: Sequence[str]) -> list[str]:
    """The paths as git names them, from the top of the work tree."""
    here, top = app.invocation.directory.resolve(), app.repo.work_tree
    return [os.path.relpath(os.path.normpath(here / path), top).replace(os.sep, "/") for path in paths]
