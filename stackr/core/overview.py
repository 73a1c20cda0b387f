"""All open pull requests of one person as stacks, for ``stackr status --all``: who builds on whom, newest first.

Known from base and head branches alone, so stacks without a local branch are there too; those from a fork, where every
base is trunk, from their stack lists. What this clone has of them is added by name (``Place``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stackr.core import body
from stackr.core.model import PullRequest
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where this clone has something: a local branch (``None``: a detached HEAD), and the head branch of its tip."""

    branch: str | None
    head_ref: str
    is_head: bool = False


@dataclass(frozen=True, slots=True)
class PullStack:
    """Open pull requests that build on one another, bottom first; ``base`` is the branch below all of them.

    ``branches`` are the local branches that end in one of its changes, ``head`` the number of the pull request whose
    change HEAD is at, if it is one of these.
    """

    base: str
    pulls: tuple[PullRequest, ...]
    branches: tuple[str, ...] = ()
    head: int | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    """All stacks of one person in one repository, the newest first."""

    stacks: tuple[PullStack, ...]

    @property
    def pulls(self) -> tuple[PullRequest, ...]:
        """Every pull request once, as shown from the top."""
        found = {pull.number: pull for stack in self.stacks for pull in reversed(stack.pulls)}
        return tuple(found.values())


def group(pulls: Sequence[PullRequest], trunk: str, places: Sequence[Place] = ()) -> tuple[PullStack, ...]:
    """One stack for every pull request on which no other builds, the newest first.

    Two stacks that share their lower part both show it. Pull requests that build on each other in a circle, which
    GitHub allows, make one stack. What builds on ``trunk`` builds on no pull request, even if one merges it elsewhere.
    """
    own = [pull for pull in pulls if not pull.cross_repository]
    by_head = {pull.head_ref: pull for pull in own if pull.head_ref != trunk}
    bases = {pull.base_ref for pull in pulls} - {trunk}
    chains = [_chain(pull, by_head) for pull in own if pull.head_ref not in bases]
    chains += [(*_chain(lowest, by_head), *upper) for lowest, *upper in _proposed(pulls)]
    reached = {pull.number for chain in chains for pull in chain}
    for pull in sorted(own, key=_number):
        if pull.number not in reached:
            chains.append(_chain(pull, by_head))
            reached |= {each.number for each in chains[-1]}
    found = [_placed(chain, places) for chain in chains]
    return tuple(sorted(found, key=lambda stack: max(map(_number, stack.pulls)), reverse=True))


def _number(pull: PullRequest) -> int:
    return pull.number


def _chain(top: PullRequest, by_head: Mapping[str, PullRequest]) -> tuple[PullRequest, ...]:
    """``top`` and what it builds on, bottom first."""
    found = [top]
    while (below := by_head.get(found[-1].base_ref)) is not None and below not in found:
        found.append(below)
    return tuple(reversed(found))


def _proposed(pulls: Iterable[PullRequest]) -> Iterator[list[PullRequest]]:
    """The pull requests from forks, those together and bottom first that the newest one's stack list names."""
    left = {pull.number: pull for pull in sorted(pulls, key=_number) if pull.cross_repository}
    while left:
        newest = left[max(left)]
        rows = (body.parse(newest.body).block or body.Block()).rows
        listed = [left[row.number] for row in rows if row.number in left]
        found = listed if newest in listed else [newest]
        yield found
        for pull in found:
            del left[pull.number]


def _placed(chain: tuple[PullRequest, ...], places: Iterable[Place]) -> PullStack:
    here = [(place, pull.number) for place in places for pull in chain if _is_of(pull, place)]
    return PullStack(
        chain[0].base_ref,
        chain,
        tuple(_branches(place for place, _ in here)),
        next((number for place, number in here if place.is_head), None),
    )


def _branches(places: Iterable[Place]) -> Iterator[str]:
    yield from sorted(place.branch for place in places if place.branch is not None)


def _is_of(pull: PullRequest, place: Place) -> bool:
    return pull.head_ref == place.head_ref
