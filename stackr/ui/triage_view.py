"""``stackr status --ci``: open SEVs, one line a change, then what failed by class, each with job, cause and link.

Takes a ``core.status.Report`` and a ``core.triage.Triage``; what the classes mean is decided there, their words are in
``core.ci_words``. Also the JSON of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from stackr.core.ci_words import Section, active_sevs, as_of, sections, title
from stackr.core.model import PullState
from stackr.core.rules import Sev
from stackr.core.status import Report, Row
from stackr.core.triage import Kind, Triage, Verdict
from stackr.ui import as_json, details, table
from stackr.ui.line import Line, Span, line

_INDENT = "    "


def lines(report: Report, found: Triage, columns: int | None = None, *, links: bool = False) -> list[Line]:
    """The whole view; ``columns`` and ``links`` are those of ``tree.lines``."""
    rows = list(reversed(report.rows))
    head = report.head.oid if report.head else None
    by_class = sections(verdict for row in rows for verdict in _verdicts(row, found))
    shown = list(_sevs(found.sevs, links))
    if found.pulls:
        shown.append(line(Span(title(by_class, found.pulls), "bold")))
    shown += table.lines([_entry(row, found, head) for row in rows], columns, links=links)
    for section in by_class:
        shown += [line(""), *_section(section, rows, found, links)]
    shown += _compared(found)
    shown += [line(Span("note: ", "bold"), note) for note in (*report.notes, *found.notes)]
    return shown


def _sevs(sevs: Sequence[Sev], links: bool) -> Iterator[Line]:
    if sevs:
        yield line(Span(active_sevs(sevs), "bold red"))
        for sev in sevs:
            yield line(_INDENT, Span(sev.title, "red", sev.url if links else ""), *_address(sev.url, links))
        yield line("")


def _entry(row: Row, found: Triage, head: str | None) -> table.Entry:
    own = sections(_verdicts(row, found))
    counts = tuple(Span(section.count.lower(), _style(section)) for section in own) or (_quiet(row, found),)
    return table.Entry(
        _sign(row, own, found),
        f"#{row.pull.number}" if row.pull else "new",
        row.title,
        Span(""),
        counts,
        counts,
        url=row.pull.url if row.pull else "",
        is_head=row.commit == head,
    )


def _sign(row: Row, own: Sequence[Section], found: Triage) -> Span:
    if not _is_open(row):
        sign, _, style = details.STATES[row.state]
        return Span(sign, style)
    if any(section.is_bad for section in own):
        return Span("✗", "red")
    if any(section.kind.is_waiting for section in own):
        return Span("◐", "yellow")
    is_known = row.pull is not None and row.pull.counts.total and _is_readable(row, found)
    return Span("✓", "green") if is_known else Span("○", "dim")


def _quiet(row: Row, found: Triage) -> Span:
    """What is said of a change of whose checks none wants attention."""
    if row.pull is None or not _is_open(row):
        return details.state_of(row)
    if not _is_readable(row, found):
        return Span("checks cannot be read", "yellow")
    total = row.pull.counts.total
    return Span(f"{row.pull.counts.passing}/{total} checks", "green") if total else Span("no checks", "dim")


def _style(section: Section) -> str:
    return "red" if section.is_bad else "yellow" if section.kind.is_waiting else "dim"


def _section(section: Section, rows: Sequence[Row], found: Triage, links: bool) -> Iterator[Line]:
    yield line(Span(section.heading, f"bold {_style(section)}"), Span(f"  {section.explanation}:", "dim"))
    width = max(len(f"#{row.pull.number}") for row in rows if row.pull)
    for row in rows:
        own = [verdict for verdict in _verdicts(row, found) if _is_of(verdict, section)]
        number = f"#{row.pull.number}".ljust(width) if row.pull else ""
        if section.kind is Kind.PENDING and own:
            yield line(_INDENT, Span(f"{number}  ", "cyan"), ", ".join(verdict.job for verdict in own))
            continue
        for verdict in own:
            yield from _job(verdict, number, links)


def _job(verdict: Verdict, number: str, links: bool) -> Iterator[Line]:
    blamed = f"  from #{verdict.blamed}" if verdict.blamed is not None else ""
    required = "  required" if verdict.required else ""
    job = Span(verdict.job, "bold", verdict.link if links else "")
    yield line(_INDENT, Span(f"{number}  ", "cyan"), job, Span(f"{blamed}{required}", "dim"))
    below = f"{_INDENT}{' ' * len(number)}  "
    if verdict.cause:
        yield line(below, verdict.cause)
    if verdict.link and not links:
        yield line(below, Span(verdict.link, "dim"))


def _is_of(verdict: Verdict, section: Section) -> bool:
    return (verdict.kind, verdict.uncertain) == (section.kind, section.uncertain)


def _compared(found: Triage) -> Iterator[Line]:
    """What the failures of each pull request were compared with, newest first."""
    pulls = [pull for pull in reversed(found.pulls) if pull.baseline.merge_base]
    if pulls:
        yield line("")
    for pull in pulls:
        yield line(Span(f"{as_of(pull)} (#{pull.number})", "dim"))


def _verdicts(row: Row, found: Triage) -> tuple[Verdict, ...]:
    return found.verdicts.get(row.pull.number, ()) if row.pull else ()


def _is_readable(row: Row, found: Triage) -> bool:
    return not any(row.pull and pull.number == row.pull.number and not pull.readable for pull in found.pulls)


def _is_open(row: Row) -> bool:
    return row.pull is not None and row.pull.state is PullState.OPEN


def _address(url: str, links: bool) -> tuple[Span, ...]:
    return () if links else (Span(f"  {url}", "dim"),)


# -- JSON ----------------------------------------------------------------------------------------------------


def document(report: Report, found: Triage) -> dict[str, Any]:
    """The document of ``stackr status`` with ``ci`` for every change, and ``sevs``."""
    whole = as_json.report(report)
    by_number = {pull.number: pull_json(found, index) for index, pull in enumerate(found.pulls)}
    for change in whole["changes"]:
        change["ci"] = by_number.get(change["pull"]["number"]) if change["pull"] else None
    return {**whole, "notes": [*whole["notes"], *found.notes], "sevs": sevs_json(found.sevs)}


def pull_json(found: Triage, index: int) -> dict[str, Any]:
    """What was found of one pull request; ``null`` where nothing was compared, or where there is nothing to name."""
    pull = found.pulls[index]
    return {
        "readable": pull.readable,
        "merge_base": pull.baseline.merge_base or None,
        "compared_with": pull.baseline.commit or None,
        "jobs": [_job_json(verdict) for verdict in found.verdicts.get(pull.number, ())],
    }


def _job_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "job": verdict.job,
        "class": verdict.kind.value,
        "uncertain": verdict.uncertain,
        "blamed": verdict.blamed,
        "waivable": verdict.waivable,
        "required": verdict.required,
        "cause": verdict.cause or None,
        "url": verdict.link or None,
    }


def sevs_json(sevs: Sequence[Sev]) -> list[dict[str, Any]]:
    """Open SEVs."""
    return [{"number": sev.number, "title": sev.title, "url": sev.url, "labels": list(sev.labels)} for sev in sevs]
