"""Markdown as plain text, for ``bodyText``."""

from __future__ import annotations

import functools

from markdown_it import MarkdownIt
from markdown_it.token import Token


@functools.lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    # Raw HTML is dropped: GitHub hides comments, stackr's markers among them.
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def plain(markdown: str) -> str:
    """What a reader sees of a Markdown text: no markup, no HTML, one line a block."""
    blocks = [_words(token) for token in _parser().parse(markdown)]
    return "\n".join(block for block in blocks if block)


def _words(token: Token) -> str:
    if token.type in {"fence", "code_block"}:
        return token.content.rstrip("\n")
    return "".join(_piece(child) for child in token.children or []).strip()


def _piece(token: Token) -> str:
    if token.type in {"softbreak", "hardbreak"}:
        return "\n"
    return token.content if token.type in {"text", "code_inline", "image"} else ""
