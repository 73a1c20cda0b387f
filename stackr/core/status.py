"""What ``stackr status`` says of a stack, as data: one row a change, with its state and what to do next.

The state is what a submit would do, so status and submit cannot disagree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from stackr.core import ghstack
from stackr.core.belongings import is_somebody_elses
from stackr.core.fates import name
from stackr.core.model import Change, Commit, Head, Orphan, PullRequest, PullState, Stack, Trunk
from stackr.core.ownership import Ownership, ownership
from stackr.core.plan import CreatePull, Plan, PushRefs, UpdatePull
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One change: ``position`` counts from 1 at the bottom; ``state`` and ``next`` as docs/reference/cli.md has it.

    ``number`` is that of the pull request where GitHub was not asked but this clone remembers it.
    ``drift`` names what GitHub has otherwise than this clone (``commit``, ``base``, ``text``); ``foreign`` holds the
    commits that others pushed to the branch, oldest first.
    """

    position: int
    id: str
    title: str
    commit: str
    head_ref: str
    state: str
    pull: PullRequest | None
    next: str | None
    drift: tuple[str, ...] = ()
    foreign: tuple[Commit, ...] = ()
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A stack as shown: rows bottom first. ``trunk`` and ``head`` are ``None`` where there is no commit yet.

    ``landed`` are numbers of pull requests that left the stack by landing, lowest first; ``behind`` is the number of
    commits that trunk has and the stack does not stand on; ``refused`` says that a submit would not work as it is.
    """

    command: str
    trunk: Trunk | None
    head: Head | None
    rows: tuple[Row, ...]
    orphans: tuple[Orphan, ...] = ()
    notes: tuple[str, ...] = ()
    landed: tuple[int, ...] = ()
    behind: int = 0
    refused: bool = False


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
                _next(change, state, stack),
                foreign=stack.foreign.get(change.id, ()),
            )
        )
    return Report(command, stack.trunk, stack.head, tuple(rows), stack.orphans, notes, stack.landed_numbers)


def outdated(plan: Plan, *, offline: bool = False) -> set[str]:
    """The ids of changes that a plan would bring up to date on GitHub; ``offline``: those whose branch it pushes."""
    return set(drift(plan, offline=offline))


def drift(plan: Plan, *, offline: bool = False) -> dict[str, tuple[str, ...]]:
    """What a plan would change on GitHub, by change id: ``commit``, ``base``, ``text``, ``draft``, ``pull request``.

    ``offline``: only what it pushes. A stack list that names a change too few says nothing of the change whose page it
    stands on.
    """
    found: dict[str, list[str]] = {}
    for action in plan.actions:
        if isinstance(action, PushRefs):
            for push in action.pushes:
                found.setdefault(push.change_id, []).append("commit")
        elif offline:
            continue
        elif isinstance(action, CreatePull):
            found.setdefault(action.change_id, []).append("pull request")
        elif isinstance(action, UpdatePull) and (parts := [*_parts(action)]):
            found.setdefault(action.change_id, []).extend(parts)
    return {change: tuple(parts) for change, parts in found.items()}


def with_drift(shown: Report, drifts: Mapping[str, tuple[str, ...]]) -> Report:
    """The report with what a submit would change, as ``drift`` tells it."""
    return replace(shown, rows=tuple(replace(row, drift=drifts.get(row.id, ())) for row in shown.rows))


def with_new_words(shown: Report, before: Stack, after: Stack) -> Report:
    """The report of a look without the network, with the changes whose message has become another one meanwhile.

    Their pages have the words of before, as far as this clone can know.
    """
    old = {change.id: change.commit.message for change in before.changes if change.remote_head}
    new = {
        change.id: change
        for change in after.changes
        if old.get(change.id, change.commit.message) != change.commit.message
    }
    rows = (_reworded(row, new[row.id], after) if row.id in new else row for row in shown.rows)
    return replace(shown, rows=tuple(rows))


def _reworded(row: Row, change: Change, stack: Stack) -> Row:
    if row.state not in ("in-sync", "modified"):
        return row
    return replace(row, state="modified", next=_next(change, "modified", stack), drift=(*row.drift, "text"))


def with_numbers(shown: Report, numbers: Mapping[str, int]) -> Report:
    """The report with the numbers of pull requests as this clone remembers them, by head branch."""
    rows = tuple(replace(row, number=numbers.get(row.head_ref)) for row in shown.rows)
    return replace(shown, rows=rows)


def misplaced(stack: Stack) -> tuple[str, ...]:
    """One sentence for every change whose pull request was merged into something else than trunk, bottom first."""
    return tuple(
        f'{name(change)} was merged into "{change.pull.base_ref}", which is not {stack.trunk.name}: '
        "it has NOT landed unless that did; stackr sync sees to it"
        for change in stack.changes
        if change.pull and change.pull.state is PullState.MERGED and change.pull.base_ref != stack.trunk.name
    )


def _parts(update: UpdatePull) -> Iterator[str]:
    if update.base_ref is not None:
        yield "base"
    if update.description is not None and not update.description.list_only:
        yield "text"
    if update.draft is not None:
        yield "draft"
    if update.reviewers or update.labels:
        yield "people"


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


def _next(change: Change, state: str, stack: Stack) -> str | None:
    if state in ("landed", "remote-ahead"):
        return "sync"
    if state == "closed":
        return "sync" if change.pull and change.pull.state is PullState.MERGED else "submit --reopen"
    if state == "in-sync":
        return None
    if ghstack.pull_number(change.commit.message) is not None:
        return "adopt"
    return "submit --others" if is_somebody_elses(change, stack) else "submit"
