"""What a run that broke off has done already, as the ``safe`` line of its error, and in pieces for programs; pure.

Every step of a plan is safe to die after, but "nothing was changed" may be said only while it is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stackr.core.plan import (
    Action,
    ClosePull,
    CreatePull,
    MergePull,
    MoveRefs,
    Park,
    PushRefs,
    Reopen,
    SetConfig,
    UnlinkStack,
    WriteCommit,
)
from stackr.core.steps import actions_json
from stackr.errors import NOTHING_CHANGED

_GOES_ON = "the next run goes on from there"


def safe_line(done: Sequence[Action], safe: str) -> str:
    """The line for an error whose own is ``safe``, after the actions ``done``.

    What the error itself knows is kept, unless it is that nothing was changed and something was.
    """
    told = ", ".join(_told(done))
    if not told:
        return safe
    if safe == NOTHING_CHANGED:
        return f"{told}; {_GOES_ON}"
    return f"{safe}; before that: {told}" if safe.startswith("nothing ") else safe


def pieces(
    done: Sequence[Action], failed: Sequence[Action], oids: Mapping[str, str], numbers: Mapping[str, int]
) -> dict[str, Any]:
    """``actions`` and ``failed`` of an error's document: what was carried out, and the step at which it ended.

    Commits that no ref has come to yet are part of the step that failed.
    """
    count = len(done)
    while count and isinstance(done[count - 1], WriteCommit):
        count -= 1
    return {
        "actions": actions_json(done[:count], oids, numbers),
        "failed": actions_json((*done[count:], *failed), oids, numbers),
    }


def _told(done: Sequence[Action]) -> Iterator[str]:
    """One phrase for each kind of action that a user can see."""
    if local := [action for action in done if isinstance(action, MoveRefs) and _is_seen(action)]:
        synced = any(action.reason.startswith("sync") for action in local)
        yield "your branches are up to date here" if synced else "your commits have their change ids"
    if any(isinstance(action, SetConfig) for action in done):
        yield "the base is remembered"
    if unlinked := [action for action in done if isinstance(action, UnlinkStack)]:
        numbers = ", ".join(str(action.number) for action in unlinked)
        yield f"GitHub's own {_verb(unlinked, 'stack', 'stacks')} {numbers} {_verb(unlinked, 'is', 'are')} dissolved"
    if parked := [action for action in done if isinstance(action, Park)]:
        numbers = ", ".join(f"#{action.number}" for action in parked)
        bases = dict.fromkeys(f'"{action.base_ref}"' for action in parked)
        yield f"{numbers} {_verb(parked, 'targets', 'target')} {', '.join(bases)} for the time being"
    if pushes := [push for action in done if isinstance(action, PushRefs) for push in action.pushes]:
        yield f"{_count(pushes, 'branch', 'branches')} {_verb(pushes, 'is', 'are')} pushed"
    if reopened := [action for action in done if isinstance(action, Reopen)]:
        numbers = ", ".join(f"#{action.number}" for action in reopened)
        yield f"{numbers} {_verb(reopened, 'is', 'are')} open again"
    if closed := [action for action in done if isinstance(action, ClosePull)]:
        yield f"{', '.join(f'#{action.number}' for action in closed)} {_verb(closed, 'is', 'are')} closed"
    if created := [action for action in done if isinstance(action, CreatePull)]:
        yield f"{_count(created, 'pull request', 'pull requests')} {_verb(created, 'is', 'are')} created"
    if merged := [action for action in done if isinstance(action, MergePull)]:
        numbers = ", ".join(f"#{action.number}" for action in merged)
        yield f"{numbers} {_verb(merged, 'was', 'were')} given to GitHub to merge"


def _is_seen(action: MoveRefs) -> bool:
    """Whether the user's own branches are among the moves; our records nobody sees."""
    return any(move.ref.startswith("refs/heads/") or move.ref == "HEAD" for move in action.moves)


def _verb(things: Sequence[object], one: str, many: str) -> str:
    return one if len(things) == 1 else many


def _count(things: Sequence[object], one: str, many: str) -> str:
    return f"{len(things)} {_verb(things, one, many)}"
