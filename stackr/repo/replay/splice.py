"""Three-way merging of trees entry by entry, wherever ``git rebase`` could not come to another result.

What both sides leave alone, or only one of them touched, needs no merge. Everything else is git's to decide, and this
module only sees that it is: renames, renamed folders and contents are never looked at here. Why that is enough, from
how git's merge works (merge-ort.c; Documentation/technical/directory-rename-detection):

- A renamed file changes the outcome only where the other side changed, renamed or deleted the file under its old name,
  or has something else under the new one. The first three are entries that differ on both sides (deleted on one of
  them, or on both), the last is an entry that both sides added.
- A renamed folder changes the outcome only where one side has no such folder any more and the other put something into
  it: again an entry that differs on both sides, the folder itself or one above it.
- So where every entry that differs from the base is one side's alone, or both sides changed it alike without deleting
  a file, git would take each side's entries as they are; attributes, drivers and settings play no part.

That it holds is not left to this argument: tests/laws/test_replay_equals_rebase.py.
"""

from __future__ import annotations

from dataclasses import field

from stackr.records import dataclass
from stackr.repo.replay.trees import MODES, TREE, Entry, Tree, Trees, changed, is_tree, object_id, serialise


class _Undecided(Exception):
    """Both sides meet somewhere: git has to merge."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """Trees made on the way, kept only when the whole merge succeeds."""

    trees: Trees
    made: list[tuple[bytes, bytes, Tree]] = field(default_factory=list)

    def store(self, tree: Tree) -> bytes:
        raw = serialise(tree)
        oid = object_id("tree", raw)
        self.made.append((oid, raw, tree))
        return oid


def splice(trees: Trees, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """The merged root tree, now known to ``trees``; ``None`` where git has to merge. Reads only trees that differ."""
    draft = _Draft(trees)
    try:
        merged = _merge(draft, trees.get(base), trees.get(ours), trees.get(theirs))
    except _Undecided:
        return None
    root = draft.store(merged)
    for oid, raw, tree in draft.made:
        trees.add(oid, "tree", raw, tree)
    return root


def _merge(draft: _Draft, base: Tree, ours: Tree, theirs: Tree) -> Tree:
    """Ours with every entry that theirs changed; entries that only ours changed stand already."""
    merged = dict(ours)
    for name in changed(base, theirs):
        entry = _merge_entry(draft, base.get(name), ours.get(name), theirs.get(name))
        if entry is None:
            merged.pop(name, None)
        else:
            merged[name] = entry
    if not {mode for mode, _ in merged.values()} <= MODES:
        raise _Undecided  # modes of git's first years (100664), which git makes anew in every tree it writes
    return merged


def _merge_entry(draft: _Draft, base: Entry | None, ours: Entry | None, theirs: Entry | None) -> Entry | None:
    """One name that theirs changed; ``None``: it is gone."""
    if ours == base:
        return theirs
    if ours == theirs:
        if _loses_a_file(draft.trees, base, ours):
            raise _Undecided  # deleted by both: one of them may have renamed it
        return ours
    if (base is not None and not is_tree(base)) or not is_tree(ours) or not is_tree(theirs):
        raise _Undecided
    trees = draft.trees
    below = _merge(draft, trees.below(base), trees.below(ours), trees.below(theirs))
    return (TREE, draft.store(below)) if below else None


def _loses_a_file(trees: Trees, old: Entry | None, new: Entry | None) -> bool:
    """Whether anything that is no folder is gone under its name."""
    if old is None or old == new:
        return False
    if not is_tree(old):
        return new is None or is_tree(new)
    if not is_tree(new):
        return True
    before, after = trees.below(old), trees.below(new)
    return any(_loses_a_file(trees, entry, after.get(name)) for name, entry in before.items())
