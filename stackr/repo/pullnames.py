"""What this clone remembers of pull requests: one small file for all of them, in the directory all worktrees share.

It lets ``#12`` be understood, and completed, without the network. A mere memory: what is missing or damaged counts as
never seen, and nothing is ever decided by it. Imports neither git nor requests, so that completion can read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from stackr.core.naming import PullName
from stackr.errors import GitError
from stackr.repo import disk

MOST = 500


def path_in(common_dir: Path) -> Path:
    """Where the file is."""
    return common_dir / "stackr" / "pulls"


def read(path: Path) -> tuple[PullName, ...]:
    """Every pull request that was seen here, the ones seen last at the end."""
    try:
        rows = json.loads(path.read_bytes())["pulls"]
        return tuple(PullName(str(ref), int(number), *map(str, rest)) for ref, number, *rest in rows)
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def remember(path: Path, seen: Iterable[PullName]) -> None:
    """Remember these, one a head branch; nothing is written unless something is new. Never fails."""
    before = {name.head_ref: name for name in read(path)}
    fresh = {name.head_ref: name for name in seen if before.get(name.head_ref) != name}
    if not fresh:
        return
    kept = [*(name for ref, name in before.items() if ref not in fresh), *fresh.values()][-MOST:]
    rows = [[name.head_ref, name.number, name.url, name.title, name.state] for name in kept]
    with suppress(GitError, OSError):
        path.parent.mkdir(exist_ok=True)
        disk.replace(path, json.dumps({"pulls": rows}).encode("ascii") + b"\n")
