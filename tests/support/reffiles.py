"""Reads refs as git keeps them in files (gitrepository-layout(5)), which takes a tenth of the time of a process.

Only what is plain: a question about anything else (worktrees, patterns, expressions, broken refs) is for git: ``None``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

_OID = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[\w/-]+(\.[\w/-]+)*")
_GLOB = re.compile(r"[*?\[]")
# git-rev-parse(1), "<refname>"; what is next to HEAD is not asked about.
_PLACES = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}")


def list_refs(repository: Path, patterns: Sequence[str] = ()) -> dict[str, str] | None:
    """What ``git for-each-ref`` lists: full names and object ids, sorted by name."""
    folder = _git_folder(repository)
    if folder is None or any(_GLOB.search(pattern) for pattern in patterns):
        return None
    found = dict(_packed(folder))
    for path in _files(folder / "refs"):
        found[path[len(str(folder)) + 1 :]] = Path(path).read_text().rstrip("\n")
    values = {name: _resolved(value, found) for name, value in found.items()}
    if None in values.values():
        return None
    wanted = [name for name in values if not patterns or any(_fits(name, pattern) for pattern in patterns)]
    return {name: values[name] or "" for name in sorted(wanted, key=os.fsencode)}


def find_oid(repository: Path, revision: str) -> str | None:
    """What ``git rev-parse --verify`` says of HEAD, or of the one ref that a name can mean."""
    folder = _git_folder(repository)
    if folder is None or not _NAME.fullmatch(revision):
        return None
    if revision == "HEAD":
        value = (folder / "HEAD").read_text().rstrip("\n")
        return value if _OID.fullmatch(value) else _read(folder, value.removeprefix("ref: "))
    if revision.startswith("refs/"):
        return _read(folder, revision)
    values = [value for place in _PLACES if (value := _read(folder, place.format(revision))) is not None]
    is_plain = len(values) == 1 and not _OID.fullmatch(revision) and not (folder / revision).is_file()
    return values[0] if is_plain else None


def _git_folder(repository: Path) -> Path | None:
    inner = repository / ".git"
    if inner.is_dir():
        return inner
    return repository if not inner.exists() and (repository / "HEAD").is_file() else None


def _packed(folder: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = (folder / "packed-refs").read_text().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        if line[0] not in "#^":
            yield line[41:], line[:40]


def _files(folder: Path) -> Iterator[str]:
    for here, _, leaves in os.walk(folder):
        yield from (f"{here}/{leaf}" for leaf in leaves if not leaf.endswith(".lock"))


def _resolved(value: str, refs: dict[str, str]) -> str | None:
    """An object id, if need be through one symbolic ref."""
    direct = refs.get(value.removeprefix("ref: "), "") if value.startswith("ref: ") else value
    return direct if _OID.fullmatch(direct) else None


def _read(folder: Path, name: str) -> str | None:
    """The object id in one ref; ``None`` also for a symbolic one."""
    path = folder / name
    value = path.read_text().rstrip("\n") if path.is_file() else dict(_packed(folder)).get(name, "")
    return value if _OID.fullmatch(value) else None


def _fits(name: str, pattern: str) -> bool:
    return name == pattern or name.startswith(pattern if pattern.endswith("/") else f"{pattern}/")
