"""``stackr status``: where the stack stands and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stackr import options
from stackr.app import App
from stackr.core.conflicts import still_under_way
from stackr.core.guards import refuse_commits, refuse_duplicate_ids, refuse_shape
from stackr.core.options import SubmitOptions
from stackr.core.status import Report, misplaced, outdated, report
from stackr.core.submit import plan_submit
from stackr.errors import Refused
from stackr.ui import show

if TYPE_CHECKING:
    from stackr.observe import Observed


@click.command()
@click.option("--offline", is_flag=True, help="Use only what this clone knows; no network at all.")
@click.option("--base", metavar="BRANCH", help="Show the stack above BRANCH.")
@options.json_option
@click.pass_context
def command(context: click.Context, offline: bool, base: str | None, as_json: bool) -> None:
    """Show the stack: pull requests, reviews, checks, and what to do next.

    One line a change, newest on top, an arrow at HEAD.
    """
    app = App(context)
    observed = _observe(app, base, offline=offline)
    for warning in observed.warnings:
        app.ui.warn(warning)
    show.stack(app.ui, _report(app, observed, offline=offline), as_json=as_json)


def _observe(app: App, base: str | None, *, offline: bool) -> Observed:
    from stackr.observe import observe, observe_offline

    if offline:
        return observe_offline(app.repo, app.wanted(app.known_user(), base))
    app.ui.step("reading the stack")
    wanted = app.wanted(app.user(remember=True), base, details=True, checks=True)
    observed = observe(app.repo, app.forge, wanted)
    app.remember_pulls(observed.stack)
    return observed


def _report(app: App, observed: Observed, *, offline: bool) -> Report:
    stack, state = observed.stack, observed.state
    notes = (*_unfinished(app, state.busy), *misplaced(stack))
    try:
        refuse_shape(stack)
        refuse_duplicate_ids(stack)
        plan = plan_submit(stack, SubmitOptions(style=app.config.style))
    except Refused as problem:
        return report("status", stack, (), (*notes, problem.message), offline=offline)
    try:
        refuse_commits(stack, range(len(stack.changes)))
    except Refused as problem:
        notes = (*notes, problem.message)
    left = outdated(plan, offline=offline)
    return report("status", stack, left, (*notes, *plan.notes), offline=offline)


def _unfinished(app: App, busy: str) -> tuple[str, ...]:
    if not busy:
        return ()
    ours = app.repo.resolving.read()
    if ours is not None and app.repo.resolving.is_under_way(ours):
        waiting = still_under_way(ours)
        return (f"{waiting.message}: {waiting.next_step}",)
    return (f"a {busy} is in progress; stackr submit waits until it is finished",)
