"""What ``stackr status`` says of a stack, as data: one row a change, with its state and what to do next.

The state is what a submit would do, so status and submit cannot disagree.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from stackr.core.fates import name
from stackr.core.model import Change, Head, Orphan, PullRequest, PullState, Stack, Trunk
from stackr.core.ownership import Ownership, ownership
from stackr.core.plan import CreatePull, Plan, PushRefs, UpdatePull
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One change: ``position`` counts from 1 at the bottom; ``state`` and ``next`` as docs/reference/cli.md has it."""

    position: int
    id: str
    title: str
    commit: str
    head_ref: str
    state: str
    pull: PullRequest | None
    next: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """A stack as shown: rows bottom first. ``trunk`` is ``None`` when it is not known (offline, nothing fetched)."""

    command: str
    trunk: Trunk | None
    head: Head | None
    rows: tuple[Row, ...]
    orphans: tuple[Orphan, ...] = ()
    notes: tuple[str, ...] = ()


def report(
    command: str, stack: Stack, outdated: Collection[str], notes: tuple[str, ...] = (), *, offline: bool = False
) -> Report:
    """Rows for every change of ``stack``; ``outdated`` holds the ids of changes that a submit would touch.

    ``offline``: nobody has asked for pull requests, so the head branches that this clone knows speak for them.
    """
    rows = []
    for index, change in enumerate(stack.changes):
        state = _state(change, stack, outdated, offline)
        rows.append(
            Row(
                index + 1,
                change.id,
                change.title,
                change.commit.oid,
                change.head_ref,
                state,
                change.pull,
                _next(change, state),
            )
        )
    return Report(command, stack.trunk, stack.head, tuple(rows), stack.orphans, notes)


def outdated(plan: Plan, *, offline: bool = False) -> set[str]:
    """The ids of changes that a plan would bring up to date on GitHub; ``offline``: those whose branch it pushes.

    A stack list that names a change too few says nothing of the change whose page it stands on.
    """
    ids: set[str] = set()
    for action in plan.actions:
        if isinstance(action, PushRefs):
            ids |= {push.change_id for push in action.pushes}
        elif offline:
            continue
        elif isinstance(action, CreatePull) or (isinstance(action, UpdatePull) and not _is_just_list(action)):
            ids.add(action.change_id)
    return ids


def misplaced(stack: Stack) -> tuple[str, ...]:
    """One sentence for every change whose pull request was merged into something else than trunk, bottom first."""
    return tuple(
        f'{name(change)} was merged into "{change.pull.base_ref}", which is not {stack.trunk.name}: '
        "it has NOT landed unless that did; stackr sync sees to it"
        for change in stack.changes
        if change.pull and change.pull.state is PullState.MERGED and change.pull.base_ref != stack.trunk.name
    )


def _is_just_list(update: UpdatePull) -> bool:
    return update.description is not None and update == UpdatePull(
        update.change_id,
        update.number,
        update.node_id,
        description=replace(update.description, list_only=True),
    )


def _state(change: Change, stack: Stack, outdated: Collection[str], offline: bool) -> str:
    pull = change.pull
    if pull is not None and pull.state is PullState.MERGED:
        return "landed" if pull.base_ref == stack.trunk.name else "closed"
    if pull is not None and pull.state is PullState.CLOSED:
        return "closed"
    if ownership(change, stack) is Ownership.FOREIGN:
        return "remote-ahead"
    if pull is None and not (offline and change.remote_head):
        return "new"
    return "modified" if change.id in outdated else "in-sync"


def _next(change: Change, state: str) -> str | None:
    if state in ("landed", "remote-ahead"):
        return "sync"
    if state == "closed":
        return "sync" if change.pull and change.pull.state is PullState.MERGED else "submit --reopen"
    return None if state == "in-sync" else "submit"
