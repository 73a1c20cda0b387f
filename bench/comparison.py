"""The comparison: every tool in every case and setting, interleaved, each time in a fresh repository and clone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bench import measure, work
from bench.results import Case, Sample, Setting
from bench.sandbox import Sandbox, Traffic
from bench.tools import Tool, environment
from bench.work import Clone

Told = Callable[[str], None]
_RECOVERIES = 4


@dataclass
class Comparison:
    """Runs tools below ``root`` against one sandbox and collects what it sees.

    ``tell`` hears what is being done; ``label`` keeps the repositories of two comparisons apart.
    """

    sandbox: Sandbox
    tools: Sequence[Tool]
    root: Path
    tell: Told
    label: str = "compare"
    samples: list[Sample] = field(default_factory=list)
    processes: dict[tuple[str, Case, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._numbers = count(1)
        self._plain = environment(None, self.root / "home", "", "")
        self._counter = measure.Counter(self.root / "counter")
        self._env = {
            tool.name: environment(tool, self.root / f"home-{tool.name}", self.sandbox.netloc, self.sandbox.token)
            for tool in self.tools
        }

    def count_processes(self, sizes: Sequence[int], cases: Sequence[Case]) -> None:
        """One untimed round at no latency: it counts git processes, and warms every cache there is."""
        self.sandbox.slow_down(0, 0)
        for changes in sizes:
            for tool in self.tools:
                self.tell(f"counting processes: {tool.name}, N = {changes}")
                for sample in self._story(tool, Setting(changes), cases, counted=True):
                    self.processes[tool.name, sample.case, changes] = self._counter.count

    def measure(self, settings: Sequence[Setting], runs: int, cases: Sequence[Case]) -> None:
        """So many timed rounds of every setting; who comes first changes from round to round."""
        for setting in settings:
            for number in range(runs):
                turn = number % len(self.tools)
                for tool in (*self.tools[turn:], *self.tools[:turn]):
                    self.tell(f"{_spoken(setting)}: {tool.name}, run {number + 1} of {runs}")
                    self.samples += self._story(tool, setting, cases)

    def _story(self, tool: Tool, setting: Setting, cases: Sequence[Case], *, counted: bool = False) -> Iterator[Sample]:
        """A new stack, the same again, its bottom amended: one sample each, as far as asked for.

        What a run left undone is finished with a fast server before the next, so that one failure is not three.
        """
        name = f"{self.label}-{tool.name}-{next(self._numbers)}"
        bare = self.sandbox.repository(name)
        clone = work.clone(bare, self.sandbox.remote(name), self.root / name, self._plain)
        clone.grow(setting.changes)
        is_sound = True
        for case in Case:
            if case is Case.AMENDED:
                clone.amend_bottom()
            if case not in cases and case is not Case.NEW:
                continue
            if not is_sound:
                yield _not_run(tool, case, setting)
                continue
            env = self._env[tool.name]
            self.sandbox.slow_down(setting.latency_ms, setting.mutation_ms)
            sample = self._once(tool, case, setting, clone, bare, self._counter.environment(env) if counted else env)
            if case in cases:
                yield sample
            self.sandbox.slow_down(0, 0)
            is_sound = sample.problem is None or self._recover(tool, clone, bare, env)
        shutil.rmtree(clone.path)

    def _once(
        self, tool: Tool, case: Case, setting: Setting, clone: Clone, bare: Path, env: Mapping[str, str]
    ) -> Sample:
        self.sandbox.forget()
        done = measure.run([tool.program, *tool.submit], clone.path, env)
        traffic = self.sandbox.traffic()
        problem = measure.check(self.sandbox, clone.path.name, clone, bare, done)
        return Sample(tool.name, case, setting, done.seconds, done.cpu_s, traffic, problem)

    def _recover(self, tool: Tool, clone: Clone, bare: Path, env: Mapping[str, str]) -> bool:
        for _ in range(_RECOVERIES):
            done = measure.run([tool.program, *tool.submit], clone.path, env)
            if measure.check(self.sandbox, clone.path.name, clone, bare, done) is None:
                return True
        return False


def _not_run(tool: Tool, case: Case, setting: Setting) -> Sample:
    return Sample(tool.name, case, setting, 0.0, 0.0, Traffic(), "there is no stack to begin with")


def _spoken(setting: Setting) -> str:
    return f"N = {setting.changes}, {setting.latency_ms} ms latency, {setting.mutation_ms} ms a mutation"
