"""Whether HEAD stands beside the stack it was in the middle of: somebody committed there with plain git.

Nothing is lost by that, but the changes above are in no stack that HEAD sees (docs/internals/protocol.md 9).
"""

from __future__ import annotations

from collections.abc import Sequence

from stackr.core import identity
from stackr.core.model import Commit, Stack
from stackr.core.ports import LocalState, Repo


def warn_of_changes_above(repo: Repo, state: LocalState, stack: Stack) -> tuple[str, ...]:
    """What to say of the branch that HEAD was in the middle of; no process unless HEAD has left that by hand."""
    branch, places = state.left
    tip = state.refs.get(branch)
    if tip is None or not stack.changes:
        return ()
    beside = repo.list_commits([stack.head.oid], [tip])
    place = _place(repo, places, beside[0]) if beside else None
    if place is None:
        return ()
    name = branch.removeprefix("refs/heads/")
    return (
        f'HEAD stands beside "{name}", and what is above it there is not in this stack. git reset --soft {place[:7]}, '
        "then stackr amend or stackr insert HEAD, puts what was committed into it; "
        f"git switch {name} goes back without it",
    )


def _place(repo: Repo, places: Sequence[str], lowest: Commit) -> str | None:
    """The place in the stack that a commit was made at, or was amended from."""
    own = identity.change_id(lowest.message)
    found = repo.read_commits(places)
    return next(
        (oid for oid in places if oid in lowest.parents or (own and oid in found and own == _id(found[oid]))), None
    )


def _id(commit: Commit) -> str:
    return identity.change_id(commit.message)
