"""A ``git rebase`` in the work tree, started to resolve conflicts: its to-do list, its state, its end.

Git runs as the user would run it: their terminal, editor, hooks, mergetool and rerere. What it was started for lies
next to git's own state, in ``stackr/resolving`` of the worktree's git directory, so that it is found again whoever ends
it.
What goes into the list is decided in ``stackr.core.resolving``.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stackr.core.model import Head
from stackr.core.plan import RefMove
from stackr.core.resolving import Resolution
from stackr.errors import GitError, Refused
from stackr.repo import disk, refs, state
from stackr.repo.oplog import OpLog
from stackr.repo.run import Runner
from stackr.repo.text import decode_name

_NAMED = 10
# The list is ours, whatever the user's settings make of such lists: git-config(1), rebase.*.
_REBASE = (
    *("-c", "rebase.missingCommitsCheck=ignore", "rebase", "-i", "--update-refs", "--empty=drop"),
    *("--no-autosquash", "--reapply-cherry-picks", "--no-rebase-merges"),
)


class Resolving:
    """The rebase of one work tree; ``read`` is ``None`` unless stackr started one that nobody has settled yet."""

    def __init__(self, runner: Runner, git_dir: Path, oplog: OpLog) -> None:
        self.runner = runner
        self.git_dir = git_dir
        self.oplog = oplog
        self.path = git_dir / "stackr" / "resolving"

    def read(self) -> Resolution | None:
        """What the rebase was started for; raises ``GitError`` when the file is damaged."""
        try:
            return _parse(json.loads(self.path.read_bytes()))
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as broken:
            raise GitError(
                f'"{self.path}" is damaged', next_step=f'finish the rebase with git, then rm "{self.path}"'
            ) from broken

    def is_under_way(self, resolution: Resolution) -> bool:
        """Whether git is still at it: a rebase is in progress, and it is this one."""
        began = self.git_dir / "rebase-merge" / "orig-head"
        return state.busy(self.git_dir) == "rebase" and _text(began) == resolution.head.oid

    def start(self, resolution: Resolution, todo: str, onto: str) -> int:
        """Start the rebase; git's exit code. Raises ``Refused``, naming files, when git would not begin."""
        self._refuse_dirty()
        self.path.parent.mkdir(exist_ok=True)
        disk.replace(self._todo, todo.encode("utf-8", "surrogateescape"))
        disk.replace(self.path, _dump(resolution))
        editor = f"cp {shlex.quote(str(self._todo))}"
        try:
            return self.runner.attended(*_REBASE, onto, env={"GIT_SEQUENCE_EDITOR": editor})
        finally:
            self._todo.unlink(missing_ok=True)

    def go_on(self) -> int:
        """``git rebase --continue``; git's exit code."""
        return self.runner.attended("rebase", "--continue")

    def take_back(self) -> int:
        """``git rebase --abort``; git's exit code."""
        return self.runner.attended("rebase", "--abort")

    def stopped_at(self) -> str | None:
        """The commit that is being applied."""
        done = self.runner.try_git("rev-parse", "--verify", "-q", "REBASE_HEAD")
        return done.out.decode("ascii").strip() or None

    def unresolved(self) -> list[str]:
        """The files that still have conflicts, sorted."""
        found = self.runner.git("diff", "--name-only", "--diff-filter=U", "-z")
        return sorted({decode_name(path) for path in found.split(b"\0") if path})

    def settle(self, moved: Sequence[RefMove], records: Sequence[RefMove]) -> None:
        """It is done: log what git has moved, as an operation of stackr's, and make our own records; then forget it."""
        stay = [RefMove(move.ref, move.new, move.new) for move in moved]
        with self.oplog.recording([*moved, *records], "sync: rebase") as kept:
            refs.move(self.runner, [*stay, *records], "sync: rebase", kept)
        self.forget()

    def forget(self) -> None:
        """There is nothing left to continue."""
        self.path.unlink(missing_ok=True)

    @property
    def _todo(self) -> Path:
        return self.git_dir / "stackr" / "resolving-todo"

    def _refuse_dirty(self) -> None:
        """Git refuses to rebase with uncommitted changes, unless rebase.autoStash is set (git-config(1))."""
        options = ("-z", "--untracked-files=no", "--ignore-submodules=all", "--no-renames")
        rows = self.runner.git("status", "--porcelain", *options)
        stashes = self.runner.try_git("config", "--type=bool", "rebase.autoStash").out.strip() == b"true"
        if not rows or stashes:
            return
        names = [f'"{decode_name(row[3:])}"' for row in rows.split(b"\0") if row]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        raise Refused(
            f"git rebase needs a clean work tree, but you have changed {', '.join(names[:_NAMED])}{more}",
            next_step="commit or stash that (git stash), then stackr sync --resolve",
        )


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace").strip()
    except OSError:
        return ""


def _dump(resolution: Resolution) -> bytes:
    """ASCII, so that any name of a ref survives."""
    return json.dumps(
        {
            "command": resolution.command,
            "push": resolution.push,
            "trunk": resolution.trunk,
            "head": [resolution.head.branch, resolution.head.oid],
            "branches": dict(resolution.branches),
            "taken": [[move.ref, move.old, move.new] for move in resolution.taken],
        }
    ).encode("ascii")


def _parse(found: Mapping[str, Any]) -> Resolution:
    branch, oid = found["head"]
    return Resolution(
        str(found["command"]),
        bool(found["push"]),
        str(found["trunk"]),
        Head(None if branch is None else str(branch), str(oid)),
        {str(ref): str(at) for ref, at in dict(found["branches"]).items()},
        tuple(RefMove(str(ref), old, new) for ref, old, new in found["taken"]),
    )
