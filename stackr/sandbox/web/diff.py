"""A diff for the eye: the patch of each file as numbered lines. How it was computed is ``sandbox.diffs``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stackr.sandbox.diffs import FileChange
from stackr.sandbox.web.text import visible

LINES_PER_FILE = 2_000
LINES_IN_ALL = 10_000
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_KINDS = {"+": "added", "-": "removed", "\\": "note"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line: ``kind`` is hunk, added, removed, same or note; numbers are None where the side has no such line."""

    kind: str
    old: int | None
    new: int | None
    text: str

    @property
    def sign(self) -> str:
        """What stands before the text, so that colour is not all that tells."""
        return {"added": "+", "removed": "-"}.get(self.kind, "")


@dataclass(frozen=True, slots=True)
class FileView:
    """A changed file; ``note`` says why there are no lines, if there are none."""

    change: FileChange
    lines: tuple[Line, ...]
    note: str

    @property
    def name(self) -> str:
        """The path, with the old one of a renamed file."""
        old = self.change.old_path
        return visible(f"{old} → {self.change.path}" if old else self.change.path)

    @property
    def editable(self) -> bool:
        """Whether there is text after the change."""
        return self.change.status != "removed" and self.change.patch is not None


def views(changes: Iterable[FileChange]) -> list[FileView]:
    """The files in order; what is too long to read is left out, and said so."""
    found: list[FileView] = []
    left = LINES_IN_ALL
    for change in changes:
        size = (change.patch or "").count("\n") + 1
        note = _note(change, size, left)
        lines = () if note else tuple(_lines(change.patch or ""))
        left -= len(lines)
        found.append(FileView(change, lines, note))
    return found


def _note(change: FileChange, size: int, left: int) -> str:
    if change.patch is None:
        same = not change.additions and not change.deletions
        return "Renamed without changes, binary, empty, or a change of mode." if same else "Not shown."
    if size > min(LINES_PER_FILE, left):
        return f"{size} lines are too many to show here; fetch the branch to read them."
    return ""


def _lines(patch: str) -> Iterator[Line]:
    old = new = 0
    for raw in patch.split("\n"):  # splitlines would also cut at form feeds and the like
        start = _HUNK.match(raw)
        if start:
            old, new = int(start[1]), int(start[2])
            yield Line("hunk", None, None, visible(raw))
            continue
        kind = _KINDS.get(raw[:1], "same")
        has_old, has_new = kind in ("removed", "same"), kind in ("added", "same")
        text = raw if kind == "note" else raw[1:]
        yield Line(kind, old if has_old else None, new if has_new else None, visible(text.rstrip("\r")))
        old, new = old + has_old, new + has_new
