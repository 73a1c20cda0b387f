"""Text that others wrote, made fit for a terminal: titles, branch names and GitHub's words are never trusted.

Only widths and encodings are dealt with here: what steers a terminal is taken out in ``stackr.core.untrusted``; colour
and layout are in ``stackr.ui.line`` and its users.
"""

from __future__ import annotations

import unicodedata

from stackr.core.untrusted import clean as clean  # what is shown is cleaned first: one import for both

_ASCII = str.maketrans(
    {"…": "...", "·": "-", "→": "->", "▶": ">", "●": "*", "○": "o", "◐": "~", "▼": "v", "✓": "+", "✗": "x", "┴": "-"}
    | {"✔": "+", "✅": "+", "❌": "x", "⏳": "~", "⚠": "!", "❗": "!", "❔": "?", "\ufe0f": "", "μ": "u"}
)


def clean_lines(text: str) -> list[str]:
    """``text`` cleaned line by line; at least one line. Indentation at the start of a line is kept."""
    lines = text.replace("\r\n", "\n").split("\n")
    return [" " * (len(line) - len(line.lstrip(" "))) + clean(line) for line in lines]


def width(text: str) -> int:
    """Columns that ``text`` takes on a terminal (Unicode Standard Annex 11: wide and fullwidth are two)."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if character < "\u0300":
        return 1
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def take(text: str, columns: int) -> str:
    """The longest beginning of ``text`` that takes at most ``columns`` columns."""
    used = 0
    for index, character in enumerate(text):
        used += _columns(character)
        if used > columns:
            return text[:index]
    return text


def shorten(text: str, columns: int) -> str:
    """``text`` in at most ``columns`` columns, its end replaced by an ellipsis when it is longer."""
    if width(text) <= columns:
        return text
    return take(text, columns - 1).rstrip() + "…" if columns > 0 else ""


def pad(text: str, columns: int) -> str:
    """``text`` with spaces after it up to ``columns`` columns."""
    return text + " " * max(0, columns - width(text))


def to_encoding(text: str, encoding: str | None) -> str:
    """``text`` as the stream can show it: our own signs get ASCII stand-ins, other people's characters a ``?``."""
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        codec = encoding if encoding and _known(encoding) else "ascii"
        return text.translate(_ASCII).encode(codec, "replace").decode(codec)
    return text


def _known(encoding: str) -> bool:
    try:
        "".encode(encoding)
    except LookupError:
        return False
    return True
