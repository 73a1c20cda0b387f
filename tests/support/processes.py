"""Real processes of stackr, to be killed and interrupted, for a tenth of the price of starting Python each time.

``multiprocessing``'s fork server has imported everything and forks; the child is a process like any other. One test
with ``Clone.start`` (tests/faults/test_kills.py) holds that the two behave alike.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from stackr.main import run
from tests.support.world import Clone, Result

DEADLINE_S = 60.0
_MODULES = [
    "tests.support.processes",
    "stackr.commands.land",
    "stackr.commands.submit",
    "stackr.commands.sync",
    "stackr.stories.landing",
    "stackr.repo.pullnames",
    "stackr.repo.repository",
    "stackr.repo.resolving",
    "stackr.github.api",
    "stackr.config",
    "tests.support.warm",  # the last one: it looks at what the others have imported
]


def until(condition: Callable[[], object], what: str) -> None:
    """Wait until something is so; fails after a minute."""
    end = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain for: {what}"
        time.sleep(0.002)


@dataclass(frozen=True)
class Running:
    """A stackr at work in a process of its own; its output goes to two files."""

    process: ForkServerProcess
    out: Path
    err: Path

    def signal(self, number: int) -> None:
        """Send a signal to stackr alone, as ``kill`` does."""
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def end(self) -> Result:
        """Wait for its end; the exit code is negative after a signal."""
        self.process.join(DEADLINE_S)
        assert self.process.exitcode is not None, "stackr does not end"
        return Result(self.process.exitcode, self.out.read_text(), self.err.read_text())

    def kill(self) -> Result:
        """``kill -9`` and the end."""
        self.signal(signal.SIGKILL)
        return self.end()


def start(clone: Clone, *args: str, env: Mapping[str, str] | None = None) -> Running:
    """Start stackr in a clone, as its owner; ``env`` comes on top of the sealed environment."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_MODULES)
    out, err = (clone.path.parent / f"{clone.path.name}.{name}" for name in ("out", "err"))
    full = {**os.environ, **clone.person, "STACKR_TOKEN": clone.token, **(env or {})}
    process = context.Process(
        target=_stackr, args=(["-C", str(clone.path), *args], full, str(out), str(err)), daemon=True
    )
    process.start()
    return Running(process, out, err)


def _stackr(argv: list[str], env: dict[str, str], out: str, err: str) -> None:
    """What the new process does."""
    os.environ.clear()
    os.environ.update(env)
    for number, name in ((1, out), (2, err)):
        target = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, number)
        os.close(target)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - for the life of the process
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    run(argv)
