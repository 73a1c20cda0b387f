"""The commit graph of one repository in memory: who is whose parent, and questions about that.

GitHub asks "is this head reachable from that base?" for every open pull request after every push. With
parents and generation numbers in memory this takes microseconds instead of a git process each.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable


class Graph:
    """Parents by oid. ``load(oid)`` must give the parents of a commit it has not seen, or raise KeyError."""

    def __init__(self, load: Callable[[str], tuple[str, ...]]) -> None:
        self._load = load
        self.parents: dict[str, tuple[str, ...]] = {}
        self._generation: dict[str, int] = {}

    def add(self, tip: str) -> None:
        """Learn everything reachable from ``tip`` that is not known yet."""
        stack = [tip]
        while stack:
            oid = stack[-1]
            if oid in self._generation:
                stack.pop()
                continue
            if oid not in self.parents:
                self.parents[oid] = self._load(oid)
            waiting = [parent for parent in self.parents[oid] if parent not in self._generation]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            self._generation[oid] = 1 + max((self._generation[p] for p in self.parents[oid]), default=0)

    def generation(self, oid: str) -> int:
        """The length of the longest way down to a root: greater than that of every ancestor."""
        self.add(oid)
        return self._generation[oid]

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether ``old`` is ``new`` or reachable from it."""
        floor = self.generation(old)
        self.add(new)
        seen, stack = {new}, [new]
        while stack:
            oid = stack.pop()
            if oid == old:
                return True
            if self._generation[oid] > floor:
                stack.extend(p for p in self.parents[oid] if p not in seen)
                seen.update(self.parents[oid])
        return False

    def _painted(self, left: str, right: str) -> tuple[dict[str, int], list[str]]:
        """Colour ancestors, bit 1 for those of left, 2 of right, 4 beneath a common one.

        Goes newest first and stops when only common ones are left. Colours of what was visited are final,
        because no commit comes before one with a greater generation number.
        """
        colours: dict[str, int] = {}
        heap: list[tuple[int, str]] = []
        undecided = 0

        def paint(oid: str, colour: int) -> None:
            nonlocal undecided
            if oid not in colours:
                heapq.heappush(heap, (-self.generation(oid), oid))
                colours[oid] = 0
                undecided += 1
            before = colours[oid]
            colours[oid] = before | colour
            if before & 3 != 3 and colours[oid] & 3 == 3:
                undecided -= 1

        paint(left, 1)
        paint(right, 2)
        order: list[str] = []
        while undecided:
            oid = heapq.heappop(heap)[1]
            order.append(oid)
            colour = colours[oid]
            undecided -= colour & 3 != 3
            for parent in self.parents[oid]:
                paint(parent, colour | 4 if colour & 3 == 3 else colour)
        order.extend(oid for _, oid in heap)
        return colours, order

    def ahead(self, base: str, head: str) -> list[str]:
        """What ``git log base..head`` lists, oldest first; parents always come before children."""
        if base == head:
            return []
        colours, _ = self._painted(head, base)
        only = {oid for oid, colour in colours.items() if colour & 3 == 1}
        done: set[str] = set()
        result: list[str] = []
        stack = [(head, False)]
        while stack:
            oid, ready = stack.pop()
            if ready:
                result.append(oid)
                continue
            if oid not in only or oid in done:
                continue
            done.add(oid)
            stack.append((oid, True))
            stack.extend((parent, False) for parent in reversed(self.parents[oid]))
        return result

    def merge_bases(self, left: str, right: str) -> list[str]:
        """The best common ancestors: none for unrelated histories, several after criss-cross merges."""
        colours, order = self._painted(left, right)
        common = [oid for oid in order if colours[oid] & 3 == 3 and not colours[oid] & 4]
        return [oid for oid in common if not any(other != oid and self.is_ancestor(oid, other) for other in common)]

    def history(self, tip: str, limit: int | None = None) -> list[str]:
        """Commits reachable from ``tip``, newest first by generation, at most ``limit``."""
        heap = [(-self.generation(tip), tip)]
        seen = {tip}
        found: list[str] = []
        while heap and (limit is None or len(found) < limit):
            oid = heapq.heappop(heap)[1]
            found.append(oid)
            for parent in self.parents[oid]:
                if parent not in seen:
                    seen.add(parent)
                    heapq.heappush(heap, (-self.generation(parent), parent))
        return found
