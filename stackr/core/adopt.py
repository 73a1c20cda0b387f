"""A stack of ghstack's or mergify's -> the same stack as stackr has it, for ``stackr adopt``; pure.

The pull requests, their branches and their comments stay. What changes follows from rules that exist already: commits
get ids as in a submit, heads get one more commit so that each contains the one below, bases are chained and the lists
are written (``core.submit``); what has landed leaves, and what others pushed is taken in (``core.sync``). Here is what
comes before: which head a commit grew from, the records of that, and the commits without the other tool's trailers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from stackr.core import ghstack, identity
from stackr.core.fates import Fate, name
from stackr.core.guards import quoted
from stackr.core.model import Change, Commit, PullRequest, PullState, Stack
from stackr.core.ownership import BRANCHES, HEADS, name_record, tells_change
from stackr.core.plan import Action, DeleteRefs, MoveRefs, Park, Plan, RefMove, UpdatePull
from stackr.errors import Refused


def is_of(pull: PullRequest, commit: Commit) -> bool:
    """Whether a pull request with the number that ghstack noted in a commit is the one it meant.

    Another repository has a pull request of that number, too.
    """
    address = ghstack.pull_address(commit.message)
    same = address is None or ghstack.is_address_of(address, pull.url)
    return same and ghstack.orig_of(pull.head_ref) is not None


def refuse_others(stack: Stack, login: str) -> None:
    """Pull requests of somebody else: they would find their stack changed."""
    pulls = [change.pull for change in stack.changes if change.pull and change.pull.state is PullState.OPEN]
    foreign = [pull for pull in pulls if pull.author.lower() != login.lower()]
    if foreign:
        whose = " and ".join(f"#{pull.number} of {pull.author}" for pull in foreign)
        raise Refused(
            f"this would take over what is not yours: {whose}",
            next_step="ask them to run stackr adopt; stackr adopt --others does it all the same",
        )


def first_parents(stack: Stack, oid: str) -> Iterator[str]:
    """The commits of a branch from its tip down to trunk, without what was merged into it."""
    current: str | None = oid
    while current is not None and current in stack.graph.parents:
        yield current
        current = next(iter(stack.graph.parents[current]), None)


def own_head(change: Change, stack: Stack, commits: Mapping[str, Commit]) -> str | None:
    """The commit on the head branch of a change that its local commit grew from; ``None`` if that cannot be told.

    ghstack notes the tree that it last submitted from here in the commit. What stands above it others have pushed.
    ``commits`` has the first parents of the head.
    """
    remote = change.remote_head
    if remote is None or change.accepted is not None or stack.trees.get(remote) == change.commit.tree:
        return change.accepted or remote
    tree = ghstack.source_tree(change.commit.message)
    line = first_parents(stack, remote)
    return next((oid for oid in line if oid in commits and commits[oid].tree == tree), None)


def top(stack: Stack) -> int:
    """The index of the topmost change that has a pull request; raises ``Refused`` if there is nothing to take over."""
    found = [index for index, change in enumerate(stack.changes) if change.pull is not None]
    if not any(not tells_change(stack.changes[index].head_ref, stack.changes[index].id) for index in found):
        raise Refused(
            f'no commit between "{stack.trunk.name}" and HEAD was submitted with ghstack or mergify',
            next_step="git switch to the branch whose commits were; stackr submit makes pull requests of these",
        )
    return found[-1]


def refuse_unclear(stack: Stack) -> None:
    """Commits of which it cannot be told which pull request is theirs."""
    _refuse_lost_pulls(stack)
    _refuse_shared_pulls(stack)


def refuse_adoption(stack: Stack, found: Mapping[str, Fate]) -> None:
    """What cannot be taken over as it is, in the order in which a user would want to hear it."""
    _refuse_gaps(stack, found)
    _refuse_ended(stack, found)
    _refuse_unknown_heads(stack, found)


def _refuse_lost_pulls(stack: Stack) -> None:
    for change in stack.changes:
        if change.pull is None and ghstack.pull_number(change.commit.message) is not None:
            address = ghstack.pull_address(change.commit.message)
            raise Refused(
                f"the pull request of {quoted(change)}, {address or 'as ghstack noted it'}, is not in this repository",
                next_step=f"take those lines out of its message (git rebase -i {change.commit.oid[:7]}^ with reword), "
                "or name the right remote (git config stackr.remote NAME)",
            )


def _refuse_shared_pulls(stack: Stack) -> None:
    counts = Counter(change.pull.number for change in stack.changes if change.pull)
    for number, count in counts.items():
        if count > 1:
            twins = [change for change in stack.changes if change.pull and change.pull.number == number]
            raise Refused(
                f"{' and '.join(quoted(twin) for twin in twins)} both say that they are #{number}",
                next_step="take ghstack's lines out of the message of one of them (git rebase -i with reword)",
            )


def _refuse_gaps(stack: Stack, found: Mapping[str, Fate]) -> None:
    """A change without a pull request, between others that have one: these could not stand on each other."""
    last = top(stack)
    for change in stack.changes[:last]:
        if change.pull is None and found[change.id] is not Fate.LANDED:
            upper = next(other for other in stack.changes[stack.position(change.id) :] if other.pull)
            raise Refused(
                f"{quoted(change)} has no pull request, and {name(upper)} above it has one",
                next_step="submit it the way the others were, or move it to the top (git rebase -i); then stackr adopt",
            )


def _refuse_ended(stack: Stack, found: Mapping[str, Fate]) -> None:
    for change in stack.changes:
        pull = change.pull
        if pull is not None and pull.state is not PullState.OPEN and found[change.id] is not Fate.LANDED:
            how = f'merged into "{pull.base_ref}"' if pull.state is PullState.MERGED else "closed"
            raise Refused(
                f"{name(change)} is {how}, and {stack.trunk.name} has no commit that says it has landed",
                next_step="open it again on its page, or take its commit out (git rebase -i); then stackr adopt",
            )


def _refuse_unknown_heads(stack: Stack, found: Mapping[str, Fate]) -> None:
    """Branch and commit differ, and nothing tells which of them is newer."""
    for change in stack.changes:
        if change.pull and found[change.id] is not Fate.LANDED and change.remote_head and change.accepted is None:
            raise Refused(
                f"{quoted(change)} and its branch differ, and nothing tells which of them is newer",
                next_step="push it once more with the tool that made it, or git reset to what is on GitHub; "
                "then stackr adopt",
            )


def taken_over(stack: Stack, heads: Mapping[str, str | None]) -> tuple[Stack, tuple[RefMove, ...]]:
    """The stack as stackr would have it, and the records that make it so.

    ``heads`` is ``own_head`` by change id. Commits are as they are to be read: messages lack the other tool's lines,
    and the id that a submit is about to add, so it writes just those that have to be written.
    """
    changes = tuple(
        replace(change, accepted=heads[change.id], commit=_readable(change.commit)) for change in stack.changes
    )
    records = dict(_records(changes))
    moves = tuple(RefMove(ref, None, oid) for ref, oid in records.items() if ref not in stack.own_refs)
    return replace(stack, changes=changes, own_refs={**records, **stack.own_refs}), moves


def _readable(commit: Commit) -> Commit:
    bare = ghstack.without_trailers(commit.message)
    return commit if bare == commit.message else replace(commit, message=identity.without_change_id(bare))


def _records(changes: Sequence[Change]) -> Iterator[tuple[str, str]]:
    """Name and head of every change that is taken over."""
    for change in changes:
        if change.pull is None or change.accepted is None:
            continue
        yield HEADS + change.id, change.accepted
        yield BRANCHES + change.head_ref, change.accepted
        if not tells_change(change.head_ref, change.id):
            yield name_record(change.id, change.head_ref), change.accepted


def plan_adopt(
    records: Sequence[RefMove], rest: Plan, leftovers: Sequence[tuple[str, str]] = (), notes: Sequence[str] = ()
) -> Plan:
    """The records first, so that a run that dies knows afterwards whose heads these are; removals last.

    ``rest`` is what a submit or a sync does with the stack as ``taken_over`` has it, ``leftovers`` are branches nobody
    needs any more (full ref name, tip).
    """
    actions: list[Action] = [MoveRefs(tuple(records), "adopt")] if records else []
    actions += rest.actions
    actions += [DeleteRefs(tuple(leftovers))] if leftovers else []
    return Plan("adopt", tuple(actions), (*rest.notes, *notes))


def leftover_names(stack: Stack) -> tuple[str, ...]:
    """The branches that ghstack keeps beside the heads of this stack, whether they exist or not."""
    return tuple(branch for change in stack.changes for branch in ghstack.siblings(change.head_ref))


def leftovers(
    stack: Stack, rest: Plan, tips: Mapping[str, str | None], targeting: Sequence[tuple[int, str]]
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The branches to remove (full ref name, tip), and a sentence for each that somebody still needs.

    ``targeting`` are the open pull requests that target one of them now: (number, base). GitHub closes what targets a
    branch that is removed, so those that ``rest`` does not give another base keep theirs.
    """
    leaving = {
        action.number
        for action in rest.actions
        if isinstance(action, Park) or (isinstance(action, UpdatePull) and action.base_ref is not None)
    }
    needed = {base: number for number, base in targeting if number not in leaving}
    names = [branch for branch in leftover_names(stack) if tips.get(branch) is not None]
    refs = tuple((f"refs/heads/{branch}", tips[branch] or "") for branch in names if branch not in needed)
    return refs, tuple(f'"{branch}" stays: #{needed[branch]} targets it' for branch in names if branch in needed)
