"""Commit objects between bytes and ``Commit``, losing nothing but a signature.

The form is that of ``git cat-file commit`` (git's ``commit.c`` and the hash-function-transition page for ``gpgsig``).
No reading, no writing: bytes in, bytes out. Trees are here only as far as looking a name up in one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from stackr.core.model import Commit
from stackr.errors import GitError
from stackr.patterns import pattern
from stackr.records import dataclass

_SIGNATURES = (b"gpgsig", b"gpgsig-sha256")

# Most commits have no other headers than these, and are read in a fifth of the time.
_USUAL = pattern(
    rb"tree (?P<tree>[0-9a-f]+)(?P<parents>(?:\nparent [0-9a-f]+)*)\nauthor (?P<author>.+)\ncommitter (?P<committer>.+)"
)

Header = tuple[bytes, bytes]


def parse(oid: str, raw: bytes) -> Commit:
    """The commit in the bytes of a commit object.

    Signatures are left out (they would not hold for a rewritten commit) and leave ``signed`` behind. An ``encoding``
    header that is not where git writes it stays in ``extra`` too, so that the order of headers survives. Raises
    ``GitError`` for bytes without tree, author or committer, which git itself never writes.
    """
    head, _, message = raw.partition(b"\n\n")
    usual = _USUAL.fullmatch(head)
    return _usual(oid, usual, message) if usual else _any(oid, list(_headers(head)), message)


def _usual(oid: str, found: re.Match[bytes], message: bytes) -> Commit:
    parents = tuple(found["parents"].decode("ascii").split("\nparent ")[1:])
    return Commit(oid, found["tree"].decode("ascii"), parents, found["author"], found["committer"], message)


def _any(oid: str, headers: list[Header], message: bytes) -> Commit:
    tree, parents = _take(headers, b"tree"), _take(headers, b"parent")
    author, committer = _take(headers, b"author"), _take(headers, b"committer")
    if not len(tree) == len(author) == len(committer) == 1:
        raise GitError(f'commit "{oid[:10]}" is malformed', next_step=f"git fsck, and git cat-file commit {oid}")
    extra = tuple(item for item in headers if item[0] not in _SIGNATURES)
    encoding, extra = _split_encoding(extra)
    return Commit(
        oid=oid,
        tree=tree[0].decode("ascii"),
        parents=tuple(parent.decode("ascii") for parent in parents),
        author=author[0],
        committer=committer[0],
        message=message,
        encoding=encoding,
        extra=extra,
        signed=any(key in _SIGNATURES for key, _ in headers),
    )


def serialise(
    tree: str,
    parents: Iterable[str],
    author: bytes,
    committer: bytes,
    message: bytes,
    encoding: str = "",
    extra: Sequence[Header] = (),
) -> bytes:
    """The bytes of a commit object; with the parts of an unsigned commit, exactly that commit's bytes."""
    lines = [b"tree " + tree.encode("ascii")]
    lines += [b"parent " + parent.encode("ascii") for parent in parents]
    lines += [_line(b"author", author), _line(b"committer", committer)]
    if encoding and not any(key == b"encoding" for key, _ in extra):
        lines.append(_line(b"encoding", encoding.encode("ascii")))
    lines += [_line(key, value) for key, value in extra]
    return b"\n".join(lines) + b"\n\n" + message


def add_signature(raw: bytes, signature: bytes) -> bytes:
    """A commit object with its ``gpgsig`` header, which git puts last."""
    head, _, message = raw.partition(b"\n\n")
    return head + b"\n" + _line(b"gpgsig", signature.rstrip(b"\n")) + b"\n\n" + message


def object_id(raw: bytes, kind: bytes = b"commit") -> str:
    """The id git gives an object of these bytes."""
    return hashlib.sha1(b"%s %d\0" % (kind, len(raw)) + raw, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One name in a tree: ``mode`` as git writes it (``100644``, ``40000``, ...)."""

    mode: str
    name: bytes
    oid: str

    @property
    def is_file(self) -> bool:
        """Whether this is a regular file; a symbolic link is not."""
        return self.mode.startswith("100")

    @property
    def is_tree(self) -> bool:
        """Whether this is a directory."""
        return self.mode == "40000"


def parse_tree(raw: bytes) -> tuple[TreeEntry, ...]:
    """The entries of a tree object, in its order."""
    entries, at = [], 0
    while at < len(raw):
        end = raw.index(b"\0", at)
        mode, _, name = raw[at:end].partition(b" ")
        entries.append(TreeEntry(mode.decode("ascii"), name, raw[end + 1 : end + 21].hex()))
        at = end + 21
    return tuple(entries)


def _headers(head: bytes) -> Iterator[Header]:
    """Keys and values, continuation lines joined by newlines.

    A key that ends in a space belongs to a header with an empty value after that space; without it there was none.
    """
    key, value = b"", b""
    for number, line in enumerate(head.split(b"\n")):
        if line.startswith(b" ") and number:
            value += b"\n" + line[1:]
            continue
        if number:
            yield _keyed(key, value)
        key, space, value = line.partition(b" ")
        key += b" " if space and not value else b""
    yield _keyed(key, value)


def _keyed(key: bytes, value: bytes) -> Header:
    return (key.rstrip(b" "), value) if value else (key, value)


def _line(key: bytes, value: bytes) -> bytes:
    return key + b" " + value.replace(b"\n", b"\n ") if value else key


def _take(headers: list[Header], key: bytes) -> list[bytes]:
    """Remove all headers of this key; returns their values."""
    values = [value for name, value in headers if name == key]
    headers[:] = [item for item in headers if item[0] != key]
    return values


def _split_encoding(extra: tuple[Header, ...]) -> tuple[str, tuple[Header, ...]]:
    """The name of the encoding, and the headers that still have to be kept."""
    named = [value for key, value in extra if key == b"encoding" and value]
    if not named:
        return "", extra
    name = named[0].decode("ascii", "replace")
    usual = extra[0] == (b"encoding", named[0]) and len(named) == 1 and named[0].isascii()
    return name, extra[1:] if usual else extra
