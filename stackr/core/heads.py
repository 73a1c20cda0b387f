"""Where every head branch has to point: the chain of branches of docs/internals/protocol.md section 2.

Two steps, both pure: ``plan_ids`` gives every commit its Change-Id (a rewrite of messages only), ``plan_heads`` decides
for each change whether its branch stays, gets one more commit, or becomes the local commit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from stackr.core import identity
from stackr.core.heading import head_moves
from stackr.core.model import Change, Graph, NewCommit, PullState, Stack, Style
from stackr.core.ownership import KEPT, Ownership, ownership
from stackr.core.plan import RefMove
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class LocalCommits:
    """The local stack once every submitted commit has its id.

    ``writes`` are the commits to write, bottom first; ``tips`` maps each old commit id of the stack to the commit (or
    label) that takes its place, itself if nothing changes.
    """

    writes: tuple[NewCommit, ...]
    tips: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HeadPlan:
    """The decision for one head branch: ``target`` is where it has to point (an object id or a label).

    ``commit`` is set when ``target`` is a commit that only the remote gets; ``moves`` when it has to be pushed.
    """

    change: Change
    target: str
    commit: NewCommit | None = None

    @property
    def moves(self) -> bool:
        """Whether the branch has to be pushed."""
        return self.target != self.change.remote_head


def plan_ids(stack: Stack, count: int) -> LocalCommits:
    """Rewrite the messages of the ``count`` lowest commits so that each has exactly its own Change-Id.

    See ``rewrite`` for what stays.
    """
    return rewrite(
        stack,
        [
            identity.with_change_id(change.commit.message, change.id) if index < count else change.commit.message
            for index, change in enumerate(stack.changes)
        ],
    )


def rewrite(stack: Stack, messages: Sequence[bytes]) -> LocalCommits:
    """Give the commits of the stack these messages, bottom first.

    Tree, author, committer, dates, encoding and other headers stay; commits above a rewritten one get their new parent
    and nothing else.
    """
    writes: list[NewCommit] = []
    tips: dict[str, str] = {}
    for change, message in zip(stack.changes, messages, strict=True):
        commit = change.commit
        parents = tuple(tips.get(parent, parent) for parent in commit.parents)
        if message == commit.message and parents == commit.parents:
            tips[commit.oid] = commit.oid
            continue
        label = f":local/{commit.oid}"
        writes.append(
            NewCommit(
                label, commit.tree, parents, message, commit.author, commit.committer, commit.encoding, commit.extra
            )
        )
        tips[commit.oid] = label
    return LocalCommits(tuple(writes), tips)


def branch_moves(stack: Stack, local: LocalCommits) -> list[RefMove]:
    """Every local branch that points into the stack, and a detached HEAD, onto the rewritten commits."""
    moves = [
        RefMove(ref, old, local.tips[old])
        for ref, old in sorted(stack.local_branches.items())
        if local.tips.get(old, old) != old
    ]
    head = stack.head
    return [*moves, *head_moves(head, replace(head, oid=local.tips.get(head.oid, head.oid)))]


def plan_heads(
    stack: Stack, active: Sequence[int], local: LocalCommits, style: Style, message: str | None
) -> tuple[HeadPlan, ...]:
    """One decision for each change of ``active`` (indices, ascending), bottom first.

    The branch below an active change is the one just decided, else the remote branch as it is, else (at the bottom) the
    trunk commit on which the local stack stands. In style append a foreign head is built upon, never replaced; in style
    rewrite it is replaced, leased. The guards refuse both unless the user asked for it.
    """
    parents = {commit.label: commit.parents for commit in local.writes}
    plans = {index: HeadPlan(change, change.remote_head or "") for index, change in kept_heads(stack, active, style)}
    for index in active:
        if index in plans:
            continue
        graph = stack.graph.with_commits(parents)
        below = _below(stack, index, plans)
        plan = _plan_head(stack, graph, index, below, local, style, message)
        if plan.commit is not None:
            parents[plan.commit.label] = plan.commit.parents
        plans[index] = plan
    return tuple(plans[index] for index in active)


def kept_heads(stack: Stack, active: Sequence[int], style: Style) -> tuple[tuple[int, Change], ...]:
    """(index, change) of the heads that a landing left as they are, the lowest ones of ``active``, bottom first.

    They lack what landed below them, but merging them gives just what is here, so a push would cost a review and a CI
    run for nothing (docs/internals/protocol.md 7.3). That holds while the local commit is the one it was said of. Below
    a change that is pushed a kept head must at least have the local tree, or the upper diff would show the difference.
    """
    kept = tuple(takewhile(lambda each: _is_kept(each[1], stack), ((index, stack.changes[index]) for index in active)))
    if len(kept) == len(active):
        return kept
    if style is Style.REWRITE:
        return ()
    return tuple(takewhile(lambda each: stack.trees.get(each[1].remote_head or "") == each[1].commit.tree, kept))


def _is_kept(change: Change, stack: Stack) -> bool:
    return change.remote_head is not None and stack.own_refs.get(KEPT + change.id) == change.commit.oid


def _below(stack: Stack, index: int, plans: Mapping[int, HeadPlan]) -> str:
    if index == 0:
        return stack.changes[0].commit.parents[0]
    if index - 1 in plans:
        return plans[index - 1].target
    lower = stack.changes[index - 1]
    return lower.remote_head or lower.commit.oid


def _plan_head(
    stack: Stack, graph: Graph, index: int, below: str, local: LocalCommits, style: Style, message: str | None
) -> HeadPlan:
    change = stack.changes[index]
    commit, remote = change.commit, change.remote_head or _frozen(change, stack)
    tip = local.tips[commit.oid]
    stands_on_below = index == 0 or local.tips.get(commit.parents[0], commit.parents[0]) == below
    if style is Style.REWRITE:
        return HeadPlan(change, tip)
    if remote is None:
        return HeadPlan(change, tip) if stands_on_below else _on_top(change, below)
    if stack.trees.get(remote) == commit.tree and graph.contains(remote, below):
        return HeadPlan(change, remote)
    if stands_on_below and graph.contains(tip, remote):
        return HeadPlan(change, tip)
    return _append(change, remote, below, graph, message)


def _frozen(change: Change, stack: Stack) -> str | None:
    """The head at which a pull request was closed whose branch is gone: GitHub reopens it for what contains that."""
    pull = change.pull
    is_gone = pull is not None and pull.state is PullState.CLOSED and pull.head_oid in stack.graph.parents
    return pull.head_oid if pull is not None and is_gone else None


def _on_top(change: Change, below: str) -> HeadPlan:
    """The first head of a change whose local parent is not what the branch below points at."""
    commit = change.commit
    message = identity.with_change_id(commit.message, change.id)
    new = NewCommit(
        f":head/{change.id}", commit.tree, (below,), message, commit.author, None, commit.encoding, commit.extra
    )
    return HeadPlan(change, new.label, new)


def _append(change: Change, remote: str, below: str, graph: Graph, message: str | None) -> HeadPlan:
    """One more commit with the local tree, so that approvals, comments and "changes since your last review" survive."""
    parents = (remote,) if graph.contains(remote, below) else (remote, below)
    text = message or f"Update: {change.title}"
    new = NewCommit(f":head/{change.id}", change.commit.tree, parents, text.strip().encode() + b"\n")
    return HeadPlan(change, new.label, new)


def final_graph(stack: Stack, local: LocalCommits, heads: Sequence[HeadPlan]) -> Graph:
    """The history as it will be once every planned commit exists."""
    more = {commit.label: commit.parents for commit in local.writes}
    more.update({plan.commit.label: plan.commit.parents for plan in heads if plan.commit})
    return stack.graph.with_commits(more)


def adopted(stack: Stack, plans: Sequence[HeadPlan]) -> tuple[HeadPlan, ...]:
    """The heads that stay where they are but are not yet recorded as ours."""
    return tuple(
        plan
        for plan in plans
        if not plan.moves
        and plan.change.accepted != plan.target
        and ownership(plan.change, stack) in (Ownership.OURS, Ownership.ADOPTABLE)
    )
