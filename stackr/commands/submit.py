"""``stackr submit``: one pull request for every commit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from stackr import options
from stackr.app import App
from stackr.core.belongings import refuse_others
from stackr.core.guards import refuse_submit
from stackr.core.model import Stack, Style
from stackr.core.options import SubmitOptions
from stackr.core.pulls import people
from stackr.core.status import outdated, report
from stackr.core.submit import plan_submit
from stackr.errors import UsageError
from stackr.execute import execute
from stackr.observe import observe
from stackr.records import dataclass
from stackr.ui import show

_TEMPLATES = ("pull_request_template.md", ".github/pull_request_template.md", "docs/pull_request_template.md")


@click.command()
@click.argument("revision", metavar="[REV]", required=False)
@click.option("-m", "message", metavar="TEXT", help="Message of the commits that updates add to head branches.")
@click.option("--draft", is_flag=True, help="Make the pull requests drafts.")
@click.option("--ready", is_flag=True, help="Make the pull requests ready for review.")
@click.option("--reviewer", "reviewers", metavar="LOGIN", multiple=True, help="Ask LOGIN (or ORG/TEAM) for a review.")
@click.option("--label", "labels", metavar="LABEL", multiple=True, help="Add LABEL to the pull requests.")
@click.option("--base", metavar="BRANCH", help="The branch the stack will land on; remembered for this branch.")
@click.option(
    "--fork",
    metavar="[REMOTE]",
    is_flag=False,
    flag_value="",
    help="Without write access: push to your fork, and propose every change against trunk; remembered for this branch.",
)
@click.option("--only", is_flag=True, help="Submit just the change at REV; those below must be on GitHub already.")
@click.option("--update-fields", is_flag=True, help="Replace titles and descriptions that were edited on GitHub.")
@click.option("--overwrite", is_flag=True, help="Put your version on top of commits that others pushed to a branch.")
@click.option("--style", type=click.Choice([style.value for style in Style]), help="How a changed change is pushed.")
@click.option("--others", is_flag=True, help="Push changes of other people that you checked out, too.")
@click.option("--reopen", is_flag=True, help="Open closed pull requests of the stack again.")
@click.option("--no-fetch", is_flag=True, help="Do not fetch, even if GitHub has commits that are not here.")
@options.dry_run_option
@options.json_option
@click.pass_context
def command(context: click.Context, /, revision: str | None, dry_run: bool, as_json: bool, **flags: Any) -> None:
    """Create or update one pull request for every commit of the stack.

    Every commit up to REV (default: HEAD) becomes one pull request that builds on the one below. Nothing is
    force-pushed: a changed commit adds a commit to its branch, so approvals and comments stay.
    """
    chosen = Flags(**flags)
    if chosen.draft and chosen.ready:
        raise UsageError("--draft and --ready exclude each other")
    app = App(context, {"style": chosen.style}, fork=chosen.fork)
    with app.lock("submit", needed=not dry_run):
        _submit(app, revision, chosen, dry_run=dry_run, as_json=as_json)


@dataclass(frozen=True, slots=True)
class Flags:
    """The command line, as click gives it."""

    message: str | None
    draft: bool
    ready: bool
    reviewers: tuple[str, ...]
    labels: tuple[str, ...]
    base: str | None
    fork: str | None
    only: bool
    update_fields: bool
    overwrite: bool
    style: str | None
    reopen: bool
    no_fetch: bool
    others: bool


def _submit(app: App, revision: str | None, flags: Flags, *, dry_run: bool, as_json: bool) -> None:
    upto = None if revision is None else app.repo.resolve(revision)
    user = app.user(remember=not dry_run)
    app.ui.step("reading the stack")
    # Only JSON tells what reviewers think; it comes with the same request.
    wanted = app.wanted(user, flags.base, fetch=not flags.no_fetch, writes=True, details=as_json)
    observed = observe(app.repo, app.forge, wanted)
    for warning in observed.warnings:
        app.ui.warn(warning)
    stack = observed.stack
    choices = _options(app, stack, upto, flags)
    refuse_submit(stack, choices)
    app.refuse_without_write_access(observed.facts)
    plan = plan_submit(stack, choices)
    refuse_others(stack, plan, choices)
    app.forge.resolve_people(*people(plan))
    everything = replace(choices, upto=None, only=False)
    whole = outdated(plan if choices == everything else plan_submit(stack, everything))
    if dry_run:
        show.plan(app.ui, plan, stack, report("submit", stack, whole, plan.notes), as_json=as_json)
        return
    outcome = execute(plan, stack, app.repo, app.forge, app.ui)
    app.remember_pulls(outcome.stack)
    left = whole - {stack.changes[index].id for index in choices.active(stack)}
    show.outcome(app.ui, outcome.done, report("submit", outcome.stack, left, plan.notes), outcome.oids, as_json=as_json)


def _options(app: App, stack: Stack, upto: str | None, flags: Flags) -> SubmitOptions:
    """Flags and configuration together."""
    if upto is not None and upto not in {change.commit.oid for change in stack.changes}:
        raise UsageError(
            f'commit {upto[:7]} is not in the stack between "{stack.trunk.name}" and HEAD',
            next_step="stackr status shows the stack; check out the branch that holds the commit",
        )
    choices = SubmitOptions(
        upto,
        flags.only,
        flags.message,
        True if flags.draft else False if flags.ready else None,
        flags.reviewers,
        flags.labels,
        app.config.draft,
        app.config.reviewers,
        app.config.labels,
        flags.update_fields,
        flags.overwrite,
        flags.reopen,
        app.config.style,
        remember_base=flags.base if flags.base != app.remembered_base else None,
        remember_fork=app.fork.remote if app.fork and app.fork.remote != app.remembered_fork else None,
        others=flags.others,
    )
    if all(stack.changes[index].pull for index in choices.active(stack)):
        return choices
    template = app.repo.read_file(stack.trunk.oid, _TEMPLATES) or b""
    return replace(choices, template=template.decode(errors="replace"))
