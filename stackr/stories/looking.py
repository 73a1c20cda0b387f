"""The story of a look: observe one stack, or every stack of mine, and report how it stands.

Used by ``stackr status``, and by what looks again and again (``stackr.stories.watching``). Why checks fail is
``stackr.stories.triage``'s; what the states mean is decided in ``stackr.core.status``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stackr.core.conflicts import still_under_way
from stackr.core.guards import refuse_commits, refuse_duplicate_ids, refuse_shape
from stackr.core.model import Stack
from stackr.core.options import SubmitOptions
from stackr.core.overview import Overview, group
from stackr.core.status import Report, drift, misplaced, report, with_drift, with_numbers
from stackr.core.submit import plan_submit
from stackr.errors import GitHubError, Refused
from stackr.records import dataclass

if TYPE_CHECKING:
    from stackr.app import App
    from stackr.core.triage import Triage
    from stackr.observe import Observed

NO_COMMIT = "the current branch has no commit yet: commit something, then stackr submit"


@dataclass(frozen=True, slots=True)
class Seen:
    """What one look showed, and what should not be overlooked."""

    shown: Report | Overview
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Examined:
    """What one look showed, and why checks failed."""

    shown: Report
    found: Triage
    warnings: tuple[str, ...] = ()


def look(app: App, base: str | None = None, *, offline: bool = False) -> Seen:
    """The stack that is checked out, in whatever state the repository is; two requests, none when ``offline``."""
    if app.repo.is_unborn:
        return Seen(Report("status", None, None, (), notes=(NO_COMMIT,)))
    observed = observe_stack(app, base, offline=offline)
    return Seen(report_of(app, observed, offline=offline), observed.warnings)


def look_at_checks(app: App, base: str | None, logs: int | None) -> Examined:
    """The stack with whose failure each failed check is; ``logs`` is how many logs may be read at most."""
    from stackr.stories import triage

    observed = observe_stack(app, base, offline=False, landing=True)
    facts = observed.facts.landing if observed.facts else None
    assert facts is not None, "the rules of trunk were asked for"
    rules = app.ci_rules(observed.stack.trunk.oid)
    most = triage.DEFAULT_LOGS if logs is None else logs
    found = triage.run(app.checks, app.ui, triage.subject_of(app, observed.stack), facts, rules, most)
    return Examined(report_of(app, observed), found, observed.warnings)


def look_at_all(app: App) -> Seen:
    """Every stack of mine in this repository; two requests."""
    from stackr.observe.places import read_places

    app.ui.step("reading your pull requests")
    own = app.forge.list_own_pulls()
    places = read_places(app.repo, app.remote, own.trunk, own.pulls)
    return Seen(Overview(group(own.pulls, own.trunk, places)), own.warnings)


def observe_stack(app: App, base: str | None, *, offline: bool, landing: bool = False) -> Observed:
    """The stack with reviews and checks, or what this clone knows of it; ``landing`` adds rules and open SEVs."""
    from stackr.observe import observe, observe_offline

    if offline:
        return observe_offline(app.repo, app.wanted(app.known_user(), base))
    app.ui.step("reading the stack")
    try:
        # Checks are counted in the same request, then.
        more = {"landing": True, "sev_label": app.sev_label} if landing else {"checks": True}
        wanted = app.wanted(app.user(remember=True), base, details=True, **more)
        observed = observe(app.repo, app.forge, wanted)
    except GitHubError as problem:
        known = "stackr status --offline shows what this clone knows"
        problem.next_step = "; ".join(filter(None, (problem.next_step, known)))
        raise
    app.remember_pulls(observed.stack)
    return observed


def report_of(app: App, observed: Observed, *, offline: bool = False) -> Report:
    """The stack as ``stackr status`` shows it; what a submit would refuse is a note here."""
    shown = _report_of(app, observed, offline)
    return with_numbers(shown, app.known_numbers()) if offline else shown


def _report_of(app: App, observed: Observed, offline: bool) -> Report:
    stack = observed.stack
    notes = (*_unfinished(app, observed.state.busy), *misplaced(stack))
    try:
        refuse_shape(stack)
        refuse_duplicate_ids(stack)
        plan = plan_submit(stack, SubmitOptions(style=app.config.style))
    except Refused as problem:
        shown = report("status", stack, (), (*notes, problem.message), offline=offline)
        return replace(shown, behind=_behind(app, stack), refused=bool(stack.changes))
    refusal = _refusal(stack)
    found = drift(plan, offline=offline)
    shown = report("status", stack, found, (*notes, *refusal, *plan.notes), offline=offline)
    return with_drift(replace(shown, behind=_behind(app, stack), refused=bool(refusal)), found)


def _refusal(stack: Stack) -> tuple[str, ...]:
    """Why the commits themselves could not be submitted."""
    try:
        refuse_commits(stack, range(len(stack.changes)))
    except Refused as problem:
        return (problem.message,)
    return ()


def _behind(app: App, stack: Stack) -> int:
    """How many commits trunk has that the stack does not stand on; no process where it stands on trunk's tip."""
    stands_on = stack.changes[0].commit.parents[:1] if stack.changes else (stack.head.oid,)
    return app.repo.count_commits(stack.trunk.oid, stands_on[0]) if stands_on not in ((), (stack.trunk.oid,)) else 0


def _unfinished(app: App, busy: str) -> tuple[str, ...]:
    if not busy:
        return ()
    ours = app.repo.resolving.read()
    if ours is not None and app.repo.resolving.is_under_way(ours):
        waiting = still_under_way(ours)
        return (f"{waiting.message}: {waiting.next_step}",)
    return (f"a {busy} is in progress; stackr submit waits until it is finished",)
