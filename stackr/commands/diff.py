"""``stackr diff``: what changed between two submitted versions of a change."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.errors import UsageError


@click.command()
@click.argument("change", metavar="[CHANGE]", default="HEAD")
@click.argument("span", metavar="[FROM..TO]", required=False)
@click.option(
    "--since-review",
    "review",
    metavar="[LOGIN]",
    is_flag=False,
    flag_value="",
    help="From the version that LOGIN, or else anybody, reviewed last.",
)
@click.option("--stat", is_flag=True, help="Show which files differ, and by how many lines.")
@click.option("--versions", "listed", is_flag=True, help="List the versions instead, newest on top.")
@options.json_option
@click.pass_context
def command(
    context: click.Context, change: str, span: str | None, review: str | None, stat: bool, listed: bool, as_json: bool
) -> None:
    """Show what changed between two submitted versions of a change.

    What only came from the changes below, or from trunk, is left out. Versions are v1, v2, ... as they were pushed;
    FROM..TO is v1..v3, v2.. (to the newest) or ..v3; v0 is what the change stands on. Default: the newest version
    against the one before it. CHANGE may be anybody's: a number or an address of a pull request.
    """
    if (span is not None) + (review is not None) + listed > 1:
        raise UsageError("FROM..TO, --since-review and --versions exclude each other")
    from stackr.stories import comparing
    from stackr.stories.seeking import seek

    app = App(context)
    question = comparing.Question(span, review, stat, listed, as_json)
    comparing.run(app, seek(app, change), question)
