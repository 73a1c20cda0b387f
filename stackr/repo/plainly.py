"""What Tab may ask of a repository, by reading files: no process, no GitPython, and nothing that could fail.

Only loose and packed refs are understood; in a repository of another format there is nothing to be found. Whatever a
command decides is read by git itself (``stackr.repo.refs``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_PACKED_LINE = 41
"""Where a name begins in a line of packed-refs: after forty digits and a space (gitrepository-layout(5))."""


def find_common_dir(start: Path) -> Path | None:
    """The git directory that all worktrees share, of the repository around ``start``; ``None`` where there is none."""
    try:
        place = start.resolve()
        found = (_common(folder) for folder in (place, *place.parents))
        return next((common for common in found if common is not None), None)
    except (OSError, ValueError):
        return None


def list_branches(common: Path, kind: str) -> tuple[str, ...]:
    """Branch names, sorted: of ``heads`` local ones; of ``remotes`` those of remotes, with the remote before them."""
    prefix = f"refs/{kind}/"
    try:
        names = {*_loose(common / "refs" / kind), *_packed(common / "packed-refs", prefix)}
    except OSError:
        return ()
    return tuple(sorted(name for name in names if not name.endswith("/HEAD")))


def _common(folder: Path) -> Path | None:
    """The shared git directory, if the work tree in ``folder`` begins there or ``folder`` is a git directory itself."""
    git = folder / ".git"
    if git.is_file():  # a linked worktree, or a submodule: the file names the directory
        git = folder / git.read_text().strip().removeprefix("gitdir: ")
    elif not git.is_dir():
        git = folder
    if not (git / "HEAD").is_file():
        return None
    shared = git / "commondir"
    common = git / shared.read_text().strip() if shared.is_file() else git
    return common.resolve() if (common / "refs").is_dir() else None


def _loose(folder: Path) -> Iterator[str]:
    for path, _, files in os.walk(folder):
        yield from ((Path(path) / name).relative_to(folder).as_posix() for name in files if not name.endswith(".lock"))


def _packed(path: Path, prefix: str) -> Iterator[str]:
    if path.is_file():
        lines = path.read_text(errors="replace").splitlines()
        names = (line[_PACKED_LINE:] for line in lines)
        yield from (name.removeprefix(prefix) for name in names if name.startswith(prefix))
