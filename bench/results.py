"""What was measured, as data: samples, cells, medians, goals. Pure; nothing here runs or prints anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

from bench.sandbox import Traffic
from bench.tools import GHSTACK, NAMES, REVUP, STACKR

# "At least twice as fast on unchanged, and no slower than the faster of the two anywhere else."
TWICE = 0.5
OTHERS = (GHSTACK, REVUP)


class Case(str, Enum):
    """What is submitted: a stack that is new, the same again, or the same with its bottom commit amended."""

    NEW = "new"
    UNCHANGED = "unchanged"
    AMENDED = "bottom amended"

    @property
    def bound(self) -> float:
        """How many times the faster of the other tools' time is allowed."""
        return TWICE if self is Case.UNCHANGED else 1.0


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """The size of the stack, the latency of every request, the server's time for every mutation."""

    changes: int
    latency_ms: int = 0
    mutation_ms: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """One timed run; ``problem`` says why it does not count."""

    tool: str
    case: Case
    setting: Setting
    seconds: float
    cpu_s: float
    traffic: Traffic
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """All runs of one tool in one case and setting. ``seconds`` is their median; ``None`` when a run did not count."""

    tool: str
    case: Case
    setting: Setting
    seconds: float | None
    fastest_s: float | None
    cpu_s: float | None
    requests: int
    pushes: int
    git: int
    processes: int | None
    runs: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """The tools side by side, by name."""

    case: Case
    setting: Setting
    cells: Mapping[str, Cell]

    @property
    def ratio(self) -> float | None:
        """Our seconds for one of the faster of the others; ``None`` when either did not get there."""
        return self._ratio({name: cell.seconds for name, cell in self.cells.items()})

    @property
    def cpu_ratio(self) -> float | None:
        """The same for processor seconds, which a busy machine disturbs less; they say nothing about waiting."""
        return self._ratio({name: cell.cpu_s for name, cell in self.cells.items()})

    def _ratio(self, seconds: Mapping[str, float | None]) -> float | None:
        ours = seconds.get(STACKR)
        theirs = [took for name in OTHERS if (took := seconds.get(name)) is not None]
        return ours / min(theirs) if ours is not None and theirs else None

    @property
    def is_met(self) -> bool | None:
        """Whether the goal is met; ``None`` when stackr was not measured, or nothing to compare it with."""
        cell = self.cells.get(STACKR)
        if cell is None or not any(name in self.cells for name in OTHERS):
            return None
        if cell.seconds is None:
            return False
        # Where both others fail, finishing is enough.
        return self.ratio is None or self.ratio <= self.case.bound


def summed_up(samples: Sequence[Sample], processes: Mapping[tuple[str, Case, int], int]) -> list[Row]:
    """Rows in the order of cases and settings. ``processes`` by tool, case and number of changes."""
    keys = sorted({(list(Case).index(s.case), s.setting) for s in samples})
    rows = []
    for position, setting in keys:
        case = list(Case)[position]
        here = [s for s in samples if s.case is case and s.setting == setting]
        cells = {
            name: _cell(mine, processes.get((name, case, setting.changes)))
            for name in NAMES
            if (mine := [s for s in here if s.tool == name])
        }
        rows.append(Row(case, setting, cells))
    return rows


def _cell(samples: Sequence[Sample], processes: int | None) -> Cell:
    first = samples[0]
    problem = next((s.problem for s in samples if s.problem), None)
    return Cell(
        first.tool,
        first.case,
        first.setting,
        None if problem else median(s.seconds for s in samples),
        None if problem else min(s.seconds for s in samples),
        None if problem else median(s.cpu_s for s in samples),
        _middle(s.traffic.requests for s in samples),
        _middle(s.traffic.pushes for s in samples),
        _middle(s.traffic.git for s in samples),
        processes,
        len(samples),
        problem,
    )


def _middle(numbers: Iterable[int]) -> int:
    return int(median(numbers))
