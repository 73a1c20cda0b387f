"""The steps of a plan as programs see them: ``actions`` in JSON (docs/reference/cli.md), a public contract.

Bookkeeping (refs below ``refs/stackr/``) is not shown: it follows from what is. How people see a plan is in
``stackr.ui.plan_view``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stackr.core.plan import (
    Action,
    ClosePull,
    Comment,
    CreatePull,
    DeleteRefs,
    LinkStack,
    MergePull,
    MoveRefs,
    Park,
    PushRefs,
    RefMove,
    Reopen,
    UnlinkStack,
    UpdatePull,
    WriteCommit,
)

_NOTHING: Mapping[str, Any] = {}


def actions_json(
    actions: Iterable[Action], resolved: Mapping[str, str] = _NOTHING, numbers: Mapping[str, int] = _NOTHING
) -> list[dict[str, Any]]:
    """The steps of a plan for JSON, in order, one entry a ref or pull request (docs/reference/cli.md).

    ``resolved`` maps labels to commits and ``numbers`` change ids to pull requests, once they exist; until then such
    values are ``None``.
    """

    def oid(name: str | None) -> str | None:
        return resolved.get(name) if name is not None and name.startswith(":") else name

    return [entry for action in actions for entry in _entries(action, oid, numbers)]


def _entries(action: Action, oid: Any, numbers: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    if isinstance(action, WriteCommit) and action.why == "id":
        yield {
            "kind": "rewrite",
            "id": action.change_id,
            "from": old_commit(action),
            "to": oid(action.commit.label),
        }
    elif isinstance(action, MoveRefs):
        for move in filter(is_visible, action.moves):
            yield {"kind": "move", "ref": move.ref, "from": move.old, "to": oid(move.new)}
    elif isinstance(action, PushRefs):
        for push in action.pushes:
            yield {"kind": "push", "id": push.change_id, "ref": push.ref, "from": push.expected, "to": oid(push.new)}
    elif isinstance(action, DeleteRefs):
        yield from ({"kind": "delete", "ref": ref, "from": old} for ref, old in action.refs)
    elif isinstance(action, UnlinkStack):
        yield {"kind": "unlink", "stack": action.number, "numbers": list(action.members)}
    elif isinstance(action, LinkStack):
        found = [numbers.get(change) for change in action.change_ids]
        yield {"kind": "link", "ids": list(action.change_ids), "numbers": found, "onto": action.onto}
    else:
        yield from _pull_entries(action, numbers)


def _pull_entries(action: Action, numbers: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    if isinstance(action, Park):
        yield {"kind": "park", "number": action.number, "base_ref": short_ref(action.base_ref)}
    elif isinstance(action, Reopen):
        yield {"kind": "update", "number": action.number, "fields": ["state"]}
    elif isinstance(action, ClosePull):
        yield {"kind": "close", "id": action.change_id, "number": action.number}
    elif isinstance(action, CreatePull):
        yield {
            "kind": "create",
            "id": action.change_id,
            "number": numbers.get(action.change_id),
            "head_ref": action.head_ref,
            "base_ref": action.base_ref,
            "title": action.title,
            "draft": action.draft,
        }
    elif isinstance(action, UpdatePull):
        number = action.number if action.number is not None else numbers.get(action.change_id)
        yield {"kind": "update", "id": action.change_id, "number": number, "fields": list(_fields(action))}
    elif isinstance(action, Comment):
        yield {"kind": "comment", "number": action.number}
    elif isinstance(action, MergePull):
        yield {
            "kind": "merge",
            "id": action.change_id,
            "number": action.number,
            "base_ref": action.base_ref,
            "method": action.method.value,
        }


def _fields(action: UpdatePull) -> Iterator[str]:
    """The names of what an update may touch."""
    for name in ("base_ref", "description", "draft", "reviewers", "labels"):
        if getattr(action, name) not in (None, ()):
            yield name


def is_visible(move: RefMove) -> bool:
    """Whether a move is of the user's own refs, and no bookkeeping."""
    return move.ref == "HEAD" or move.ref.startswith("refs/heads/")


def short_ref(ref: str) -> str:
    """A branch without what all branches begin with."""
    return ref.removeprefix("refs/heads/")


def old_commit(action: WriteCommit) -> str:
    """A rewritten commit's label holds the id of the commit it replaces."""
    return action.commit.label.rpartition("/")[2]
