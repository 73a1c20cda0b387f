"""Stack -> what to do about GitHub's own stacks; pure. Nothing where they are off or not enabled (``Stack.native``).

A member refuses every ``base`` in an update, even an unchanged one, so whatever is about to get another base has to
leave its native stack first; there is no other way to reorder one either. A native stack that fits is kept, and grows
on top only (docs/internals/github-facts.md, "Native stacks").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.core.model import Change, PullState, Stack
from stackr.core.native import FEWEST, MOST, NativeStack
from stackr.core.plan import LinkStack, Park, UnlinkStack, UpdatePull
from stackr.core.pulls import final_base
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Links:
    """``unlinks`` come before anything gets another base, ``links`` when all pull requests have theirs."""

    unlinks: tuple[UnlinkStack, ...] = ()
    links: tuple[LinkStack, ...] = ()
    notes: tuple[str, ...] = ()


def plan_links(stack: Stack, active: Sequence[int], parks: Sequence[Park], updates: Sequence[UpdatePull]) -> Links:
    """Dissolve and register so that GitHub's own stack is this one; an empty answer if it is so already."""
    if stack.native is None:
        return Links()
    moved = frozenset(_moved(parks, updates))
    chain = tuple(_chain(stack, active, moved))
    stuck = tuple(_leaving(stack.native, moved))
    reason = _why_not(stack, chain, moved)
    if reason is not None:
        return Links(stuck, notes=(reason,) if reason else ())
    kept = next((each for each in stack.native if _fits(each, stack, len(chain), moved)), None)
    rest = chain[len(kept.members) :] if kept else chain
    numbers = frozenset(change.pull.number for change in rest if change.pull)
    stale = [
        UnlinkStack(each.number, each.members)
        for each in stack.native
        if each is not kept and not _in(each, moved) and _in(each, numbers)
    ]
    return Links((*stuck, *stale), tuple(_links(kept, rest)))


def plan_leaving(stack: Stack, changes: Sequence[Change]) -> tuple[UnlinkStack, ...]:
    """Dissolve the native stacks that these changes are in: GitHub would neither retarget nor merge them one by one."""
    return tuple(_leaving(stack.native or (), frozenset(change.pull.number for change in changes if change.pull)))


def _leaving(stacks: Sequence[NativeStack], numbers: frozenset[int]) -> Iterator[UnlinkStack]:
    for each in stacks:
        if needed := _in(each, numbers):
            yield UnlinkStack(each.number, each.members, needed)


def _links(kept: NativeStack | None, rest: Sequence[Change]) -> Iterator[LinkStack]:
    ids = tuple(change.id for change in rest)
    if kept and ids:
        yield LinkStack(ids, kept.number)
    elif len(ids) >= FEWEST:
        yield LinkStack(ids)


def _moved(parks: Sequence[Park], updates: Sequence[UpdatePull]) -> Iterator[int]:
    """The numbers of pull requests that are about to get another base."""
    yield from (park.number for park in parks)
    yield from (update.number for update in updates if update.base_ref is not None and update.number is not None)


def _chain(stack: Stack, active: Sequence[int], moved: frozenset[int]) -> Iterator[Change]:
    """The changes that can be registered, bottom first: open by then, each on the branch of the one below."""
    for index, change in enumerate(stack.changes):
        if index not in active and not _is_settled(stack, index, moved):
            return
        yield change


def _is_settled(stack: Stack, index: int, moved: frozenset[int]) -> bool:
    """Whether a pull request that this run does not submit is in its place, and stays there."""
    pull = stack.changes[index].pull
    if pull is None or pull.state is not PullState.OPEN:
        return False
    return pull.base_ref == final_base(stack, index) and pull.number not in moved


def _why_not(stack: Stack, chain: Sequence[Change], moved: frozenset[int]) -> str | None:
    """Why nothing is registered: a sentence for the user, ``""`` if there is nothing to say, ``None`` if it can be."""
    if len(chain) > MOST:
        return f"GitHub's own stacks hold {MOST} pull requests at most: this one has {len(chain)} and is not registered"
    guests = frozenset(pull.number for pull in stack.relatives)
    mine = frozenset(number for number in _numbers(chain) if number is not None)
    for each in stack.native or ():
        others = _in(each, guests)
        # Another branch's, or a colleague's, who would only take it back: whoever was first has it.
        if others and _in(each, mine) and not _in(each, moved):
            return "" if _starts_with(each.members, chain) else _shared(each, others)
    return None


def _shared(native: NativeStack, others: Sequence[int]) -> str:
    names = ", ".join(f"#{number}" for number in others)
    return f"GitHub's own stack {native.number} also holds {names}, not of this stack: it is left as it is"


def _starts_with(members: Sequence[int], chain: Sequence[Change]) -> bool:
    return _numbers(chain) == (*members[: len(chain)],)


def _fits(native: NativeStack, stack: Stack, length: int, moved: frozenset[int]) -> bool:
    """Whether a native stack is the lower part of this one, in order, and has room for the rest of the chain."""
    if not native.members or _in(native, moved) or native.members != _numbers(stack.changes[: len(native.members)]):
        return False
    more = length - len(native.members)
    return more <= 0 or native.size + more <= MOST


def _numbers(chain: Sequence[Change]) -> tuple[int | None, ...]:
    """Numbers of pull requests, ``None`` for those that this run creates."""
    return tuple(change.pull.number if change.pull else None for change in chain)


def _in(native: NativeStack, numbers: frozenset[int]) -> tuple[int, ...]:
    return tuple(number for number in native.members if number in numbers)
