"""Two pytest-benchmark files, compared: what they hold, and by how much each benchmark changed.

Numbers are taken as the decimals that stand in the file and are exact from there on, so that a change of exactly 5 % is
exactly that. Not here: how a comparison is written (``bench_text``), and reading the files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from stackr.core.untrusted import clean
from stackr.errors import Refused
from stackr.records import dataclass

STALL = 10
"""A round that took more than this many times the mean was held up by something else."""
_LONGEST_NUMBER = 60
# No clock and no computer comes near; beyond, numbers would fill the memory when computed with.
_SMALLEST, _LARGEST = 1e-100, 1e100


class Stat(Enum):
    """What is compared: rounds a second (more is better), or the median time of a round (less is better)."""

    OPS = "ops"
    MEDIAN = "median"


class Verdict(Enum):
    """What became of a benchmark; ``UNKNOWN`` is shown as n/a."""

    IMPROVED = "improved"
    WORSENED = "worsened"
    SAME = "same"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark of a file; times in seconds, rates in 1/s; ``None``: missing, not finite, or not above zero."""

    fullname: str
    name: str
    max: Fraction | None
    mean: Fraction | None
    median: Fraction | None
    ops: Fraction | None

    def value(self, stat: Stat) -> Fraction | None:
        """The figure that is compared."""
        return self.ops if stat is Stat.OPS else self.median

    @property
    def stalled(self) -> bool:
        """Whether one round was so slow that the figures say little."""
        return self.max is not None and self.mean is not None and self.max / self.mean > STALL


@dataclass(frozen=True, slots=True)
class Run:
    """A file, in its order; ``commit`` is the one that was measured, ``""`` if the file does not tell."""

    benchmarks: Mapping[str, Benchmark]
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One benchmark of both files; ``change`` is in percent of the old figure, unrounded."""

    old: Benchmark
    new: Benchmark
    change: Fraction | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rows in the order of the new file, and what is in one file only."""

    stat: Stat
    threshold: Fraction
    rows: tuple[Row, ...]
    gone: tuple[Benchmark, ...] = ()
    added: tuple[Benchmark, ...] = ()

    def count(self, verdict: Verdict) -> int:
        """How many rows came to ``verdict``."""
        return sum(row.verdict is verdict for row in self.rows)


def compare(old: Run, new: Run, stat: Stat, threshold: Fraction) -> Comparison:
    """Match by full name; only a change of more than ``threshold`` percent improves or worsens anything."""
    both = [(old.benchmarks[name], new.benchmarks[name]) for name in new.benchmarks if name in old.benchmarks]
    return Comparison(
        stat,
        threshold,
        tuple(_row(before, after, stat, threshold) for before, after in both),
        tuple(each for name, each in old.benchmarks.items() if name not in new.benchmarks),
        tuple(each for name, each in new.benchmarks.items() if name not in old.benchmarks),
    )


def _row(old: Benchmark, new: Benchmark, stat: Stat, threshold: Fraction) -> Row:
    before, after = old.value(stat), new.value(stat)
    if before is None or after is None:
        return Row(old, new, None, Verdict.UNKNOWN)
    change = (after - before) / before * 100
    if abs(change) <= threshold:
        return Row(old, new, change, Verdict.SAME)
    return Row(old, new, change, Verdict.IMPROVED if is_better(change, stat) else Verdict.WORSENED)


def is_better(change: Fraction, stat: Stat) -> bool:
    """Whether a change of this sign is for the better."""
    return change > 0 if stat is Stat.OPS else change < 0


def read_run(content: bytes, name: str) -> Run:
    """The file ``name``, as ``pytest --benchmark-json`` writes it; raises ``Refused`` for anything else.

    https://pytest-benchmark.readthedocs.io/en/latest/usage.html
    """
    data = _decoded(content, name)
    entries = data.get("benchmarks") if isinstance(data, Mapping) else None
    if not isinstance(entries, list):
        raise _refuse(name, 'it has no list "benchmarks"')
    found: dict[str, Benchmark] = {}
    for number, entry in enumerate(entries, 1):
        benchmark = _benchmark(entry, number, name)
        if benchmark.fullname in found:
            raise _refuse(name, f'"{clean(benchmark.fullname)}" is in it twice')
        found[benchmark.fullname] = benchmark
    return Run(found, _commit(data.get("commit_info")))


def _decoded(content: bytes, name: str) -> Any:
    if not content.strip():
        raise _refuse(name, "it is empty")
    try:
        # Windows shells put a byte order mark before what they write.
        return json.loads(content.decode("utf-8-sig"), parse_float=_number, parse_int=_number)
    except UnicodeDecodeError:
        raise _refuse(name, "it is not UTF-8") from None
    except json.JSONDecodeError as problem:
        raise _refuse(name, f"it is not JSON (line {problem.lineno}: {problem.msg.lower()})") from None
    except RecursionError:
        raise _refuse(name, "it is nested too deeply") from None


def _number(text: str) -> Decimal | float:
    """The number as it stands, unless it is so long or so large that only a broken file has it."""
    rough = float(text)
    return Decimal(text) if len(text) <= _LONGEST_NUMBER and _SMALLEST < abs(rough) < _LARGEST else rough


def _benchmark(entry: Any, number: int, name: str) -> Benchmark:
    if not isinstance(entry, Mapping):
        raise _refuse(name, f"its benchmark {number} is no object")
    for key in ("fullname", "name"):
        if not isinstance(entry.get(key), str):
            raise _refuse(name, f'its benchmark {number} has no "{key}"')
    stats = entry.get("stats")
    if not isinstance(stats, Mapping):
        raise _refuse(name, f'its benchmark "{clean(entry["fullname"])}" has no "stats"')
    figures = [_figure(stats.get(key)) for key in ("max", "mean", "median", "ops")]
    return Benchmark(entry["fullname"], entry["name"], *figures)


def _figure(value: Any) -> Fraction | None:
    """A figure to compute with; a clock without resolution makes 0 and infinity, a broken one NaN or less than 0."""
    is_figure = isinstance(value, (Decimal, float)) and _SMALLEST < value < _LARGEST
    return Fraction(value) if is_figure else None


def _commit(info: Any) -> str:
    oid = info.get("id") if isinstance(info, Mapping) else None
    return oid if isinstance(oid, str) and re.fullmatch("[0-9a-f]{40,64}", oid) else ""


def _refuse(name: str, why: str) -> Refused:
    return Refused(
        f'"{clean(name)}" is no file of pytest-benchmark: {why}', next_step="make it with pytest --benchmark-json=FILE"
    )


def by_change(rows: Sequence[Row]) -> list[Row]:
    """Most changed first; what has no change comes last."""
    return sorted(rows, key=lambda row: Fraction(-1) if row.change is None else abs(row.change), reverse=True)
