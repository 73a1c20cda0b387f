"""The request log: what arrived at the sandbox, for counting in tests and benchmarks."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Entry:
    """One API request (kind "api") or git operation (kind "git").

    ``operations`` are GraphQL operation names, ``mutations`` the number of top-level ones; ``service`` is
    git's (upload-pack, receive-pack), ``step`` its half (advertise, rpc), ``refs`` what a push moved.
    ``status`` is 0 for a connection dropped on purpose.
    """

    kind: str
    method: str
    path: str
    status: int = 0
    user: str | None = None
    seconds: float = 0.0
    points: int = 0
    operations: list[str] = field(default_factory=list)
    mutations: int = 0
    service: str | None = None
    step: str | None = None
    refs: list[dict[str, str]] = field(default_factory=list)
    fault: str | None = None
    number: int = 0

    @property
    def is_write(self) -> bool:
        """Whether it may change something: a REST write, a GraphQL mutation, or the push itself."""
        if self.kind == "git":
            return self.service == "receive-pack" and self.step == "rpc"
        if self.path.endswith("/graphql"):
            return self.mutations > 0
        return self.method not in {"GET", "HEAD"}


class RequestLog:
    """Every entry since the start or the last ``clear``, in order of arrival."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._lock = threading.Lock()
        self._last = 0

    def add(self, entry: Entry) -> Entry:
        """Keep an entry and number it; the caller fills in status and seconds later."""
        with self._lock:
            self._last += 1
            entry.number = self._last
            self._entries.append(entry)
        return entry

    def entries(self, kind: str | None = None) -> list[Entry]:
        """What was logged, of one kind or of all."""
        with self._lock:
            return [entry for entry in self._entries if kind in (None, entry.kind)]

    def api(self) -> list[Entry]:
        """The API requests."""
        return self.entries("api")

    def pushes(self) -> list[Entry]:
        """The pushes (receive-pack requests that carried commands, accepted or not)."""
        return [entry for entry in self.entries("git") if entry.is_write]

    def fetches(self) -> list[Entry]:
        """The upload-pack conversations, counted by their advertisement."""
        return [e for e in self.entries("git") if e.service == "upload-pack" and e.step == "advertise"]

    def forced(self) -> list[dict[str, str]]:
        """The ref moves by push that were no fast-forward; deletions not counted."""
        return [ref for entry in self.pushes() for ref in entry.refs if ref.get("forced") == "yes"]

    def counts(self) -> dict[str, int]:
        """Totals: api, mutations, git operations (advertise + rpc requests), pushes, fetches."""
        return {
            "api": len(self.api()),
            "mutations": sum(entry.mutations for entry in self.api()),
            "git": len(self.entries("git")),
            "pushes": len(self.pushes()),
            "fetches": len(self.fetches()),
        }

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()

    def as_json(self) -> list[dict[str, Any]]:
        """All entries as JSON objects."""
        return [asdict(entry) for entry in self.entries()]
