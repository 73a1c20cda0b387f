"""What ``stackr absorb`` puts where, one line a hunk. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from stackr.core.absorbing import Home
from stackr.core.model import Stack
from stackr.ui.console import Console
from stackr.ui.line import Line, Span, line, plain
from stackr.ui.text import clean, pad, width


def show(ui: Console, stack: Stack, homes: Sequence[Home], numbers: Mapping[str, int], *, as_json: bool) -> None:
    """Say it as part of the result, or as talk where the result is a document."""
    if not as_json:
        ui.lines(lines(stack, homes, numbers))
        return
    for each in lines(stack, homes, numbers):
        ui.note(plain(each))


def lines(stack: Stack, homes: Sequence[Home], numbers: Mapping[str, int]) -> list[Line]:
    """``src/cache.py:12  goes into #2 "Add cache"``; ``numbers`` are those of pull requests, by head branch."""
    columns = max((width(clean(home.hunk.name)) for home in homes), default=0)
    return [line(pad(clean(home.hunk.name), columns), "  ", *_where(stack, home, numbers)) for home in homes]


def _where(stack: Stack, home: Home, numbers: Mapping[str, int]) -> Iterator[Span | str]:
    if home.change is None:
        yield Span("stays staged", "yellow")
        yield f": {home.why}"
        return
    change = stack.changes[home.change]
    number = numbers.get(change.head_ref)
    yield "goes into "
    yield Span(f"#{number} " if number else "", "cyan")
    yield f'"{clean(change.title)}"'
