"""Hostile text in Markdown: it is shown as it is, and neither breaks out of its place nor tells anybody."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from stackr.core.untrusted import ZERO_WIDTH, as_code, as_markdown, clean

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
# What GitHub's filters find in the finished text (references, mentions, addresses).
FOUND = re.compile(r"@[\w]|#\d|gh-\d|https?://|www\.", re.IGNORECASE)
EVIL = st.lists(st.sampled_from([*"@#|`*_~<>&$[]()!\\\n:/-=\x1b", "https://", "www.", "gh-", "<!--", "-->", "a", "1 "]))


class Reader(HTMLParser):
    """What a page shows, and the elements it is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.hidden = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.hidden += data


def shown(markdown: str) -> Reader:
    reader = Reader()
    reader.feed(PARSER.render(markdown))
    reader.close()
    return reader


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("test_rb[Buffer-None-1000000] a/b.py::C::t", "test_rb[Buffer-None-1000000] a/b.py::C::t"),
        ("\x1b[31mred\x1b[0m\r\nnext \u202eline", "red next line"),
        ("@alice @acme/team a@b.example", "@\u200balice @\u200bacme/team a@\u200bb.example"),
        ("#12 acme/app#12 GH-12 #x", "#\u200b12 acme/app#\u200b12 GH-\u200b12 #x"),
        ("https://github.com/a/b/pull/1 www.example.com", "https:\u200b//github.com/a/b/pull/1 www\u200b.example.com"),
        ("`x` **b** ~~s~~", "&#96;x&#96; &#42;&#42;b&#42;&#42; &#126;&#126;s&#126;&#126;"),
        ("<!-- x --> <b> a|b a\\", "&#60;!-- x --&#62; &#60;b&#62; a&#124;b a&#92;"),
        ("a & b &amp; $x$", "a &#38; b &#38;amp; <span>$</span>x<span>$</span>"),
        ("[a](b) ![c] a_b __init__ _x", "[a&#93;(b) &#33;[c] a_b &#95;&#95;init&#95;&#95; &#95;x"),
        ("", ""),
    ],
)
def test_text_is_written_so_that_it_is_just_text(text: str, markdown: str) -> None:
    assert as_markdown(text) == markdown


@settings(max_examples=60)
@given(st.text() | EVIL.map("".join))
@example("x\\|y")
@example("[a]: /b")
def test_whatever_the_text_a_cell_shows_it_and_nothing_else(text: str) -> None:
    page = shown(f"| A | B |\n| --- | --- |\n| x {as_markdown(text)} | end |\n")
    assert [tag for tag in page.tags if tag != "span"] == [
        "table",
        "thead",
        "tr",
        "th",
        "th",
        "tbody",
        "tr",
        "td",
        "td",
    ]
    assert page.hidden == ""
    words = page.text.replace(ZERO_WIDTH, "").split()
    assert " ".join(words) == " ".join(f"A B x {clean(text)} end".split())
    assert not FOUND.search(page.text)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("FAILED a_b.py::C::t[x|y] <b> $x$", "`FAILED a_b.py::C::t[x|y] <b> $x$`"),
        ("a `b` ``c`` d", "```a `b` ``c`` d```"),
        ("`b`", "`` `b` ``"),
        ("@alice #12 \x1b[1mbold", "`@\u200balice #\u200b12 bold`"),
        (" \n ", ""),
    ],
)
def test_text_is_written_as_a_code_span(text: str, markdown: str) -> None:
    assert as_code(text) == markdown


@settings(max_examples=60)
@given(st.text() | EVIL.map("".join))
@example("``")
@example("\\`")
def test_whatever_the_text_a_code_span_holds_all_of_it(text: str) -> None:
    page = shown(f"* **x**\n  {as_code(text)}\n\nend\n")
    assert page.tags == ["ul", "li", "strong", *(["code"] if clean(text) else []), "p"]
    assert page.hidden == ""
    assert " ".join(page.text.replace(ZERO_WIDTH, "").split()) == " ".join(f"x {clean(text)} end".split())
    assert not FOUND.search(page.text)
