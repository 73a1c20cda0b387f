"""Trees as dictionaries, read once, and the objects that a replay has made but not written yet.

Object ids are 20 raw bytes here, as they stand in trees. How trees are merged is decided in ``splice``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from stackr.errors import GitError
from stackr.patterns import pattern

Entry: TypeAlias = "tuple[bytes, bytes]"
"""Mode as git writes it, and object id."""

Tree: TypeAlias = "dict[bytes, Entry]"
"""Entries by name; see gitformat-index(5) for modes."""

Pair: TypeAlias = "tuple[bytes, bytes]"
"""Ids of a tree before and after."""

TREE = b"40000"
SUBMODULE = b"160000"
MODES = frozenset({TREE, b"100644", b"100755", b"120000", SUBMODULE})
_ENTRY = pattern(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_TREE = pattern(rb"(?:[0-7]+ [^\0]+\0.{20})*", re.DOTALL)

Read = Callable[[str], "tuple[str, bytes] | None"]
ReadMany = Callable[[Sequence[str]], "list[tuple[str, bytes] | None]"]


def parse(raw: bytes) -> Tree:
    """The entries of a tree object; raises ``GitError`` for bytes that are none, or name something twice."""
    entries = _ENTRY.findall(raw)
    tree = {name: (mode, oid) for mode, name, oid in entries}
    if len(tree) != len(entries) or not _TREE.fullmatch(raw):
        raise GitError("a tree of this repository is malformed", next_step="git fsck")
    return tree


def serialise(tree: Tree) -> bytes:
    """The bytes of a tree object: entries in git's order, folders as if their names ended in a slash."""
    rows = [
        (name + b"/" if mode == TREE else name, b"%s %s\0%s" % (mode, name, oid)) for name, (mode, oid) in tree.items()
    ]
    rows.sort()
    return b"".join([row for _, row in rows])


def is_tree(entry: Entry | None) -> bool:
    """Whether this is a folder."""
    return entry is not None and entry[0] == TREE


def object_id(kind: str, raw: bytes) -> bytes:
    """The id git gives an object."""
    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(raw)) + raw, usedforsecurity=False).digest()


class Trees:
    """Trees by id. ``new`` holds objects that are not in the repository yet, as (kind, bytes) by id.

    ``read`` gives kind and bytes of an object, or ``None``; ``read_many`` those of many in the repository at once.
    """

    def __init__(self, read: Read, read_many: ReadMany | None = None) -> None:
        self._read = read
        self._read_many = read_many
        self._known: dict[bytes, Tree] = {}
        self.new: dict[bytes, tuple[str, bytes]] = {}

    def get(self, oid: bytes) -> Tree:
        """The tree; not to be changed by the caller. Raises ``GitError`` when it is not there."""
        if oid not in self._known:
            found = self.new.get(oid) or self._read(oid.hex())
            if found is None or found[0] != "tree":
                raise GitError(f'tree "{oid.hex()[:10]}" is missing', next_step="git fsck")
            self._known[oid] = parse(found[1])
        return self._known[oid]

    def read_ahead(self, pairs: Sequence[Pair], apart: Pair | None = None) -> None:
        """Read what it takes to tell the differences within these pairs of trees, each level of folders in one go.

        With ``apart``, a pair too, only folders in which its two trees differ as well: a merge takes all others whole.
        """
        level = [(pair, apart) for pair in pairs]
        while level and self._read_many is not None:
            self._load({oid for pair, other in level for oid in (*pair, *(other or ()))}, self._read_many)
            others = {other: self._pairs_below(other) for other in {other for _, other in level if other}}
            level = [each for pair, other in level for each in self._below_both(pair, others[other] if other else None)]

    def _load(self, oids: set[bytes], read_many: ReadMany) -> None:
        fresh = [oid for oid in oids if oid not in self._known and oid not in self.new]
        for oid, found in zip(fresh, read_many([oid.hex() for oid in fresh]), strict=True):
            if found is not None and found[0] == "tree":
                self._known[oid] = parse(found[1])

    def _below_both(self, pair: Pair, others: dict[bytes, Pair] | None) -> Iterator[tuple[Pair, Pair | None]]:
        if others is None:
            yield from ((below, None) for below in self._pairs_below(pair).values())
        elif others:
            yield from ((below, others[name]) for name, below in self._pairs_below(pair).items() if name in others)

    def _pairs_below(self, pair: Pair) -> dict[bytes, Pair]:
        """The folders of the same name that differ."""
        before, after = (self.get(oid) if oid in self._known or oid in self.new else {} for oid in pair)
        pairs = ((name, before.get(name), after.get(name)) for name in changed(before, after))
        return {name: (was[1], now[1]) for name, was, now in pairs if was and now and was[0] == now[0] == TREE}

    def blob(self, oid: bytes) -> bytes:
        """The bytes of a file. Raises ``GitError`` when it is not there."""
        found = self.new.get(oid) or self._read(oid.hex())
        if found is None:
            raise GitError(f'file "{oid.hex()[:10]}" is missing', next_step="git fsck")
        return found[1]

    def below(self, entry: Entry | None) -> Tree:
        """The tree behind an entry; empty when the entry is no folder."""
        return self.get(entry[1]) if entry is not None and entry[0] == TREE else {}

    def add(self, oid: bytes, kind: str, raw: bytes, tree: Tree | None = None) -> None:
        """Remember an object that is to be written."""
        self.new[oid] = (kind, raw)
        if tree is not None:
            self._known[oid] = tree

    def with_entries(self, root: bytes, entries: Mapping[bytes, Entry | None]) -> bytes:
        """A root tree with these entries instead, by path; ``None`` takes one away. It is in ``new`` afterwards."""
        tree = self.get(root)
        for path in sorted(entries, key=lambda path: entries[path] is not None):  # room first: a file can be a folder
            tree = self._with_entry(tree, path.split(b"/"), entries[path])
        return self.make(tree)

    def _with_entry(self, tree: Tree, path: list[bytes], entry: Entry | None) -> Tree:
        name, rest = path[0], path[1:]
        if rest:
            below = self._with_entry(self.below(tree.get(name)), rest, entry)
            if not below and not is_tree(tree.get(name)):
                return tree
            entry = (TREE, self.make(below)) if below else None
        others = {other: kept for other, kept in tree.items() if other != name}
        return others if entry is None else {**others, name: entry}

    def make(self, tree: Tree) -> bytes:
        """Remember a tree that is to be written; its id."""
        raw = serialise(tree)
        oid = object_id("tree", raw)
        self.add(oid, "tree", raw, tree)
        return oid

    def differences(
        self, old: Tree, new: Tree, path: bytes = b""
    ) -> Iterator[tuple[bytes, Entry | None, Entry | None]]:
        """What differs, as (path, old entry, new entry) of everything that is no folder; equal subtrees are not read.

        A file in place of a folder comes as both, the file under the folder's name. Sorted within each folder.
        """
        for name in sorted(changed(old, new)):
            was, now = old.get(name), new.get(name)
            full = path + name
            if is_tree(was) or is_tree(now):
                yield from self.differences(self.below(was), self.below(now), full + b"/")
            was, now = (None if is_tree(entry) else entry for entry in (was, now))
            if was != now:
                yield full, was, now


def changed(old: Tree, new: Tree) -> set[bytes]:
    """Names whose entries differ."""
    return {name for name, _ in old.items() ^ new.items()}
