"""Directories that are kept in memory and written again, which costs a tenth of ``git clone``.

Here: folders, files and their modes. Not here: whether a copy may take the place of the real thing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Edits = Mapping[str, Callable[[bytes], bytes]]


@dataclass(frozen=True)
class Folder:
    """The folders below a directory, parents first, and its files: name, contents, mode."""

    folders: tuple[str, ...]
    files: tuple[tuple[str, bytes, int], ...]

    def write(self, path: Path, edits: Edits | None = None) -> None:
        """Write all of it below ``path``; what is there already stays or is replaced. ``edits`` go by name."""
        changes = edits or {}
        # Strings and bare calls: this is done thousands of times, and pathlib takes longer than the disk.
        root = str(path)
        for folder in ("", *self.folders):
            os.makedirs(f"{root}/{folder}", exist_ok=True)  # noqa: PTH103
        for name, data, mode in self.files:
            handle = os.open(f"{root}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
            os.write(handle, changes[name](data) if name in changes else data)
            os.close(handle)


def read_folder(path: Path, *, skip: str = "") -> Folder:
    """What is below a directory, but for one folder and all below that."""
    folders: list[Path] = []
    files: list[Path] = []
    for here, names, leaves in os.walk(path):
        names[:] = sorted(name for name in names if not skip or Path(here, name) != path / skip)
        folders += [Path(here, name) for name in names]
        files += [Path(here, name) for name in sorted(leaves)]
    return Folder(
        tuple(each.relative_to(path).as_posix() for each in folders),
        tuple((each.relative_to(path).as_posix(), each.read_bytes(), each.stat().st_mode & 0o777) for each in files),
    )
