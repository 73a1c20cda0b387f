"""What others wrote cannot steer the terminal, and columns are counted as terminals count them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackr.ui.line import Span, line, plain, wrap
from stackr.ui.text import clean, clean_lines, pad, shorten, to_encoding, width


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("Add \x1b[31mcache\x1b[0m", "Add cache"),
        ("\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x1b]0;title\x07x", "x"),
        ("\x9b2Jx", "x"),
        ("\x1bP1$r\x1b\\x", "x"),
        ("\x1b(0x", "x"),
        ("unfinished \x1b[", "unfinished"),
        ("lone \x1b", "lone"),
        ("a\r\nb\tc\u2028d", "a b c d"),
        ("\u202egnp.exe\u202c", "gnp.exe"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("half \ud800", "half \ufffd"),
        ("  spaces  ", "spaces"),
        ("naïve 日本 👩\u200d💻", "naïve 日本 👩\u200d💻"),
    ],
)
def test_escapes_and_controls_are_taken_out(hostile: str, harmless: str) -> None:
    assert clean(hostile) == harmless


@given(st.text())
def test_no_text_whatever_keeps_a_control_character(text: str) -> None:
    cleaned = clean(text)
    allowed = {"\u200c", "\u200d"}  # joiners belong to emoji and to Persian
    assert not [c for c in cleaned if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in allowed]
    assert clean(cleaned) == cleaned


def test_lines_keep_their_indentation() -> None:
    assert clean_lines("a\n    b\x1b[1m\r\nc\rd") == ["a", "    b", "c d"]
    assert clean_lines("") == [""]


def test_wide_and_combining_characters_are_counted_as_a_terminal_does() -> None:
    assert [width(text) for text in ("abc", "日本", "e\u0301", "👩", "a\u200db")] == [3, 4, 1, 2, 2]


@given(st.text(max_size=40), st.integers(0, 30))
def test_shortened_text_fits(text: str, columns: int) -> None:
    cleaned = clean(text)
    short = shorten(cleaned, columns)
    assert width(short) <= columns
    assert short == cleaned or short.endswith("…") or columns == 0


def test_padding_counts_columns() -> None:
    assert pad("日", 4) == "日  "
    assert pad("long", 2) == "long"


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "▶ ● naïve… 日"),
        ("latin-1", "> * naïve... ?"),
        ("ascii", "> * na?ve... ?"),
        (None, "> * na?ve... ?"),
        ("no-such-encoding", "> * na?ve... ?"),
    ],
)
def test_an_encoding_that_lacks_our_signs_gets_ascii(encoding: str | None, shown: str) -> None:
    assert to_encoding("▶ ● naïve… 日", encoding) == shown


def test_the_titles_of_reports_get_ascii_signs() -> None:
    assert to_encoding("❌ ⚠️ ⏳ ✅ ❗ ❔", "ascii") == "x ! ~ + ! ?"


def test_spans_keep_their_outer_spaces_and_nothing_hostile() -> None:
    span = Span("  a\x1b[2Jb ", "bold", "https://e.example/\x1b\\ x")
    assert (span.text, span.link) == ("  ab ", "https://e.example/%20x")
    assert Span("   ").text == "   "
    assert Span("").text == ""


def test_a_line_that_is_too_long_goes_on_below_at_its_own_indentation() -> None:
    content = line("  note: ", Span("it has not landed", "red", "https://e.example"), " yet ")
    for columns, expected in (
        (40, ["  note: it has not landed yet"]),
        (29, ["  note: it has not landed yet"]),
        (28, ["  note: it has not landed", "  yet"]),
        (12, ["  note: it", "  has not", "  landed yet"]),
        (6, ["  note", "  : it", "  has", "  not", "  land", "  ed", "  yet"]),
        (1, ["  " + two for two in ("no", "te", ":", "it", "ha", "s", "no", "t", "la", "nd", "ed", "ye", "t")]),
    ):
        assert [plain(part) for part in wrap(content, columns)] == expected
    assert wrap(content, 12)[1] == line("  ", Span("has not", "red", "https://e.example"))
