"""English for numbers of things, as progress, results and errors say them."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """``1 branch``, ``2 branches``; ``many`` is ``one`` with an s if it is not given."""
    return f"{count} {one if count == 1 else many or one + 's'}"
