"""One look at a stack that is to land: read everything, rebase and merge in memory, judge. Nothing moves.

Used by ``stackr.stories.landing`` before it begins and after every step. Decisions are in ``stackr.core``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from stackr.core import preflight, sync
from stackr.core.fates import Fate, fates
from stackr.core.guards import refuse_duplicate_ids, refuse_shape
from stackr.core.land import Clean, Prospect, Step, Wanted, is_registered, landing_picks, plan_steps
from stackr.core.methods import choose_method, merge_kind
from stackr.core.model import Change, Checks, Commit, Stack
from stackr.core.obstacles import Obstacle, Question
from stackr.core.replaying import Pick, Picked, ReplayConflict
from stackr.core.rules import LandingFacts, Method
from stackr.observe import observe
from stackr.observe.bases import read_merge_bases
from stackr.observe.relations import edges
from stackr.records import dataclass
from stackr.stories import triage

if TYPE_CHECKING:
    from stackr.app import App
    from stackr.core.triage import Verdict


@dataclass(frozen=True, slots=True)
class Aim:
    """What does not change while a landing goes on.

    ``top`` is the id of the topmost change to land (``None``: the whole stack); ``method`` the way asked for;
    ``ignored`` and ``reason`` are ``--ignore-current`` and ``--force``.
    """

    top: str | None = None
    method: Method | None = None
    ignored: frozenset[tuple[str, str]] = frozenset()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """What one look found. ``stack`` is as observed, with what landed and is still here; ``obstacles`` bottom first."""

    stack: Stack
    question: Question
    obstacles: tuple[Obstacle, ...]

    @property
    def wanted(self) -> Wanted:
        """How to land."""
        return self.question.wanted

    @property
    def prospect(self) -> Prospect:
        """What is left to land, and what comes of it."""
        return self.question.prospect

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that land the group; only to be asked when nothing is in the way of what they hold."""
        return plan_steps(self.prospect, self.wanted)

    def narrowed(self, count: int) -> Look:
        """The same for the ``count`` lowest changes."""
        question = replace(self.question, prospect=replace(self.prospect, count=count))
        ids = {change.id for change in question.prospect.group}
        return replace(self, question=question, obstacles=tuple(o for o in self.obstacles if o.change_id in ids))


def observe_stack(app: App, user: str) -> tuple[Stack, LandingFacts]:
    """The stack, what landed of it, and the rules of trunk; one request, and a fetch if trunk has moved."""
    app.ui.step("reading the stack and the rules of its trunk")
    wanted = app.wanted(user, writes=True, sync=True, details=True, landing=True, sev_label=app.sev_label)
    observed = observe(app.repo, app.forge, wanted)
    if observed.stack.changes:
        refuse_shape(observed.stack)
    refuse_duplicate_ids(observed.stack)
    app.refuse_without_write_access(observed.facts)
    for warning in observed.warnings:
        app.ui.warn(warning)
    app.remember_pulls(observed.stack)
    facts = observed.facts.landing if observed.facts else None
    assert facts is not None, "a landing asks for the rules"
    return observed.stack, facts


def judge(app: App, stack: Stack, facts: LandingFacts, aim: Aim) -> Look:
    """Everything that can be said of landing ``stack`` now."""
    found = fates(stack)
    left = tuple(change for change in stack.changes if found[change.id] is not Fate.LANDED)
    remaining = replace(stack, changes=left)
    count = _count(left, aim.top)
    wanted = Wanted(_method(app, aim, stack, left[:count], facts), merge_kind(facts), aim.reason, facts.deletes_heads)
    picks = sync.plan_picks(stack, found, {})
    prospect = _prospect(app, remaining, picks, count, wanted, facts)
    question = Question(prospect, found, facts, wanted, _verdicts(app, prospect, facts), aim.ignored)
    obstacles = preflight.list_obstacles(question)
    return Look(stack, question, tuple(o for o in obstacles if not (aim.reason and o.forcible)))


def _method(app: App, aim: Aim, stack: Stack, group: Sequence[Change], facts: LandingFacts) -> Method:
    """The way to land; where nothing is left to land, none has to be open."""
    if not group:
        return aim.method or Method.SQUASH
    is_native, signs = is_registered(stack, group), app.repo.config.get_bool("commit.gpgsign")
    return choose_method(aim.method, facts, stack.trunk.name, is_native=is_native, signs=signs)


def _count(left: Sequence[Change], top: str | None) -> int:
    """How many of the changes that are left are to land; none if the topmost has landed already."""
    if top is None:
        return len(left)
    return next((index + 1 for index, change in enumerate(left) if change.id == top), 0)


def _prospect(
    app: App, left: Stack, picks: Sequence[Pick], count: int, wanted: Wanted, facts: LandingFacts
) -> Prospect:
    if wanted.lands_clean:
        picks = landing_picks(picks, left, count)
    picked, conflict = _replay(app, picks, left.trunk.oid)
    form = _landed_form(app, left, picks[0]) if wanted.lands_clean and picked else None
    if form is not None and (form.tree, form.parents[0]) == (picked[0].tree, left.trunk.oid):
        above, conflict = _replay(app, picks[1:], form.oid)
        picked = (replace(picked[0], oid=form.oid), *above)
    clean = _chain(left, picked)
    # These merge no heads one by one, so only what stays behind has to be tried.
    first = count if wanted.method in (Method.PUSH, Method.NATIVE) else 0
    merged = _try_merges(app, left, clean, first, wanted.kind)
    # A queue brings everything up to date itself.
    strict, single = facts.rules.strict and not facts.rules.queue, left.changes[0].id if form is not None else ""
    return Prospect(left, count, clean, merged, conflict, strict, single)


def _replay(app: App, picks: Sequence[Pick], onto: str) -> tuple[tuple[Picked, ...], ReplayConflict | None]:
    """As many of the picks as apply, and the conflict of the first that does not."""
    replayed = app.repo.replay(picks, onto)
    conflict = replayed.conflict
    if conflict is None:
        return replayed.picks, None
    number = next(i for i, pick in enumerate(picks) if pick.label == conflict.label)
    return app.repo.replay(picks[:number], onto).picks, conflict


def _landed_form(app: App, left: Stack, pick: Pick) -> Commit | None:
    """The head of the bottom change if it is one commit on trunk, worded as it is to land: an earlier run pushed it."""
    bottom = left.changes[0]
    head = app.repo.read_commits([bottom.remote_head] if bottom.remote_head else []).get(bottom.remote_head or "")
    if head is None or (head.message, head.author) != (pick.message, pick.author) or len(head.parents) != 1:
        return None
    return head if edges(left.graph, head.oid) == set(head.parents) else None


def _chain(left: Stack, picked: Sequence[Picked]) -> dict[str, Clean]:
    """The commits that trunk is to get, by change id."""
    below = left.trunk.oid
    clean: dict[str, Clean] = {}
    for change, outcome in zip(left.changes, picked, strict=False):
        clean[change.id] = Clean(outcome.oid, outcome.tree, below)
        below = outcome.oid
    return clean


def _try_merges(app: App, left: Stack, clean: Mapping[str, Clean], first: int, kind: Method) -> dict[str, str | None]:
    """The trees that GitHub's merges would give, by change id, from the change at ``first`` on."""
    bases = read_merge_bases(app.repo, left)
    merges: dict[str, tuple[str, str, str]] = {}
    below = left.trees[left.trunk.oid]
    for index, change in enumerate(left.changes):
        base, theirs = bases.get(change.id), left.trees.get(change.remote_head or "")
        if index and kind is Method.MERGE:
            # By then trunk contains the head below.
            base = left.trees.get(left.changes[index - 1].remote_head or "")
        if change.id not in clean:
            break
        if index >= first and base is not None and theirs is not None:
            merges[change.id] = (base, below, theirs)
        below = clean[change.id].tree
    outcomes = app.repo.try_merges(tuple(merges.values()))
    return {change: outcome.tree for change, outcome in zip(merges, outcomes, strict=True)}


def _verdicts(app: App, prospect: Prospect, facts: LandingFacts) -> Mapping[int, tuple[Verdict, ...]]:
    """What is to be thought of every check of the group that did not pass, by pull request.

    Where nothing is red or running and no rule asks for a check by name, there is nothing to ask.
    """
    states = {change.pull.checks for change in prospect.group if change.pull}
    if not (facts.rules.checks or states & {Checks.FAILING, Checks.PENDING}):
        return {}
    subject = triage.subject_of(app, replace(prospect.stack, changes=prospect.group))
    rules = app.ci_rules(prospect.stack.trunk.oid)
    return triage.run(app.checks, app.ui, subject, facts, rules).verdicts
