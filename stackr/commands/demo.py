"""``stackr demo``: watch stackr work on real commits, without an account."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import click

from stackr import options
from stackr.errors import Refused
from stackr.options import Invocation
from stackr.ui import output
from stackr.ui.console import Console


@click.command()
@click.option(
    "--root", metavar="DIR", help="Keep everything in DIR (default: a temporary directory, removed at the end)."
)
@click.option(
    "--serve/--no-serve",
    default=None,
    help="Keep the pages up until Ctrl-C (default: when a person is at the terminal).",
)
@click.pass_context
def command(context: click.Context, root: str | None, serve: bool | None) -> None:
    """Watch a real stack being submitted, amended, reordered and landed in the sandbox.

    Starts a sandbox, clones a real repository from it, and runs the commands that you would type, one after another.
    Needs no account and touches nothing of yours.
    """
    from stackr.sandbox import needs

    needs.require()
    invocation = options.of(context)
    place = _place(invocation, root)
    try:
        _play(invocation, place, keep_serving=_is_watched() if serve is None else serve)
    finally:
        if root is None:
            shutil.rmtree(place, ignore_errors=True)


def _place(invocation: Invocation, root: str | None) -> Path:
    if root is None:
        return Path(tempfile.mkdtemp(prefix="stackr-demo-"))
    place = invocation.directory / root
    if place.exists() and any(place.iterdir()):
        raise Refused(f'"{place}" is not empty', next_step="name another directory with --root")
    place.mkdir(parents=True, exist_ok=True)
    return place


def _is_watched() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()


def _play(invocation: Invocation, place: Path, *, keep_serving: bool) -> None:
    from stackr.sandbox import demo

    console = Console(color=invocation.color)

    def say(text: str) -> None:
        for each in text.split("\n"):
            console.result(each)
        output.flush()  # the next line may be that of another process

    with demo.stage(place, say, invocation.color) as scene:
        scene.tell()
        say("\n## Pages to look at")
        say("\n".join(scene.pages()))
        if keep_serving:
            _stay_up(say)


def _stay_up(say: Callable[[str], None]) -> None:
    """Ctrl-C is how this is meant to end, so it is no failure."""
    try:
        say("\nThe pages stay up until you press Ctrl-C.")
        threading.Event().wait()
    except KeyboardInterrupt:
        return
