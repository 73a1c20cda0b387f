"""What happened to an issue or pull request, in order, with the actor.

Kinds are GitHub's REST event names (https://docs.github.com/rest/using-the-rest-api/issue-event-types),
and one of our own, ``pushed``, for a fast-forward of a head branch (GitHub shows its commits instead).
"""

from __future__ import annotations

from typing import Any

from stackr.sandbox.engine import Engine
from stackr.sandbox.model import Event, Issue, PullRequest, User


def record(engine: Engine, issue: Issue, kind: str, actor: User | None, **data: Any) -> Event:
    """Add an event and touch the subject's ``updated_at``."""
    now = engine.now()
    issue.updated_at = now
    save(engine, issue)
    return engine.store.events.add(
        Event(
            repo_id=issue.repo_id,
            number=issue.number,
            kind=kind,
            actor_id=actor.id if actor else None,
            created_at=now,
            data=data,
        )
    )


def events_of(engine: Engine, issue: Issue) -> list[Event]:
    """The events, oldest first."""
    return engine.store.events.by(repo_id=issue.repo_id, number=issue.number)


def save(engine: Engine, issue: Issue) -> None:
    """Write an issue or a pull request, whichever it is."""
    if isinstance(issue, PullRequest):
        engine.store.pulls.save(issue)
    else:
        engine.store.issues.save(issue)


def auto_merge_off(engine: Engine, pull: PullRequest, actor: User | None, reason: str | None) -> None:
    """Switch auto-merge off, as a person (no reason) or because of something; nothing where it is not on."""
    if pull.auto_merge is not None:
        pull.auto_merge = None
        record(engine, pull, "auto_merge_disabled", actor, reason=reason)
