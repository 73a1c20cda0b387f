"""Differences between trees, by git's own diff: on the terminal as the user has it configured, as text, as numbers.

Nothing is written but the two commits that ``git range-diff`` needs, and those only where ``Repository.rehearsal``
lets them vanish. Which trees to compare is decided in ``stackr.core.versions``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from stackr.core.versions import FileDiff
from stackr.errors import GitError
from stackr.repo import codec, write
from stackr.repo.run import Runner
from stackr.repo.text import decode_name

_NOBODY = b"stackr <> 0 +0000"
_STATES = {"A": "added", "D": "deleted", "R": "renamed", "C": "copied", "T": "type changed"}


TreePair: TypeAlias = "tuple[str, str]"
"""What a change does: the tree it stands on, and the tree it makes of it."""


def diff_args(old: str, new: str, *, stat: bool) -> list[str]:
    """The arguments of ``git diff`` between two trees; renames are found as the user's configuration has it."""
    return ["diff", *(["--stat"] if stat else []), old, new]


def text(runner: Runner, args: Sequence[str], env: Mapping[str, str], *, color: bool) -> bytes:
    """What a git command that shows differences prints, for a pipe: no pager.

    ``env`` is what it needs in a partial clone, where it may have to fetch files.
    """
    return runner.git(args[0], f"--color={'always' if color else 'never'}", *args[1:], env=env)


def show(runner: Runner, args: Sequence[str], env: Mapping[str, str], *, color: bool) -> None:
    """Let git print it on the terminal itself, with the pager and the colours that the user has configured."""
    options = [] if color else ["--color=never"]
    code = runner.attended(args[0], *options, *args[1:], env=env, on_stdout=True)
    # 141: the pager was left before the end (SIGPIPE).
    if code not in (0, 141, -13):
        raise GitError(f"git {args[0]} failed", safe="nothing was changed", next_step="git's own words stand above")


def files(runner: Runner, old: str, new: str, env: Mapping[str, str]) -> tuple[FileDiff, ...]:
    """The files that differ between two trees, with their numbers of lines; whatever the user has configured."""
    out = runner.git("diff-tree", "-r", "-M", "-z", "--raw", "--numstat", old, new, env=env)
    return tuple(_files(out.split(b"\0")))


def _files(fields: list[bytes]) -> Iterator[FileDiff]:
    """git-diff(1), RAW OUTPUT FORMAT, then for the same files in the same order what ``--numstat -z`` prints."""
    states, rest = [], iter(fields)
    for each in rest:
        if not each.startswith(b":"):
            break
        states.append(each.rsplit(b" ", 1)[-1][:1].decode("ascii"))
        for _ in range(2 if states[-1] in "RC" else 1):
            next(rest)
    numbers = each if states else b""
    for state in states:
        added, removed, name = numbers.split(b"\t", 2)
        old = None if name else next(rest)
        path = name or next(rest)
        yield FileDiff(
            decode_name(path),
            _STATES.get(state, "modified"),
            _count(added),
            _count(removed),
            None if old is None else decode_name(old),
        )
        numbers = next(rest, b"")


def _count(text: bytes) -> int | None:
    return None if text == b"-" else int(text)


def range_diff_args(runner: Runner, old: TreePair, new: TreePair, title: str) -> list[str]:
    """The arguments of a ``git range-diff`` of two patches, each written as a commit; they always make a pair."""
    ranges = [_as_range(runner, pair, title) for pair in (old, new)]
    return ["range-diff", "--creation-factor=999", *ranges]


def _as_range(runner: Runner, pair: TreePair, title: str) -> str:
    """Equal words for both, so that only what they do can differ."""
    base = codec.serialise(pair[0], [], _NOBODY, _NOBODY, b"base\n")
    top = codec.serialise(pair[1], [codec.object_id(base)], _NOBODY, _NOBODY, title.encode() + b"\n")
    write.store(runner, [("commit", base), ("commit", top)])
    return f"{codec.object_id(base)}..{codec.object_id(top)}"
