"""Which change each staged hunk belongs to, and what its files become there; pure.

A hunk belongs to the change that last touched its lines. Lines of several changes, or of trunk, have no home, and
neither has a hunk next to lines that a higher change has touched: in its home it would not merge with those. Where the
lines come from is read elsewhere (``git blame``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from stackr.records import dataclass

TRUNK = -1


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines ``start`` to ``start + count - 1`` of HEAD's file become ``lines``; numbers count from 1.

    A ``count`` of 0 puts lines in after line ``start``. ``whole`` says why a file cannot be taken apart (it is new,
    renamed, binary ...); it is one hunk then, of no lines.
    """

    path: str
    start: int = 0
    count: int = 0
    lines: tuple[bytes, ...] = ()
    whole: str = ""

    @property
    def name(self) -> str:
        """``src/cache.py:12``."""
        return self.path if self.whole else f"{self.path}:{self.start + (0 if self.count else 1)}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a line of HEAD's file was last touched: the change's index (``TRUNK``: below), and path and line there."""

    change: int
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Home:
    """A hunk and its change; ``None``, and why, for one that stays staged. ``path`` and ``line`` are those there.

    ``line`` is the first that is replaced, or (``count`` of 0) the one before which the new lines go.
    """

    hunk: Hunk
    change: int | None
    why: str = ""
    path: str = ""
    line: int = 0


def find_homes(hunks: Iterable[Hunk], blame: Mapping[str, Mapping[int, Origin]]) -> tuple[Home, ...]:
    """A home for each hunk; ``blame`` has the origin of every line a hunk replaces or touches, by path and number."""
    return tuple(_find(hunk, blame.get(hunk.path, {})) for hunk in hunks)


def _find(hunk: Hunk, origins: Mapping[int, Origin]) -> Home:
    if hunk.whole:
        return Home(hunk, None, hunk.whole)
    before = origins.get(hunk.start - 1 if hunk.count else hunk.start)
    after = origins.get(hunk.start + max(hunk.count, 1))
    if not hunk.count:
        return _find_insertion(hunk, before, after)
    own = [origins[line] for line in range(hunk.start, hunk.start + hunk.count)]
    changes = {origin.change for origin in own}
    first = own[0]
    if len(changes) > 1:
        return Home(hunk, None, "its lines come from several changes")
    if first.change == TRUNK:
        return Home(hunk, None, "its lines are older than the stack")
    if not _are_in_a_row(own):
        return Home(hunk, None, "its lines were not next to each other in their change")
    return _settled(hunk, first.change, first.path, first.line, (before, after))


def _find_insertion(hunk: Hunk, before: Origin | None, after: Origin | None) -> Home:
    """New lines belong to the change that made the line above or below them."""
    near = [origin for origin in (before, after) if origin is not None and origin.change != TRUNK]
    if not near:
        return Home(hunk, None, "the lines around it are older than the stack")
    if len({origin.change for origin in near}) > 1:
        return Home(hunk, None, "the lines around it come from several changes")
    line = near[0].line + (1 if near[0] is before else 0)
    return _settled(hunk, near[0].change, near[0].path, line, (before, after))


def _settled(hunk: Hunk, change: int, path: str, line: int, around: Sequence[Origin | None]) -> Home:
    if any(origin is not None and origin.change > change for origin in around):
        return Home(hunk, None, "a higher change has touched the line next to it")
    return Home(hunk, change, "", path, line)


def _are_in_a_row(origins: Sequence[Origin]) -> bool:
    first = origins[0]
    return all((each.path, each.line) == (first.path, first.line + n) for n, each in enumerate(origins))


Edit: TypeAlias = "tuple[int, int, tuple[bytes, ...]]"
"""First line, how many are replaced (0: new lines go before it), and the new lines."""


def edited(text: bytes, edits: Iterable[Edit]) -> bytes:
    """A file with all of these edits, which do not overlap, made. A line ends in a newline, as for git."""
    parts = text.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
    for line, count, new in sorted(edits, reverse=True):
        lines[line - 1 : line - 1 + count] = new
    return b"".join(lines)


def edits_at_home(homes: Iterable[Home], change: int) -> dict[str, list[Edit]]:
    """What becomes of the files of one change, by their path there."""
    edits: dict[str, list[Edit]] = {}
    for home in homes:
        if home.change == change:
            edits.setdefault(home.path, []).append((home.line, home.hunk.count, home.hunk.lines))
    return edits


def edits_at_head(homes: Iterable[Home]) -> dict[str, list[Edit]]:
    """What HEAD's files become once every hunk that has a home is in it."""
    edits: dict[str, list[Edit]] = {}
    for home in homes:
        if home.change is not None:
            hunk = home.hunk
            start = hunk.start if hunk.count else hunk.start + 1
            edits.setdefault(hunk.path, []).append((start, hunk.count, hunk.lines))
    return edits
