"""Which pull requests have to be parked on trunk before a push; GitHub's worst trap in one function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.core.heads import HeadPlan, LocalCommits, final_graph
from stackr.core.model import Graph, PullRequest, PullState, Stack
from stackr.core.plan import Park


def plan_parks(stack: Stack, local: LocalCommits, heads: Sequence[HeadPlan]) -> Iterator[Park]:
    """The open pull requests that the push would merge or close, to be retargeted to trunk first.

    GitHub marks a pull request merged as soon as its head is reachable from its base, for any base, for ever
    (docs/internals/github-facts.md, "Merging and closing"). GitHub may look at a moment when it has seen one ref of the
    push and not yet the other, so old and new tips are crossed.
    """
    graph = final_graph(stack, local, heads)
    # The stack's own branches last: a fork may have a branch of the same name.
    tips = {pull.head_ref: _tips(pull.head_oid) for pull in _outsiders(stack)}
    tips |= {change.head_ref: _tips(change.remote_head) for change in stack.changes}
    moved = {plan.change.head_ref: plan.target for plan in heads if plan.moves}
    for ref, target in moved.items():
        tips[ref] = (*tips.get(ref, ()), target)
    arriving = _brings_trunk(stack, graph, heads)
    for pull in _open_pulls(stack):
        if pull.number == arriving and pull.base_ref != stack.trunk.name:
            yield Park(pull.number, pull.node_id, stack.trunk.name)
            continue
        if pull.base_ref == stack.trunk.name or not {pull.base_ref, pull.head_ref} & moved.keys():
            continue
        bases, ends = tips.get(pull.base_ref, ()), (pull.head_oid, *tips.get(pull.head_ref, ()))
        if any(graph.contains(base, end) for base in bases for end in ends):
            yield Park(pull.number, pull.node_id, stack.trunk.name)


def _outsiders(stack: Stack) -> tuple[PullRequest, ...]:
    return (*(orphan.pull for orphan in stack.orphans), *stack.relatives)


def _tips(oid: str | None) -> tuple[str, ...]:
    return (oid,) if oid is not None else ()


def _open_pulls(stack: Stack) -> Iterator[PullRequest]:
    pulls = [*(change.pull for change in stack.changes), *_outsiders(stack)]
    yield from (pull for pull in pulls if pull is not None and pull.state is PullState.OPEN)


def _brings_trunk(stack: Stack, graph: Graph, heads: Sequence[HeadPlan]) -> int | None:
    """The number of the bottom pull request if its push brings trunk commits that its branch does not have yet.

    Targeting another branch, it would show trunk's own files for a moment and call in their code owners
    (docs/internals/protocol.md 5.5).
    """
    bottom = heads[0] if heads and heads[0].change is stack.changes[0] else None
    if bottom is None or not bottom.moves or bottom.change.pull is None or bottom.change.remote_head is None:
        return None
    point = stack.changes[0].commit.parents[0]
    return None if graph.contains(bottom.change.remote_head, point) else bottom.change.pull.number
