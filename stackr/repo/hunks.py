"""What is staged, hunk by hunk (``git diff-tree``), and where its lines come from (``git blame``). Reads only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from stackr.core.absorbing import TRUNK, Hunk, Origin
from stackr.patterns import pattern
from stackr.records import dataclass
from stackr.repo.run import Runner
from stackr.repo.text import decode_name

_DIFF = ("diff-tree", "-r", "-M", "-z", "--raw", "-p", "-U0", "--no-ext-diff", "--no-textconv", "--no-color")
_HEADER = pattern(rb"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
_LINE = pattern(rb"([0-9a-f]{40}) (\d+) (\d+)(?: \d+)?")
# Raw states of git-diff(1); a file that is only modified, in its content, is not here.
_WHOLE = {"A": "the file is new", "D": "the file is deleted", "R": "the file is renamed", "C": "the file is a copy"}


def list_hunks(runner: Runner, old: str, new: str, env: Mapping[str, str]) -> tuple[Hunk, ...]:
    """The hunks between two trees, in git's order; one process. A file that cannot be taken apart is one hunk."""
    rows, patches = _parts(runner.git(*_DIFF, old, new, env=env))
    return tuple(hunk for row in rows for hunk in _hunks(row, next(patches), patches))


@dataclass(frozen=True, slots=True)
class _Row:
    """One file: its path, git's letter for what happened to it, and why it is one piece (``""``: it is not)."""

    path: str
    state: str
    whole: str


def _parts(out: bytes) -> tuple[list[_Row], Iterator[bytes]]:
    """The rows of the raw part, and the patches behind them, in the same order."""
    rows = []
    while out.startswith(b":"):
        head, path, out = out.split(b"\0", 2)
        old_mode, new_mode, _, _, state = head[1:].decode("ascii").split(" ")
        if state[0] in "RC":
            path, out = out.split(b"\0", 1)
        whole = _WHOLE.get(state[0]) or _of_modes(old_mode, new_mode)
        rows.append(_Row(decode_name(path), state[0], whole))
    # One more zero byte parts the rows from the patches.
    starts = [found.start() for found in re.finditer(rb"^\0?diff --git ", out, re.MULTILINE)]
    return rows, (out[start:end] for start, end in zip(starts, [*starts, len(out)][1:], strict=True))


def _of_modes(old: str, new: str) -> str:
    if old != new:
        return "its mode changes"
    return "" if old in ("100644", "100755") else "it is no plain file"


def _hunks(row: _Row, patch: bytes, following: Iterator[bytes]) -> Iterator[Hunk]:
    if row.state == "T":
        next(following)  # a file that becomes a link is deleted and made anew
    lines = patch.split(b"\n")
    heads = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    if row.whole or not heads:
        yield Hunk(row.path, whole=row.whole or "the file is binary")
        return
    for head, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        found = _HEADER.match(lines[head])
        assert found is not None
        count = 1 if found[2] is None else int(found[2])
        yield Hunk(row.path, int(found[1]), count, tuple(_added(lines[head + 1 : end])))


def _added(lines: Sequence[bytes]) -> Iterator[bytes]:
    """The new lines of a hunk; ``\\`` after one says that it has no newline (git-diff(1))."""
    for line, following in zip(lines, [*lines[1:], b""], strict=True):
        if line.startswith(b"+"):
            yield line[1:] + (b"" if following.startswith(b"\\") else b"\n")


def read_origins(
    runner: Runner, hunks: Sequence[Hunk], commits: Sequence[str], base: str, env: Mapping[str, str]
) -> dict[str, dict[int, Origin]]:
    """Where the lines that hunks replace or touch come from, by path and line; a process for each file.

    ``commits`` is the stack up to HEAD, bottom first, ``base`` the commit that it stands on.
    """
    position = {oid: index for index, oid in enumerate(commits)}
    found = {}
    for path in dict.fromkeys(hunk.path for hunk in hunks if not hunk.whole):
        # Settings may leave commits out (blame.ignoreRevsFile), and show what a filter makes of a file.
        options = ("--porcelain", "--ignore-revs-file=", "--no-textconv")
        literal = {**env, "GIT_LITERAL_PATHSPECS": "1"}
        out = runner.git("blame", *options, f"{base}..{commits[-1]}", "--", path, env=literal)
        found[path] = dict(_origins(out, position))
    return found


def _origins(out: bytes, position: dict[str, int]) -> Iterator[tuple[int, Origin]]:
    """git-blame(1), THE PORCELAIN FORMAT: the path of a commit's lines is told with the first of them, or anew."""
    paths: dict[bytes, str] = {}
    at: tuple[bytes, int, int] | None = None
    for line in out.split(b"\n"):
        if at is not None and line.startswith(b"\t"):
            oid, there, here = at
            yield here, Origin(position.get(oid.decode("ascii"), TRUNK), paths[oid], there)
            at = None
        elif at is None and (head := _LINE.fullmatch(line)):
            at = head[1], int(head[2]), int(head[3])
        elif at is not None and line.startswith(b"filename "):
            paths[at[0]] = _unquoted(line.removeprefix(b"filename "))


def _unquoted(name: bytes) -> str:
    """A path as git quotes it when it has unusual characters (core.quotePath, git-config(1))."""
    if not name.startswith(b'"'):
        return decode_name(name)
    escapes = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}

    def plain(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes([int(code, 8)]) if code.isdigit() else escapes.get(code, code)

    return decode_name(re.sub(rb"\\([0-7]{3}|.)", plain, name[1:-1]))
