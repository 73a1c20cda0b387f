"""The pull requests from trunk up to one of them, found by their bases; pure. Asking for them is not done here.

A base that is the head branch of another pull request leads down to that one; any other base is the trunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stackr.core import body, identity
from stackr.core.model import PullRequest, PullState
from stackr.errors import Refused


def walk(target: PullRequest, known: Iterable[PullRequest], trunk: str) -> tuple[PullRequest, ...]:
    """The pull requests from the lowest that ``known`` leads to up to ``target``; ``trunk`` ends every chain.

    Of several with the same head branch the open one counts, else the newest. Raises ``Refused`` for a circle.
    """
    by_head: dict[str, PullRequest] = {}
    for pull in sorted(known, key=lambda pull: (pull.state is PullState.OPEN, pull.number)):
        by_head[pull.head_ref] = pull
    chain = [target]
    while chain[-1].base_ref != trunk and (lower := by_head.get(chain[-1].base_ref)) is not None:
        if lower in chain:
            names = " and ".join(f"#{pull.number}" for pull in chain[chain.index(lower) :])
            raise Refused(f"{names} stand on each other", next_step="give one of them another base on GitHub")
        chain.append(lower)
    return tuple(reversed(chain))


def listed_below(pull: PullRequest) -> tuple[int, ...]:
    """The numbers that the stack list of a pull request has, its own and what landed left out."""
    block = body.parse(pull.body).block
    rows = block.rows if block else ()
    return tuple(row.number for row in rows if row.number is not None and row.number != pull.number and not row.landed)


def is_part(pull: PullRequest, template: str) -> bool:
    """Whether a pull request with some branch as its head makes that branch part of a stack.

    An open one does. One that was merged or closed only if it was stackr's: a long-lived branch has often been merged.
    """
    if pull.state is PullState.OPEN:
        return True
    return identity.is_head_ref(pull.head_ref, template) or body.parse(pull.body).block is not None


def of_heads(pulls: Mapping[str, Iterable[PullRequest]], template: str) -> list[PullRequest]:
    """Those of the pull requests by head branch that may be part of a stack."""
    return [pull for found in pulls.values() for pull in found if is_part(pull, template)]
