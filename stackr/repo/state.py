"""One look at the repository: HEAD, refs, an unfinished operation, other worktrees. Reads only.

One ``git for-each-ref`` whatever the number of refs, which also works where GitPython's file reading does not
(reftable); an unfinished operation is told by the files git keeps for it, as ``git status`` does it (git's
``wt-status.c``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stackr.core.model import Head
from stackr.core.ports import LocalState
from stackr.records import dataclass
from stackr.repo.belonging import Note, read_note
from stackr.repo.read import Reader
from stackr.repo.run import Runner
from stackr.repo.text import decode_name

_FORMAT = "%(refname)%00%(objectname)%00%(symref)%00%(HEAD)%00%(worktreepath)"
_MARKERS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


@dataclass(frozen=True, slots=True)
class _Row:
    ref: str
    oid: str
    target: str
    is_head: bool
    worktree: str


def read_state(runner: Runner, reader: Reader, git_dir: Path, common_dir: Path, remote: str) -> LocalState:
    """What ``LocalState`` promises; one process, and the open ``cat-file`` when HEAD is detached or unborn.

    Branches that are symbolic refs are left out: whoever moves their target moves them. ``remote_head`` is the short
    name of the remote's default branch as this clone knows it.
    """
    tracking = f"refs/remotes/{remote}/"
    rows = list(_rows(runner, "refs/heads/", "refs/stackr/", tracking))
    default = next((row.target for row in rows if row.ref == f"{tracking}HEAD" and row.target), "")
    note = read_note(git_dir)
    head = _head(rows, reader, note)
    return LocalState(
        head=head,
        refs={row.ref: row.oid for row in rows if not row.target},
        remote_head=default.removeprefix(tracking) or None,
        busy=busy(git_dir),
        other_worktrees={**_checked_out(rows), **_rebasing(git_dir, common_dir)},
        left=("", ()) if head is None or head.branch or head.top else (note.branch, note.commits),
    )


def branch(runner: Runner, git_dir: Path) -> str | None:
    """The short name of the current branch, ``None`` when HEAD is detached; no process but with the reftable format."""
    target = _first_line(git_dir / "HEAD")
    if target == "ref: refs/heads/.invalid":
        target = "ref: " + decode_name(runner.git("symbolic-ref", "-q", "HEAD", ok=(0, 1))).strip()
    return target.removeprefix("ref: refs/heads/") if target.startswith("ref: refs/heads/") else None


def busy(git_dir: Path) -> str:
    """The operation that is under way in this worktree, ``""`` if none."""
    for marker, operation in _MARKERS:
        if (git_dir / marker).exists():
            return operation
    todo = _first_word(git_dir / "sequencer" / "todo")  # between two picks there is no CHERRY_PICK_HEAD
    return {"pick": "cherry-pick", "revert": "revert"}.get(todo, "")


def _rows(runner: Runner, *patterns: str) -> Iterator[_Row]:
    out = runner.git("for-each-ref", f"--format={_FORMAT}", *patterns)
    for line in out.split(b"\n")[:-1]:
        ref, oid, target, star, worktree = decode_name(line).split("\0")
        yield _Row(ref, oid, target, star == "*", worktree)


def _head(rows: list[_Row], reader: Reader, note: Note) -> Head | None:
    """HEAD: the branch git marks as checked out here, else a detached commit, else nothing yet."""
    for row in rows:
        if row.is_head and not row.target:
            return Head(row.ref, row.oid)
    oid = reader.head()
    return None if oid is None else Head(None, oid, note.branch_of(oid))


def _checked_out(rows: list[_Row]) -> dict[str, str]:
    return {row.ref: row.worktree for row in rows if row.worktree and not row.is_head}


def _rebasing(git_dir: Path, common_dir: Path) -> dict[str, str]:
    """Branches that another worktree is rebasing: nothing is checked out there, but git will move them at the end."""
    found: dict[str, str] = {}
    for admin in (common_dir, *sorted((common_dir / "worktrees").glob("*"))):
        for state in ("rebase-merge", "rebase-apply"):
            branch = "" if admin == git_dir else _first_word(admin / state / "head-name")
            if branch.startswith("refs/heads/"):
                found[branch] = _worktree_of(admin)
    return found


def _worktree_of(admin: Path) -> str:
    pointer = _first_line(admin / "gitdir")
    return str((admin / pointer).resolve().parent if pointer else admin.parent)


def _first_line(path: Path) -> str:
    try:
        return decode_name(path.read_bytes()).split("\n", 1)[0]
    except OSError:
        return ""


def _first_word(path: Path) -> str:
    return _first_line(path).split(" ", 1)[0]
