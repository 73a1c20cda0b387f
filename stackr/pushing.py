"""Carries out one push, and finds out whether it arrived when its answer did not. Called by ``stackr.execute``."""

from __future__ import annotations

from collections.abc import Sequence

from stackr.core.model import Stack
from stackr.core.ports import Forge, ReadRequest, RefUpdate, Repo
from stackr.errors import NOTHING_CHANGED, ConnectionLost, LeaseLost, StackrError

_TRIES = 3


def push_all(repo: Repo, forge: Forge, stack: Stack, updates: Sequence[RefUpdate]) -> None:
    """One atomic push; a push whose answer was lost, or that comes second to itself, is recognised as done."""
    lost: ConnectionLost | None = None
    for attempt in range(1, _TRIES + 1):
        try:
            repo.push(stack.head_remote, updates)
        except (LeaseLost, ConnectionLost) as error:
            if isinstance(error, ConnectionLost):
                lost = _graver(lost, error)
            if _has_arrived(forge, stack, updates, lost):
                return
            if isinstance(error, LeaseLost):
                raise
            if attempt == _TRIES:
                raise lost or error from None
        else:
            return


def _graver(before: ConnectionLost | None, now: ConnectionLost) -> ConnectionLost:
    """Of two failures the one after which the push may have arrived; the later if that is true of neither or both."""
    return before if before is not None and before.safe != now.safe == NOTHING_CHANGED else now


def _has_arrived(forge: Forge, stack: Stack, updates: Sequence[RefUpdate], lost: ConnectionLost | None) -> bool:
    """Whether all branches are where the push moves them; when nobody can tell, the push's own error is raised."""
    names = {update.ref.removeprefix("refs/heads/"): update.new for update in updates}
    try:
        branches = forge.read(ReadRequest(tuple(names), stack.trunk.name)).branches
    except StackrError as error:
        if lost is None:
            raise
        raise lost from error
    return all(branches.get(name) == new for name, new in names.items())
