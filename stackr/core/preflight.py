"""What stands in the way of a landing, said before anything is changed: by pull request and rule, with what to do.

docs/internals/protocol.md 7.1. Not here: what reviews and checks mean (``core.approvals``, ``core.waiving``), and how a
landing goes on (``core.land``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stackr.core.approvals import approved_older, list_lacking, older_approvals
from stackr.core.body import merge
from stackr.core.fates import Fate, name
from stackr.core.land import Prospect
from stackr.core.model import Change, PullRequest, PullState, Stack
from stackr.core.obstacles import Obstacle, Question, sentence
from stackr.core.options import SubmitOptions
from stackr.core.ownership import BRANCHES, KEPT, Ownership, ownership
from stackr.core.pulls import describe, final_base
from stackr.core.rules import MergeState, Method
from stackr.core.waiving import list_red
from stackr.core.words import counted
from stackr.errors import Refused

BLOCKING_LABEL = "merge blocking"
# What GitHub itself waits for, because a rule of its own asks for it.
_AWAITED = {
    Method.AUTO: frozenset({"approval", "threads", "check-pending", "check-missing"}),
    Method.QUEUE: frozenset({"check-pending"}),
}


def list_obstacles(question: Question) -> tuple[Obstacle, ...]:
    """Everything in the way of the group, bottom first; what stands above a blocked change waits for it."""
    found: list[Obstacle] = []
    waits = _AWAITED.get(question.method, frozenset())
    stopper: Change | None = None
    for index, change in enumerate(question.prospect.group):
        every = (*_of_sevs(question, change, index), *_of_change(question, change, index))
        own = [obstacle for obstacle in every if not (obstacle.source and obstacle.rule in waits)]
        found += own
        if stopper is not None and not own:
            found.append(Obstacle(change.id, "below", f"waits for {name(stopper)} below it", "", passes=True))
        stopper = stopper or (change if own else None)
    return tuple(found)


def ready(prospect: Prospect, obstacles: Sequence[Obstacle]) -> int:
    """How many of the lowest changes have nothing in their way."""
    blocked = {obstacle.change_id for obstacle in obstacles}
    return next((i for i, change in enumerate(prospect.group) if change.id in blocked), prospect.count)


def list_warnings(question: Question) -> Iterator[str]:
    """What nobody has to do anything about, but should know before it lands."""
    for sev in question.facts.sevs:
        if BLOCKING_LABEL not in sev.labels:
            yield f"open SEV #{sev.number}: {sev.title}"
    for change in question.prospect.group:
        older = older_approvals(question, change)
        if older and question.facts.rules.approvals == 0:
            yield f"{name(change)}: {approved_older(older, change)}"


def blocked(question: Question, obstacles: Sequence[Obstacle]) -> Refused:
    """The error that names everything in the way, with the pieces for programs."""
    prospect = question.prospect
    changes = {change.id: change for change in prospect.group}
    count = len({obstacle.change_id for obstacle in obstacles})
    rows = [f"    {name(changes[o.change_id])}: {sentence(o)}" for o in obstacles]
    trunk = prospect.stack.trunk.name
    head = f"{count} of {counted(len(changes), 'change')} cannot land on {trunk}"
    error = Refused("\n".join([head, *rows]), next_step=_what_next(prospect, obstacles))
    error.details = {"obstacles": [_piece(changes[o.change_id], o) for o in obstacles]}
    return error


def _piece(change: Change, obstacle: Obstacle) -> dict[str, object]:
    return {
        "id": change.id,
        "number": change.pull.number if change.pull else None,
        "rule": obstacle.rule,
        "message": obstacle.text,
        "source": obstacle.source or None,
        "next": obstacle.next or None,
    }


def _what_next(prospect: Prospect, obstacles: Sequence[Obstacle]) -> str:
    count = ready(prospect, obstacles)
    if count:
        names = ", ".join(f"#{change.pull.number}" for change in prospect.group[:count] if change.pull)
        return f"stackr land --ready lands {names}; the rest when that is mended"
    return "mend that, then stackr land again"


def _of_sevs(question: Question, change: Change, index: int) -> Iterator[Obstacle]:
    for sev in question.facts.sevs if index == 0 else ():
        if BLOCKING_LABEL in sev.labels:
            text = f"SEV #{sev.number} blocks landings: {sev.title}"
            yield Obstacle(change.id, "sev", text, f"wait until it is closed: {sev.url}", forcible=True)


def _of_change(question: Question, change: Change, index: int) -> Iterator[Obstacle]:
    if (ended := _ended(question, change)) is not None:
        yield ended
        return
    assert change.pull is not None, "a change without a pull request has ended above"
    yield from _of_local_state(question, change, index)
    yield from _of_base(question, change, change.pull, index)
    if change.pull.draft:
        yield Obstacle(change.id, "draft", "it is a draft", "mark it ready (stackr submit --ready)")
    reviews = tuple(list_lacking(question, change, change.pull))
    jobs = tuple(list_red(question, change))
    yield from reviews
    yield from jobs
    if not (reviews or jobs):
        yield from _of_github(question, change, change.pull)


def _ended(question: Question, change: Change) -> Obstacle | None:
    """A change that cannot land as it is: it has no open pull request, or that is not this change's any more."""
    pull, fate = change.pull, question.found[change.id]
    if pull is None:
        return Obstacle(change.id, "unsubmitted", "it has no pull request", "stackr submit")
    if fate is Fate.MISPLACED:
        text = f'it was merged into "{pull.base_ref}", which is not {question.prospect.stack.trunk.name}'
        return Obstacle(change.id, "wrong-base", text, "stackr sync keeps it as a new change, stackr submit sends that")
    if fate is Fate.AMENDED:
        return Obstacle(change.id, "unsubmitted", "it landed, and was amended since", "stackr sync, then stackr submit")
    if pull.state is not PullState.OPEN:
        return Obstacle(change.id, "closed", "its pull request is closed", "stackr submit --reopen")
    return None


def _of_local_state(question: Question, change: Change, index: int) -> Iterator[Obstacle]:
    prospect, stack = question.prospect, question.prospect.stack
    if ownership(change, stack) is Ownership.FOREIGN:
        names = sorted({commit.author_name or "somebody" for commit in stack.foreign.get(change.id, ())})
        text = f"{' and '.join(names) or 'somebody'} pushed to its branch, and you have not seen that here"
        yield Obstacle(change.id, "foreign", text, "stackr sync takes it in; then have a look, and stackr submit")
    elif not _is_sent(prospect, change):
        yield Obstacle(change.id, "out-of-date", "what is here is not what is on GitHub", "stackr submit")
    elif _is_reworded(question, change, index):
        yield Obstacle(change.id, "out-of-date", "its commit message was changed and not submitted", "stackr submit")
    if prospect.conflict is not None and prospect.conflict.label == change.commit.oid:
        files = ", ".join(f'"{path}"' for path in prospect.conflict.paths)
        text = f"it no longer applies on {stack.trunk.name} (conflict in {files})"
        yield Obstacle(change.id, "conflict", text, "stackr sync --resolve")
    elif (clean := prospect.clean.get(change.id)) is not None and clean.oid == clean.parent:
        text = f"nothing of it is left: {stack.trunk.name} has all of it"
        yield Obstacle(change.id, "empty", text, "stackr sync drops it; close its pull request")


def _is_sent(prospect: Prospect, change: Change) -> bool:
    """Whether the head on GitHub has what is here: as it was submitted, or as an earlier landing prepared it."""
    tree = prospect.stack.trees.get(change.remote_head or "")
    clean = prospect.clean.get(change.id)
    is_kept = prospect.stack.own_refs.get(KEPT + change.id) == change.commit.oid
    return is_kept or tree == change.commit.tree or (clean is not None and tree == clean.tree)


def _is_reworded(question: Question, change: Change, index: int) -> bool:
    """Whether the commit says something that a submit would put into the pull request."""
    stack, now = question.prospect.stack, change.pull
    assert now is not None, "without a pull request it was never sent"
    wanted = describe(stack, index, range(len(stack.changes)), SubmitOptions())
    numbers = {c.id: c.pull.number for c in stack.changes if c.pull}
    merged = merge(now.title, now.body, wanted, numbers)
    listed = merge(now.title, now.body, replace(wanted, list_only=True), numbers)
    return (merged.title, merged.body) != (None, listed.body)


def _of_base(question: Question, change: Change, pull: PullRequest, index: int) -> Iterator[Obstacle]:
    prospect, stack = question.prospect, question.prospect.stack
    expected = {stack.trunk.name, final_base(stack, index)}
    if index == 0:
        expected |= _landed_refs(stack)
    if pull.base_ref not in expected:
        text = f'it targets "{pull.base_ref}"'
        yield Obstacle(change.id, "wrong-base", text, "stackr submit gives it its place in the stack again")
    # GitHub brings its own stacks up to date itself, and clean commits are always on trunk's tip.
    stays_behind = question.method is not Method.NATIVE and not question.wanted.lands_clean
    if stays_behind and prospect.is_behind(index):
        below = "" if index == 0 else f" when {name(stack.changes[index - 1])} has landed"
        text = f"its branch {'is' if index == 0 else 'will be'} behind {stack.trunk.name}{below}"
        todo = "stackr land --wait brings it up to date and waits for its checks"
        source = question.facts.rules.sources.get("strict", "")
        yield Obstacle(change.id, "behind", text, todo, source, passes=True)


def _landed_refs(stack: Stack) -> set[str]:
    """Branches of ours that no live pull request has: what landed, from which GitHub may not have retargeted yet."""
    ours = {ref.removeprefix(BRANCHES) for ref in stack.own_refs if ref.startswith(BRANCHES)}
    return ours - {change.head_ref for change in stack.changes} - {orphan.pull.head_ref for orphan in stack.orphans}


def _of_github(question: Question, change: Change, pull: PullRequest) -> Iterator[Obstacle]:
    """GitHub says no to a pull request on trunk, and we cannot see why: code owners, deployments, a hidden rule."""
    is_asked = pull.base_ref == question.prospect.stack.trunk.name and question.method is not Method.PUSH
    if is_asked and not pull.draft and question.standing(pull).merge_state is MergeState.BLOCKED:
        owners = ", which wants an approval by a code owner" if question.facts.rules.code_owners else ""
        text = f"GitHub blocks the merge by a rule of the branch{owners}"
        yield Obstacle(change.id, "blocked", text, f"see which: {pull.url}", forcible=True)
