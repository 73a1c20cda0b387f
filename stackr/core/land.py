"""Stack -> the steps of ``stackr land``; pure. What may land is decided in ``preflight``, by which way in ``methods``.

docs/internals/protocol.md 7. Changes land one at a time, bottom first, and after each one everything is read again, so
only the first step of a plan is ever carried out as it stands; the others show what is to be expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from stackr.core import pushing
from stackr.core.heading import files_between, head_after
from stackr.core.heads import HeadPlan
from stackr.core.landed_message import landed_message, whole_message
from stackr.core.linking import plan_leaving
from stackr.core.model import Change, NewCommit, PullRequest, PullState, Stack
from stackr.core.ownership import KEPT, REVIEWED
from stackr.core.plan import (
    Action,
    Comment,
    MergePull,
    MoveRefs,
    Park,
    Push,
    PushRefs,
    RefMove,
    UpdatePull,
    WriteCommit,
)
from stackr.core.replaying import Pick, ReplayConflict
from stackr.core.rules import Method
from stackr.records import dataclass

# These put the clean commits themselves on trunk, so they need them with the messages they land with.
_CLEAN = (Method.PUSH, Method.REBASE)


@dataclass(frozen=True, slots=True)
class Clean:
    """A change as it will stand on trunk: the commit that would be pushed there, its tree and its parent."""

    oid: str
    tree: str
    parent: str


@dataclass(frozen=True, slots=True)
class Prospect:
    """A stack that is to land, with everything about it that has to be computed.

    ``stack`` holds the changes that have not landed yet, bottom first; the ``count`` lowest are to land now. ``clean``
    goes by change id, up to the first that does not apply to trunk (``conflict``, with the commit id as its label);
    ``merged`` is the tree that merging a head as it stands would give, ``None`` where that conflicts or cannot be told.
    ``single`` is the id of the bottom change if its head is just one commit on one of trunk's, worded as it is to land
    (``""``: it is not).
    """

    stack: Stack
    count: int
    clean: Mapping[str, Clean]
    merged: Mapping[str, str | None]
    conflict: ReplayConflict | None = None
    strict: bool = False
    single: str = ""

    @property
    def group(self) -> tuple[Change, ...]:
        """The changes to land, bottom first."""
        return self.stack.changes[: self.count]

    def merges_as_expected(self, change: Change) -> bool:
        """Whether merging the head as it stands gives trunk just the tree it would have with this change on top."""
        expected = self.clean.get(change.id)
        return expected is not None and self.merged.get(change.id) == expected.tree

    def needs_push(self, index: int) -> bool:
        """Whether the head has to be brought up to date before it is merged by GitHub."""
        return self.is_behind(index) or not self.merges_as_expected(self.stack.changes[index])

    def is_behind(self, index: int) -> bool:
        """Whether a rule wants the head to contain trunk's tip, and it does not, or will not when it is its turn."""
        head, trunk = self.stack.changes[index].remote_head, self.stack.trunk.oid
        return self.strict and (index > 0 or head is None or not self.stack.graph.contains(head, trunk))


@dataclass(frozen=True, slots=True)
class Wanted:
    """How to land: the method, how GitHub merges where it does so later, and the words of ``--force``.

    ``deletes_heads``: GitHub deletes a head branch by itself when it is merged.
    """

    method: Method
    how: Method = Method.SQUASH
    reason: str = ""
    deletes_heads: bool = False

    @property
    def kind(self) -> Method:
        """What trunk gets in the end: a queue and auto-merge squash, rebase or merge too."""
        return self.how if self.method in (Method.QUEUE, Method.AUTO) else self.method

    @property
    def lands_clean(self) -> bool:
        """Whether the commits of the head branches themselves land, so that these have to be just the clean ones."""
        return self.kind in _CLEAN

    @property
    def spares_above(self) -> bool:
        """Whether what stands on a change has to leave its branch before that is merged and deleted at once.

        GitHub retargets it as well, and closes it for good when its deletion is faster
        (stickerdaniel/linkedin-mcp-server#619, Automattic/newspack-workspace#659). What is merged later, by a queue or
        by auto-merge, is left to that luck: it would show the diff of the change below until then.
        """
        return self.deletes_heads and self.method in (Method.SQUASH, Method.REBASE, Method.MERGE)


@dataclass(frozen=True, slots=True)
class Step:
    """What lands at once: one change, or all of them. ``prepare`` brings it into position, ``merge`` lands it."""

    changes: tuple[Change, ...]
    prepare: tuple[Action, ...]
    merge: tuple[Action, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """Both, in order."""
        return self.prepare + self.merge


def is_registered(stack: Stack, group: Sequence[Change]) -> bool:
    """Whether GitHub has the group, bottom first, as the lower part of one of its own stacks."""
    numbers = tuple(change.pull.number if change.pull else None for change in group)
    return bool(numbers) and any(native.members[: len(numbers)] == numbers for native in stack.native or ())


def landing_picks(picks: Sequence[Pick], stack: Stack, count: int) -> tuple[Pick, ...]:
    """The picks, those of the ``count`` lowest changes with the messages they land with: their commits go to trunk."""
    pulls = {c.commit.oid: (c.id, c.pull) for c in stack.changes[:count] if c.pull is not None}
    return tuple(
        replace(pick, message=whole_message(*pulls[pick.label])) if pick.label in pulls else pick for pick in picks
    )


def plan_steps(prospect: Prospect, wanted: Wanted) -> tuple[Step, ...]:
    """Everything that lands the group, in order."""
    if not prospect.group:
        return ()
    if wanted.method is Method.NATIVE:
        return (_native_step(prospect, wanted),)
    if wanted.method is Method.PUSH:
        steps = [_push_step(prospect, wanted)]
    else:
        steps = [_single_step(prospect, index, wanted) for index in range(prospect.count)]
    leaving = plan_leaving(prospect.stack, prospect.stack.changes[: prospect.count + 1])
    return (replace(steps[0], prepare=(*leaving, *steps[0].prepare)), *steps[1:])


def _single_step(prospect: Prospect, index: int, wanted: Wanted) -> Step:
    """One change by GitHub's own merge: retarget it, bring its head up to date if that is needed, merge."""
    stack, change = prospect.stack, prospect.stack.changes[index]
    pull = _pull(change)
    head = _head(prospect, index, wanted)
    prepare: list[Action] = []
    is_spared = index > 0 and wanted.spares_above and pull.base_ref == _pull(stack.changes[index - 1]).head_ref
    if pull.base_ref != stack.trunk.name and not is_spared:
        # Before its head is pushed, or it would show trunk's own files and call in their owners (protocol 5.5).
        prepare.append(UpdatePull(change.id, pull.number, pull.node_id, stack.trunk.name))
    prepare += _push_actions(stack, [head])
    title, message = landed_message(change.id, pull)
    merge = MergePull(
        change.id, pull.number, pull.node_id, head.target, stack.trunk.name, wanted.method, title, message, wanted.how
    )
    spared = _spared(stack, index, pull) if wanted.spares_above else ()
    return Step((change,), tuple(prepare), (*_reason(pull, wanted), *spared, merge))


def _spared(stack: Stack, index: int, pull: PullRequest) -> Iterator[Action]:
    """The change above off the branch of this one, if it stands on that."""
    for above in stack.changes[index + 1 : index + 2]:
        if above.pull and above.pull.state is PullState.OPEN and above.pull.base_ref == pull.head_ref:
            yield UpdatePull(above.id, above.pull.number, above.pull.node_id, stack.trunk.name)


def _head(prospect: Prospect, index: int, wanted: Wanted) -> HeadPlan:
    """Where the head has to be before the merge: where it is, if that is good enough."""
    change = prospect.stack.changes[index]
    remote, clean = change.remote_head or "", prospect.clean[change.id]
    if wanted.lands_clean:
        # A rebase merge replays every commit of the branch, so there must be just the one, on trunk. What an earlier
        # run pushed may stand on an older tip, for the branch of what is in a queue cannot be pushed to.
        is_fit = wanted.kind is Method.REBASE and change.id == prospect.single and not prospect.needs_push(index)
        return HeadPlan(change, remote if is_fit else clean.oid)
    if not prospect.needs_push(index):
        return HeadPlan(change, remote)
    title = f"Merge {prospect.stack.trunk.name} to land: {change.title}"
    commit = NewCommit(f":land/{change.id}", clean.tree, (remote, clean.parent), title.encode() + b"\n")
    return HeadPlan(change, commit.label, commit)


def files_after(stack: Stack, prospect: Prospect) -> tuple[str, str] | None:
    """From and to which commit index and work tree go when the group has landed and the rest is synced.

    ``stack`` still has what landed before. ``None``: they stay, as they do when what is above does not apply to trunk.
    """
    if any(change.id not in prospect.clean for change in prospect.stack.changes):
        return None
    base = prospect.clean[prospect.group[-1].id].oid
    tips = {change.commit.oid: base for change in stack.changes}
    tips |= {c.commit.oid: prospect.clean[c.id].oid for c in prospect.stack.changes[prospect.count :]}
    return files_between(stack.head, head_after(stack, tips, base))


def moves_head(prospect: Prospect, index: int, wanted: Wanted) -> bool:
    """Whether the head of a change has to be pushed before it lands; not if it does not apply to trunk at all."""
    return prospect.stack.changes[index].id in prospect.clean and _head(prospect, index, wanted).moves


def _push_step(prospect: Prospect, wanted: Wanted) -> Step:
    """All at once: every pull request onto trunk, then trunk and the heads to the clean commits in one push.

    GitHub shows a pull request as merged when its head is reachable from its base. What is above the group is
    retargeted too, since the branch it targets is about to go.
    """
    stack, group = prospect.stack, prospect.group
    above = stack.changes[prospect.count : prospect.count + 1]
    open_pulls = [c.pull for c in (*group, *above) if c.pull and c.pull.state is PullState.OPEN]
    parks = [Park(p.number, p.node_id, stack.trunk.name) for p in open_pulls if p.base_ref != stack.trunk.name]
    heads = [HeadPlan(change, prospect.clean[change.id].oid) for change in group]
    trunk = Push("", f"refs/heads/{stack.trunk.name}", heads[-1].target, stack.trunk.oid)
    reasons = [comment for change in group for comment in _reason(_pull(change), wanted)]
    return Step(group, (*reasons, *parks), tuple(_push_actions(stack, heads, trunk)))


def _native_step(prospect: Prospect, wanted: Wanted) -> Step:
    """GitHub merges the topmost of the group and everything below it."""
    top = prospect.group[-1]
    pull = _pull(top)
    title, message = landed_message(top.id, pull)
    reasons = tuple(comment for change in prospect.group for comment in _reason(_pull(change), wanted))
    merge = MergePull(
        *(top.id, pull.number, pull.node_id, top.remote_head or "", prospect.stack.trunk.name),
        *(wanted.method, title, message, wanted.how),
    )
    return Step(prospect.group, (), (*reasons, merge))


def _push_actions(stack: Stack, heads: Sequence[HeadPlan], trunk: Push | None = None) -> Iterator[Action]:
    """Write and push, with the records that let the next run know our own pushes."""
    yield from (WriteCommit(plan.commit, "head", plan.change.id) for plan in heads if plan.commit)
    pushes = (*((trunk,) if trunk else ()), *pushing.pushes(heads))
    if not pushes:
        return
    if intentions := [*pushing.intentions(heads), *_reviewed(stack, heads)]:
        yield MoveRefs(tuple(intentions), "land: about to push")
    yield PushRefs(pushes)
    if accepted := [move for move in pushing.acceptances(stack, heads) if not move.ref.startswith(REVIEWED)]:
        yield MoveRefs(tuple(accepted), "land: pushed")


def _reviewed(stack: Stack, heads: Sequence[HeadPlan]) -> Iterator[RefMove]:
    """Remember which head was reviewed: what is pushed now is that, brought up to date with trunk."""
    for plan in heads:
        ref = REVIEWED + plan.change.id
        if plan.moves and ref not in stack.own_refs:
            yield RefMove(ref, None, plan.change.remote_head)


def _reason(pull: PullRequest, wanted: Wanted) -> tuple[Comment, ...]:
    return (Comment(pull.number, f"Landing with `stackr land --force`: {wanted.reason}"),) if wanted.reason else ()


def _pull(change: Change) -> PullRequest:
    assert change.pull is not None, f"{change.id} has no pull request to land"
    return change.pull


def kept(prospect: Prospect) -> tuple[Change, ...]:
    """The lowest changes that stay, and whose heads need no push although what landed is below them now.

    Called when the group has landed: ``prospect`` has what is left, on trunk as it is now.
    """
    alive = takewhile(lambda c: c.pull is not None and c.pull.state is PullState.OPEN, prospect.stack.changes)
    return tuple(takewhile(prospect.merges_as_expected, alive))


def keep(stack: Stack, changes: Sequence[Change]) -> tuple[Stack, tuple[MoveRefs, ...]]:
    """Record that the heads of ``changes`` (ids) stay as they are, for the commits that the stack has now."""
    ids = {change.id for change in changes}
    moves = tuple(
        RefMove(KEPT + change.id, stack.own_refs.get(KEPT + change.id), change.commit.oid)
        for change in stack.changes
        if change.id in ids and stack.own_refs.get(KEPT + change.id) != change.commit.oid
    )
    if not moves:
        return stack, ()
    own_refs = {**stack.own_refs, **{move.ref: move.new for move in moves if move.new is not None}}
    return replace(stack, own_refs=own_refs), (MoveRefs(moves, "land: heads that stay"),)
