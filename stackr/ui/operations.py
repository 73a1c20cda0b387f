"""The log of operations as people and as programs see it (``stackr log``, ``stackr undo --list``).

Bookkeeping under ``refs/stackr/`` is not shown. Nothing is decided here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from typing import Any

from stackr.core.plan import RefMove
from stackr.core.undo import Operation
from stackr.ui.as_json import envelope
from stackr.ui.console import Console
from stackr.ui.line import Line, Span, line
from stackr.ui.plan_view import short
from stackr.ui.text import width


def show(ui: Console, command: str, operations: Sequence[Operation], *, as_json: bool) -> None:
    """All of them, as lines or as the document of ``command``."""
    if as_json:
        ui.json(envelope(command, operations=documents(operations)))
    elif operations:
        ui.lines(lines(operations))
    else:
        ui.note("stackr has moved no branch here lately")


def lines(operations: Sequence[Operation]) -> list[Line]:
    """One line each, newest on top: the number that ``stackr undo`` takes, when, which command, what moved."""
    digits = len(str(len(operations)))
    columns = max((width(operation.name) for operation in operations), default=0)
    return [
        line(
            f"{number:>{digits}}  {when(operation)}  ",
            Span(operation.name, "bold"),
            " " * (columns - width(operation.name) + 2),
            ", ".join(_words(operation)),
        )
        for number, operation in enumerate(operations, 1)
    ]


def when(operation: Operation) -> str:
    """The local time, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(operation.at))


def _words(operation: Operation) -> Iterator[str]:
    """What happened to each branch."""
    for move in _visible(operation):
        name = move.ref.removeprefix("refs/heads/")
        if move.old is None:
            yield f"made {name} at {short(move.new)}"
        elif move.new is None:
            yield f"deleted {name} ({short(move.old)})"
        else:
            yield f"moved {name} {short(move.old)}..{short(move.new)}"


def _visible(operation: Operation) -> Iterator[RefMove]:
    return (move for move in operation.moves if not move.ref.startswith("refs/stackr/"))


def documents(operations: Sequence[Operation]) -> list[dict[str, Any]]:
    """The same for JSON (docs/reference/cli.md)."""
    return [
        {
            "number": number,
            "at": datetime.fromtimestamp(operation.at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "command": operation.name,
            "reason": operation.reason,
            "branch": operation.branch,
            "worktree": operation.worktree or None,
            "moves": [{"ref": move.ref, "from": move.old, "to": move.new} for move in _visible(operation)],
        }
        for number, operation in enumerate(operations, 1)
    ]
