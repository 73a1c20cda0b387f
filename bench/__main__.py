"""The command line: ``python -m bench`` (``make bench BENCH_OPTIONS=...``). Exits 0 unless the harness itself fails."""

from __future__ import annotations

import importlib
import importlib.util
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console

from bench import large, startup, table, work
from bench.comparison import Comparison
from bench.results import Case, Row, Sample, Setting, summed_up
from bench.sandbox import Sandbox
from bench.tools import NAMES, NotInstalled, Tool, environment, install

_OUT, _ERR = Console(width=160, soft_wrap=False), Console(stderr=True)
_CASES = {case.name.lower(): case for case in Case}
_PARTS = ("compare", "startup", "large", "restack")


@click.command()
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True, help="Timed runs of every cell.")
@click.option("--quick", is_flag=True, help="One run, N = 1 and 5, no server time; a minute instead of half an hour.")
@click.option("--tool", "names", type=click.Choice(NAMES), multiple=True, help="Only this tool.")
@click.option("--cases", type=click.Choice(list(_CASES)), multiple=True, help="Only this case.")
@click.option("--size", "sizes", type=click.IntRange(1, 100), multiple=True, help="Only stacks of so many changes.")
@click.option("--latency-ms", "latencies", type=int, multiple=True, help="Only this latency (default: 0 and 50).")
@click.option("--mutation-ms", "mutations", type=int, multiple=True, help="Only this server time (default: 0, 700).")
@click.option("--part", "parts", type=click.Choice(_PARTS), multiple=True, help="Only this part (default: all).")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write everything there as well.")
def main(
    runs: int,
    quick: bool,
    names: Sequence[str],
    cases: Sequence[str],
    sizes: Sequence[int],
    latencies: Sequence[int],
    mutations: Sequence[int],
    parts: Sequence[str],
    json_file: Path | None,
) -> None:
    """Compare stackr with ghstack and revup, all against the embedded sandbox."""
    parts = parts or (_PARTS[:2] if quick else _PARTS)
    chosen = [_CASES[name] for name in cases] or list(Case)
    settings = [
        Setting(changes, latency, mutation)
        for changes in sizes or ((1, 5) if quick else (1, 5, 20))
        for mutation in mutations or ((0,) if quick else (0, 700))
        for latency in latencies or (0, 50)
    ]
    tools = list(_installed(names or NAMES))
    if tools and set(parts) & {"compare", "startup", "large"}:
        _github_parts(tools, parts, settings, 1 if quick else runs, chosen, json_file)
    if "restack" in parts and importlib.util.find_spec("bench.restack"):
        importlib.import_module("bench.restack").main()


def _github_parts(
    tools: Sequence[Tool],
    parts: Sequence[str],
    settings: Sequence[Setting],
    runs: int,
    cases: Sequence[Case],
    json_file: Path | None,
) -> None:
    with _world() as (sandbox, root), _ERR.status("") as status:
        comparison = Comparison(sandbox, tools, root, status.update)
        if "compare" in parts:
            comparison.count_processes(sorted({setting.changes for setting in settings}), cases)
            comparison.measure(settings, runs, cases)
        figures = startup.figures(sandbox, tools, root, 5 * runs, status.update) if "startup" in parts else []
        hundred: list[Sample] = []
        if "large" in parts and tools[0].name == NAMES[0]:
            status.update("a hundred changes, with limits: this takes minutes")
            hundred = large.measure_large(sandbox, tools[0], root / "large", status.update)
    rows = summed_up(comparison.samples, comparison.processes)
    _print(rows, tools, figures, hundred)
    if json_file is not None:
        json_file.write_text(json.dumps(table.document(rows, comparison.samples, figures, hundred), indent=1) + "\n")


def _print(
    rows: Sequence[Row], tools: Sequence[Tool], figures: Sequence[startup.Figure], hundred: Sequence[Sample]
) -> None:
    _OUT.print(", ".join(f"{name} {value}" for name, value in table.machine().items()), highlight=False)
    if rows:
        _OUT.print(table.LEGEND, highlight=False)
    for each in table.tables(rows, tools):
        _OUT.print(each)
    if figures:
        _OUT.print(table.startup_table(figures))
    if line := table.no_op_line(figures):
        _OUT.print(line)
    for text in table.large_lines(hundred):
        _OUT.print(text, highlight=False)


def _installed(names: Sequence[str]) -> Iterator[Tool]:
    for name in NAMES:
        if name in names:
            try:
                with _ERR.status(f"installing {name}"):
                    yield install(name)
            except NotInstalled as problem:
                _ERR.print(f"{problem}; going on without it", highlight=False)


@contextmanager
def _world() -> Iterator[tuple[Sandbox, Path]]:
    """A sandbox and a place for clones, both gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="stackr-bench-") as folder:
        root = Path(folder)
        seed = work.make_seed(root / "seed", environment(None, root / "home", "", ""))
        with Sandbox(root / "sandbox", seed) as sandbox:
            yield sandbox, root


if __name__ == "__main__":
    main()
