"""What became of every change since it was submitted: landed, merged into the wrong branch, closed, or still alive.

docs/internals/protocol.md 6.2. GitHub does not recognise a squash or rebase merge made elsewhere, so three things
count: the pull request, the Change-Id on trunk, and the patch on trunk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import Enum

from stackr.core import identity
from stackr.core.model import Change, Commit, PullRequest, PullState, Stack
from stackr.core.ownership import Ownership, named_branches, ownership


class Fate(Enum):
    """What a sync has to do with a change.

    ``LANDED``: it leaves the stack. ``AMENDED``: it landed, but was changed here since; the rest is kept under a new
    id. ``MISPLACED``: its pull request was merged, but not into trunk. ``TAKEN_IN``: others pushed to its branch.
    """

    ALIVE = "alive"
    TAKEN_IN = "taken in"
    LANDED = "landed"
    AMENDED = "amended"
    MISPLACED = "misplaced"
    CLOSED = "closed"


def fates(stack: Stack) -> dict[str, Fate]:
    """The fate of every change, by id, bottom first."""
    misplaced = {change.id for change in stack.changes if _is_misplaced(change, stack)}
    return {change.id: _fate(change, stack, misplaced) for change in stack.changes}


def sent_tree(change: Change, stack: Stack) -> str | None:
    """The tree that this clone last pushed for a change, else that of its pull request's head; ``None`` if unknown."""
    for oid in (change.accepted, change.pull.head_oid if change.pull else None):
        if oid is not None and oid in stack.trees:
            return stack.trees[oid]
    return None


def _fate(change: Change, stack: Stack, misplaced: set[str]) -> Fate:
    if change.id in misplaced:
        return Fate.MISPLACED
    if change.id in stack.landed_below:
        # It stands on what landed: brought back after a revert, or a rest that was rebased by hand.
        return Fate.AMENDED
    if _has_landed(change, stack):
        is_same = change.commit.oid in stack.equivalent or sent_tree(change, stack) == change.commit.tree
        return Fate.LANDED if is_same else Fate.AMENDED
    if change.pull is not None and change.pull.state is PullState.CLOSED:
        return Fate.CLOSED
    if ownership(change, stack) is Ownership.FOREIGN and not _only_merges_of(change, stack, misplaced):
        return Fate.TAKEN_IN
    return Fate.ALIVE


def _has_landed(change: Change, stack: Stack) -> bool:
    pull = change.pull
    is_merged = pull is not None and pull.state is PullState.MERGED and pull.base_ref == stack.trunk.name
    return is_merged or change.id in stack.landed or change.commit.oid in stack.equivalent


def _is_misplaced(change: Change, stack: Stack) -> bool:
    pull = change.pull
    return (
        pull is not None
        and pull.state is PullState.MERGED
        and pull.base_ref != stack.trunk.name
        and not _has_landed(change, stack)
    )


def _only_merges_of(change: Change, stack: Stack, misplaced: set[str]) -> bool:
    """Whether all that others pushed to this branch is the accidental merge of changes above it."""
    upper = [other for other in stack.changes if other.id in misplaced]
    merges = {other.pull.merge_commit for other in upper if other.pull}
    theirs: set[str] = set()
    for other in upper:
        theirs |= stack.graph.ancestors(other.pull.head_oid) if other.pull else set()
    foreign = {commit.oid for commit in stack.foreign.get(change.id, ())}
    return bool(upper) and foreign <= merges | theirs


def describe(stack: Stack, found: Mapping[str, Fate], empty: Collection[str] = ()) -> tuple[str, ...]:
    """One sentence for every change that is not simply alive, bottom first; what landed earlier comes first.

    ``empty`` are the commits of which nothing is left on trunk's tip, whatever was to become of them.
    """
    lines = [_arrived(commit, stack) for commit in stack.arrived]
    for change in stack.changes:
        is_empty = change.commit.oid in empty
        line = _emptied(change, stack) if is_empty else _sentence(change, stack, found[change.id])
        lines += [line] if line else []
    return tuple(lines)


def _emptied(change: Change, stack: Stack) -> str:
    return f"{name(change)} leaves your stack: {stack.trunk.name} has all of it{left_open(change.pull)}"


def _arrived(commit: Commit, stack: Stack) -> str:
    pull = _pull_that_left(commit, stack)
    number = f"#{pull.number} " if pull else ""
    return f'{number}"{commit.subject}" landed on {stack.trunk.name} as it is{left_open(pull)}'


def arrived_numbers(stack: Stack) -> Iterator[int]:
    """Numbers of the pull requests of commits that trunk contains as they are, bottom first."""
    yield from (pull.number for commit in stack.arrived if (pull := _pull_that_left(commit, stack)))


def _pull_that_left(commit: Commit, stack: Stack) -> PullRequest | None:
    """The pull request of a commit that is not in the stack any more, if any was seen."""
    change = identity.change_id(commit.message)
    pulls = {pull.head_ref: pull for pull in (*(o.pull for o in stack.orphans), *(f.pull for f in stack.finished))}
    named = named_branches(stack.own_refs)
    return pulls.get(named.get(change) or identity.known_head_ref(change, pulls) or "") if change else None


def name(change: Change) -> str:
    """``#12 "Add cache"``."""
    return f'#{change.pull.number} "{change.title}"' if change.pull else f'"{change.title}"'


def left_open(pull: PullRequest | None) -> str:
    """What to do about a pull request whose change is on trunk, if GitHub did not notice."""
    is_open = pull is not None and pull.state is PullState.OPEN
    return f"; GitHub still shows #{pull.number} as open, close it there" if pull and is_open else ""


def _sentence(change: Change, stack: Stack, fate: Fate) -> str:
    trunk, title = stack.trunk.name, name(change)
    # A message that GitHub made may not have the id, or that of everything below as well.
    commit = (change.pull.merge_commit if change.pull else None) or stack.landed.get(change.id)
    where = f" as {commit[:7]}" if commit else ""
    if fate is Fate.LANDED:
        return f"{title} landed on {trunk}{where}{left_open(change.pull)}"
    if fate is Fate.AMENDED:
        return f"{title} landed on {trunk}{where}; what you changed since is kept as a change of its own"
    if fate is Fate.MISPLACED and change.pull:
        return (
            f'{title} was merged into "{change.pull.base_ref}", which is not {trunk}: it has NOT landed; '
            "it is kept as a new change, and stackr submit gives it a new pull request"
        )
    if fate is Fate.CLOSED:
        return f"{title} was closed on GitHub without being merged; it stays in your stack"
    if fate is Fate.TAKEN_IN:
        names = sorted({commit.author_name or "somebody" for commit in stack.foreign.get(change.id, ())})
        return f"{title} now holds what {' and '.join(names) or 'somebody'} pushed to its branch"
    return ""
