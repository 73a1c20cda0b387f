"""The story of the report on CI: the stack below a pull request, what failed on it, and the page.

Which pull request it is, and where the page goes, is ``reporting``'s; what failed and why, ``triage``'s.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from stackr import config
from stackr.core import ci_report
from stackr.core.body import Block, parse
from stackr.core.inquiry import stack_below
from stackr.core.model import PullRequest, PullState
from stackr.core.ports import Forge, ForgeFacts, ReadRequest
from stackr.core.sticky import fit
from stackr.core.triage import CiRules, Triage
from stackr.errors import Refused, UsageError
from stackr.stories import triage
from stackr.stories.reporting import Page, Place
from stackr.ui import triage_view

if TYPE_CHECKING:
    from stackr.app import App

# A stack list is text that anybody may edit.
_LONGEST_LIST = 100
_TALLEST = 100


def page_of(app: App, place: Place, logs: int | None) -> Page:
    """The report on the pull request at ``place``; at most ``logs`` logs are read (``None``: the usual number)."""
    from stackr.github.checks import CheckReader

    settings = _settings(app)
    app.ui.step(f"reading #{place.target.number} and what it builds on")
    label = _sev_label(app, settings, _trunk_here(app, settings.trunk or "HEAD"))
    line, facts = _line(place.forge, place.target.number, settings.trunk, label)
    trunk = _trunk_here(app, facts.trunk, facts.trunk_oid)
    named = _sev_label(app, settings, trunk)
    if named != label:
        facts = place.forge.read(ReadRequest(trunk=facts.trunk, landing=True, sev_label=named))
    assert facts.landing is not None, "the rules of trunk were asked for"
    rules, subject = _rules(app, settings, trunk), triage.Subject(line, facts.trunk)
    most = triage.DEFAULT_LOGS if logs is None else logs
    found = triage.run(CheckReader(place.forge.http), app.ui, subject, facts.landing, rules, most)
    return _page(found)


def _settings(app: App) -> config.Config:
    """All settings; without a repository, as in a job that made no clone, those that stand elsewhere."""
    try:
        return app.config
    except Refused:
        return config.load_anywhere(os.environ)


def _rules(app: App, settings: config.Config, trunk: str | None) -> CiRules:
    """Those on trunk, as far as it is here; without a clone, one's own."""
    try:
        return app.ci_rules(trunk)
    except Refused:
        return CiRules.from_table(settings.ci)


def _sev_label(app: App, settings: config.Config, trunk: str | None) -> str:
    """That on trunk, in the same way."""
    try:
        return app.sev_label(trunk)
    except Refused:
        return settings.sev_label


def _trunk_here(app: App, name: str, tip: str | None = None) -> str | None:
    """Trunk's tip, else where this clone saw it last; ``None`` where neither is here."""
    with suppress(Refused):
        for revision in filter(None, (tip, f"refs/remotes/{app.remote}/{name}")):
            with suppress(UsageError):
                return app.repo.resolve(revision)
    return None


def _line(forge: Forge, number: int, trunk: str | None, label: str) -> tuple[tuple[PullRequest, ...], ForgeFacts]:
    """The open pull requests that one builds on, and itself, bottom first; and the facts of the trunk at the bottom.

    Those that the stack list names are read at once; a request for each that it lacks.
    """
    facts = forge.read(ReadRequest(numbers=(number,), trunk=trunk, landing=True, sev_label=label))
    pull = facts.by_number.get(number)
    if pull is None:
        raise Refused(f"there is no pull request #{number}", next_step="name another one with --pr N")
    line = _listed(forge, pull) if pull.base_ref != facts.trunk else (pull,)
    while (base := line[0].base_ref) != facts.trunk and len(line) < _TALLEST:
        more = forge.read(ReadRequest(heads=(base,), trunk=base, landing=True, sev_label=label))
        below = next((each for each in more.pulls[base] if each.state is PullState.OPEN), None)
        if below is None:
            return line, more
        line = (below, *line)
    return line, facts


def _listed(forge: Forge, pull: PullRequest) -> tuple[PullRequest, ...]:
    rows = (parse(pull.body).block or Block()).rows
    numbers = tuple(row.number for row in rows if row.number not in (None, pull.number) and not row.landed)
    if not numbers:
        return (pull,)
    others = forge.read(ReadRequest(numbers=numbers[:_LONGEST_LIST], checks=True)).by_number
    return stack_below(pull, others.values())


def _page(found: Triage) -> Page:
    """The page on the topmost pull request that was looked at."""
    pull = found.pulls[-1]
    subject = ci_report.Subject(pull, found.verdicts.get(pull.number, ()), found.sevs, found.notes)
    write, jobs = partial(ci_report.write, subject), ci_report.count_jobs(subject)
    content = {
        "pull": pull.number,
        "head": pull.head,
        **triage_view.pull_json(found, -1),
        "sevs": triage_view.sevs_json(found.sevs),
        "notes": list(found.notes),
    }
    return Page("ci", write(jobs), fit("ci", jobs, write), content)
