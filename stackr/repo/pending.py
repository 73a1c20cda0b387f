"""What protects a change of the work tree from power loss: a journal, and an index that stays git's until it is whole.

The journal says from which commit to which; it is on disk before a ref moves. Git works on a copy of the index while
``index.lock`` keeps every other git out, with a text in it by which stackr knows its own lock again after a crash. What
is done with a journal that is found is in ``mend``.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

from stackr.errors import GitError, Refused
from stackr.records import dataclass
from stackr.repo import disk

_MARK = b"stackr is bringing this work tree up to date; if it was stopped, the next stackr command finishes\n"


@dataclass(frozen=True, slots=True)
class Pending:
    """A change of the work tree that was begun: from one commit to another."""

    old: str
    new: str


class Journal:
    """The one pending change of a work tree, in its own git directory."""

    def __init__(self, git_dir: Path) -> None:
        self.path = git_dir / "stackr" / "pending-switch"

    def write(self, pending: Pending) -> None:
        """Put it on the disk for good: file and folder are flushed before this returns."""
        self.path.parent.mkdir(exist_ok=True)
        disk.replace(self.path, json.dumps({"old": pending.old, "new": pending.new}).encode() + b"\n")

    def read(self) -> Pending | None:
        """What was begun, ``None`` if nothing was (the file appears whole or not at all)."""
        try:
            found = json.loads(self.path.read_bytes())
            return Pending(str(found["old"]), str(found["new"]))
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as broken:
            raise GitError(
                f'"{self.path}" is damaged',
                safe="your files were left alone",
                next_step=f'git status, then rm "{self.path}"',
            ) from broken

    def remove(self) -> None:
        """The change is complete, or never happened."""
        self.path.unlink(missing_ok=True)


class Index:
    """The index of a work tree, its lock, and the copy that git works on (``env`` names it to git)."""

    def __init__(self, path: Path, git_dir: Path) -> None:
        self.path = path
        self.copy = git_dir / "stackr" / "index"
        self._lock = path.with_name(path.name + ".lock")
        self.env = {"GIT_INDEX_FILE": str(self.copy)}

    def lock(self) -> None:
        """Keep other git processes from changing the index; raises ``Refused`` when one is at it.

        A lock of ours that is there already belongs to a process that died: the caller holds the repository's lock.
        """
        try:
            with self._lock.open("xb") as file:
                file.write(_MARK)
        except FileExistsError as taken:
            if not self._is_ours():
                raise Refused(
                    f'another git process holds "{self._lock}"',
                    next_step="wait for it to end; if none is running, remove that file and try again",
                ) from taken
        except OSError as problem:
            raise disk.not_writable(self._lock.parent, problem) from problem

    def unlock(self) -> None:
        """Let other git processes in again; somebody else's lock stays."""
        if self._is_ours():
            self._lock.unlink(missing_ok=True)
        self.copy.unlink(missing_ok=True)

    def make_copy(self) -> None:
        """Copy the index with its time: git looks at that to see which entries it cannot trust (racy-git)."""
        self.copy.parent.mkdir(exist_ok=True)
        for leftover in (self.copy, self.copy.with_name("index.lock")):
            leftover.unlink(missing_ok=True)
        with suppress(FileNotFoundError):  # no index yet is an empty one
            shutil.copy2(self.path, self.copy)

    def install(self) -> None:
        """Make the copy the index, in one step."""
        self.copy.replace(self.path)

    def _is_ours(self) -> bool:
        try:
            return self._lock.read_bytes() == _MARK
        except OSError:
            return False
