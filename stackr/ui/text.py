"""Text that others wrote, made fit for a terminal: titles, branch names and GitHub's words are never trusted.

Only characters and their widths are dealt with here; colour and layout are in ``stackr.ui.line`` and its users.
"""

from __future__ import annotations

import re
import unicodedata

# Whole escape sequences first (ECMA-48: CSI, then OSC and its kin up to their end, then two-byte ones), so that no
# readable rest of one is left behind; then whatever control character still stands alone.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_BREAKS = re.compile(r"[\t\n\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029]+")
# C0, DEL, C1, and what reorders or hides text: bidirectional controls, zero-width space, BOM, soft hyphen, tags.
_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")

_ASCII = str.maketrans(
    {"…": "...", "·": "-", "→": "->", "▶": ">", "●": "*", "○": "o", "◐": "~", "▼": "v", "✓": "+", "✗": "x", "┴": "-"}
)


def clean(text: str) -> str:
    """One line of ``text`` that cannot steer a terminal: no control or direction characters, breaks become spaces."""
    text = _BREAKS.sub(" ", _ESCAPES.sub("", text))
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text)).strip()


def clean_lines(text: str) -> list[str]:
    """``text`` cleaned line by line; at least one line. Indentation at the start of a line is kept."""
    lines = text.replace("\r\n", "\n").split("\n")
    return [" " * (len(line) - len(line.lstrip(" "))) + clean(line) for line in lines]


def width(text: str) -> int:
    """Columns that ``text`` takes on a terminal (Unicode Standard Annex 11: wide and fullwidth are two)."""
    return sum(map(_columns, text))


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
