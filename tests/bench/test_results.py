"""How the benchmark sums up and judges; no time is measured here."""

from __future__ import annotations

import json

import pytest

from bench.results import Case, Cell, Row, Sample, Setting, summed_up
from bench.sandbox import Traffic
from bench.startup import NO_OP, YARDSTICK, Figure, no_op_ratio
from bench.table import cell_text, cpu_text, document, goal_text, large_lines, no_op_line, tables
from bench.tools import NAMES, requirements

FIVE = Setting(5, 50, 0)


def sample(
    tool: str, seconds: float, *, case: Case = Case.NEW, problem: str | None = None, requests: int = 3
) -> Sample:
    return Sample(tool, case, FIVE, seconds, seconds / 2, Traffic(requests, 9, 3, 1, 0), problem)


def row(case: Case = Case.NEW, **seconds: float | None) -> Row:
    samples = [
        sample(tool, took or 0.0, case=case, problem=None if took is not None else "exit 1")
        for tool, took in seconds.items()
    ]
    (only,) = summed_up(samples, {})
    return only


def test_a_cell_is_the_median_of_its_runs_and_keeps_the_fastest() -> None:
    samples = [sample("stackr", seconds) for seconds in (0.9, 0.4, 0.5)]
    (only,) = summed_up(samples, {("stackr", Case.NEW, 5): 12})
    assert only.cells["stackr"] == Cell("stackr", Case.NEW, FIVE, 0.5, 0.4, 0.25, 3, 1, 3, 12, 3)


def test_one_run_that_does_not_count_spoils_the_cell() -> None:
    (only,) = summed_up([sample("revup", 1.0), sample("revup", 10.0, problem="4 pull requests of 5")], {})
    assert (only.cells["revup"].seconds, only.cells["revup"].problem) == (None, "4 pull requests of 5")


def test_rows_come_by_case_then_by_size_and_delay() -> None:
    settings = [Setting(20), Setting(5, 50), Setting(5)]
    samples = [
        Sample("stackr", case, setting, 1.0, 1.0, Traffic())
        for case in (Case.AMENDED, Case.NEW)
        for setting in settings
    ]
    assert [(r.case, r.setting) for r in summed_up(samples, {})] == [
        (case, setting) for case in (Case.NEW, Case.AMENDED) for setting in (Setting(5), Setting(5, 50), Setting(20))
    ]


@pytest.mark.parametrize(
    ("case", "seconds", "met", "words"),
    [
        (Case.NEW, {"stackr": 1.0, "ghstack": 4.0, "revup": 2.0}, True, "met 0.50"),
        (Case.NEW, {"stackr": 3.0, "ghstack": 4.0, "revup": 2.0}, False, "MISSED 1.50"),
        (Case.UNCHANGED, {"stackr": 1.0, "ghstack": 4.0, "revup": 2.0}, True, "met 0.50"),
        (Case.UNCHANGED, {"stackr": 1.1, "ghstack": 4.0, "revup": 2.0}, False, "MISSED 0.55"),
        (Case.NEW, {"stackr": 3.0, "ghstack": 4.0, "revup": None}, True, "met 0.75"),
        (Case.NEW, {"stackr": 3.0, "ghstack": None, "revup": None}, True, "met: alone"),
        (Case.NEW, {"stackr": None, "ghstack": 4.0}, False, "MISSED"),
        (Case.NEW, {"stackr": 1.0}, None, "-"),
        (Case.NEW, {"ghstack": 1.0, "revup": 2.0}, None, "-"),
    ],
)
def test_the_goal_is_the_faster_of_the_others_that_got_there(
    case: Case, seconds: dict[str, float | None], met: bool | None, words: str
) -> None:
    judged = row(case, **seconds)
    assert (judged.is_met, goal_text(judged).plain) == (met, words)


def test_a_cell_shows_time_and_counts_or_why_there_are_none() -> None:
    cells = row(stackr=0.412, revup=None).cells
    assert cell_text(cells["stackr"]).plain == "0.41 s  3/1/3/?"
    assert cell_text(cells["revup"]).plain == "failed: exit 1"
    assert cell_text(None).plain == "-"


def test_processor_time_is_compared_beside() -> None:
    assert cpu_text(row(stackr=1.0, revup=4.0, ghstack=2.0)) == "0.50"
    assert cpu_text(row(stackr=1.0, revup=None)) == "-"


def test_there_is_a_table_for_every_case_that_was_measured() -> None:
    rows = [row(stackr=1.0, revup=2.0), row(Case.AMENDED, stackr=1.0)]
    assert [table.title for table in tables(rows, [])] == ["new", "bottom amended"]


def test_the_no_op_figure_compares_the_fastest_runs() -> None:
    figures = [Figure(YARDSTICK, 0.3, 0.2, 0.1), Figure(NO_OP, 0.9, 0.3, 0.2)]
    assert no_op_ratio(figures) == pytest.approx(1.5)
    line = no_op_line(figures)
    assert line is not None
    assert line.plain.endswith("1.50 times `import git, requests, click, tomli` (goal 2.5): met")
    assert no_op_line([]) is None


def test_the_hundred_is_told_in_one_line_a_run() -> None:
    large = Sample("stackr", Case.NEW, Setting(100, 0, 1000), 152.04, 1.0, Traffic(43, 200, 3, 1, 0))
    assert list(large_lines([large])) == [
        "N = 100, 1000 ms a mutation, secondary limits on, new: 152.0 s, 43 requests, 1 pushes;"
        " every pull request is there"
    ]


def test_the_document_is_json_and_holds_every_run() -> None:
    samples = [sample("stackr", 1.0), sample("revup", 2.0)]
    found = json.loads(json.dumps(document(summed_up(samples, {}), samples, [], [])))
    assert set(found) == {"machine", "rows", "startup", "large", "samples"}
    assert len(found["samples"]) == 2
    assert found["rows"][0]["changes"] == 5
    assert found["rows"][0]["ratio"] == 0.5
    assert found["rows"][0]["cells"]["stackr"]["requests"] == 3


def test_the_other_tools_are_pinned_in_the_project_file() -> None:
    assert set(requirements()) == set(NAMES)
    assert all("==" in requirements()[name] for name in NAMES if name != "stackr")
