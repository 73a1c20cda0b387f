"""Stack -> Plan for ``stackr sync``; pure. The story has one step that is not: the replay between ``plan_picks`` and
``after``, which merges trees (``stackr.core.ports.Repo.replay``) and moves nothing.

    fates -> merges of foreign work -> picks -> [replay] -> the stack as it will be -> plan
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from stackr.core import fates, identity
from stackr.core.belongings import name, pushed_of_others
from stackr.core.fates import Fate, sent_tree
from stackr.core.heading import files_between, head_after, head_moves
from stackr.core.model import Change, Commit, PullRequest, PullState, Stack
from stackr.core.options import SubmitOptions
from stackr.core.ownership import LANDED, records_of
from stackr.core.plan import Action, DeleteRefs, MoveRefs, Park, Plan, RefMove, UpdatePull
from stackr.core.replaying import Pick, Picked, Replayed
from stackr.core.submit import plan_submit
from stackr.core.taking import below_label, is_news, parent_tree, taken_in, with_co_authors


def plan_picks(stack: Stack, found: Mapping[str, Fate], merged: Mapping[str, str]) -> tuple[Pick, ...]:
    """What is replayed onto trunk, bottom first.

    ``merged`` holds trees with foreign work taken in, by change id, and by ``below_label`` what these stand on.
    """
    picks = []
    for index, change in enumerate(stack.changes):
        fate = found[change.id]
        if fate is Fate.LANDED:
            continue
        base = merged.get(below_label(change.id)) or parent_tree(stack, index)
        if fate is Fate.AMENDED and change.id not in stack.landed_below:
            base = sent_tree(change, stack) or base
        picks.append(_pick(change, stack, fate, base, merged.get(change.id, change.commit.tree)))
    return tuple(picks)


def _pick(change: Change, stack: Stack, fate: Fate, base: str, theirs: str) -> Pick:
    commit = change.commit
    message = commit.message
    if fate in (Fate.AMENDED, Fate.MISPLACED):
        message = identity.with_change_id(message, _new_id(change))
    elif change.pull is not None:
        message = identity.with_change_id(message, change.id)
    if fate is Fate.TAKEN_IN:
        message = with_co_authors(message, stack.foreign.get(change.id, ()), commit)
    return replace(Pick.of(commit, base), theirs_tree=theirs, message=message)


def _new_id(change: Change) -> str:
    """The id of what is left of a change that cannot go on under its own: it follows from the commit."""
    return identity.new_id(change.commit, "rest")


def after(stack: Stack, found: Mapping[str, Fate], picks: Sequence[Pick], replayed: Replayed) -> Stack:
    """The stack as it is once the replayed commits stand on trunk; what landed is gone from it."""
    by_label = {pick.label: pick for pick in picks}
    outcomes = {picked.label: picked for picked in replayed.picks}
    changes: list[Change] = []
    below = stack.trunk.oid
    for change in stack.changes:
        picked = outcomes.get(change.commit.oid)
        if picked is None or picked.became_empty:
            continue
        message = by_label[picked.label].message if picked.label in by_label else change.commit.message
        commit = replace(change.commit, oid=picked.oid, tree=picked.tree, parents=(below,), message=message)
        changes.append(_renewed(change, commit, found[change.id], stack))
        below = picked.oid
    tips = new_tips(stack, replayed)
    head = head_after(stack, tips, stack.trunk.oid)
    history = {change.commit.oid: change.commit.parents for change in changes}
    landed = [*fates.arrived_numbers(stack), *_landed_now(stack, found, replayed)]
    return replace(
        stack,
        head=head,
        changes=tuple(changes),
        graph=stack.graph.with_commits(history),
        trees={**stack.trees, **{change.commit.oid: change.commit.tree for change in changes}},
        foreign={},
        newer_trunk={},
        landed_numbers=tuple(dict.fromkeys((*stack.landed_numbers, *landed))),
        own_refs={**stack.own_refs, **dict(taken_in(stack, found))},
        local_branches={ref: tips.get(oid, oid) for ref, oid in stack.local_branches.items()},
    )


def emptied(replayed: Replayed) -> frozenset[str]:
    """The commits of which nothing is left: all of their change is on trunk already."""
    return frozenset(picked.label for picked in replayed.picks if picked.became_empty)


def _landed_now(stack: Stack, found: Mapping[str, Fate], replayed: Replayed) -> Iterator[int]:
    """Numbers of the pull requests whose content is on trunk, bottom first; what is empty now has nothing else left."""
    empty = emptied(replayed)
    for change in stack.changes:
        if change.pull and (found[change.id] in (Fate.LANDED, Fate.AMENDED) or change.commit.oid in empty):
            yield change.pull.number


def _renewed(change: Change, commit: Commit, fate: Fate, stack: Stack) -> Change:
    """The change with its new commit; one that cannot go on under its id has no branch and no pull request yet."""
    if fate in (Fate.AMENDED, Fate.MISPLACED):
        renamed = _new_id(change)
        return Change(renamed, commit, identity.renamed_head_ref(change.head_ref, change.id, renamed))
    # What others pushed is in the commit now, or (an accidental merge) is to be taken out again: build on it.
    accepted = change.remote_head if is_news(change, stack) else change.accepted
    return replace(change, commit=commit, accepted=accepted)


def is_settled(stack: Stack, found: Mapping[str, Fate]) -> bool:
    """Whether there is nothing to replay: the stack stands on trunk's tip and every change goes on as it is."""
    if any(fate not in (Fate.ALIVE, Fate.CLOSED) for fate in found.values()):
        return False
    return bool(stack.changes) and stack.changes[0].commit.parents[0] == stack.trunk.oid


def unmoved(stack: Stack) -> Replayed:
    """The outcome of replaying a settled stack: every commit stays."""
    return Replayed(tuple(Picked(c.commit.oid, c.commit.oid, c.commit.tree) for c in stack.changes))


def new_tips(stack: Stack, replayed: Replayed) -> dict[str, str]:
    """Where each old commit of the stack went; one that landed became what stands below it, as git-rebase(1) has it."""
    outcomes = replayed.oids
    if not stack.changes:
        # All of it landed: HEAD is on trunk already and goes to its tip, as its branch does.
        return dict.fromkeys([stack.head.oid, *_alone(stack).values()], stack.trunk.oid)
    tips: dict[str, str] = {}
    below = stack.trunk.oid
    for change in stack.changes:
        below = outcomes.get(change.commit.oid, below)
        tips[change.commit.oid] = below
    return tips


def plan_sync(
    stack: Stack,
    synced: Stack,
    found: Mapping[str, Fate],
    replayed: Replayed,
    options: SubmitOptions,
    *,
    push: bool,
) -> Plan:
    """Local moves, then the refresh of the pull requests that exist, then the removal of what landed."""
    moves = plan_moves(stack, found, replayed)
    actions: list[Action] = [moves] if moves.moves else []
    notes = [*fates.describe(stack, found, emptied(replayed)), *_kept_notes(stack, replayed)]
    if push:
        refresh = plan_refresh(synced, options)
        held = pushed_of_others(synced, refresh)
        leaving = {move.ref: move.new for move in moves.moves if move.ref.startswith(LANDED) and move.new is not None}
        actions += [] if held else [*refresh.actions, *_clean_up(stack, synced, refresh, leaving)]
        notes += _held_notes(held) if held else refresh.notes
    return Plan("sync", tuple(actions), tuple(notes))


def _held_notes(held: Sequence[Change]) -> Iterator[str]:
    names = ", ".join(name(change) for change in held)
    yield f"GitHub was left as it is, since this would push what is not yours: {names}; stackr submit --others does it"


def _kept_notes(stack: Stack, replayed: Replayed) -> Iterator[str]:
    """A branch that is checked out elsewhere would not fit its files any more, so it is left and named."""
    tips = new_tips(stack, replayed)
    for ref, oid in sorted(stack.local_branches.items()):
        if stack.changes and ref in stack.kept_branches and tips.get(oid, oid) != oid:
            yield f'"{ref.removeprefix("refs/heads/")}" is checked out in another worktree and stays at {oid[:7]}'


def plan_moves(stack: Stack, found: Mapping[str, Fate], replayed: Replayed) -> MoveRefs:
    """Every local branch that points into the stack moves along; HEAD's files are switched if its commit changes."""
    tips = new_tips(stack, replayed)
    movable = stack.local_branches if stack.changes else _alone(stack)
    moves = [
        RefMove(ref, old, tips[old])
        for ref, old in sorted(movable.items())
        if tips.get(old, old) != old and ref not in stack.kept_branches
    ]
    head = head_after(stack, tips, stack.trunk.oid)
    moves += head_moves(stack.head, head)
    moves += [RefMove(ref, stack.own_refs.get(ref), oid) for ref, oid in taken_in(stack, found)]
    moves += _leaving(stack, found)
    return MoveRefs(tuple(moves), "sync", files_between(stack.head, head))


def _leaving(stack: Stack, found: Mapping[str, Fate]) -> Iterator[RefMove]:
    """Records of what leaves the stack while its branch is still there, for a run that has to remove it later."""
    for change in stack.changes:
        ref = LANDED + change.id
        if found[change.id] is Fate.LANDED and change.remote_head is not None and ref not in stack.own_refs:
            yield RefMove(ref, None, change.commit.oid)


def _alone(stack: Stack) -> dict[str, str]:
    """The branch of a stack that is on trunk altogether; others there are nobody's stack."""
    head = stack.head
    if head.branch is not None:
        return {head.branch: head.oid}
    return {head.top: stack.local_branches[head.top]} if head.top else {}


def refreshed(synced: Stack) -> tuple[Change, ...]:
    """The changes whose pull requests a sync brings up to date: from the bottom to the first that has none open."""
    return tuple(takewhile(lambda change: change.pull and change.pull.state is PullState.OPEN, synced.changes))


def plan_refresh(synced: Stack, options: SubmitOptions) -> Plan:
    """Bring the existing pull requests up to date, exactly as a submit would; create none."""
    changes = refreshed(synced)
    if not changes:
        return Plan("sync")
    return plan_submit(synced, replace(options, upto=changes[-1].commit.oid))


def _clean_up(stack: Stack, synced: Stack, refresh: Plan, leaving: Mapping[str, str]) -> Iterator[Action]:
    """Remove head branches of merged pull requests that nothing targets any more, and our records of them.

    ``leaving`` are the records that this run has made of what leaves the stack.
    """
    targets = _targets_after(synced, refresh)
    left = [*_landed_here(stack, synced), *((f.id, f.head_ref, f.remote_head, f.pull) for f in stack.finished)]
    # What is still a base has to wait, and is remembered until then.
    doomed = [each for each in left if each[2] is None or each[1] not in targets]
    refs = tuple(
        (f"refs/heads/{ref}", remote)
        for _, ref, remote, pull in doomed
        # A commit that was pushed after the merge is in no other branch.
        if remote is not None and remote == pull.head_oid
    )
    if refs:
        yield DeleteRefs(refs)
    records = [name for change_id, ref, *_ in doomed for name in records_of(change_id, ref)]
    known = {**stack.own_refs, **leaving}
    moves = tuple(RefMove(name, known[name], None) for name in records if name in known)
    if moves:
        yield MoveRefs(moves, "sync: landed")


def _landed_here(stack: Stack, synced: Stack) -> Iterator[tuple[str, str, str | None, PullRequest]]:
    alive = {change.id for change in synced.changes}
    for change in stack.changes:
        pull = change.pull
        if change.id not in alive and pull is not None and pull.state is PullState.MERGED:
            yield change.id, change.head_ref, change.remote_head, pull


def _targets_after(synced: Stack, refresh: Plan) -> set[str]:
    """The branches that pull requests target once the refresh is done; a closed one of the stack may be reopened."""
    bases = {park.number: park.base_ref for park in refresh.actions if isinstance(park, Park)}
    for update in refresh.actions:
        if isinstance(update, UpdatePull) and update.base_ref is not None and update.number is not None:
            bases[update.number] = update.base_ref
    mine = [c.pull for c in synced.changes if c.pull is not None and c.pull.state is not PullState.MERGED]
    others = [pull for pull in (*(o.pull for o in synced.orphans), *synced.relatives) if pull.state is PullState.OPEN]
    return {bases.get(pull.number, pull.base_ref) for pull in (*mine, *others)}
