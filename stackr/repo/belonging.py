"""Which branch a detached HEAD belongs to: a note that is left when stackr lets HEAD step down from a branch.

It lies in the worktree's own git directory and names the commits that HEAD may be at, so whoever checks out something
else by hand makes it void, and it comes back to life when an undo puts HEAD there again. It follows from how HEAD
moves; no command has to know of it. What the note is good for: docs/internals/protocol.md, section 9.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from stackr.core.plan import RefMove, on_branch
from stackr.records import dataclass
from stackr.repo import disk


@dataclass(frozen=True, slots=True)
class Note:
    """The full name of a branch, and the commits at which a detached HEAD belongs to it."""

    branch: str = ""
    commits: tuple[str, ...] = ()

    def branch_of(self, head: str | None) -> str | None:
        """The branch that a HEAD detached at this commit belongs to, if there is one."""
        return self.branch if head in self.commits else None


def read_note(git_dir: Path) -> Note:
    """The note; an empty one if there is none, or none that can be read."""
    try:
        found = json.loads(_path(git_dir).read_bytes())
        return Note(str(found["branch"]), tuple(map(str, found["commits"])))
    except (OSError, ValueError, KeyError, TypeError):
        return Note()


def note_moves(git_dir: Path, moves: Iterable[RefMove]) -> None:
    """Note what follows from these moves, before they are made: HEAD may be at the old commit or at the new one."""
    for move in moves:
        if move.ref != "HEAD" or move.new is None or on_branch(move.new):
            continue
        branch = move.old if on_branch(move.old) else read_note(git_dir).branch_of(move.old)
        if branch is not None:
            _write(git_dir, branch, [oid for oid in (move.old, move.new) if oid and not on_branch(oid)])


def _write(git_dir: Path, branch: str, commits: list[str]) -> None:
    path = _path(git_dir)
    path.parent.mkdir(exist_ok=True)
    disk.replace(path, json.dumps({"branch": branch, "commits": commits}).encode("ascii") + b"\n")


def _path(git_dir: Path) -> Path:
    return git_dir / "stackr" / "head-of"
