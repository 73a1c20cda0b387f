"""``stackr status``: where the stack stands and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from stackr import options
from stackr.app import App
from stackr.core.outlook import exit_code
from stackr.errors import UsageError
from stackr.stories import looking
from stackr.stories.watching import watch
from stackr.ui import show

if TYPE_CHECKING:
    from stackr.stories.looking import Seen


@click.command()
@click.option("--all", "everything", is_flag=True, help="Show every stack of yours in this repository.")
@click.option("--ci", "examines", is_flag=True, help="Say whose failure each failed check is, and why it failed.")
@options.logs_option
@click.option("--watch", "watches", is_flag=True, help="Look again and again until no checks run any more.")
@click.option("--offline", is_flag=True, help="Use only what this clone knows; no network at all.")
@click.option("--exit-code", "tells", is_flag=True, help="Exit with 1 if something needs doing, 2 if checks still run.")
@click.option("--base", metavar="BRANCH", help="Show the stack above BRANCH.")
@options.json_option
@click.pass_context
def command(
    context: click.Context,
    everything: bool,
    examines: bool,
    logs: int | None,
    watches: bool,
    offline: bool,
    tells: bool,
    base: str | None,
    as_json: bool,
) -> int:
    """Show the stack: pull requests, reviews, checks, and what to do next.

    One line a change, newest on top, an arrow at HEAD.
    """
    _refuse_together({"--offline": offline, "--all": everything}, {"--offline": offline, "--watch": watches})
    _refuse_together({"--all": everything, "--base": base is not None})
    _refuse_together({"--ci": examines, "--all": everything}, {"--ci": examines, "--offline": offline})
    if logs is not None and not examines:
        raise UsageError("--logs is for --ci", next_step="stackr status --ci --logs N")
    app = App(context)
    look = partial(looking.look_at_all, app) if everything else partial(looking.look, app, base, offline=offline)
    watched = watch(app, look, as_json=as_json) if watches else None
    if examines and not app.repo.is_unborn:
        return _examine(app, base, logs, tells=tells, as_json=as_json)
    seen = watched or _look_once(app, look)
    if as_json or not watches:
        show.stack(app.ui, seen.shown, as_json=as_json)
    return exit_code(seen.shown) if tells else 0


def _examine(app: App, base: str | None, logs: int | None, *, tells: bool, as_json: bool) -> int:
    seen = looking.look_at_checks(app, base, logs)
    for warning in seen.warnings:
        app.ui.warn(warning)
    show.triage(app.ui, seen.shown, seen.found, as_json=as_json)
    return seen.found.exit_code if tells else 0


def _look_once(app: App, look: Callable[[], Seen]) -> Seen:
    seen = look()
    for warning in seen.warnings:
        app.ui.warn(warning)
    return seen


def _refuse_together(*pairs: dict[str, bool]) -> None:
    for flags in pairs:
        if all(flags.values()):
            raise UsageError(f"{' and '.join(flags)} exclude each other")
