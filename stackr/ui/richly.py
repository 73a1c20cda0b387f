"""Our lines as rich's texts. Imported only where something is written in colour, or drawn anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from stackr.ui.line import Line
from stackr.ui.text import to_encoding


def rich_console(stream: TextIO, env: Mapping[str, str], *, color: bool = True, width: int | None = None) -> Console:
    """A console of rich's on a stream that understands escapes; ``width`` of ``None`` is that of the terminal."""
    system: Any = "truecolor" if env.get("COLORTERM") in ("truecolor", "24bit") else "standard"
    return Console(
        file=stream,
        force_terminal=True,
        color_system=system if color else None,
        no_color=not color,
        width=width,
        highlight=False,
    )


def rich_text(content: Line, encoding: str | None) -> Text:
    """One of our lines, with its colours and links."""
    text = Text(no_wrap=True, overflow="crop", end="\n")
    for span in content:
        style = f"{span.style} link {span.link}".strip() if span.link else span.style
        text.append(to_encoding(span.text, encoding), style=style or None)
    return text
