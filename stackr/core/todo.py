"""The list of changes that ``stackr reorder`` opens in an editor, and what its lines mean; pure.

As the list of ``git rebase -i``, the lowest change first. What is not understood is refused, and nothing is dropped by
losing its line. Comments and blank lines are gone by the time a list is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stackr.core.model import Change, Stack
from stackr.errors import Refused

_VERBS = {"pick": True, "p": True, "drop": False, "d": False}
HELP = """
Reorder the lines; the lowest change stands first, the next one builds on it.
  pick, p    keep the change
  drop, d    take it out of the stack
A line that is missing is an error. If the list stays as it is, or is empty, nothing happens.
"""


def as_text(stack: Stack, numbers: Mapping[str, int]) -> str:
    """One line a change, bottom first; ``numbers`` are those of pull requests, by head branch."""
    return "".join(f"pick {change.commit.oid[:10]} {_name(change, numbers)}\n" for change in stack.changes)


def _name(change: Change, numbers: Mapping[str, int]) -> str:
    number = numbers.get(change.head_ref)
    return f"#{number} {change.title}" if number else change.title


def read_order(stack: Stack, text: str) -> tuple[int, ...]:
    """The indices of the changes that stay, in their new order, bottom first; empty for an empty list.

    Raises ``Refused`` for a line that is not understood, and where a change is missing or stands there twice.
    """
    lines = [line.split() for line in text.splitlines() if line.strip()]
    seen: dict[int, bool] = {}
    for words in lines:
        index, stays = _read(stack, words)
        if index in seen:
            raise _refusal(f'"{stack.changes[index].title}" is in the list twice')
        seen[index] = stays
    missing = [change.title for index, change in enumerate(stack.changes) if index not in seen]
    if lines and missing:
        raise _refusal(f'"{missing[0]}" is missing from the list')
    return tuple(index for index, stays in seen.items() if stays)


def _read(stack: Stack, words: Sequence[str]) -> tuple[int, bool]:
    verb, name = words[0], words[1] if len(words) > 1 else ""
    found = [
        index for index, change in enumerate(stack.changes) if len(name) >= 4 and change.commit.oid.startswith(name)
    ]
    if verb not in _VERBS or len(found) != 1:
        raise _refusal(f'this line is not understood: "{" ".join(words)}"')
    return found[0], _VERBS[verb]


def _refusal(what: str) -> Refused:
    return Refused(what, next_step='run stackr reorder again; a line is "pick" or "drop" and a commit of the stack')
