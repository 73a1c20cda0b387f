"""``stackr checkout``: anybody's stack, up to one pull request, as clean local commits."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App


@click.command()
@click.argument("change", metavar="PR|URL|CHANGE")
@click.option("--branch", metavar="NAME", help="The local branch to make; the default is AUTHOR/TITLE.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, change: str, branch: str | None, dry_run: bool, as_json: bool) -> None:
    """Check out the stack up to a pull request, yours or a colleague's.

    Every pull request from trunk up to that one becomes one local commit, with the files of its branch, title and
    description as they are on GitHub, and the first author. The same stack gives the same commits every time, and
    submitting them unchanged does nothing. What you have not committed is kept.
    """
    from stackr.stories import checking_out
    from stackr.stories.seeking import seek

    app = App(context)
    with app.lock("checkout", needed=not dry_run):
        checking_out.run(app, seek(app, change), checking_out.Way(branch, dry_run, as_json))
