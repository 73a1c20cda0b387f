"""Carries out what a plan says of GitHub's own stacks. Called by ``stackr.execute``; decides nothing about them.

A pull request is as good without a registered stack, so a failure here is told in one sentence and stops nothing. The
one exception: what cannot leave its stack cannot get another base either, and that is better known before the push.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from stackr.core.plan import Action, LinkStack, Plan, UnlinkStack
from stackr.core.ports import Forge, Ui
from stackr.errors import Refused, StackrError


class Linking:
    """One run's dealings with GitHub's own stacks; ``left`` is what was planned and not done."""

    def __init__(self, forge: Forge, ui: Ui) -> None:
        self._forge = forge
        self._ui = ui
        self.left: list[Action] = []

    def unlink(self, actions: Sequence[UnlinkStack]) -> None:
        """Dissolve; raises when a pull request that has to get another base stays in its stack."""
        for action in actions:
            self._ui.step(f"dissolving GitHub's own stack {action.number}")
            try:
                kept = self._forge.dissolve_stack(action.number)
            except StackrError as error:
                if action.needed:
                    raise
                self._leave(action, error)
            else:
                self._tell_kept(action, kept)

    def _tell_kept(self, action: UnlinkStack, kept: Sequence[int]) -> None:
        if not kept:
            return
        names = ", ".join(f"#{number}" for number in kept)
        told = f"GitHub keeps {names} in its own stack {action.number}, as it does what is queued for a merge"
        if not set(kept) & set(action.needed):
            self._ui.note(told)
            return
        raise Refused(
            f"{told}; so there can be no other base",
            next_step="wait for the merge or take it out of the queue, then run the same command again",
        )

    def link(self, actions: Sequence[LinkStack], numbers: Mapping[str, int]) -> None:
        """Register; ``numbers`` are those of the pull requests by change id."""
        for action in actions:
            if any(isinstance(each, UnlinkStack) for each in self.left):
                self.left.append(action)
                continue
            self._ui.step("registering the stack")
            try:
                is_enabled = self._forge.link_stack([numbers[each] for each in action.change_ids], action.onto)
            except StackrError as error:
                self._leave(action, error)
            else:
                self.left += [] if is_enabled else [action]

    def done(self, plan: Plan) -> Plan:
        """The plan without what was not done."""
        return replace(plan, actions=tuple(action for action in plan.actions if action not in self.left))

    def _leave(self, action: Action, error: StackrError) -> None:
        self.left.append(action)
        self._ui.warn(f"GitHub's own stack is not as it should be: {error.message}; the next submit tries again")
