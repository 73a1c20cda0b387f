"""The report on benchmarks: the example to the letter, and what the plain style adds to it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from stackr.core.bench import Comparison, Stat, compare, read_run
from stackr.core.bench_text import Baseline, below, choose_baseline, count_lines, write
from stackr.core.sticky import LONGEST, fit
from tests.core.test_bench import entry, run

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "bench"
OLD, NEW = (read_run((FIXTURES / f"{name}.json").read_bytes(), name) for name in ("old", "new"))
TOLD = Baseline("old.json")


def report(*pairs: tuple[Any, Any], style: str = "plain", stat: Stat = Stat.OPS, **stats: Any) -> str:
    """A report on benchmarks a, b, …, with these old and new figures."""
    names = "abcdefghij"
    old = run(*(entry(name, ops=old, median=old, **stats) for name, (old, _) in zip(names, pairs, strict=False)))
    new = run(*(entry(name, ops=new, median=new, **stats) for name, (_, new) in zip(names, pairs, strict=False)))
    comparison = compare(old, new, stat, Fraction(5))
    return write(comparison, style, TOLD, count_lines(comparison))


def table(text: str) -> list[list[str]]:
    """The cells of all tables, without the lines under their headers."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [row for row in rows if not row[0].startswith("---")]


def changes(text: str) -> list[str]:
    return [row[-1] for row in table(text) if row[-1] != "Change"]


@pytest.mark.parametrize(("threshold", "improved", "worsened"), [(5, 22, 7), (4, 26, 8), (10, 11, 6)])
def test_the_example_is_counted_as_its_bot_counts(threshold: int, improved: int, worsened: int) -> None:
    comparison = compare(OLD, NEW, Stat.OPS, Fraction(threshold))
    counts = f"Total Benchmarks: 164. Improved: {improved}. Worsened: {worsened}."
    for style in ("plain", "latex"):
        assert counts in write(comparison, style, TOLD, 164)


def test_the_example_is_reproduced_cell_for_cell() -> None:
    expected = (FIXTURES / "expected.tsv").read_text().replace(r"\%", r"\\%").splitlines()
    text = write(compare(OLD, NEW, Stat.OPS, Fraction(5)), "latex", TOLD, 164)
    assert table(text) == [line.split("\t") for line in expected]
    assert text.startswith(
        "<!-- Total Benchmarks: 164. Improved: 22. Worsened: 7. -->\n\n"
        r"## $\color{#D29922}\textsf{\Large⚠\kern{0.2cm}\normalsize Warning}$ Result of CPU Benchmark Tests"
        "\n\n"
        r"### Total Benchmarks: 164. Improved: $\large\color{#35bf28}22$. Worsened: $\large\color{#d91a1a}7$."
        "\n\n"
        "<details>\n<summary>Expand to view detailed results</summary>\n\n| Name |"
    )
    assert text.endswith(" |\n\n</details>")


def test_the_plain_report_as_a_whole() -> None:
    old = run(entry("same"), entry("slow", ops=200), entry("gone"), entry("fast", max=0.2), entry("zero", ops=0))
    new = run(entry("zero", max=1), entry("same"), entry("slow"), entry("fast", ops=2e6), entry("__new__"))
    comparison = compare(old, new, Stat.OPS, Fraction("2.5"))
    assert write(comparison, "plain", below(3284), count_lines(comparison)) == (
        """\
## ⚠ Warning: benchmarks vs #3284, the change below

Total Benchmarks: 4. Improved: 1. Worsened: 1.

| Name | Max | Mean | Ops | Ops before | Change |
| --- | ---: | ---: | ---: | ---: | ---: |
| fast | 20.0000ms | 10.0000ms | 2.0000 MOps/s | 100.0000 Ops/s | **+1999900.00%** (stall suspected before) |
| slow | 20.0000ms | 10.0000ms | 100.0000 Ops/s | 200.0000 Ops/s | **-50.00%** |

<details><summary>2 benchmarks without such a change</summary>

| Name | Max | Mean | Ops | Ops before | Change |
| --- | ---: | ---: | ---: | ---: | ---: |
| same | 20.0000ms | 10.0000ms | 100.0000 Ops/s | 100.0000 Ops/s | 0.00% |
| zero | 1.0000s | 10.0000ms | 100.0000 Ops/s | n/a | n/a (stall suspected) |

</details>

### Not compared

- new: &#95;&#95;new&#95;&#95;
- gone: gone

More operations a second are better; changes of more than 2.5 % are bold and counted."""
    )


def test_nothing_to_compare_is_fine() -> None:
    assert report() == (
        "## ✔ OK: benchmarks vs old.json\n\nTotal Benchmarks: 0. Improved: 0. Worsened: 0.\n\n"
        "More operations a second are better; changes of more than 5 % are bold and counted."
    )
    assert r"\color{#35bf28}\textsf{\Large✔\kern{0.2cm}\normalsize OK}" in report(style="latex")


def test_ties_go_away_from_zero_and_exactly_the_threshold_is_neither_bold_nor_counted() -> None:
    text = report((32, 33), (32, 31), (100, 105), (100, 95), (1000, 1049.95))
    assert changes(text) == ["+5.00%", "-5.00%", "+5.00%", "+3.13%", "-3.13%"]
    assert "Improved: 0. Worsened: 0." in text


def test_colour_begins_at_a_hundredth_of_a_percent() -> None:
    text = report((10000, 10001), (100000, 100009), (100000, 99991), (1, 1), (0, 1), (1, 2), style="latex")
    assert changes(text) == [
        r"$\color{#35bf28}+0.01\\%$",
        r"$+0.01\\%$",
        r"$-0.01\\%$",
        r"$0.00\\%$",
        "n/a",
        r"$\textbf{\color{#35bf28}+100.00\\%}$",
    ]


def test_medians_are_times_and_shorter_ones_are_green() -> None:
    text = report((0.2, 0.1), (0.1, 0.2), style="latex", stat=Stat.MEDIAN)
    assert table(text) == [
        ["Name", "Max", "Mean", "Median", "Median on Repo HEAD", "Change"],
        ["a", "20.0000ms", "10.0000ms", "0.1000s", "0.2000s", r"$\textbf{\color{#35bf28}-50.00\\%}$"],
        ["b", "20.0000ms", "10.0000ms", "0.2000s", "0.1000s", r"$\textbf{\color{#d91a1a}+100.00\\%}$"],
    ]
    assert "A shorter median is better" in report((0.2, 0.1), stat=Stat.MEDIAN)


def test_units_change_where_the_example_changes_them() -> None:
    times = [0.0000999, 0.0001, 0.0999, 0.1]
    assert [table(report((1, 1), max=time, mean=None))[1][1:3] for time in times] == [
        ["99.9000μs", "n/a"],
        ["0.1000ms", "n/a"],
        ["99.9000ms", "n/a"],
        ["0.1000s", "n/a"],
    ]
    rates = [999.99995, 1000, 999999, 1e6]
    assert [table(report((rate, rate)))[1][3] for rate in rates] == [
        "1000.0000 Ops/s",
        "1.0000 KOps/s",
        "999.9990 KOps/s",
        "1.0000 MOps/s",
    ]


@pytest.mark.parametrize("style", ["plain", "latex"])
def test_hostile_names_and_labels_are_just_text(style: str) -> None:
    evil = "@bob #1 `x` <!-- $\\x$ | **y**\x1b[31m\n# z"
    comparison = compare(run(entry(evil), entry("gone" + evil)), run(entry(evil)), Stat.OPS, Fraction(5))
    text = write(comparison, style, choose_baseline(evil, "", {}, "old.json"), 2)
    harmless = (
        "@\u200bbob #\u200b1 &#96;x&#96; &#60;!-- <span>$</span>&#92;x<span>$</span> &#124; &#42;&#42;y&#42;&#42; # z"
    )
    assert text.count(harmless) == 3
    for piece in ("@b", "#1 ", "`", "<!-- $", "\x1b", "\n# "):
        assert piece not in text


def test_the_baseline_is_what_the_user_says_or_the_file_tells() -> None:
    oid = "7866d11" + "0" * 33
    known = {oid: below(7)}
    assert choose_baseline("main\n", oid, known, "old.json") == Baseline("main", given=True)
    assert choose_baseline(None, oid, known, "old.json").markdown == "#7, the change below"
    assert choose_baseline(None, oid, {}, "old.json").markdown == "commit 7866d11"
    assert choose_baseline(None, "", known, "o|d.json").markdown == "o&#124;d.json"
    assert choose_baseline("x" * 101, "", {}, "").text == "x" * 99 + "…"
    comparison = compare(OLD, NEW, Stat.OPS, Fraction(5))
    assert "| Ops on main |" in write(comparison, "latex", choose_baseline("main", "", {}, ""), 1)


def long_comparison() -> Comparison:
    names = [f"test_{n}_{'x' * 90}" for n in range(1000)]
    old = run(*(entry(name, ops=1000) for name in names), entry("gone"))
    new = run(*(entry(name, ops=1000 + n) for n, name in enumerate(names)))
    return compare(old, new, Stat.OPS, Fraction(5))


@pytest.mark.parametrize("style", ["plain", "latex"])
def test_what_changed_least_is_left_out_of_a_comment_that_would_be_too_long(style: str) -> None:
    comparison = long_comparison()

    def written(keep: int) -> str:
        return write(comparison, style, TOLD, keep)

    text = fit("bench", count_lines(comparison), written)
    rows = [row[0] for row in table(text) if row[0] != "Name"]
    kept = len(rows)
    assert LONGEST - 400 < len(text) < LONGEST
    assert {int(name.split("_")[1]) for name in rows} == set(range(1000 - kept, 1000))
    assert f"Left out, as a comment holds no more: {1001 - kept} lines that changed least." in text
    assert "Total Benchmarks: 1000. Improved: 949. Worsened: 0." in text
    assert "### Not compared" not in text
    assert fit("bench", 3, written) == written(3)
