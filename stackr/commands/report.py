"""``stackr report``: pages for reviewers, on stdout or in one comment on the pull request."""

from __future__ import annotations

from contextlib import nullcontext
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from stackr import options
from stackr.app import App
from stackr.core import bench_text
from stackr.core.bench import Comparison, Row, Run, Stat, Verdict, compare, read_run
from stackr.core.bench_text import Baseline
from stackr.core.sticky import fit
from stackr.errors import Refused, UsageError
from stackr.stories import reporting
from stackr.stories.reporting import Page, Target, Way

LARGEST_FILE = 200_000_000
"""In bytes; with the times of every round a file has a few million."""
_LONGEST_EXPONENT = 9


@click.group(no_args_is_help=False)
def command() -> None:
    """Write a report for reviewers, and keep it in one comment on the pull request.

    With --post the report becomes a comment that the next run brings up to date, and leaves alone if nothing changed.
    In a job of GitHub Actions the report also goes to the job's summary.
    """


def _percentage(context: click.Context, parameter: click.Parameter, value: str) -> Fraction:
    """An exact decimal."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        number = Decimal("NaN")
    # An exponent far beyond any percentage would make a number that fills the memory.
    if not number.is_finite() or number < 0 or abs(number.adjusted()) > _LONGEST_EXPONENT:
        raise click.BadParameter(f'"{value}" is not a percentage', context, parameter)
    return Fraction(number)


@command.command()
@click.argument("old")
@click.argument("new")
@click.option(
    "--threshold",
    metavar="PERCENT",
    default="5",
    callback=_percentage,
    help="Count changes of more than this (default: 5).",
)
@click.option(
    "--stat",
    type=click.Choice([stat.value for stat in Stat]),
    default=Stat.OPS.value,
    help="Compare operations a second (the default), or median times.",
)
@click.option(
    "--style",
    type=click.Choice(bench_text.STYLES),
    default=bench_text.STYLES[0],
    help="plain (the default): most changed first; latex: as pytest-benchmark-commenter writes it, in colour.",
)
@click.option("--base-label", "label", metavar="TEXT", help="What OLD measured, as the report should name it.")
@reporting.post_options
@click.pass_context
def bench(
    context: click.Context,
    /,
    old: str,
    new: str,
    threshold: Fraction,
    stat: str,
    style: str,
    label: str | None,
    **way: Any,
) -> None:
    """Compare two files of pytest-benchmark (--benchmark-json).

    Prints Markdown. Without --post neither a repository nor the network is needed.
    """
    app, chosen = App(context), Way(**way)
    before, after = (_read(app.invocation.directory, name) for name in (old, new))
    comparison = compare(before, after, Stat(stat), threshold)
    job = reporting.find_job()
    with reporting.open_place(app, job, chosen) if chosen.post else nullcontext() as place:
        known = _known(place.target) if place else {}
        baseline = bench_text.choose_baseline(label, before.commit, known, Path(old).name)
        reporting.deliver(app, job, place, _page(comparison, style, baseline), chosen)


def _read(directory: Path, name: str) -> Run:
    """A file of the command line; it may be a pipe. Raises ``UsageError`` where there is none."""
    try:
        with (directory / name).open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise UsageError(f'there is no file "{name}"') from None
    except IsADirectoryError:
        raise UsageError(f'"{name}" is a directory, not a file of pytest-benchmark') from None
    if len(content) > LARGEST_FILE:
        raise Refused(
            f'"{name}" has more than {LARGEST_FILE // 1_000_000} MB', next_step="leave out the times of rounds"
        )
    return read_run(content, name)


def _known(target: Target) -> dict[str, Baseline]:
    """How commits that may have been measured are named in the report."""
    return {
        oid: bench_text.below(base) if isinstance(base, int) else Baseline(f"{base} at {oid[:7]}")
        for oid, base in target.bases.items()
    }


def _page(comparison: Comparison, style: str, baseline: Baseline) -> Page:
    lines = bench_text.count_lines(comparison)

    def write(keep: int) -> str:
        return bench_text.write(comparison, style, baseline, keep)

    return Page("bench", write(lines), fit("bench", lines, write), _content(comparison, baseline))


def _content(comparison: Comparison, baseline: Baseline) -> dict[str, Any]:
    return {
        "stat": comparison.stat.value,
        "threshold": float(comparison.threshold),
        "baseline": baseline.text,
        "total": len(comparison.rows),
        "improved": comparison.count(Verdict.IMPROVED),
        "worsened": comparison.count(Verdict.WORSENED),
        "benchmarks": [_row(row, comparison.stat) for row in comparison.rows],
        "not_compared": {
            "new": [each.fullname for each in comparison.added],
            "gone": [each.fullname for each in comparison.gone],
        },
    }


def _row(row: Row, stat: Stat) -> dict[str, Any]:
    figures = {"old": row.old.value(stat), "new": row.new.value(stat), "change": row.change}
    return {
        "fullname": row.new.fullname,
        "name": row.new.name,
        **{key: None if figure is None else float(figure) for key, figure in figures.items()},
        "verdict": row.verdict.value,
        "stall_suspected": row.old.stalled or row.new.stalled,
    }


@command.command()
@options.logs_option
@reporting.post_options
@click.pass_context
def ci(context: click.Context, /, logs: int | None, **way: Any) -> None:
    """Say whose failure each failed check of a pull request is, and why it failed.

    Prints Markdown. Compared with trunk and with the pull requests below, as by stackr status --ci.
    """
    from stackr.stories import ci_reporting

    app, chosen, job = App(context), Way(**way), reporting.find_job()
    with reporting.open_place(app, job, chosen) as place:
        reporting.deliver(app, job, place, ci_reporting.page_of(app, place, logs), chosen)
