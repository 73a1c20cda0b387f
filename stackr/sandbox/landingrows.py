"""The rows of rules and of ways to land: rulesets, native stacks, merges in the background, queues. See ``model``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from stackr.sandbox.rows import Json, Row


@dataclass(slots=True, kw_only=True, eq=False)
class Ruleset(Row):
    """Rules for branches that match ``patterns`` (fnmatch on the short name).

    ``classic`` marks old-style branch protection: same rules, other texts. ``rules`` are GitHub's
    objects, ``{"type": "pull_request", "parameters": {...}}``.
    """

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id",),)
    repo_id: int
    name: str
    patterns: list[str]
    rules: list[Json]
    classic: bool = False
    enforcement: str = "active"  # or "disabled"
    bypass_user_ids: list[int] = field(default_factory=list)
    created_at: str = ""
    updated_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class NativeStack(Row):
    """A native stack: numbers of its pull requests, bottom first."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id",), ("repo_id", "number"))
    repo_id: int
    number: int
    pulls: list[int]
    base_ref: str
    creator_id: int
    dissolved: bool = False
    created_at: str = ""
    updated_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class AsyncMerge(Row):
    """A merge asked for by ``merge-async``: pending, merged, enqueued or failed."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "number"), ("uuid",))
    repo_id: int
    number: int
    uuid: str
    user_id: int
    method: str = "default"
    action: str = "default"  # or "direct_merge", "merge_queue"
    title: str | None = None
    text: str | None = None
    oid: str
    state: str = "pending"
    message: str = ""
    looks: int = 0  # how often its result was asked for
    created_at: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class QueueEntry(Row):
    """A pull request in the merge queue of its base. ``rank`` orders them, lowest first.

    ``pull_oid`` is the head that was queued. Once it is built, ``oid`` is the commit that would land, on ``base_oid``.
    """

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = (("repo_id", "number"), ("repo_id", "base_ref"))
    repo_id: int
    number: int
    base_ref: str
    rank: int
    pull_oid: str
    enqueuer_id: int
    jump: bool = False
    base_oid: str | None = None
    oid: str | None = None
    built_at: str | None = None
    created_at: str = ""
