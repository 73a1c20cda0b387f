"""Text that others wrote (names, labels, lines of logs), made harmless where it is shown: on a terminal, in Markdown.

Nothing here decides what is shown; widths and encodings of terminals are in ``stackr.ui.text``.
"""

from __future__ import annotations

import re

from stackr.patterns import pattern

# Whole escape sequences first (ECMA-48: CSI, then OSC and its kin up to their end, then two-byte ones), so that no
# readable rest of one is left behind; then whatever control character still stands alone.
_ESCAPES = pattern(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_BREAKS = pattern(r"[\t\n\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029]+")
# C0, DEL, C1, and what reorders or hides text: bidirectional controls, zero-width space, BOM, soft hyphen, tags.
_CONTROLS = pattern(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_SURROGATES = pattern("[\ud800-\udfff]")

ZERO_WIDTH = "\u200b"
# The beginnings of what GitHub makes a link, a reference or a mention of, in any Markdown that is not code: its filters
# look at the finished text, so no escaping helps, but a zero-width space in the middle does.
# https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
_LINKS = pattern(r"@|#(?=\d)|gh-(?=\d)|:(?=//)|www(?=\.)", re.IGNORECASE)
# And of a comment in HTML, by which bots know their own texts again; outside of code the bracket is written otherwise.
_IN_CODE = pattern(rf"{_LINKS.pattern}|<!(?=--)", re.IGNORECASE)
# What forms Markdown or HTML within a line. Underscores between letters and lone brackets form nothing, and are common
# in the names of tests, which should stay legible in the source.
_STRUCTURE = pattern(r"[&<>\\`*|~]|(?<![^\W_])_+|_+(?![^\W_])|\](?=[(\[:])|!(?=\[)")
_BACKTICKS = pattern("`+")


def is_harmless(text: str) -> bool:
    """Whether there is nothing to clean but spaces at the ends: most text is of this kind, and this is told at once."""
    return text.isascii() and text.isprintable()


def clean(text: str) -> str:
    """One line of ``text`` that cannot steer a terminal: no control or direction characters, breaks become spaces."""
    if is_harmless(text):
        return text.strip()
    text = _BREAKS.sub(" ", _ESCAPES.sub("", text))
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text)).strip()


def as_markdown(text: str) -> str:
    """``text``, cleaned, as Markdown that shows it literally within a line or a table's cell.

    It forms no markup, HTML, comment, cell or mathematics, and neither links, refers to nor notifies anything. It must
    not begin a line, and not stand in code, where nothing needs it. Bare commit ids stay: they tell nobody.
    """
    broken = _LINKS.sub(lambda found: found[0] + ZERO_WIDTH, clean(text))
    # A character reference never forms structure: https://spec.commonmark.org/0.31.2/#entity-and-numeric-character-references
    shown = _STRUCTURE.sub(lambda found: "".join(f"&#{ord(character)};" for character in found[0]), broken)
    # Mathematics is looked for in the finished text, too; an element of its own is what GitHub's documentation advises:
    # https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/writing-mathematical-expressions
    return shown.replace("$", "<span>$</span>")


def as_code(text: str) -> str:
    """``text``, cleaned, as a code span of Markdown; ``""`` for nothing.

    In code nothing forms markup or notifies anybody. Links and comments are broken all the same, for readers that take
    it for no code.
    """
    shown = _IN_CODE.sub(lambda found: found[0] + ZERO_WIDTH, clean(text))
    if not shown:
        return ""
    # https://spec.commonmark.org/0.31.2/#code-spans: as many backticks as occur nowhere in it, and a space for those at
    # the ends, which is taken off again.
    fence = "`" * (max(map(len, _BACKTICKS.findall(shown)), default=0) + 1)
    space = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{fence}{space}{shown}{space}{fence}"
