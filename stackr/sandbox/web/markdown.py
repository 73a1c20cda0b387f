"""Markdown as GitHub shows it in descriptions and comments; whatever the text is, no HTML of its writer comes out.

``#12`` becomes a link, in a list with title and state; ``@alice`` and addresses become links; HTML comments (stackr's
markers) are hidden, other HTML is shown as its source. Pictures become links: pages load nothing from elsewhere.
Sources: https://github.github.com/gfm/,
https://docs.github.com/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape

from stackr.sandbox.web.text import visible

LINK_REL = "nofollow noopener noreferrer"
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TASK = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}
# Lengths are bounded, or a description of 65,000 dashes would take minutes.
_FOUND = re.compile(
    r"(?P<url>https?://[^\s<>\"'`]{1,2000}[^\s<>\"'`.,;:!?)\]*_])"
    r"|(?<![\w/#&.-])(?P<repo>[\w.-]{1,40}/[\w.-]{1,100})?#(?P<number>[0-9]{1,9})\b"
    r"|(?<![\w/@.-])@(?P<login>[A-Za-z0-9][A-Za-z0-9-]{0,38})\b"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """An issue or pull request that a text names; ``state`` is open, draft, closed or merged."""

    url: str
    number: int
    title: str
    state: str


class Links(Protocol):
    """What the names in a text lead to, as the reader may see it."""

    def reference(self, repository: str | None, number: int) -> Reference | None:
        """An issue or pull request, of this repository or of ``owner/name``."""

    def person(self, login: str) -> str | None:
        """The address of an account's page."""

    def own(self, url: str) -> tuple[str, int] | None:
        """``owner/name`` and number, if the address is that of one of our pull requests."""


def render(text: str | None, links: Links) -> Markup:
    """The text as HTML."""
    return Markup(_PARSER.render(visible(text or ""), {"links": links}))  # noqa: S704 - see the render rules below


def _inside_lists(tokens: Sequence[Token]) -> Iterator[tuple[Token, bool]]:
    """The inline tokens, and whether each is within a list."""
    depth = 0
    for token in tokens:
        depth += {"list_item_open": 1, "list_item_close": -1}.get(token.type, 0)
        if token.type == "inline":
            yield token, depth > 0


def _add_references(state: StateCore) -> None:
    """A rule of the parser: cut references out of the text, but not within links and code."""
    for token, in_list in _inside_lists(state.tokens):
        children: list[Token] = []
        links_open = 0
        for position, child in enumerate(token.children or []):
            links_open += {"link_open": 1, "link_close": -1}.get(child.type, 0)
            if child.type != "text" or links_open:
                children.append(child)
                continue
            if in_list and position == 0 and child.content[:4] in _TASK:
                child.content = _TASK[child.content[:4]] + child.content[4:]
            children.extend(_cut(child.content, state.env["links"], in_list))
        token.children = children


def _cut(text: str, links: Links, in_list: bool) -> Iterator[Token]:
    end = 0
    for match in _FOUND.finditer(text):
        html = _html_of(match, links, in_list)
        if html is None:
            continue
        yield _text(text[end : match.start()])
        yield Token("reference", "", 0, meta={"html": html})
        end = match.end()
    yield _text(text[end:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _html_of(match: re.Match[str], links: Links, in_list: bool) -> Markup | None:
    """What takes the place of a match; None leaves the text as it is."""
    if match["login"]:
        page = links.person(match["login"])
        return Markup('<a class="mention" href="{}">{}</a>').format(page, match[0]) if page else None
    if match["url"]:
        return _address(match["url"], links, in_list)
    found = links.reference(match["repo"], int(match["number"]))
    return reference_html(found, match[0], in_list) if found else None


def _address(url: str, links: Links, in_list: bool) -> Markup:
    """A link; for one of our own pull requests the same as its number."""
    own = links.own(url)
    found = links.reference(*own) if own else None
    if found:
        return reference_html(found, f"#{found.number}", in_list)
    return Markup('<a href="{}" rel="{}">{}</a>').format(url, LINK_REL, url)


def reference_html(found: Reference, label: str, with_title: bool) -> Markup:
    """A link to a pull request: in lists with state and title, elsewhere just its number."""
    if not with_title:
        return Markup('<a href="{}" title="{} ({})">{}</a>').format(found.url, found.title, found.state, label)
    return Markup(
        '<a class="reference" href="{}"><span class="dot {}"></span><span class="unseen">{}: </span>'
        '<bdi>{}</bdi> <span class="number">{}</span></a>'
    ).format(found.url, found.state, found.state, visible(found.title), label)


# -- render rules: every one of these escapes ----------------------------------------------------------


def _reference(self: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return str(escape(tokens[at].meta["html"]))


def _html_block(self: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    text = _COMMENT.sub("", tokens[at].content).strip()
    return str(Markup('<pre class="source">{}</pre>\n').format(text)) if text else ""


def _html_inline(self: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return str(escape(_COMMENT.sub("", tokens[at].content)))


def _image(self: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    text = self.renderInlineAsText(tokens[at].children, options, env) or "picture"
    return str(Markup('<a class="picture" href="{}" rel="{}">{}</a>').format(tokens[at].attrGet("src"), LINK_REL, text))


def _link_open(self: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    tokens[at].attrSet("rel", LINK_REL)
    return self.renderToken(tokens, at, options, env)


def _make_parser() -> MarkdownIt:
    # With html off the parser would show stackr's comments as text; the two rules for HTML make it harmless instead.
    parser = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])
    parser.core.ruler.push("references", _add_references)
    for name, rule in (
        ("reference", _reference),
        ("html_block", _html_block),
        ("html_inline", _html_inline),
        ("image", _image),
        ("link_open", _link_open),
    ):
        parser.add_render_rule(name, rule)
    return parser


_PARSER = _make_parser()
