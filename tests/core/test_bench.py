"""Benchmark files: what is read from them, and what a change is."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from stackr.core.bench import Comparison, Row, Run, Stat, Verdict, compare, read_run
from stackr.errors import Refused


def entry(name: str, ops: Any = 100.0, **stats: Any) -> dict[str, Any]:
    return {
        "fullname": f"b.py::{name}",
        "name": name,
        "stats": {"max": 0.02, "mean": 0.01, "median": 0.01, "ops": ops, **stats},
    }


def run(*entries: Any, **more: Any) -> Run:
    return read_run(json.dumps({"benchmarks": entries, **more}).encode(), "x.json")


def compared(old: str, new: str, stat: Stat = Stat.OPS) -> Row:
    """The one row of two files whose figure stands there in these words."""
    template = json.dumps({"benchmarks": [entry("t", **{stat.value: "HERE"})]})
    runs = [read_run(template.replace('"HERE"', figure).encode(), "x") for figure in (old, new)]
    (row,) = compare(*runs, stat, Fraction(5)).rows
    return row


@pytest.mark.parametrize(
    ("old", "new", "change", "verdict"),
    [
        ("100", "105", "5", Verdict.SAME),
        ("0.1", "0.105", "5", Verdict.SAME),
        ("0.3", "0.285", "-5", Verdict.SAME),
        ("100", "105.0000000001", "5.0000000001", Verdict.IMPROVED),
        ("100", "94.99", "-5.01", Verdict.WORSENED),
        ("32", "33", "3.125", Verdict.SAME),
        ("1e-99", "2e-99", "100", Verdict.IMPROVED),
        ("1" * 61, "1" * 61, "0", Verdict.SAME),
    ],
)
def test_a_change_is_exact_and_counts_only_above_the_threshold(
    old: str, new: str, change: str, verdict: Verdict
) -> None:
    row = compared(old, new)
    assert (row.change, row.verdict) == (Fraction(change), verdict)


@pytest.mark.parametrize(
    "bad", ["0", "-1", "NaN", "Infinity", "1e999999999999999999999", "1e-400", "null", '"7"', "true"]
)
def test_a_figure_that_is_none_makes_no_change(bad: str) -> None:
    for row in (compared(bad, "1"), compared("1", bad)):
        assert (row.change, row.verdict) == (None, Verdict.UNKNOWN)


def test_a_longer_median_is_worse() -> None:
    assert compared("0.1", "0.2", Stat.MEDIAN).verdict is Verdict.WORSENED
    assert compared("0.2", "0.1", Stat.MEDIAN).verdict is Verdict.IMPROVED


def test_benchmarks_are_matched_by_full_name_in_the_order_of_the_new_file() -> None:
    comparison = compare(
        run(entry("a"), entry("gone"), entry("b")), run(entry("b"), entry("new"), entry("a")), Stat.OPS, Fraction(5)
    )
    assert [row.new.name for row in comparison.rows] == ["b", "a"]
    assert ([each.name for each in comparison.gone], [each.name for each in comparison.added]) == (["gone"], ["new"])
    assert compare(run(), run(), Stat.OPS, Fraction(5)) == Comparison(Stat.OPS, Fraction(5), ())


def test_a_stall_is_a_round_of_more_than_ten_times_the_mean() -> None:
    stalled = [run(entry("t", max=most, mean=0.01)).benchmarks["b.py::t"].stalled for most in (0.1, 0.1001, None, 0)]
    assert stalled == [False, True, False, False]


def test_the_commit_that_was_measured_is_known_if_the_file_tells() -> None:
    oid = "7866d11" + "0" * 33
    assert run(commit_info={"id": oid}).commit == oid
    for info in ({"id": "unversioned"}, {"id": 7}, {}, "x", None):
        assert run(commit_info=info).commit == ""


def test_a_byte_order_mark_is_no_harm() -> None:
    assert read_run(b'\xef\xbb\xbf{"benchmarks": []}', "x").benchmarks == {}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"\xff\xfe{", "it is not UTF-8"),
        (b"{\n  benchmarks", "it is not JSON (line 2: expecting property name enclosed in double quotes)"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b"[]", 'it has no list "benchmarks"'),
        (b'{"benchmarks": {}}', 'it has no list "benchmarks"'),
        (b'{"benchmarks": [7]}', "its benchmark 1 is no object"),
        (b'{"benchmarks": [{"name": "t"}]}', 'its benchmark 1 has no "fullname"'),
        (b'{"benchmarks": [{"fullname": "t", "name": 7}]}', 'its benchmark 1 has no "name"'),
        (b'{"benchmarks": [{"fullname": "t\\u001b[1m", "name": "t"}]}', 'its benchmark "t" has no "stats"'),
        (json.dumps({"benchmarks": [entry("t"), entry("u"), entry("t")]}).encode(), '"b.py::t" is in it twice'),
    ],
)
def test_what_is_no_file_of_benchmarks_is_refused_with_the_reason(content: bytes, why: str) -> None:
    with pytest.raises(Refused) as caught:
        read_run(content, "x\a.json")
    assert caught.value.message == f'"x.json" is no file of pytest-benchmark: {why}'
