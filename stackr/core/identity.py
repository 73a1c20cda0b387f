"""Which commit is which change: Change-Id trailers and the head branch that follows from an id.

A change is named by a ``Change-Id: I<40 hex>`` trailer, Gerrit's form
(https://gerrit-review.googlesource.com/Documentation/user-changeid.html). Messages are bytes here, so that a message in
any encoding passes through unharmed; trailers are ASCII in every encoding git knows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from stackr.core.model import Commit
from stackr.patterns import pattern

DEFAULT_TEMPLATE = "stackr/{user}/{id}"
ID_DIGITS = 10

_ID_LINE = pattern(rb"^Change-Id: (I[0-9a-f]{40})[ \t]*\r?$", re.MULTILINE)
# What git takes for a trailer (git-interpret-trailers(1), find_separator in git's trailer.c).
_TRAILER = pattern(rb"^[A-Za-z0-9-]+[ \t]*:")
# Lines that git itself writes: with one of them a quarter of trailers makes a trailer block.
_GENERATED = (b"Signed-off-by: ", b"(cherry picked from commit ")
_BLANK_LINE = pattern(rb"\n[ \t\r]*\n")


def new_id(commit: Commit, salt: str = "") -> str:
    """A Change-Id for a commit without one.

    It follows from the commit alone, so a run that died and the run that finishes its work agree on it. ``salt`` gives
    a different id to the same commit (``stackr id --new``).
    """
    return "I" + hashlib.sha1(f"stackr {salt} {commit.oid}".encode(), usedforsecurity=False).hexdigest()


def change_id(message: bytes) -> str:
    """The id in a message, wherever it stands; of several, the first; ``""`` if there is none."""
    found = _ID_LINE.search(message)
    return found.group(1).decode() if found else ""


def with_change_id(message: bytes, wanted: str) -> bytes:
    """The message with exactly one Change-Id, ``wanted``, in its trailer block.

    A message that has just that one id is returned unchanged. Other ids (a squash leaves them) are removed; the trailer
    joins an existing trailer block, else it begins one (git-interpret-trailers(1)).
    """
    if _ID_LINE.findall(message) == [wanted.encode()]:
        return message
    return with_trailer(without_change_id(message), b"Change-Id: " + wanted.encode(), like=message)


def with_trailer(message: bytes, trailer: bytes, *, like: bytes = b"") -> bytes:
    """The message with one more trailer at its end, in its trailer block if it has one.

    Line ends are those of ``like``, or of the message itself.
    """
    newline = b"\r\n" if b"\r\n" in (like or message) else b"\n"
    bare = message.rstrip()
    separator = newline if _ends_in_trailers(bare) else newline * 2
    return bare + separator + trailer + newline


def without_change_id(message: bytes) -> bytes:
    """The message without its Change-Id lines."""
    return without_lines(message, _ID_LINE)


def without_lines(message: bytes, pattern: re.Pattern[bytes]) -> bytes:
    """The message without lines that ``pattern`` matches; a paragraph of these takes one of its blank lines along."""
    kept: list[bytes] = []
    is_after_one = False
    for line in message.split(b"\n"):
        if pattern.match(line):
            is_after_one = True
        elif not (is_after_one and not line.strip() and not (kept and kept[-1].strip())):
            kept.append(line)
            is_after_one = False
    return b"\n".join(kept)


def _ends_in_trailers(message: bytes) -> bool:
    """Whether the last paragraph is a trailer block that git would add to; the subject never is one."""
    paragraphs = _BLANK_LINE.split(message.strip())
    return len(paragraphs) > 1 and _is_trailer_block(paragraphs[-1].split(b"\n"))


def _is_trailer_block(lines: list[bytes]) -> bool:
    """All lines are trailers, or a quarter of them and one of those written by git (git-interpret-trailers(1)).

    An indented line belongs to the trailer above it, so the lines are counted from the bottom, as git does.
    """
    trailers = others = indented = 0
    is_generated = False
    for line in reversed(lines):
        if line.startswith(_GENERATED) or _TRAILER.match(line):
            trailers, indented = trailers + 1, 0
            is_generated = is_generated or line.startswith(_GENERATED)
        elif line[:1].isspace():
            indented += 1
        else:
            others, indented = others + 1 + indented, 0
    others += indented
    return trailers > 0 and (others == 0 or (is_generated and trailers * 3 >= others))


def short_id(change: str) -> str:
    """The part of an id that stands in a branch name: its first ten hex digits."""
    return change.removeprefix("I")[:ID_DIGITS]


def head_ref(change: str, user: str, template: str = DEFAULT_TEMPLATE) -> str:
    """The head branch of a change: ``stackr/<user>/<first 10 hex digits>`` unless the template says otherwise."""
    return template.format(user=user, id=short_id(change))


def is_head_ref(branch: str, template: str = DEFAULT_TEMPLATE) -> bool:
    """Whether a branch is named like a head branch, anybody's."""
    parts = [re.escape(part) for part in re.split(r"(\{user\}|\{id\})", template)]
    wild = {r"\{user\}": ".+", r"\{id\}": f"[0-9a-f]{{{ID_DIGITS}}}"}
    return re.fullmatch("".join(wild.get(part, part) for part in parts), branch) is not None


def renamed_head_ref(head_ref: str, old: str, new: str) -> str:
    """The head branch of what goes on under another id: named like the old one, and ending in the new id."""
    if short_id(old) in head_ref:
        return head_ref.replace(short_id(old), short_id(new))
    return f"{head_ref}-{short_id(new)}"


def known_head_ref(change: str, branches: Iterable[str]) -> str | None:
    """The branch a change already has, among known branch names: the one that ends in the short id.

    A change taken over from somebody else keeps its branch.
    """
    ending = short_id(change)
    return next((branch for branch in branches if branch.endswith(ending)), None)
