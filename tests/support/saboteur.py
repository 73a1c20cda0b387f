"""A ``git`` on PATH that does as git does, until the k-th step that writes: then it sabotages stackr or itself.

The steps are the git commands by which stackr writes: objects, refs, configuration, the push.
"""

from __future__ import annotations

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

_SCRIPT = """#!/bin/sh
for word in "$@"; do
  case "$word" in update-ref|unpack-objects|index-pack|read-tree|push|--replace-all) step=yes ;; esac
done
[ -n "$step" ] || exec {git} "$@"
echo "$*" >> {log}
[ "$(wc -l < {log})" -eq {k} ] || exec {git} "$@"
{deed}
"""

# Git runs in a session of its own, so Ctrl-C reaches stackr alone, which then ends git: the sleep ends at once.
DEEDS = {
    "killed before": "kill -KILL $PPID",
    "killed after": '{git} "$@"; kill -KILL $PPID',
    "interrupted before": "kill -INT $PPID; exec sleep 60",
    "interrupted after": '{git} "$@"; kill -INT $PPID; exec sleep 60',
    "read only": "echo \"fatal: Unable to create '/r/.git/x.lock': Read-only file system\" >&2; exit 128",
    # No file may grow, as on a full disk: git's own words and half-written files are real.
    "disk full": "trap '' XFSZ; ulimit -f 0; exec {git} \"$@\"",
}


@dataclass(frozen=True)
class Saboteur:
    """The folder with that ``git``, and what it has noted: one line for each step."""

    folder: Path

    @property
    def env(self) -> dict[str, str]:
        """The environment in which it is found first."""
        return {"PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}"}

    @property
    def steps(self) -> int:
        """How many steps there were."""
        log = self.folder / "log"
        return len(log.read_text().splitlines()) if log.exists() else 0


def saboteur(folder: Path, deed: str, k: int) -> Saboteur:
    """A saboteur that does one of DEEDS at the k-th step, counted from 1."""
    git = shutil.which("git")
    assert git is not None
    folder.mkdir(parents=True)
    script = folder / "git"
    script.write_text(_SCRIPT.format(git=git, log=folder / "log", k=k, deed=DEEDS[deed].format(git=git)))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return Saboteur(folder)
