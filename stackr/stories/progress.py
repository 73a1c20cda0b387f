"""What a landing has done so far, and how an error that ends it half-way tells of that.

Kept by ``landing``. A look sees trunk and the stack only as they are by then; this remembers what was before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace

from stackr.core.broken import safe_line
from stackr.core.fates import name
from stackr.core.model import Change, Commit, Stack
from stackr.core.plan import Action
from stackr.core.steps import actions_json
from stackr.errors import NOTHING_CHANGED, Interrupted, StackrError
from stackr.execute import Outcome
from stackr.records import dataclass

_AGAIN = "stackr land again goes on from there"
_PREPARED = f"nothing has landed; what was prepared stays, and {_AGAIN}"


@dataclass(slots=True)
class Progress:
    """The actions carried out and the object ids that their labels became, the changes that landed, bottom first.

    ``arrived`` are the commits of the stack that trunk contains as they are.
    """

    done: list[Action] = field(default_factory=list)
    oids: dict[str, str] = field(default_factory=dict)
    landed: list[Change] = field(default_factory=list)
    arrived: list[Commit] = field(default_factory=list)

    @property
    def names(self) -> str:
        """What landed, in words."""
        return ", ".join(name(change) for change in self.landed)

    def add(self, outcome: Outcome) -> None:
        """Remember what a plan did."""
        self.oids |= outcome.oids
        self.done += outcome.done.actions

    def with_arrived(self, stack: Stack) -> Stack:
        """The stack with everything that arrived on trunk, for each fetch shows only what is new since the last."""
        self.arrived += [commit for commit in stack.arrived if commit not in self.arrived]
        return replace(stack, arrived=tuple(self.arrived))

    @contextmanager
    def told(self) -> Iterator[None]:
        """Let an error inside the block say what was done before it; Ctrl-C is one too."""
        try:
            try:
                yield
            except KeyboardInterrupt:
                # What was going on may have been done all the same.
                raise Interrupted("interrupted", safe="every step is safe to stop after", next_step=_AGAIN) from None
        except StackrError as error:
            self.tell(error)
            raise

    def tell(self, error: StackrError) -> None:
        """Give an error the true ``safe`` line, and programs what was done."""
        error.safe = self._safe(error.safe)
        self.name_actions(error, self.done)

    def name_actions(self, error: StackrError, actions: Sequence[Action]) -> None:
        """Let the error tell programs what was done, or would be; it knows itself what its own plan did."""
        steps = [*actions_json(actions, self.oids), *error.details.get("actions", ())]
        error.details = {**error.details, "actions": steps}

    def _safe(self, safe: str) -> str:
        """The line for an error whose own is ``safe``: it does not know what was done before it."""
        if self.landed:
            return f"{self.names} landed before; {_AGAIN if safe.startswith('nothing ') else safe}"
        told = safe_line(self.done, safe)
        return _PREPARED if self.done and told == NOTHING_CHANGED else told
