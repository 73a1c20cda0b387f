"""The story of a landing: look, judge, ask, then one change after the other, looking again in between; then sync.

A look is ``prospecting``'s, waiting ``awaiting``'s, what was done is in ``progress``, and the sync at the end in
``finishing``; the decisions are in ``stackr.core``. Nothing is remembered between runs: one that was stopped is
finished by the next, from where GitHub stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from stackr.core import approvals, land, preflight, waiving
from stackr.core.fates import Fate, name
from stackr.core.model import PullState, Stack
from stackr.core.naming import pull_number
from stackr.core.obstacles import Obstacle
from stackr.core.plan import Action, MergePull, Plan, PushRefs
from stackr.core.rules import LandingFacts, Method
from stackr.core.status import Report, report
from stackr.core.words import counted
from stackr.errors import Refused, UsageError
from stackr.execute import execute
from stackr.records import dataclass
from stackr.stories import awaiting, finishing
from stackr.stories.progress import Progress
from stackr.stories.prospecting import Aim, Look, judge, observe_stack
from stackr.ui import landing_view, show

if TYPE_CHECKING:
    from stackr.app import App

# GitHub merges these some time after it was asked to.
_LATER = (Method.QUEUE, Method.AUTO, Method.NATIVE)
# These land everything in one step.
_AT_ONCE = (Method.PUSH, Method.NATIVE)


@dataclass(frozen=True, slots=True)
class Way:
    """How to land, as the command line has it; ``wait`` is ``None`` where nobody said."""

    change: str | None = None
    method: Method | None = None
    ready: bool = False
    yes: bool = False
    wait: bool | None = None
    ignore_current: bool = False
    reason: str = ""
    dry_run: bool = False
    as_json: bool = False

    def waits_for_checks(self, method: Method) -> bool:
        """Whether a pending check is waited for rather than being in the way."""
        if self.wait is not None:
            return self.wait
        return self.ignore_current or method in (Method.QUEUE, Method.AUTO)


def run(app: App, way: Way) -> None:
    """Land, and show what was done; to be called with the repository's lock held, unless it is a dry run."""
    landing = _Landing(app, way)
    # What is fetched stays. The commits of a dry run tell what would land; nobody needs them afterwards.
    stack, facts = landing.read()
    with app.repo.rehearsal() if way.dry_run else nullcontext():
        landing.run(stack, facts)


class _Landing:
    """One landing.

    ``_fresh`` holds the id of a change that was pushed or retargeted ``_waited_s`` ago, ``_left`` tells whether a merge
    was left to GitHub.
    """

    def __init__(self, app: App, way: Way) -> None:
        self._app = app
        self._way = way
        self._user = app.user(remember=not way.dry_run)
        self._aim = Aim(method=way.method, reason=way.reason)
        self._pauses = awaiting.pauses()
        self._progress = Progress()
        self._fresh: set[str] = set()
        self._waited_s = 0.0
        self._left = False

    def read(self) -> tuple[Stack, LandingFacts]:
        """The stack and the rules of its trunk as they are now, with a fetch of what is not here."""
        stack, facts = observe_stack(self._app, self._user)
        return self._progress.with_arrived(stack), facts

    def run(self, stack: Stack, facts: LandingFacts) -> None:
        """The whole story, from what was read just now."""
        look, notes = self._begin(stack, facts)
        if self._way.dry_run:
            self._rehearse(look, notes)
            return
        if look.prospect.count:
            if blocking := self._blocking(look):
                raise preflight.blocked(look.question, blocking)
            self._refuse_loss(look)
            self._ask(look, notes)
        stop: Refused | None = None
        while look.prospect.count and stop is None and not self._left:
            look, stop = self._advance(look)
        self._finish(look, stop, notes)

    # Before anything is changed

    def _begin(self, stack: Stack, facts: LandingFacts) -> tuple[Look, tuple[str, ...]]:
        """Settle which changes are to land, by which way, and what is put up with; and say what is worth knowing."""
        if self._way.change is not None:
            self._aim = replace(self._aim, top=self._find(stack, self._way.change))
        look = judge(self._app, stack, facts, self._aim)
        # What was chosen is kept to: the rules may change while it goes on.
        self._aim = replace(self._aim, method=look.wanted.method)
        if self._way.ignore_current:
            self._aim = replace(self._aim, ignored=waiving.failing(look.question))
            look = judge(self._app, stack, facts, self._aim)
        return self._narrowed(look)

    def _find(self, stack: Stack, text: str) -> str:
        """The id of the change named; ``""`` for one that has landed and left the stack, for a run that goes on."""
        try:
            return self._app.find_change(stack, text).id
        except UsageError:
            number = pull_number(text)
            if number in stack.landed_numbers or self._app.remembers_merged(number):
                return ""
            raise

    def _narrowed(self, look: Look) -> tuple[Look, tuple[str, ...]]:
        """Leave out what cannot land in this run, and say so."""
        question, group = look.question, look.prospect.group
        if self._way.ready:
            look = look.narrowed(preflight.ready(look.prospect, self._lasting(look)) or len(group))
        look = look.narrowed(min(look.prospect.count, approvals.landable(question)))
        if 0 < look.prospect.count < len(group):
            self._aim = replace(self._aim, top=look.prospect.group[-1].id)
        notes = [*waiving.list_waived(look.question), *preflight.list_warnings(look.question)]
        return look, (*notes, *approvals.list_losses(question, look.prospect.count))

    def _blocking(self, look: Look) -> tuple[Obstacle, ...]:
        """What keeps the landing from beginning: every obstacle, unless all of them are only to be waited for."""
        return look.obstacles if self._lasting(look) else ()

    def _lasting(self, look: Look) -> tuple[Obstacle, ...]:
        """The obstacles that time will not remove, or that nobody wants to wait for."""
        waits = self._way.waits_for_checks(look.wanted.method)
        # One is left to GitHub at a time: where nobody waits for that, the others' time has not come yet.
        now = look.prospect.group[:1] if look.wanted.method in (Method.QUEUE, Method.AUTO) else look.prospect.group
        ids = {change.id for change in now}
        return tuple(o for o in look.obstacles if not (o.passes and (waits or o.change_id not in ids)))

    def _refuse_loss(self, look: Look) -> None:
        """Say no now where the sync at the end would have to, since it would overwrite the user's work."""
        if (files := land.files_after(look.stack, look.prospect)) is not None:
            self._app.repo.check_switch(*files)

    def _ask(self, look: Look, notes: Sequence[str]) -> None:
        """Let a person say yes; where nobody sits, ``--yes`` has to."""
        if self._way.yes:
            return
        if not self._app.invocation.interactive:
            raise Refused(
                "landing asks before it merges, and there is no terminal to ask on",
                next_step="stackr land --yes (stackr land --dry-run shows what it does)",
            )
        for sentence in (*notes, *landing_view.intent(look.prospect, look.wanted)):
            self._app.ui.note(sentence)
        question = f"Land {counted(look.prospect.count, 'change')} on {look.stack.trunk.name}?"
        if not click.confirm(question, err=True):
            raise Refused("nothing is landed, since you said no", next_step="stackr land asks again")

    def _rehearse(self, look: Look, notes: tuple[str, ...]) -> None:
        """Show what is in the way, and the very plan that would run, up to the last merge.

        What the sync at the end moves depends on the commits that GitHub makes.
        """
        blocking = self._blocking(look)
        part = look.narrowed(preflight.ready(look.prospect, blocking))
        plan = Plan("land", tuple(action for step in part.steps for action in step.actions), notes)
        if not blocking:
            if look.prospect.count:
                self._refuse_loss(look)
                notes = (*notes, "afterwards what is left is synced, and the branches of what landed are removed")
            shown = report("land", look.stack, finishing.outdated_in(self._app, look.prospect.stack), notes)
            show.plan(self._app.ui, plan, look.stack, shown, as_json=self._way.as_json)
            return
        error = preflight.blocked(look.question, blocking)
        if not self._way.as_json:
            self._app.ui.lines(landing_view.rehearsal(look.question, blocking, plan))
        self._progress.name_actions(error, plan.actions)
        raise error

    # Landing

    def _advance(self, look: Look) -> tuple[Look, Refused | None]:
        """Bring what comes first into position, or land it; then look again. A ``Refused`` says why it ends here."""
        blocking = self._blocking_next(look)
        passes = self._way.waits_for_checks(look.wanted.method) and all(obstacle.passes for obstacle in blocking)
        if blocking and not passes:
            return look, preflight.blocked(look.question, blocking)
        step = look.steps[0]
        with self._progress.told():
            self._do(look, step.prepare)
            if blocking or any(isinstance(action, PushRefs) for action in step.prepare):
                # Reviews and checks of the head, as it is now, are to be judged before it is merged.
                return self._look_again(look, step, is_waiting=bool(blocking)), None
            self._do(look, step.merge)
            if not self._await(look, step):
                self._left = True
                return look, None
            return self._settle(step), None

    def _look_again(self, look: Look, step: land.Step, *, is_waiting: bool) -> Look:
        """Look after a preparation, or after a pause when there was nothing to prepare."""
        if step.prepare:
            self._fresh, self._waited_s = {change.id for change in step.changes}, 0.0
        elif is_waiting:
            pause = next(self._pauses)
            self._waited_s += pause
            self._app.ui.wait(pause, f"{name(step.changes[0])} waits for its checks")
        ids = {change.id for change in step.changes}
        # Until then it shows the checks and reviews of the head before.
        return self._look_until(lambda seen: not _is_behind(seen, ids), "github does not show the push yet")

    def _look_until(self, shows: Callable[[Look], bool], reason: str) -> Look:
        """Look until GitHub shows something, or has had enough time for it."""
        look = self._look()
        for pause in awaiting.SETTLING_S:
            if shows(look):
                break
            self._app.ui.wait(pause, reason)
            look = self._look()
        return look

    def _blocking_next(self, look: Look) -> tuple[Obstacle, ...]:
        """What is in the way of the next step; checks of what has just been pushed or retargeted are about to begin."""
        if look.wanted.method in _AT_ONCE:
            return look.obstacles
        first = look.prospect.group[0]
        is_fresh = first.id in self._fresh and self._waited_s < awaiting.BEGINNING_S
        return tuple(
            replace(o, passes=o.passes or (is_fresh and o.rule == "check-missing"))
            for o in look.obstacles
            if o.change_id == first.id
        )

    def _look(self) -> Look:
        return judge(self._app, *self.read(), self._aim)

    def _do(self, look: Look, actions: Sequence[Action]) -> None:
        if actions:
            plan, app = Plan("land", tuple(actions)), self._app
            self._progress.add(execute(plan, look.prospect.stack, app.repo, app.forge, app.ui))

    def _await(self, look: Look, step: land.Step) -> bool:
        """Whether GitHub has merged what it was given; waits for that unless it is to be left to GitHub."""
        if look.wanted.method not in _LATER:
            return True
        for merge in (action for action in step.merge if isinstance(action, MergePull)):
            if self._way.wait is False and not awaiting.is_merged(self._app, merge.number):
                self._app.ui.note(f"#{merge.number} is left to GitHub; when it is merged, stackr land goes on")
                return False
            awaiting.until_merged(self._app, merge.number, look.wanted.method)
        return True

    def _settle(self, step: land.Step) -> Look:
        """Look until GitHub shows what it has merged."""
        self._pauses = awaiting.pauses()
        ids = {change.id for change in step.changes}
        look = self._look_until(lambda seen: not _is_open(seen, ids), "github does not show the merge yet")
        missing = [change for change in look.prospect.stack.changes if change.id in ids]
        if missing:
            raise Refused(
                f"github did not merge {', '.join(name(change) for change in missing)}",
                next_step="see why on its page, then stackr land again",
            )
        self._progress.landed += step.changes
        return look

    # Afterwards

    def _finish(self, look: Look, stop: Refused | None, notes: tuple[str, ...]) -> None:
        """Sync what is left, show all that was done, and say why it ended early, if it did."""
        progress, fates = self._progress, look.question.found.values()
        has_landed = bool(progress.landed) or Fate.LANDED in fates
        # What others pushed is for the user to take in, who is just being told of it.
        if stop is not None and (not has_landed or Fate.TAKEN_IN in fates):
            progress.tell(stop)
            raise stop
        if self._left and not has_landed:
            self._show(Plan("land", tuple(progress.done), notes), report("land", look.stack, set(), notes))
            return
        with progress.told():
            plan, shown = finishing.sync(self._app, look, progress, notes)
        if stop is None or not self._way.as_json:
            self._show(plan, shown)
        if stop is not None:
            landed = f"{progress.names} landed" if progress.landed else "nothing more has landed"
            stop.safe = f"{landed}, and what is left of your stack is synced"
            progress.name_actions(stop, plan.actions)
            raise stop

    def _show(self, plan: Plan, shown: Report) -> None:
        show.outcome(self._app.ui, plan, shown, self._progress.oids, as_json=self._way.as_json)


def _is_open(look: Look, ids: set[str]) -> bool:
    """Whether GitHub still shows one of these changes as open."""
    pulls = [change.pull for change in look.stack.changes if change.id in ids]
    return any(pull is not None and pull.state is PullState.OPEN for pull in pulls)


def _is_behind(look: Look, ids: set[str]) -> bool:
    """Whether the pull request of one of these changes does not know yet where its branch is."""
    heads = [(change.pull, change.remote_head) for change in look.stack.changes if change.id in ids]
    return any(pull is not None and pull.state is PullState.OPEN and pull.head_oid != head for pull, head in heads)
