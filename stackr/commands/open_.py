"""``stackr open``: the page of a pull request."""

from __future__ import annotations

import os
import sys

import click

from stackr import options
from stackr.app import App
from stackr.stories.seeking import find_number, seek
from stackr.ui import as_json as documents
from stackr.ui import output


@click.command()
@click.argument("change", metavar="[CHANGE]", default="HEAD")
@click.option("--print", "printed", is_flag=True, help="Print the address, and open nothing.")
@options.json_option
@click.pass_context
def command(context: click.Context, change: str, printed: bool, as_json: bool) -> None:
    """Show the pull request of a change in the browser.

    Without a terminal or a browser the address is printed. No network is needed where the number is known here. CHANGE
    (default: the one at HEAD) may be anybody's number or address.
    """
    app = App(context)
    number = find_number(app, seek(app, change))
    url = f"{app.host.repository_url}/pull/{number}"
    if as_json:
        app.ui.json(documents.envelope("open", number=number, url=url))
    elif printed or not _has_browser() or click.launch(url) != 0:
        app.ui.result(url)
    else:
        app.ui.note(f"opening {url}")


def _has_browser() -> bool:
    """Whether somebody would see it: a terminal, and a desktop around it (freedesktop.org's variables, on Unix)."""
    desktop = sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
    return desktop and output.is_terminal(sys.stdout)
