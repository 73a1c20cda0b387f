"""The commit-msg hook that names changes as they are committed: where it goes, and putting it there.

Optional: a submit names what has no name. The hook itself is ``commit-msg.sh``, pure sh; see githooks(5). Running hooks
is git's business.
"""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from stackr.errors import Refused
from stackr.records import dataclass
from stackr.repo.run import Runner

BEFORE = "commit-msg.before-stackr"
_MARK = b"# stackr commit-msg hook, version "


@dataclass(frozen=True, slots=True)
class Installation:
    """Where the hook goes and what that takes: ``installed``, ``replaced``, ``chained`` or ``already there``.

    ``chained``: a hook that was there is put aside as ``commit-msg.before-stackr`` and runs first.
    """

    path: Path
    done: str


def directory(runner: Runner) -> Path:
    """Where git looks for hooks here: core.hooksPath (git-config(1)), else the repository's own; one process.

    With husky the hooks that people write are one folder above: it makes the other one anew at every install.
    """
    path = os.fsdecode(runner.git("rev-parse", "--git-path", "hooks").rstrip(b"\n"))
    hooks = (runner.cwd / path).resolve()
    return hooks.parent if _is_of_husky(hooks.parent) and hooks.name == "_" else hooks


def plan_install(hooks: Path) -> Installation:
    """What to do in ``hooks``; raises ``Refused`` when a hook of somebody else's cannot be put aside."""
    path = hooks / "commit-msg"
    if not os.path.lexists(path):
        return Installation(path, "installed")
    present = path.read_bytes() if path.is_file() else b""
    if _MARK in present:
        same = present == _script() and os.access(path, os.X_OK)
        return Installation(path, "already there" if same else "replaced")
    if os.path.lexists(hooks / BEFORE):
        raise Refused(
            f'"{path}" is not stackr\'s, and there is a "{BEFORE}" beside it already',
            next_step="join the two by hand, then run stackr hook install again",
        )
    return Installation(path, "chained")


def install(plan: Installation) -> None:
    """Write the hook; a commit made meanwhile finds the old one, none, or a whole new one."""
    if plan.done == "already there":
        return
    plan.path.parent.mkdir(parents=True, exist_ok=True)
    if plan.done == "chained":
        aside = plan.path.rename(plan.path.with_name(BEFORE))
        if _is_of_husky(aside.parent):
            # husky runs its hooks with sh, executable or not; ours runs what can be executed, as git does.
            aside.chmod(0o755)
    fresh = plan.path.with_name(f".commit-msg.{os.getpid()}")
    fresh.write_bytes(_script())
    fresh.chmod(0o755)
    fresh.replace(plan.path)


def _is_of_husky(folder: Path) -> bool:
    """Whether husky 9 runs the hooks in ``folder``: its runner is the file ``_/h``, which goes by their names."""
    return (folder / "_" / "h").is_file()


def _script() -> bytes:
    return resources.files("stackr.repo").joinpath("commit-msg.sh").read_bytes()
