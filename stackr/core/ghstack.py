"""What ghstack leaves in commits, branch names and descriptions, and how to read or remove it; pure.

Its own words, from https://github.com/ezyang/ghstack (0.5 to 0.18): a commit it has submitted ends in
``ghstack-source-id: <tree>`` and the address of its pull request; a change has the branches ``gh/<user>/<n>/head``
(what is reviewed), ``base`` (what the pull request targets) and ``orig`` (the clean commit), or ``next`` in place of
``base`` with ``--direct``; the list of the stack stands on top of the description. What is done about it is decided in
``stackr.core.adopt``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stackr.core import identity
from stackr.patterns import pattern

# Versions before 0.12 wrote "Pull Request resolved", the first ones "gh-metadata".
_ADDRESS = pattern(
    rb"^(?:Pull Request resolved|Pull-Request-resolved|Pull-Request): "
    rb"(?P<url>https?://[^/\s]+/[^/\s]+/[^/\s]+/pull/(?P<number>[0-9]{1,18}))[ \t]*\r?$"
    rb"|^gh-metadata: [^/\s]+ [^/\s]+ (?P<old>[0-9]{1,18}) gh/\S+/head[ \t]*\r?$",
    re.MULTILINE,
)
_SOURCE = pattern(rb"^ghstack-source-id: (?P<tree>\S+)", re.MULTILINE)
_OWN_LINE = pattern(rb"^ghstack-(?:source|comment)-id: .*$", re.MULTILINE)

_BRANCH = pattern(r"(?P<stem>gh/[^/]+/[0-9]+)/(?P<kind>head|base|orig|next)")

_LIST = pattern(
    r"^Stack from \[ghstack\]\([^)\n]*\)[^\n]*:[ \t]*\n(?:\*[ \t]+(?:[^\n]*#\d+|\(to be filled\))[^\n]*(?:\n|\Z))*",
    re.MULTILINE,
)
# ghstack puts a rule between its list and a text that begins with a list, or the two would be one.
_RULE = pattern(r"\A\s*----\n\n(?=\s*[*+-]\s)")


def pull_number(message: bytes) -> int | None:
    """The number of the pull request that ghstack made of a commit; ``None`` for a commit it has not submitted."""
    found = _address(message)
    return int(found["number"] or found["old"]) if found and _is_marked(message, found) else None


def pull_address(message: bytes) -> str | None:
    """The address of that pull request, as far as the message has it."""
    found = _address(message)
    return found["url"].decode() if found and found["url"] else None


def _address(message: bytes) -> re.Match[bytes] | None:
    # Said first, as most commits have none, and are asked by every command.
    return _ADDRESS.search(message) if b"/pull/" in message or b"gh-metadata: " in message else None


def is_address_of(address: str | None, url: str) -> bool:
    """Whether an address in a commit is that of a pull request: ghstack writes https, whatever the host speaks."""
    return address is not None and _place(address) == _place(url)


def _place(address: str) -> str:
    return address.partition("://")[2].lower()


def _is_marked(message: bytes, found: re.Match[bytes]) -> bool:
    """Whether ghstack wrote the address: people write ``Pull-Request:`` lines, too."""
    return found["old"] is not None or _OWN_LINE.search(message) is not None


def source_tree(message: bytes) -> str | None:
    """The tree that a commit had when it was last submitted from here, or taken in."""
    found = _SOURCE.search(message)
    return found["tree"].decode() if found else None


def without_trailers(message: bytes) -> bytes:
    """The message without ghstack's lines; every other trailer stays. One without such lines is returned unchanged."""
    found = _address(message)
    if found is None or not _is_marked(message, found):
        return message
    bare = identity.without_lines(message, _OWN_LINE)
    mine = (other[0] for other in _ADDRESS.finditer(message) if other["url"] == found["url"])
    for line in set(mine):
        bare = identity.without_lines(bare, re.compile(b"^" + re.escape(line) + b"$"))
    return bare.rstrip() + b"\n"


def orig_of(head_ref: str) -> str | None:
    """The branch with the clean commits up to a change of ghstack's; ``None`` for the head branch of another."""
    found = _BRANCH.fullmatch(head_ref)
    return f"{found['stem']}/orig" if found and found["kind"] == "head" else None


def is_base(branch: str) -> bool:
    """Whether a branch is named like what only ghstack's pull requests target: a trunk is never called that."""
    found = _BRANCH.fullmatch(branch)
    return found is not None and found["kind"] == "base"


def siblings(head_ref: str) -> Iterator[str]:
    """The branches that a head branch of ghstack's has beside it, which nobody but ghstack needs."""
    found = _BRANCH.fullmatch(head_ref)
    if found is not None and found["kind"] == "head":
        yield from (f"{found['stem']}/{kind}" for kind in ("base", "orig", "next"))


def without_list(text: str) -> str:
    """A description without ghstack's list (line ends are ``\\n``); what people wrote stays as it is."""
    found = _LIST.search(text)
    if found is None:
        return text
    before, after = text[: found.start()].rstrip(), _RULE.sub("", text[found.end() :]).strip("\n")
    return "\n\n".join(part for part in (before, after) if part)
