"""The log of operations: which local branches a command moved, and the old commits kept alive for ``stackr undo``.

One line of JSON for each ref transaction, in the directory that all worktrees share. A line is on the disk before the
transaction; the refs that keep the old commits (``refs/stackr/undo/<line>/<n>``) are made by the transaction itself, so
they also tell whether it happened: a line without them is as if it were not there. Bookkeeping under ``refs/stackr/``
alone is no operation. What taking one back means is decided in ``stackr.core.undo``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from itertools import groupby
from pathlib import Path
from typing import Any

from stackr.core.plan import RefMove, on_branch
from stackr.core.undo import Operation, Part, combined, is_operation, recorded
from stackr.errors import GitError, StackrError
from stackr.patterns import pattern
from stackr.records import dataclass
from stackr.repo import disk, state
from stackr.repo.run import Runner

KEPT = "refs/stackr/undo/"
LIMIT = 100
DAYS = 90

_FULL = pattern(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class _Line:
    """One ref transaction. ``run`` is the number of the first line of the same command."""

    number: int
    run: int
    at: int
    command: str
    reason: str
    branch: str | None
    worktree: str
    moves: tuple[RefMove, ...]
    index: tuple[str, str] | None = None

    @property
    def kept(self) -> dict[str, str]:
        """The refs that keep what was moved away from (for a branch that is new: the branch), and their commits."""
        oids = dict.fromkeys(move.old for move in self.moves if move.old and not on_branch(move.old))
        oids = oids or dict.fromkeys(move.new for move in self.moves if move.new and not on_branch(move.new))
        if self.index is not None and self.index[0] != self.index[1]:
            oids[self.index[0]] = None
        return {f"{KEPT}{self.number}/{n}": oid for n, oid in enumerate(oids)}


@dataclass(slots=True)
class OpLog:
    """The log of one repository, written from one of its worktrees; ``clock`` gives seconds since 1970.

    Bounded: the newest ``LIMIT`` commands, ``DAYS`` days; what is older goes with the next entry. To be written only
    by who holds the repository's lock.
    """

    runner: Runner
    git_dir: Path
    common_dir: Path
    clock: Callable[[], float] = time.time
    _command: str = field(default="", init=False)
    _run: int | None = field(default=None, init=False)

    @property
    def path(self) -> Path:
        """The file."""
        return self.common_dir / "stackr" / "operations"

    @property
    def worktree(self) -> str:
        """Which worktree this is: ``""`` for the main one, else the name git has for it (git-worktree(1))."""
        return "" if self.git_dir == self.common_dir else self.git_dir.name

    @contextmanager
    def command(self, line: str) -> Iterator[None]:
        """All that is moved inside the block is one operation, of this command line."""
        self._command, self._run = line, None
        try:
            yield
        finally:
            self._command, self._run = "", None

    @contextmanager
    def recording(
        self, moves: Sequence[RefMove], reason: str, index: tuple[str, str] | None = None
    ) -> Iterator[Mapping[str, str | None]]:
        """Write a line for moves that are about to happen inside the block, if they are an operation.

        ``index`` is that of ``MoveRefs``.
        Gives the refs that the same transaction has to set or (``None``) to delete, whatever they are at. A
        transaction that failed leaves no line. Raises ``GitError`` when the log cannot be written.
        """
        if not is_operation(moves):
            yield {}
            return
        before = self._read()
        line = self._line(before, moves, reason, index)
        fresh, stale = self._split([*before, line])
        disk.append_line(self.path, _dump(line))
        try:
            yield {**{ref: None for old in stale for ref in old.kept}, **line.kept}
        except StackrError:
            with suppress(GitError):
                if not self._happened(line):
                    self._write(before)
            raise
        self._run = line.run if self._command else None
        if stale:
            with suppress(GitError):  # the refs have moved, and what is too old is passed over when read
                self._write(fresh)

    def read(self, refs: Mapping[str, str]) -> tuple[Operation, ...]:
        """What happened, newest first; ``refs`` holds at least everything under ``KEPT``."""
        done = [line for line in self._read() if line.kept.items() <= refs.items()]
        fresh, _ = self._split(done)
        return tuple(_operation(list(lines)) for _, lines in groupby(reversed(fresh), lambda line: line.run))

    def _line(
        self, before: Sequence[_Line], moves: Sequence[RefMove], reason: str, index: tuple[str, str] | None
    ) -> _Line:
        number = max((line.number for line in before), default=0) + 1
        return _Line(
            number=number,
            run=number if self._run is None else self._run,
            at=int(self.clock()),
            command=self._command,
            reason=reason,
            branch=state.branch(self.runner, self.git_dir),
            worktree=self.worktree,
            moves=tuple(recorded(moves)),
            index=index,
        )

    def _split(self, lines: Sequence[_Line]) -> tuple[list[_Line], list[_Line]]:
        """What is kept, and what is too much or too old; all lines of a command share its fate."""
        ends = {line.run: line.at for line in lines}
        oldest = self.clock() - DAYS * 24 * 3600
        runs = {run for run in list(ends)[-LIMIT:] if ends[run] >= oldest}
        return [line for line in lines if line.run in runs], [line for line in lines if line.run not in runs]

    def _happened(self, line: _Line) -> bool:
        """Ask git; only after a failure that may have come too late."""
        return bool(self.runner.git("for-each-ref", f"{KEPT}{line.number}/"))

    def _read(self) -> list[_Line]:
        """All lines, oldest first; what is no line (it was cut by a crash) is passed over."""
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise GitError(f'cannot read "{self.path}": {disk.reason(problem)}') from problem
        return [line for text in raw.splitlines() if (line := _parse(text)) is not None]

    def _write(self, lines: Iterable[_Line]) -> None:
        disk.replace(self.path, b"".join(_dump(line) + b"\n" for line in lines))


def _operation(lines: Sequence[_Line]) -> Operation:
    """One command from its lines, newest first."""
    last, first = lines[0], lines[-1]
    return Operation(
        last.at,
        last.command,
        "; ".join(dict.fromkeys(line.reason for line in reversed(lines))),
        combined(move for line in reversed(lines) for move in line.moves),
        first.branch,
        last.worktree,
        tuple(Part(line.moves, line.index) for line in reversed(lines)),
    )


def _dump(line: _Line) -> bytes:
    """The line without its end; ASCII, so that any name of a ref survives."""
    return json.dumps(
        {
            "line": line.number,
            "run": line.run,
            "at": line.at,
            "command": line.command,
            "reason": line.reason,
            "head": line.branch,
            "worktree": line.worktree,
            "moves": [[move.ref, move.old, move.new] for move in line.moves],
            **({"index": line.index} if line.index else {}),
        }
    ).encode("ascii")


def _parse(text: bytes) -> _Line | None:
    """The line, ``None`` if it is none."""
    try:
        found: dict[str, Any] = json.loads(text)
        moves = tuple(RefMove(str(ref), _place(ref, old), _place(ref, new)) for ref, old, new in found["moves"])
        branch = None if found["head"] is None else str(found["head"])
        words = (str(found["command"]), str(found["reason"]), branch, str(found["worktree"]))
        index = found.get("index") and tuple(_oid(tree) for tree in found["index"])
        return _Line(int(found["line"]), int(found["run"]), int(found["at"]), *words, moves, index)
    except (ValueError, KeyError, TypeError):
        return None


def _place(ref: str, value: object) -> str | None:
    """A commit, none, or for HEAD a branch."""
    if value is None or (ref == "HEAD" and isinstance(value, str) and on_branch(value)):
        return value
    return _oid(value)


def _oid(value: object) -> str:
    if isinstance(value, str) and _FULL.fullmatch(value):
        return value
    raise ValueError(value)
