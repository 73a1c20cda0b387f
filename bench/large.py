"""A hundred new commits against a server that takes a second for every mutation and has its secondary limits on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.comparison import Comparison
from bench.results import Case, Sample, Setting
from bench.sandbox import Sandbox
from bench.tools import Tool

HUNDRED = Setting(100, 0, 1000)


def measure_large(sandbox: Sandbox, tool: Tool, root: Path, tell: Callable[[str], None]) -> list[Sample]:
    """Submit it, and submit it again; takes several minutes, most of them waiting as GitHub asks for."""
    comparison = Comparison(sandbox, [tool], root, tell, "large")
    sandbox.limit(enabled=True)
    try:
        comparison.measure([HUNDRED], 1, [Case.NEW, Case.UNCHANGED])
    finally:
        sandbox.limit(enabled=False)
    return comparison.samples
