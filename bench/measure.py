"""One run of a tool: how long, what was sent, how many git processes, and whether the stack really stands on GitHub."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.sandbox import Pull, Sandbox
from bench.work import Clone, git, title

LIMIT_S = 1800.0


@dataclass(frozen=True, slots=True)
class Run:
    """A process that ended: wall-clock and processor seconds (its children's included), exit code, what it printed."""

    seconds: float
    cpu_s: float
    code: int
    output: str

    @property
    def last_words(self) -> str:
        """The last line it printed that says something, at most 160 characters."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip(" \t│╭╮╰╯─{}[],")]
        return lines[-1][:160] if lines else f"exit {self.code}"


def run(argv: Sequence[str], cwd: Path, env: Mapping[str, str], limit_s: float = LIMIT_S) -> Run:
    """Run a command to its end and time it; it is killed after ``limit_s``."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            argv, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        before = _children_s()
        try:
            process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        seconds = time.perf_counter() - started
        cpu_s = _children_s() - before
        output.seek(0)
        return Run(seconds, cpu_s, process.returncode, output.read().decode(errors="replace"))


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Counter:
    """Counts the git processes that a tool starts, by a wrapper that comes first on its PATH.

    Not in the timed runs: the wrapper costs a millisecond or two a process. Git's own children are not counted, as git
    finds them in its own directory first (git(1), GIT_EXEC_PATH).
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = folder / "count"
        folder.mkdir(parents=True, exist_ok=True)
        wrapper = folder / "git"
        wrapper.write_text(f"#!/bin/sh\necho 1 >> '{self._log}'\nexec '{shutil.which('git')}' \"$@\"\n")
        wrapper.chmod(0o755)

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """The same environment, with the wrapper in it, and the count at nothing."""
        self._log.write_text("")
        return {**env, "PATH": f"{self._folder}{os.pathsep}{env['PATH']}"}

    @property
    def count(self) -> int:
        """Processes since the last ``environment``."""
        return len(self._log.read_text().splitlines())


def problem_with(pulls: Sequence[Pull], work: Clone, bare: Path) -> str | None:
    """Why the open pull requests are not the stack, or ``None``.

    One for each commit, in order; its branch holds the commit's tree; and what it shows (the three-dot diff from its
    base) begins at the tree of the commit below. How a tool names and links branches is its own affair.
    """
    trees = work.trees()
    changes = len(trees) - 1
    by_title = {pull.title: pull for pull in pulls}
    if len(pulls) != changes or len(by_title) != changes:
        return f"{len(pulls)} pull requests of {changes}"
    for number in range(1, changes + 1):
        pull = by_title.get(title(number))
        if pull is None:
            return f"no pull request is titled {title(number)!r}"
        shown = git(bare, "merge-base", f"refs/heads/{pull.base}", f"refs/heads/{pull.head}", env=work.env)
        found = git(bare, "rev-parse", f"{shown}^{{tree}}", f"refs/heads/{pull.head}^{{tree}}", env=work.env).split()
        if found != trees[number - 1 : number + 1]:
            return f"#{pull.number} does not show its commit"
    return None


def check(sandbox: Sandbox, name: str, work: Clone, bare: Path, done: Run) -> str | None:
    """Why a run does not count, or ``None``."""
    problem = problem_with(sandbox.open_pulls(name), work, bare)
    if done.code:
        return f"exit {done.code}, {problem or 'the stack stands'}: {done.last_words}"
    return problem
