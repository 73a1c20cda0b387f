"""All open pull requests of one person as ``stackr status --all`` draws them: a tree for every stack, newest first.

Takes ``core.overview.PullStack``; which pull requests make a stack is decided there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.core.model import PullRequest
from stackr.core.overview import PullStack
from stackr.ui import details, table
from stackr.ui.line import Line, Span, line


def lines(stacks: Sequence[PullStack], columns: int | None = None, *, links: bool = False) -> list[Line]:
    """The whole view, with an empty line between stacks; ``columns`` and ``links`` are those of ``tree.lines``."""
    if not stacks:
        return [line("you have no open pull requests in this repository")]
    return [each for stack in stacks for each in _stack(stack, columns, links)][1:]


def _stack(stack: PullStack, columns: int | None, links: bool) -> Iterator[Line]:
    yield line("")
    name = Span(", ".join(stack.branches), "bold") if stack.branches else Span("no local branch", "dim")
    yield line(name, Span(" · checked out" if stack.head else "", "dim"))
    entries = [_entry(pull, stack) for pull in reversed(stack.pulls)]
    yield from table.lines(entries, columns, links=links)
    yield line("  ┴ ", Span(stack.base, "bold"))


def _entry(pull: PullRequest, stack: PullStack) -> table.Entry:
    origin = (Span("from a fork", "dim"),) if pull.cross_repository else ()
    return table.Entry(
        Span("●", "dim" if pull.draft else "green"),
        f"#{pull.number}",
        pull.title,
        Span(""),
        (*origin, *details.of_pull(pull)),
        (*origin, *details.of_pull(pull, names=False)),
        url=pull.url,
        is_head=pull.number == stack.head,
    )
