"""A comparison of benchmarks as Markdown, in two styles.

``latex`` is the report that pytest-benchmark-commenter makes, cell for cell, in the colours of GitHub's mathematics.
``plain`` (the default) can be read anywhere, and says what that one leaves open: against what was compared, what could
not be, and which figures are suspect. Names and labels are untrusted in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from stackr.core.bench import Comparison, Row, Stat, Verdict, by_change, is_better
from stackr.core.untrusted import as_markdown, clean
from stackr.core.words import counted
from stackr.records import dataclass

STYLES = ("plain", "latex")
_GREEN, _YELLOW, _RED = "#35bf28", "#D29922", "#d91a1a"
_SHORTEST_COLOURED = Fraction(1, 100)
_LONGEST_LABEL = 100
_COLUMN = {Stat.OPS: "Ops", Stat.MEDIAN: "Median"}
_BETTER = {Stat.OPS: "More operations a second are better", Stat.MEDIAN: "A shorter median is better"}


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the old file measured: the pull request ``pull``, or in words; ``given`` by the user."""

    text: str
    pull: int | None = None
    given: bool = False

    @property
    def markdown(self) -> str:
        """Its name, with a link where it is a pull request that we know of ourselves."""
        return as_markdown(self.text) if self.pull is None else self.text


def below(number: int) -> Baseline:
    """The change below, by the number of its pull request."""
    return Baseline(f"#{number}, the change below", number)


def choose_baseline(label: str | None, commit: str, known: Mapping[str, Baseline], name: str) -> Baseline:
    """The user's ``label``, else what ``commit`` is ``known`` as, else the commit itself, else the file's ``name``."""
    if label is not None:
        text = clean(label)
        return Baseline(text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…", given=True)
    if commit:
        return known.get(commit) or Baseline(f"commit {commit[:7]}")
    return Baseline(clean(name))


def count_lines(comparison: Comparison) -> int:
    """How many lines of a report may be left out."""
    return len(comparison.rows) + len(comparison.gone) + len(comparison.added)


def write(comparison: Comparison, style: str, baseline: Baseline, keep: int) -> str:
    """The report with its ``keep`` most important lines: what has changed most comes first, what has no change last."""
    ranked = by_change(comparison.rows)
    rows = ranked[:keep]
    others = [f"- new: {as_markdown(each.name)}" for each in comparison.added]
    others += [f"- gone: {as_markdown(each.name)}" for each in comparison.gone]
    others = others[: max(0, keep - len(ranked))]
    parts = _plain(comparison, rows, baseline) if style == "plain" else _latex(comparison, rows, baseline)
    if others:
        parts += ["### Not compared", "\n".join(others)]
    left_out = count_lines(comparison) - len(rows) - len(others)
    if left_out:
        parts.append(f"Left out, as a comment holds no more: {counted(left_out, 'line')} that changed least.")
    if style == "plain":
        parts.append(f"{_BETTER[comparison.stat]}; changes of more than {_percent(comparison)} are bold and counted.")
    return "\n\n".join(parts)


def _counts(comparison: Comparison) -> str:
    improved, worsened = (comparison.count(verdict) for verdict in (Verdict.IMPROVED, Verdict.WORSENED))
    return f"Total Benchmarks: {len(comparison.rows)}. Improved: {improved}. Worsened: {worsened}."


def _plain(comparison: Comparison, rows: Sequence[Row], baseline: Baseline) -> list[str]:
    status = "⚠ Warning" if comparison.count(Verdict.WORSENED) else "✔ OK"
    parts = [f"## {status}: benchmarks vs {baseline.markdown}", _counts(comparison)]
    big = [row for row in rows if row.verdict in (Verdict.IMPROVED, Verdict.WORSENED)]
    if big:
        parts.append(_plain_table(comparison, big))
    if len(rows) > len(big):
        summary = f"{counted(len(rows) - len(big), 'benchmark')} without such a change"
        table = _plain_table(comparison, rows[len(big) :])
        parts.append(f"<details><summary>{summary}</summary>\n\n{table}\n\n</details>")
    return parts


def _plain_table(comparison: Comparison, rows: Iterable[Row]) -> str:
    column = _COLUMN[comparison.stat]
    header = ("Name", "Max", "Mean", column, f"{column} before", "Change")
    return _table(header, "---:", ((*_figures(row, comparison.stat), _plain_change(row)) for row in rows))


def _plain_change(row: Row) -> str:
    text = _change(row.change)
    if row.verdict in (Verdict.IMPROVED, Verdict.WORSENED):
        text = f"**{text}**"
    if row.new.stalled:
        return f"{text} (stall suspected)"
    return f"{text} (stall suspected before)" if row.old.stalled else text


def _latex(comparison: Comparison, rows: Sequence[Row], baseline: Baseline) -> list[str]:
    color, sign, word = (_YELLOW, "⚠", "Warning") if comparison.count(Verdict.WORSENED) else (_GREEN, "✔", "OK")
    status = rf"$\color{{{color}}}\textsf{{\Large{sign}\kern{{0.2cm}}\normalsize {word}}}$"
    improved, worsened = (
        rf"$\large\color{{{color}}}{comparison.count(verdict)}$"
        for color, verdict in ((_GREEN, Verdict.IMPROVED), (_RED, Verdict.WORSENED))
    )
    column = _COLUMN[comparison.stat]
    header = ("Name", "Max", "Mean", column, f"{column} on {baseline.markdown if baseline.given else 'Repo HEAD'}")
    kept = {row.new.fullname for row in rows}
    cells = (
        (*_figures(row, comparison.stat), _latex_change(row, comparison.stat))
        for row in comparison.rows
        if row.new.fullname in kept
    )
    table = _table((*header, "Change"), "---", cells)
    return [
        # For whoever reads the source, in a terminal or a script.
        f"<!-- {_counts(comparison)} -->",
        f"## {status} Result of CPU Benchmark Tests",
        f"### Total Benchmarks: {len(comparison.rows)}. Improved: {improved}. Worsened: {worsened}.",
        f"<details>\n<summary>Expand to view detailed results</summary>\n\n{table}\n\n</details>",
    ]


def _latex_change(row: Row, stat: Stat) -> str:
    if row.change is None:
        return _change(None)
    # Markdown takes one of the two backslashes, mathematics needs the other.
    text = _change(row.change).replace("%", r"\\%")
    if abs(row.change) >= _SHORTEST_COLOURED:
        text = rf"\color{{{_GREEN if is_better(row.change, stat) else _RED}}}{text}"
    return f"${text}$" if row.verdict is Verdict.SAME else rf"$\textbf{{{text}}}$"


def _table(header: Sequence[str], align: str, rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ("---", *[align] * (len(header) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _figures(row: Row, stat: Stat) -> tuple[str, ...]:
    shown = _rate if stat is Stat.OPS else _time
    name = as_markdown(row.new.name)
    return name, _time(row.new.max), _time(row.new.mean), shown(row.new.value(stat)), shown(row.old.value(stat))


def _time(seconds: Fraction | None) -> str:
    if seconds is None:
        return "n/a"
    if seconds < Fraction(1, 10_000):
        return f"{_rounded(seconds * 1_000_000, 4)}μs"
    return f"{_rounded(seconds * 1000, 4)}ms" if seconds < Fraction(1, 10) else f"{_rounded(seconds, 4)}s"


def _rate(ops: Fraction | None) -> str:
    if ops is None:
        return "n/a"
    if ops >= 1_000_000:
        return f"{_rounded(ops / 1_000_000, 4)} MOps/s"
    return f"{_rounded(ops / 1000, 4)} KOps/s" if ops >= 1000 else f"{_rounded(ops, 4)} Ops/s"


def _change(change: Fraction | None) -> str:
    if change is None:
        return "n/a"
    sign = "+" if change > 0 else "-" if change < 0 else ""
    return f"{sign}{_rounded(abs(change), 2)}%"


def _rounded(value: Fraction, digits: int) -> str:
    """A number that is not negative, exactly; ties go up."""
    scaled = value * 10**digits
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    text = f"{whole:0{digits + 1}d}"
    return f"{text[:-digits]}.{text[-digits:]}"


def _percent(comparison: Comparison) -> str:
    return f"{float(comparison.threshold):g} %"
