"""The JSON documents of docs/reference/cli.md, a public contract: exactly these keys, in this order.

Only shapes: printing is ``Console.json``'s, the actions of a plan are in ``stackr.core.steps``, and the document of
an error is in ``stackr.failures``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stackr.core.model import Orphan, PullRequest
from stackr.core.opinions import opinions
from stackr.core.outlook import ready
from stackr.core.overview import PullStack
from stackr.core.status import Report, Row

SCHEMA = 1


def envelope(command: str, **content: Any) -> dict[str, Any]:
    """The document of a command that succeeded."""
    return {"schema": SCHEMA, "command": command, "ok": True, **content}


def report(shown: Report, actions: Sequence[dict[str, Any]] | None = None) -> dict[str, Any]:
    """A stack: changes bottom first; ``actions`` (what was done or would be) only for commands that write.

    How far trunk has moved on, what landed, and the notes are what a look is for; other commands tell them as they go.
    """
    document = envelope(
        shown.command,
        trunk={"name": shown.trunk.name, "oid": shown.trunk.oid} if shown.trunk else None,
        head={"branch": shown.head.branch_name, "oid": shown.head.oid} if shown.head else None,
        changes=[_change(row) for row in shown.rows],
        orphans=[_orphan(orphan) for orphan in shown.orphans],
    )
    if actions is not None:
        return {**document, "actions": list(actions)}
    if document["trunk"]:
        document["trunk"]["behind"] = shown.behind
    return {**document, "landed": list(shown.landed), "ready": list(ready(shown)), "notes": list(shown.notes)}


def overview(stacks: Sequence[PullStack]) -> dict[str, Any]:
    """All stacks of one person, newest first; the pull requests of each bottom first."""
    return envelope("status", stacks=[_stack(stack) for stack in stacks])


def _stack(stack: PullStack) -> dict[str, Any]:
    return {
        "base": stack.base,
        "branches": list(stack.branches),
        "head": stack.head,
        "changes": [
            {
                "position": index + 1,
                "title": pull.title,
                "head_ref": pull.head_ref,
                "fork": pull.cross_repository,
                "pull": _pull(pull),
            }
            for index, pull in enumerate(stack.pulls)
        ],
    }


def _change(row: Row) -> dict[str, Any]:
    return {
        "position": row.position,
        "id": row.id,
        "title": row.title,
        "commit": row.commit,
        "head_ref": row.head_ref,
        "state": row.state,
        "pull": _pull(row.pull) if row.pull else None,
        "next": row.next,
        "drift": list(row.drift),
        "foreign": [
            {"commit": commit.oid, "author": commit.author_name, "title": commit.subject} for commit in row.foreign
        ],
    }


def _pull(pull: PullRequest) -> dict[str, Any]:
    return {
        "number": pull.number,
        "url": pull.url,
        "state": pull.state.value,
        "draft": pull.draft,
        "base_ref": pull.base_ref,
        "head_oid": pull.head_oid,
        "review": pull.review.value,
        "checks": pull.checks.value,
        "mergeable": pull.mergeable.value,
        "check_counts": {
            "passing": pull.counts.passing,
            "failing": pull.counts.failing,
            "pending": pull.counts.pending,
        },
        "reviews": [
            {"login": login, "review": opinion.review.value, "current": opinion.is_current}
            for opinion in opinions(pull)
            for login in opinion.logins
        ],
    }


def _orphan(orphan: Orphan) -> dict[str, Any]:
    return {"number": orphan.pull.number, "url": orphan.pull.url}
