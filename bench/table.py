"""The results for people: tables on the terminal, one a case; and for machines, as a JSON document."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

from rich.table import Table
from rich.text import Text

from bench.results import Case, Cell, Row, Sample
from bench.startup import NO_OP, NO_OP_GOAL, YARDSTICK, Figure, no_op_ratio
from bench.tools import Tool

LEGEND = (
    "Every cell: seconds (median), then requests / pushes / git server operations / local git processes.\n"
    "Goal: stackr's time for one of the faster of the others; at most 0.50 for unchanged, at most 1.00 elsewhere.\n"
    "cpu: the same ratio of processor time (the tool and its git processes), which a busy machine disturbs less."
)


def tables(rows: Sequence[Row], tools: Sequence[Tool]) -> Iterator[Table]:
    """One table a case."""
    for case in Case:
        here = [row for row in rows if row.case is case]
        if here:
            yield _table(case, here, tools)


def _table(case: Case, rows: Sequence[Row], tools: Sequence[Tool]) -> Table:
    table = Table(title=case.value, title_justify="left", title_style="bold")
    for heading in ("N", "latency", "mutation"):
        table.add_column(heading, justify="right", no_wrap=True)
    for tool in tools:
        table.add_column(f"{tool.name} {tool.version}", justify="right")
    table.add_column("goal", justify="right", no_wrap=True)
    table.add_column("cpu", justify="right", no_wrap=True)
    for row in rows:
        setting = row.setting
        cells = [cell_text(row.cells.get(tool.name)) for tool in tools]
        place = (str(setting.changes), f"{setting.latency_ms} ms", f"{setting.mutation_ms} ms")
        table.add_row(*place, *cells, goal_text(row), cpu_text(row))
    return table


def cell_text(cell: Cell | None) -> Text:
    """``0.41 s  1/0/0/7``, or why there is no time."""
    if cell is None:
        return Text("-")
    if cell.seconds is None:
        return Text(f"failed: {cell.problem}", "red")
    processes = "?" if cell.processes is None else cell.processes
    return Text(f"{cell.seconds:.2f} s  {cell.requests}/{cell.pushes}/{cell.git}/{processes}")


def goal_text(row: Row) -> Text:
    """``met 0.38``, ``MISSED 1.20``; ``alone`` where only stackr gets there."""
    if row.is_met is None:
        return Text("-")
    if row.ratio is None:
        return Text("met: alone", "green") if row.is_met else Text("MISSED", "bold red")
    return Text(f"met {row.ratio:.2f}", "green") if row.is_met else Text(f"MISSED {row.ratio:.2f}", "bold red")


def cpu_text(row: Row) -> str:
    """Processor seconds as a ratio, two decimals; a dash where there is nothing to compare."""
    return "-" if row.cpu_ratio is None else f"{row.cpu_ratio:.2f}"


def startup_table(figures: Sequence[Figure]) -> Table:
    """Start-up times in milliseconds, and the no-op submit against its yardstick."""
    table = Table(title="starting up, in ms", title_justify="left", title_style="bold")
    table.add_column("command")
    for heading in ("median", "fastest", "processor"):
        table.add_column(heading, justify="right")
    for figure in figures:
        times = (figure.seconds, figure.fastest_s, figure.cpu_s)
        table.add_row(figure.name, *(f"{seconds * 1000:.0f}" for seconds in times))
    return table


def no_op_line(figures: Sequence[Figure]) -> Text | None:
    """The goal for a submit that has nothing to do."""
    ratio = no_op_ratio(figures)
    if ratio is None:
        return None
    verdict = "met" if ratio <= NO_OP_GOAL else "MISSED"
    return Text(f"{NO_OP}: {ratio:.2f} times `{YARDSTICK}` (goal {NO_OP_GOAL}): {verdict}")


def large_lines(samples: Sequence[Sample]) -> Iterator[str]:
    """One line a run of the hundred."""
    for sample in samples:
        how = sample.problem or "every pull request is there"
        yield (
            f"N = {sample.setting.changes}, {sample.setting.mutation_ms} ms a mutation, secondary limits on,"
            f" {sample.case.value}: {sample.seconds:.1f} s, {sample.traffic.requests} requests,"
            f" {sample.traffic.pushes} pushes; {how}"
        )


def machine() -> dict[str, str]:
    """Where this was measured."""
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    return {
        "date": date.today().isoformat(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        "python": sys.version.split()[0],
        "git": git,
    }


def document(
    rows: Sequence[Row], samples: Sequence[Sample], figures: Sequence[Figure], large: Sequence[Sample]
) -> dict[str, Any]:
    """Everything, every single run included."""
    return {
        "machine": machine(),
        "rows": [
            {
                "case": row.case.value,
                **asdict(row.setting),
                "ratio": row.ratio,
                "cpu_ratio": row.cpu_ratio,
                "met": row.is_met,
                "cells": {name: _without_place(cell) for name, cell in row.cells.items()},
            }
            for row in rows
        ],
        "startup": {"figures": [asdict(figure) for figure in figures], "no_op_ratio": no_op_ratio(figures)},
        "large": [_sample(sample) for sample in large],
        "samples": [_sample(sample) for sample in samples],
    }


def _without_place(cell: Cell) -> dict[str, Any]:
    return {name: value for name, value in asdict(cell).items() if name not in ("tool", "case", "setting")}


def _sample(sample: Sample) -> dict[str, Any]:
    return {**asdict(sample), "case": sample.case.value}
