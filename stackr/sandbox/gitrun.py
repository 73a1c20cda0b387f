"""Git processes of the sandbox: a sealed environment, and one function to run git.

Nobody's global or system configuration may change what the sandbox does; in particular no signing,
no hooks path, no default branch name, no background maintenance.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_CONFIG = {
    # The directory may belong to another user (a container's volume): it is ours all the same.
    "safe.directory": "*",
    # Nothing may repack or prune behind the back of the ref and object caches.
    "gc.auto": "0",
    "maintenance.auto": "false",
    "receive.autogc": "false",
    "core.logAllRefUpdates": "false",
    # As for the rows (``store``): what was written survives a killed process, and nobody waits for the disk.
    "core.fsync": "none",
}


class GitFailed(Exception):
    """A git command of the sandbox failed: its exit code and what it said."""

    def __init__(self, args: Sequence[str], code: int, stderr: str) -> None:
        super().__init__(f"git {' '.join(args[:3])} failed with {code}: {stderr.strip()}")
        self.code = code
        self.stderr = stderr


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The whole environment of a git process."""
    keep = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    sealed = {
        **keep,
        "HOME": os.devnull,
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_COUNT": str(len(_CONFIG)),
        **(more or {}),
    }
    for number, (key, value) in enumerate(_CONFIG.items()):
        sealed[f"GIT_CONFIG_KEY_{number}"] = key
        sealed[f"GIT_CONFIG_VALUE_{number}"] = value
    return sealed


def git(
    directory: Path,
    *args: str,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    accept: Sequence[int] = (0,),
    timeout_s: float = 120,
) -> bytes:
    """Run git in a git directory and return its stdout; GitFailed for an exit code not in ``accept``."""
    done = subprocess.run(
        ["git", *args],
        cwd=directory,
        env=environment({"GIT_DIR": str(directory), **(env or {})}),
        input=stdin,
        capture_output=True,
        timeout=timeout_s,
        check=False,
    )
    if done.returncode not in accept:
        raise GitFailed(args, done.returncode, done.stderr.decode(errors="replace"))
    return done.stdout
