"""``update_pulls``: edits in as few requests as GitHub's time limit allows, several at once.

Every step may run twice with the same result, so a lost answer is simply asked again, after a look at what was done
where GitHub refuses a second time. Not here: creating (``creating``), names to ids (``people``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from stackr.core.ports import PullEdit
from stackr.errors import StackrError
from stackr.github import queries
from stackr.github.failures import Limited, Lost, Problem
from stackr.github.graphql import Answer, GraphQL, Query
from stackr.github.limits import limited
from stackr.github.pace import Pace
from stackr.github.people import People
from stackr.github.reading import Reader
from stackr.github.together import AT_ONCE, run_all
from stackr.records import dataclass

# A request that GitHub cuts has taken 10 s itself, so three tries need more than the 10 s that reads have.
_BUDGET_S = 45.0
# A member of one of GitHub's own stacks refuses every base; somebody else may have registered it.
_IS_STACKED = "part of a stack"
_SAFE = "the other pull requests were updated; nothing is lost"


@dataclass(frozen=True, slots=True)
class Step:
    """One mutation; ``kind`` is a key of ``queries.MUTATIONS``."""

    number: int
    node_id: str
    kind: str
    input: Mapping[str, Any]


def steps_of(edit: PullEdit, people: People) -> list[Step]:
    """The mutations of an edit in the order in which GitHub accepts them, with only the fields that are set.

    Reopening comes first: GitHub refuses a new base for a closed pull request.
    """
    steps: list[tuple[str, dict[str, Any]]] = []
    if edit.reopen:
        steps.append(("reopen", {}))
    fields = {"title": edit.title, "body": edit.body, "baseRefName": edit.base}
    changed = {name: value for name, value in fields.items() if value is not None}
    if changed:
        steps.append(("update", changed))
    if edit.draft is not None:
        steps.append(("draft" if edit.draft else "ready", {}))
    if edit.close:
        steps.append(("close", {}))
    if edit.reviewers:
        asked = {"userIds": people.user_ids(edit.reviewers), "teamIds": people.team_ids(edit.reviewers)}
        # union: the reviewers that were asked before stay.
        steps.append(("reviewers", {**asked, "union": True}))
    if edit.labels:
        steps.append(("labels", {"labelIds": people.label_ids(edit.labels)}))
    return [_step(edit, kind, given) for kind, given in steps]


def _step(edit: PullEdit, kind: str, given: Mapping[str, Any]) -> Step:
    target = "labelableId" if kind == "labels" else "pullRequestId"
    return Step(edit.number, edit.node_id, kind, {target: edit.node_id, **given})


class Update:
    """One run of ``update_pulls``: the steps still to do, and what was refused."""

    def __init__(self, graph: GraphQL, reader: Reader, pace: Pace, steps: Iterable[Step]) -> None:
        self._graph = graph
        self._reader = reader
        self._pace = pace
        self._patience = graph.http.patience(_BUDGET_S)
        self._todo = list(steps)
        self._smallest: int | None = None
        self._refused: list[tuple[Step, StackrError]] = []

    def run(self) -> None:
        """Carry all steps out; raises the first refusal after everything else is done."""
        while self._todo:
            failures = self._round()
            if not self._todo:
                break
            if not self._patience.pause(failures):
                raise self._given_up(failures[0])
            self._strike_off_done()
        if self._refused:
            raise self._refusal()

    def _round(self) -> list[Lost | Limited]:
        """Send every step once; what has to be sent again stays on the list. Returns why."""
        size = self._pace.edits(len(self._todo), AT_ONCE)
        chunks = _chunks(self._todo, min(size, self._smallest or size))
        outcomes = run_all([partial(self._graph.once, _query(chunk)) for chunk in chunks])
        again: list[Step] = []
        failures: list[Lost | Limited] = []
        for chunk, outcome in zip(chunks, outcomes, strict=True):
            if isinstance(outcome, (Lost, Limited)):
                again += chunk
                failures.append(outcome)
                if isinstance(outcome, Lost):
                    # Smaller next time, in case GitHub cut it because it took too long.
                    self._smallest = max(1, len(chunk) // 3)
            elif isinstance(outcome, StackrError):
                self._refused += [(step, outcome) for step in chunk]
            else:
                self._sort(chunk, outcome, again, failures)
        if len(again) < len(self._todo):
            self._patience.progress()
        self._todo = again
        return failures

    def _sort(self, chunk: Sequence[Step], answer: Answer, again: list[Step], failures: list[Lost | Limited]) -> None:
        failed = {problem.path[0] for problem in answer.problems if problem.path}
        # What was refused took no time.
        self._pace.measure(answer.seconds, len(chunk) - len(failed))
        for i, step in enumerate(chunk):
            problem = next(iter(answer.problems_at(f"s{i}")), None)
            if problem is None:
                continue
            if problem.is_limit:
                again.append(step)
                failures.append(limited(answer.headers, problem.message, self._graph.http.now()))
            elif problem.is_transient:
                again.append(step)
                failures.append(Lost(f"github could not update #{step.number} ({problem.message})"))
            else:
                self._refused.append((step, self._error(step, problem, answer)))

    def _strike_off_done(self) -> None:
        """Before a repeat: GitHub refuses to reopen what is open, or to make a draft of a draft."""
        delicate = {step.node_id for step in self._todo if step.kind in _DONE}
        if delicate:
            states = self._reader.states(sorted(delicate))
            self._todo = [step for step in self._todo if not _is_done(step, states)]

    def _error(self, step: Step, problem: Problem, answer: Answer) -> StackrError:
        error = self._graph.error([problem], answer.headers, f"github refused to {_VERBS[step.kind]} #{step.number}")
        if _IS_STACKED in problem.message:
            error.next_step = 'set native = "auto" (git config stackr.native auto), then run it again'
        elif step.kind == "reopen":
            # GitHub says no more than "Could not open the pull request."
            error.next_step = "its page tells more; stackr id --new makes it a new change"
        return error

    def _refusal(self) -> StackrError:
        error = self._refused[0][1]
        numbers = dict.fromkeys(step.number for step, _ in self._refused)
        error.safe = f"not updated: {_shown(numbers)}; {_SAFE}"
        return error

    def _given_up(self, failure: Lost | Limited) -> StackrError:
        numbers = dict.fromkeys(step.number for step in [*self._todo, *(step for step, _ in self._refused)])
        failure.safe = f"perhaps not updated: {_shown(numbers)}; {_SAFE}"
        return failure


_VERBS = {
    "branch": "bring back what is targeted by",
    "reopen": "reopen",
    "close": "close",
    "update": "update",
    "draft": "make a draft of",
    "ready": "mark as ready",
    "reviewers": "ask for reviews of",
    "labels": "label",
}
# kind -> whether (is open, is draft) shows that it was done
_DONE: Mapping[str, Callable[[bool, bool], bool]] = {
    "reopen": lambda is_open, is_draft: is_open,
    "close": lambda is_open, is_draft: not is_open,
    "draft": lambda is_open, is_draft: is_draft,
    "ready": lambda is_open, is_draft: not is_draft,
}


def _is_done(step: Step, states: Mapping[str, tuple[bool, bool]]) -> bool:
    state = states.get(step.node_id)
    return step.kind in _DONE and state is not None and _DONE[step.kind](*state)


def _chunks(steps: Sequence[Step], size: int) -> list[list[Step]]:
    """Steps in requests of about ``size``; those of one pull request stay together, in order."""
    chunks: list[list[Step]] = [[]]
    for _, group in groupby(steps, key=lambda step: step.number):
        together = list(group)
        if chunks[-1] and len(chunks[-1]) + len(together) > size:
            chunks.append([])
        chunks[-1] += together
    return chunks


def _query(steps: Sequence[Step]) -> Query:
    variables = {f"s{i}": step.input for i, step in enumerate(steps)}
    return Query(queries.update_mutation([step.kind for step in steps]), variables)


def _shown(numbers: Iterable[int]) -> str:
    return ", ".join(f"#{number}" for number in numbers)
