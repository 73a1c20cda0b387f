"""How long a command takes before and beside its work: starting up, and a submit that has nothing to do.

The yardstick is ``python -c "import git, requests, click, tomli"`` in stackr's own environment: what the libraries cost
that stackr is built on. Runs are interleaved, so that a busy moment hits all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import measure, work
from bench.sandbox import Sandbox
from bench.tools import STACKR, Tool, environment

YARDSTICK = "import git, requests, click, tomli"
NO_OP = "stackr submit, unchanged, N = 5"
NO_OP_GOAL = 2.5


@dataclass(frozen=True, slots=True)
class Figure:
    """One command: the median and the fastest of its runs, in seconds, and the median of its processor time."""

    name: str
    seconds: float
    fastest_s: float
    cpu_s: float


def figures(
    sandbox: Sandbox, tools: Sequence[Tool], root: Path, runs: int, tell: Callable[[str], None]
) -> list[Figure]:
    """The figures; those of stackr only if it is among the tools."""
    place = root / "startup"
    place.mkdir()
    commands: dict[str, tuple[Sequence[str], Path, Mapping[str, str]]] = {}
    for tool in tools:
        env: Mapping[str, str] = environment(tool, place / f"home-{tool.name}", sandbox.netloc, sandbox.token)
        if tool.name == STACKR:
            python = str(tool.bin / "python")
            commands["python, nothing"] = ([python, "-c", "pass"], place, env)
            commands[YARDSTICK] = ([python, "-c", YARDSTICK], place, env)
            commands[NO_OP] = ([tool.program, *tool.submit], _submitted(sandbox, tool, place, env), env)
            commands["stackr --help"] = ([tool.program, "--help"], place, env)
        # revup's --help opens a manual page.
        commands[f"{tool.name} --version"] = ([tool.program, "--version"], place, env)
    seen: dict[str, list[measure.Run]] = {name: [] for name in commands}
    for number in range(runs):
        tell(f"starting up: run {number + 1} of {runs}")
        for name, (argv, cwd, env) in commands.items():
            seen[name].append(measure.run(argv, cwd, env))
    return [_figure(name, done) for name, done in seen.items()]


def no_op_ratio(found: Sequence[Figure]) -> float | None:
    """The no-op submit's seconds for one of the yardstick's, fastest runs of both; ``None`` if it was not measured."""
    by_name = {figure.name: figure for figure in found}
    if NO_OP not in by_name:
        return None
    return by_name[NO_OP].fastest_s / by_name[YARDSTICK].fastest_s


def _submitted(sandbox: Sandbox, tool: Tool, place: Path, env: Mapping[str, str]) -> Path:
    """A clone whose stack of five is on GitHub."""
    sandbox.slow_down(0, 0)
    bare = sandbox.repository("startup")
    plain = environment(None, place / "home", "", "")
    clone = work.clone(bare, sandbox.remote("startup"), place / "startup", plain)
    clone.grow(5)
    done = measure.run([tool.program, *tool.submit], clone.path, env)
    if problem := measure.check(sandbox, "startup", clone, bare, done):
        raise RuntimeError(f"stackr could not submit: {problem}")
    return clone.path


def _figure(name: str, runs: Sequence[measure.Run]) -> Figure:
    failed = next((run for run in runs if run.code), None)
    if failed is not None:
        raise RuntimeError(f"{name} failed: {failed.last_words}")
    seconds = [run.seconds for run in runs]
    return Figure(name, median(seconds), min(seconds), median(run.cpu_s for run in runs))
