"""Lines of output as data: spans of text with a style and perhaps a link.

Views (``tree``, ``plan_view``) build lines and know no terminal; ``Console`` prints them, plainly or in colour.
"""

from __future__ import annotations

from collections.abc import Iterator

from stackr.core.untrusted import is_harmless
from stackr.records import dataclass
from stackr.ui.text import clean, take, width


@dataclass(frozen=True, slots=True)
class Span:
    """Some text, a rich style (https://rich.readthedocs.io/en/stable/style.html) and a web address to link to.

    The text is cleaned on the way in, so that nothing a view builds can steer the terminal; leading and trailing
    spaces are layout and stay.
    """

    text: str
    style: str = ""
    link: str = ""

    def __post_init__(self) -> None:
        if self.link:
            object.__setattr__(self, "link", clean(self.link).replace(" ", "%20"))
        if is_harmless(self.text):
            return
        before = self.text[: len(self.text) - len(self.text.lstrip(" "))]
        after = self.text[len(self.text.rstrip(" ")) :] if self.text.strip(" ") else ""
        object.__setattr__(self, "text", before + clean(self.text) + after)


Line = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """A line of plain texts and spans."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def plain(content: Line) -> str:
    """The line without styles and links, and without spaces at its end."""
    return "".join(span.text for span in content).rstrip()


def wrap(content: Line, columns: int) -> list[Line]:
    """The line in as many as ``columns`` columns take, all indented like it; broken at spaces if there are any."""
    text = "".join(span.text for span in content)
    if width(text) <= columns:
        return [content]
    indent = len(text) - len(text.lstrip(" "))
    return [(Span(" " * indent), *_cut(content, *part)) for part in _breaks(text, indent, max(2, columns - indent))]


def _breaks(text: str, start: int, room: int) -> Iterator[tuple[int, int]]:
    """Where the parts of ``text`` from ``start`` on begin and end, each in at most ``room`` columns."""
    text = text.rstrip(" ")
    while start < len(text):
        end = start + len(take(text[start:], room))
        if end < len(text):
            space = text.rfind(" ", start, end + 1)
            end = space if space > start else end
        yield start, end
        start = len(text) - len(text[end:].lstrip(" "))


def _cut(content: Line, start: int, end: int) -> Iterator[Span]:
    """What of the spans lies between two places of the whole text."""
    at = 0
    for span in content:
        text = span.text[max(0, start - at) : max(0, end - at)]
        if text:
            yield Span(text, span.style, span.link)
        at += len(span.text)
