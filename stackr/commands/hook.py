"""``stackr hook install``: a commit-msg hook that names changes as they are committed."""

from __future__ import annotations

import click

from stackr import options
from stackr.app import App
from stackr.ui import as_json as documents

_PLANNED = {
    "installed": "would be installed",
    "replaced": "would be replaced",
    "chained": "would be installed, and run the hook that is there first",
    "already there": "already there",
}


@click.group(no_args_is_help=False)
def command() -> None:
    """Let git name changes at commit time."""


@command.command()
@options.dry_run_option
@options.json_option
@click.pass_context
def install(context: click.Context, dry_run: bool, as_json: bool) -> None:
    """Install a commit-msg hook that adds a Change-Id to every new commit.

    A hook that is there already is kept and runs first. Asking twice changes nothing.
    """
    from stackr.repo import hooks

    app = App(context)
    plan = hooks.plan_install(hooks.directory(app.repo.runner))
    if not dry_run:
        hooks.install(plan)
    if app.repo.config.get("core.hookspath"):
        app.ui.note(f"core.hooksPath leads to {plan.path.parent}; whoever shares it gets the hook too")
    if as_json:
        app.ui.json(documents.envelope("hook install", path=str(plan.path), done=plan.done))
    elif dry_run:
        app.ui.result(f"{_PLANNED[plan.done]}: {plan.path}")
    elif plan.done == "chained":
        app.ui.result(f"installed: {plan.path}; the hook that was there is {hooks.BEFORE} now and runs first")
    else:
        app.ui.result(f"{plan.done}: {plan.path}")
