"""Other people's changes that this clone checked out: they are pushed only if that is asked for.

A change is somebody else's from its checkout until we have pushed to it (docs/internals/protocol.md 11).
"""

from __future__ import annotations

from stackr.core.model import Change, Stack
from stackr.core.options import SubmitOptions
from stackr.core.ownership import TAKEN
from stackr.core.plan import Plan, PushRefs
from stackr.errors import Refused


def is_somebody_elses(change: Change, stack: Stack) -> bool:
    """Whether this clone has checked the change out from somebody else and not pushed to it since."""
    return TAKEN + change.id in stack.own_refs


def pushed_of_others(stack: Stack, plan: Plan) -> tuple[Change, ...]:
    """The changes of other people that a plan pushes, bottom first."""
    pushed = {push.change_id for action in plan.actions if isinstance(action, PushRefs) for push in action.pushes}
    return tuple(change for change in stack.changes if change.id in pushed and is_somebody_elses(change, stack))


def refuse_others(stack: Stack, plan: Plan, options: SubmitOptions) -> None:
    """A plan that would push changes of other people, unless that was asked for."""
    found = () if options.others else pushed_of_others(stack, plan)
    if not found:
        return
    names = ", ".join(name(change) for change in found)
    raise Refused(
        f"this would push what is not yours: {names}",
        next_step="stackr submit --others pushes it all the same; or ask them for it, and put your commits on top",
    )


def name(change: Change) -> str:
    """``#3 "Add cache" of alice``."""
    pull = change.pull
    return f'#{pull.number} "{change.title}" of {pull.author}' if pull else f'"{change.title}"'
