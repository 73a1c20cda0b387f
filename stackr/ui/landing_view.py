"""A landing as people see it before it begins: what would land and by which way, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.core.fates import name
from stackr.core.land import Prospect, Wanted
from stackr.core.obstacles import Obstacle, Question, sentence
from stackr.core.plan import Plan
from stackr.ui import plan_view
from stackr.ui.line import Line, Span, line


def intent(prospect: Prospect, wanted: Wanted) -> Iterator[str]:
    """One sentence a change, bottom first."""
    for change in prospect.group:
        yield f"{name(change)} lands on {prospect.stack.trunk.name} by {wanted.method.value}"


def rehearsal(question: Question, obstacles: Sequence[Obstacle], plan: Plan) -> list[Line]:
    """What is in the way, bottom first, and what of the plan could be carried out all the same."""
    changes = {change.id: change for change in question.prospect.group}
    shown = [line(Span("blocked  ", "bold"), f"{name(changes[o.change_id])}: {sentence(o)}") for o in obstacles]
    return [*shown, *(plan_view.lines(plan, question.prospect.stack) if plan.actions else ())]
