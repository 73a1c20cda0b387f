"""Lines of output as data: spans of text with a style and perhaps a link.

Views (``tree``, ``plan_view``) build lines and know no terminal; ``Console`` prints them, plainly or in colour.
"""

from __future__ import annotations

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
        before = self.text[: len(self.text) - len(self.text.lstrip(" "))]
        after = self.text[len(self.text.rstrip(" ")) :] if self.text.strip(" ") else ""
        object.__setattr__(self, "text", before + clean(self.text) + after)
        object.__setattr__(self, "link", clean(self.link).replace(" ", "%20"))


Line = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """A line of plain texts and spans."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def plain(content: Line) -> str:
    """The line without styles and links, and without spaces at its end."""
    return "".join(span.text for span in content).rstrip()


def fit(content: Line, columns: int) -> Line:
    """The line cut to ``columns`` columns, with an ellipsis where something is missing."""
    if sum(width(span.text) for span in content) <= columns:
        return content
    kept: list[Span] = []
    left = columns - 1
    for span in content:
        text = take(span.text, left)
        is_cut = text != span.text
        kept.append(Span(f"{text}…" if is_cut else text, span.style, span.link))
        if is_cut:
            break
        left -= width(text)
    return tuple(kept)
