"""One stackr at a time in a repository, its linked worktrees included; and one server in a sandbox.

The operating system's file lock, so that a process that dies, however it dies, leaves nothing locked. Other git
processes are kept out by git's own locks (``refs``), other machines by leases (``transport``).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from stackr.errors import Refused
from stackr.repo import disk

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _try_lock(file: IO[bytes]) -> None:
        """Lock a byte far behind the text: Windows keeps others from reading what is locked."""
        file.seek(1 << 20)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(0)

else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def hold(common_dir: Path, command: str, place: str = "this repository") -> Iterator[None]:
    """Hold the lock of ``place``; raises ``Refused`` naming the process that holds it, without waiting."""
    path = common_dir / "stackr" / "lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
    except OSError as problem:
        raise disk.not_writable(path.parent, problem) from problem
    with file:
        _take(file, place)
        file.truncate(0)
        file.write(f"{os.getpid()} {command}\n".encode())
        file.flush()
        yield


def _take(file: IO[bytes], place: str) -> None:
    try:
        _try_lock(file)
    except OSError as busy:
        file.seek(0)
        pid, _, command = file.read().decode("utf-8", "replace").strip().partition(" ")
        who = f'"stackr {command}" (process {pid})' if pid else "another stackr"
        raise Refused(
            f"{who} is running in {place}", next_step="wait for it to end, or stop it, and try again"
        ) from busy
