"""Differences between two trees, in the shape that GitHub's "files" lists need."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from stackr.sandbox.gitrun import git

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}


@dataclass(frozen=True, slots=True)
class FileChange:
    """One changed file. ``status`` as REST has it (added, removed, modified, renamed, copied, changed).

    ``oid`` is the blob after the change (before it, for a removed file); ``patch`` is None for binary files.
    """

    path: str
    old_path: str | None
    status: str
    additions: int
    deletions: int
    oid: str
    patch: str | None


@lru_cache(maxsize=512)
def _changed(directory: Path, base: str, head: str) -> tuple[FileChange, ...]:
    args = ["diff-tree", "-r", "-M", "--full-index", "-z", "--raw", "--numstat", "-p", base, head]
    text = git(directory, *args).decode("utf-8", "replace")
    meta, _, patch = text.partition("\0\0")  # one process: the lists, an empty record, the patches
    changes = _parse(meta)
    if not changes:
        return ()
    sections = re.split(r"(?m)^diff --git .*\n", patch)[1:]
    # Sections come in the order of the raw list, but a file that became a link has two: then none is shown.
    patches = [_hunks(section) for section in sections] if len(sections) == len(changes) else [None] * len(changes)
    return tuple(FileChange(*change, patch=patch) for change, patch in zip(changes, patches, strict=True))


def changed_files(directory: Path, base: str, head: str) -> list[FileChange]:
    """The files that differ, in path order; one process, remembered by oids."""
    return list(_changed(directory, base, head))


def _hunks(section: str) -> str | None:
    start = re.search(r"(?m)^@@ ", section)
    return section[start.start() :].rstrip("\n") if start else None


def _parse(meta: str) -> list[tuple[str, str | None, str, int, int, str]]:
    """Read ``--raw --numstat -z``: all raw records come first, then all counts, in the same order."""
    words = iter(meta.split("\0"))
    raw: list[tuple[str, str | None, str, str]] = []
    counts: list[tuple[int, int]] = []
    for word in words:
        if word.startswith(":"):
            _, _, before, after, letter = word.split(" ")
            first = next(words)
            second = next(words) if letter[0] in "RC" else None
            oid = before if letter[0] == "D" else after
            raw.append((second or first, first if second else None, _STATUS[letter[0]], oid))
        elif "\t" in word:
            added, removed, path = word.split("\t", 2)
            if not path:  # a rename: two names follow
                next(words), next(words)
            counts.append((0 if added == "-" else int(added), 0 if removed == "-" else int(removed)))
    return [(*entry[:3], *count, entry[3]) for entry, count in zip(raw, counts, strict=True)]
