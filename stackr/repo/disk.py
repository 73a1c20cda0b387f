"""Putting bytes on the disk for good: what was written here is still there after a power loss.

What is written, and when, is decided by the callers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from stackr.errors import GitError


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a file; file and folder are made if need be, and a line that was cut is ended first."""
    with _told(path):
        path.parent.mkdir(exist_ok=True)
        with path.open("a+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.write((b"" if _ends_a_line(file, size) else b"\n") + line + b"\n")
            _flush(file)
        if not size:
            flush_folder(path.parent)


def replace(path: Path, data: bytes) -> None:
    """Give a file other bytes in one step: whoever reads it finds the old ones or the new."""
    with _told(path):
        fresh = path.with_name(f"{path.name}.new")
        with fresh.open("wb") as file:
            file.write(data)
            _flush(file)
        fresh.replace(path)
        flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """Put a folder's names on the disk; a file system that cannot is left in peace."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _ends_a_line(file: IO[bytes], size: int) -> bool:
    if not size:
        return True
    file.seek(size - 1)
    return file.read(1) == b"\n"


def _flush(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say which file could not be written."""
    try:
        yield
    except OSError as problem:
        raise not_writable(path, problem) from problem


def not_writable(path: Path, problem: OSError) -> GitError:
    """The error for a file or folder that the machine does not let us write."""
    next_step = "mend that and run the same command again"
    return GitError(f'cannot write "{path}": {reason(problem)}', next_step=next_step)


def reason(problem: OSError) -> str:
    """The machine's words, as they stand in a sentence."""
    return (problem.strerror or "input/output error").lower()
