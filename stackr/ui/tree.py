"""The stack as ``stackr status`` draws it: newest on top, an arrow at HEAD, one line a change, trunk at the bottom.

Takes a ``core.status.Report`` and gives lines; what the states mean is decided in ``stackr.core.status``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.core.model import Orphan
from stackr.core.outlook import ready
from stackr.core.status import Report, Row
from stackr.core.words import counted
from stackr.ui import details, table
from stackr.ui.line import Line, Span, line


def lines(report: Report, columns: int | None = None, *, links: bool = False) -> list[Line]:
    """The whole view.

    ``columns`` is the width of the terminal (``None``: nothing is cut); with ``links`` pull request numbers are links,
    else the address stands at the end of each line where there is room for it.
    """
    head = report.head.oid if report.head else None
    entries = [_entry(row, head) for row in reversed(report.rows)]
    shown = table.lines(entries, columns, links=links)
    shown += list(_trunk(report, links))
    shown += list(_orphans(report.orphans, links))
    shown += [line(Span("note: ", "bold"), note) for note in report.notes]
    return shown


def _entry(row: Row, head: str | None) -> table.Entry:
    sign, _, style = details.STATES[row.state]
    return table.Entry(
        Span(sign, style),
        # "-" for one that was not asked for (offline).
        _number(row),
        row.title,
        details.state_of(row),
        details.of_row(row),
        details.of_row(row, names=False),
        f"next: stackr {row.next}" if row.next else "",
        row.pull.url if row.pull else "",
        row.commit == head,
    )


def _trunk(report: Report, links: bool) -> Iterator[Line]:
    """Trunk's tip, how far it has moved on, what of the stack is on it already, and what could be."""
    if report.trunk is None:
        yield line("  ┴ ", Span("trunk is not known", "dim"))
        return
    moved = f" · {counted(report.behind, 'new commit')}: stackr sync" if report.behind else ""
    yield line("  ┴ ", Span(report.trunk.name, "bold"), Span(f" {report.trunk.oid[:7]}", "dim"), Span(moved, "bold"))
    if report.landed:
        yield line("    landed earlier: ", *_numbers(report.landed, report, links))
    if numbers := ready(report):
        top = _numbers(numbers[-1:], report, links)
        yield line("    looks ready up to ", *top, Span("  next: stackr land --ready", "bold"))


def _number(row: Row) -> str:
    number = row.pull.number if row.pull else row.number
    return f"#{number}" if number else "new" if row.state == "new" else "-"


def _numbers(numbers: Sequence[int], report: Report, links: bool) -> Line:
    """Pull requests by number; where no more is known of one, its address differs from others in nothing else."""
    url = next((row.pull.url for row in report.rows if row.pull), "") if links else ""
    before = url.rpartition("/")[0]
    return table.joined([Span(f"#{number}", "cyan", f"{before}/{number}" if before else "") for number in numbers])


def _orphans(orphans: tuple[Orphan, ...], links: bool) -> Iterator[Line]:
    if orphans:
        yield line("no longer in this stack, and still open:")
    for orphan in orphans:
        pull = orphan.pull
        address = "" if links else f"  {pull.url}"
        yield line("    ", Span(f"#{pull.number}", "cyan", pull.url if links else ""), f"  {pull.title}", address)
