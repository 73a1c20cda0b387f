"""The text of a pull request: the commit's words, the stack block, digests, and the three-way merge of the two.

The stack block is delimited by HTML comments, which GitHub keeps and does not show. Its attributes carry the Change-Id
and a digest of the title and text that stackr last sent, from whichever clone, so that an edit made on GitHub is told
from one sent by another clone (docs/internals/protocol.md 3.2, 3.3 and 4). What this clone said last is in
``core.said``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from stackr.core import ghstack, mergify
from stackr.core.model import split_message
from stackr.patterns import pattern
from stackr.records import dataclass

TITLE_LIMIT = 256
BODY_LIMIT = 65_536


def _unnamed(named: re.Pattern[str]) -> str:
    return re.sub(r"\?P<\w+>", "?:", named.pattern)


_COMMENT = "<!-- stackr:"  # how whole and half blocks begin
# A block holds no other begin: after a lost end, the next block's end must not swallow the text in between.
_BLOCK = pattern(
    r"<!-- stackr:begin v\d+(?P<attributes>[^<>\n]*?)-->(?P<list>(?:(?!<!-- stackr:begin).)*?)<!-- stackr:end -->",
    re.DOTALL,
)
# What is left when somebody deletes one of the two comments by hand: a begin with just our own lines, or an end.
_BROKEN = pattern(
    r"<!-- stackr:begin v\d+(?P<attributes>[^<>\n]*?)-->"
    r"(?P<list>(?:\n+To review: \[[^\n]*)?"
    r"(?:\n+Stack from stackr\b[^\n]*)?(?:\n\* (?:__->__ )?#\d+(?: \(landed\))?[ \t]*(?=\n|$))*)"
    r"|<!-- stackr:end -->"
)
_STRAY = pattern(f"{_unnamed(_BLOCK)}|{_unnamed(_BROKEN)}", re.DOTALL)
_ATTRIBUTE = pattern(r'(\w+)="([^"]*)"')
_ROW = pattern(r"^\* (?:__->__ )?#(?P<number>\d+)(?P<landed> \(landed\))?\s*$", re.MULTILINE)
_CO_AUTHOR = pattern(r"^Co-authored-by: .+$", re.MULTILINE | re.IGNORECASE)
_TRAILER = pattern(r"[A-Za-z0-9-]+: ")
_HEADLINE = "Stack from stackr (oldest at bottom):"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the stack list; ``number`` is ``None`` until the pull request of ``change_id`` exists."""

    change_id: str = ""
    number: int | None = None
    landed: bool = False


@dataclass(frozen=True, slots=True)
class Description:
    """What stackr wants a pull request to say.

    ``title`` and ``text`` come from the commit; ``said`` is what they were when this clone last said them (``None``: it
    never has, as far as it knows); ``rows`` are bottom first and empty for a single change; ``template``
    is the repository's pull request template, used when the pull request is created; ``overwrite`` is
    ``--update-fields``; with ``list_only`` just the stack list is brought up to date, whatever the commit says;
    ``taken_over`` puts our list in the place of the one that ghstack or mergify keeps; ``review`` is a line above the
    list, where the page shows more than there is to review (``core.forks``).
    """

    change_id: str
    title: str
    text: str
    rows: tuple[Row, ...] = ()
    template: str = ""
    overwrite: bool = False
    list_only: bool = False
    taken_over: bool = False
    review: str = ""
    said: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A stack block as found: its attributes, and the rows of its list from the bottom up."""

    id: str = ""
    title_digest: str = ""
    text_digest: str = ""
    tail: int = 0
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Parsed:
    """A description taken apart: the text before and after the first block, and the block.

    Without a block (``None``) all text is after the place on top where it would be.
    """

    before: str
    after: str
    block: Block | None

    @property
    def text(self) -> str:
        """The person's text, without any block."""
        return _joined(self.before, self.after)


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome of a merge: ``None`` where nothing differs.

    ``kept`` names the fields that stay because a person edited them, ``elsewhere`` those that another clone has sent.
    """

    title: str | None
    body: str | None
    kept: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


def normalise(text: str) -> str:
    """``text`` as it is compared: GitHub's web page stores CRLF line ends, and blank edges mean nothing."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def digest(text: str) -> str:
    """Twelve hex digits that change when a person edits ``text``."""
    return hashlib.sha256(normalise(text).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def parse(body: str) -> Parsed:
    """Take a description apart. Several blocks are folded into the first; half a block counts as one."""
    text = normalise(body)
    matches = list(_BLOCK.finditer(text)) or list(_BROKEN.finditer(text))
    if not matches:
        return Parsed("", text, None)
    before, after = text[: matches[0].start()], text[matches[0].end() :]
    return Parsed(_without_blocks(before), _without_blocks(after), _fold([_block(match) for match in matches]))


def _without_blocks(text: str) -> str:
    """The text without any block, whole or half; where one stood, a paragraph ends."""
    pieces = _STRAY.split(text) if _COMMENT in text else [text]
    return normalise("\n\n".join(piece.strip("\n") for piece in pieces if piece.strip()))


def _block(match: re.Match[str]) -> Block:
    groups = match.groupdict()
    attributes = dict(_ATTRIBUTE.findall(groups["attributes"] or ""))
    title_digest, _, text_digest = attributes.get("digest", "").partition("-")
    tail = attributes.get("tail", "")
    rows = [Row(number=int(row["number"]), landed=bool(row["landed"])) for row in _ROW.finditer(groups["list"] or "")]
    return Block(
        attributes.get("id", ""),
        title_digest,
        text_digest,
        int(tail) if tail.isdecimal() else 0,
        tuple(reversed(rows)),
    )


def _fold(blocks: list[Block]) -> Block:
    """The first block that knows what was sent, with every row any of them has; landed in one is landed."""
    best = next((block for block in blocks if block.text_digest), blocks[0])
    rows: dict[int | None, Row] = {}
    for row in (row for block in blocks for row in block.rows):
        if row.landed or row.number not in rows:
            rows[row.number] = row
    return replace(best, rows=tuple(rows.values()))


def without_template(found: Parsed) -> str:
    """The person's text without the template that was put at its end, as long as nobody has edited either."""
    block = found.block or Block()
    if 0 < block.tail <= len(found.text) and digest(found.text) == block.text_digest:
        return normalise(found.text[: -block.tail])
    return found.text


def text_of_message(message: str) -> str:
    """The body of a commit message as description text: no subject, no Change-Id line, no stack block."""
    rest = split_message(normalise(message))[1]
    lines = [line for line in rest.split("\n") if not re.match(r"Change-Id: I[0-9a-f]{40}\s*$", line)]
    return re.sub(r"\n{3,}", "\n\n", _without_blocks("\n".join(lines)))


def render_list(rows: tuple[Row, ...], change_id: str, numbers: Mapping[str, int]) -> str:
    """The stack list for people, newest on top, an arrow at the page's own pull request; ``""`` without rows.

    ``numbers`` maps change ids to pull request numbers; a row whose pull request does not exist yet is left out.
    """
    lines = []
    for row in reversed(rows):
        number = row.number if row.number is not None else numbers.get(row.change_id)
        if number is None:
            continue
        arrow = "__->__ " if row.change_id == change_id and not row.landed else ""
        lines.append(f"* {arrow}#{number}{' (landed)' if row.landed else ''}")
    return "\n".join([_HEADLINE, *lines]) if lines else ""


def new_body(wanted: Description, numbers: Mapping[str, int]) -> str:
    """The description of a pull request that is about to be created: block, commit text, template."""
    template = normalise(wanted.template)
    text = _joined(normalise(wanted.text), template)
    block = Block(wanted.change_id, digest(wanted.title), digest(text), len(template))
    return _assemble(Parsed("", text, block), block, wanted, numbers)


@dataclass(frozen=True, slots=True)
class _Field:
    """One field: as it stands on GitHub, as the commit has it, as this clone last said it, the digest last sent."""

    name: str
    theirs: str
    ours: str
    said: str | None
    sent: str

    def merged(self, overwrite: bool) -> tuple[str, str, bool]:
        """(text to have, digest to record, whether theirs is kept against ours)."""
        if normalise(self.theirs) == normalise(self.ours):
            is_old = self.said is not None and normalise(self.said) == normalise(self.ours)
            return self.theirs, (is_old and self.sent) or digest(self.theirs), False
        if overwrite or (self.said is not None and normalise(self.theirs) == normalise(self.said)):
            return self.ours, digest(self.ours), False
        return self.theirs, self.sent, True


def merge(title: str, body: str, wanted: Description, numbers: Mapping[str, int]) -> Merged:
    """Merge what GitHub shows with what the commit says, field by field.

    A field that is as this clone last said it follows the commit; any other is somebody else's and kept, unless
    ``wanted.overwrite``. The block is always brought up to date.
    """
    found = parse(_without_other_lists(body, wanted, numbers))
    block = found.block or Block()
    if wanted.list_only:
        assembled = _assemble(found, replace(block, id=wanted.change_id), wanted, numbers)
        return Merged(None, assembled if assembled != normalise(body) else None)
    said_title, said_text = wanted.said or (None, None)
    texts = [_credited(words, found, wanted) for words in (wanted.text, said_text) if words is not None]
    template = _template(found, block, texts)
    ours, *said = (text if text == found.text else _joined(text, template) for text in texts)
    title_field = _Field("title", title, wanted.title, said_title, block.title_digest)
    text_field = _Field("description", found.text, ours, said[0] if said else None, block.text_digest)
    new_title, title_digest, title_kept = title_field.merged(wanted.overwrite)
    new_text, text_digest, text_kept = text_field.merged(wanted.overwrite)
    kept = [field for field, flag in ((title_field, title_kept), (text_field, text_kept)) if flag]
    tail = block.tail if ours != texts[0] or text_digest == block.text_digest else 0
    block = Block(wanted.change_id, title_digest, text_digest, tail)
    assembled = _assemble(found if new_text == found.text else _placed(found, new_text), block, wanted, numbers)
    return Merged(
        new_title if normalise(new_title) != normalise(title) else None,
        assembled if assembled != normalise(body) else None,
        tuple(field.name for field in kept if digest(field.theirs) != field.sent),
        tuple(field.name for field in kept if digest(field.theirs) == field.sent),
    )


def _without_other_lists(body: str, wanted: Description, numbers: Mapping[str, int]) -> str:
    if not wanted.taken_over:
        return body
    members = {row.number if row.number is not None else numbers.get(row.change_id, 0) for row in wanted.rows}
    return mergify.without_dependency(ghstack.without_list(normalise(body)), members)


def _template(found: Parsed, block: Block, texts: Sequence[str]) -> str:
    """The template at the end of the description, as filled in by now; ``""`` where nothing tells that it is there.

    It was put there once and is the author's to fill in. Its length was noted, which means something as long as nobody
    has edited the text, or just one of ``texts`` stands before that much.
    """
    end = found.text[len(found.text) - block.tail :] if 0 < block.tail <= len(found.text) else ""
    is_there = digest(found.text) == block.text_digest or found.text in {_joined(text, end) for text in texts}
    return end if is_there else ""


def _joined(*paragraphs: str) -> str:
    return "\n\n".join(part for part in paragraphs if part)


def _credited(words: str, found: Parsed, wanted: Description) -> str:
    return normalise(words) if wanted.overwrite else _with_credit(normalise(words), found.text)


def _with_credit(text: str, theirs: str) -> str:
    """``text`` with the co-authors that the page names: one clone's message never takes back what another's gave."""
    missing = "\n".join(line for line in dict.fromkeys(_CO_AUTHOR.findall(theirs)) if line not in text)
    if not missing:
        return text
    ends_in_trailers = all(map(_TRAILER.match, text.rpartition("\n\n")[2].split("\n")))
    return f"{text}\n{missing}" if ends_in_trailers else f"{text}\n\n{missing}".strip()


def _placed(found: Parsed, text: str) -> Parsed:
    """``text`` with the block where it was: below it if somebody moved it to the bottom, else on top."""
    return Parsed(text, "", found.block) if found.before and not found.after else Parsed("", text, found.block)


def _assemble(parts: Parsed, block: Block, wanted: Description, numbers: Mapping[str, int]) -> str:
    attributes = f'id="{block.id}" digest="{block.title_digest}-{block.text_digest}"'
    if block.tail:
        attributes += f' tail="{block.tail}"'
    shown = "\n\n".join(filter(None, (wanted.review, render_list(wanted.rows, wanted.change_id, numbers))))
    lines = [f"<!-- stackr:begin v1 {attributes} -->", *([shown] if shown else []), "<!-- stackr:end -->"]
    return _joined(parts.before, "\n".join(lines), parts.after)
