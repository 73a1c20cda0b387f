"""Small texts for people: dates, counts, characters that would deceive the reader."""

from __future__ import annotations

from datetime import datetime

# Characters that turn the direction of writing and so hide what a line says (CVE-2021-42574).
_DECEIVING = {code: f"[U+{code:04X}]" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}


def visible(text: str) -> str:
    """The text with direction-turning characters shown by their number."""
    return text.translate(_DECEIVING)


def date(stamp: str) -> str:
    """``2026-12-01T05:00:00Z`` as ``1 Dec 2026, 05:00 UTC``."""
    when = datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    return f"{when.day} {when:%b %Y, %H:%M} UTC"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 commit``, ``2 commits``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def short(oid: str) -> str:
    """The first seven digits, as GitHub shows them."""
    return oid[:7]
