"""The fault plan: which request from now on goes wrong, how, and before or after its effect.

Only the plan and its counting live here; ``gate`` carries a fault out on the wire. A plan is in memory and
belongs to one run of the sandbox.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stackr.sandbox.errors import ApiError
from stackr.sandbox.log import Entry

KINDS = ("drop", "500", "502-html", "401", "403-sso", "429", "slow", "cut-json", "hold", "call")
SELECTORS = ("any", "api", "git", "write", "push", "mutation", "read")
Callback = Callable[[], object]


@dataclass(slots=True)
class Fault:
    """One planned fault.

    It waits for the ``k``-th request that ``selector`` matches, then strikes ``times`` matching requests in
    a row. ``value``: milliseconds for slow, seconds of Retry-After for 429.
    """

    kind: str
    k: int = 1
    when: str = "before"
    selector: str = "any"
    value: float = 0
    times: int = 1
    callback: Callback | None = None
    id: int = 0
    struck: int = 0
    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def matches(self, entry: Entry) -> bool:
        """Whether this request counts for the fault."""
        match self.selector:
            case "api" | "git":
                return entry.kind == self.selector
            case "write":
                return entry.is_write
            case "push":
                return entry.kind == "git" and entry.is_write
            case "mutation":
                return entry.kind == "api" and entry.is_write
            case "read":
                return not entry.is_write
            case _:
                return True

    def release(self) -> None:
        """Let a held request go on."""
        self.released.set()


class Faults:
    """The faults that wait, and those that have struck."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._plan: list[Fault] = []
        self._ids = itertools.count(1)

    def add(
        self,
        kind: str,
        k: int = 1,
        *,
        when: str = "before",
        selector: str = "any",
        value: float = 0,
        times: int = 1,
    ) -> Fault:
        """Plan a fault for the k-th matching request from now; see KINDS and SELECTORS.

        ``hold`` stops a request until ``release``; its ``reached`` event tells that it has arrived.
        """
        return self._keep(Fault(kind, k, when, selector, value, times))

    def on(self, k: int, selector: str, callback: Callback, *, when: str = "after") -> Fault:
        """Run a callback at the k-th matching request from now, as somebody else who acts at that moment."""
        return self._keep(Fault("call", k, when, selector, callback=callback))

    def _keep(self, fault: Fault) -> Fault:
        for value, known in ((fault.kind, KINDS), (fault.selector, SELECTORS), (fault.when, ("before", "after"))):
            if value not in known:
                raise ApiError(422, f"unknown fault setting {value!r}; known are {', '.join(known)}")
        with self._lock:
            fault.id = next(self._ids)
            self._plan.append(fault)
        return fault

    def striking(self, entry: Entry) -> list[Fault]:
        """Count a request, and return the faults it runs into, in planned order."""
        found = []
        with self._lock:
            for fault in self._plan:
                if fault.struck >= fault.times or not fault.matches(entry):
                    continue
                fault.k -= 1
                if fault.k <= 0:
                    fault.struck += 1
                    found.append(fault)
        return found

    def get(self, fault_id: int) -> Fault | None:
        """A planned fault by its id."""
        return next((fault for fault in self._plan if fault.id == fault_id), None)

    def pending(self) -> list[Fault]:
        """The faults that have not struck as often as planned."""
        with self._lock:
            return [fault for fault in self._plan if fault.struck < fault.times]

    def clear(self) -> None:
        """Forget the plan and let every held request go."""
        with self._lock:
            for fault in self._plan:
                fault.release()
            self._plan.clear()

    def as_json(self) -> list[dict[str, Any]]:
        """The plan, for the control API."""
        names = ("id", "kind", "k", "when", "selector", "value", "times", "struck")
        with self._lock:
            plan = list(self._plan)
        return [{**{name: getattr(f, name) for name in names}, "reached": f.reached.is_set()} for f in plan]
