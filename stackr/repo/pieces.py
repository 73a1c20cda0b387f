"""Trees put together from others: with other bytes in some files, or with some paths as they are in another tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stackr.errors import UsageError
from stackr.repo import write
from stackr.repo.replay.trees import Entry, Trees, is_tree, object_id
from stackr.repo.run import Runner
from stackr.repo.text import decode_name, encode_name


def read_files(trees: Trees, tree: str, paths: Sequence[str]) -> dict[str, bytes]:
    """The bytes of files of a tree; what is no file is left out."""
    entries = {path: _entry(trees, tree, path) for path in paths}
    return {path: trees.blob(entry[1]) for path, entry in entries.items() if entry is not None and not is_tree(entry)}


def write_trees(runner: Runner, trees: Trees, wanted: Sequence[tuple[str, Mapping[str, bytes]]]) -> list[str]:
    """For each (tree, bytes by path) the tree with those bytes in those files, which keep their modes; all written."""
    made = [_with_files(trees, tree, files) for tree, files in wanted]
    write.store(runner, list(trees.new.values()))
    return made


def _with_files(trees: Trees, tree: str, files: Mapping[str, bytes]) -> str:
    entries: dict[bytes, Entry | None] = {}
    for path, raw in files.items():
        oid = object_id("blob", raw)
        trees.add(oid, "blob", raw)
        old = _entry(trees, tree, path)
        entries[encode_name(path)] = (old[0] if old else b"100644", oid)
    return trees.with_entries(bytes.fromhex(tree), entries).hex()


def take_paths(runner: Runner, trees: Trees, old: str, new: str, paths: Sequence[str]) -> str:
    """The tree ``old`` with these files, and all in these folders, as they are in ``new``; written.

    Raises ``UsageError`` for a path below which nothing differs.
    """
    roots = bytes.fromhex(old), bytes.fromhex(new)
    trees.read_ahead([roots])
    changed = {path: now for path, _, now in trees.differences(trees.get(roots[0]), trees.get(roots[1]))}
    taken: dict[bytes, Entry | None] = {}
    for path in paths:
        raw = encode_name(path).rstrip(b"/")
        below = {each: now for each, now in changed.items() if raw in (b"", b".", each) or each.startswith(raw + b"/")}
        if not below:
            names = ", ".join(f'"{decode_name(each)}"' for each in sorted(changed)[:5])
            raise UsageError(f'the change has nothing in "{path}"', next_step=f"it touches {names}")
        taken |= below
    tree = trees.with_entries(roots[0], taken).hex()
    write.store(runner, list(trees.new.values()))
    return tree


def _entry(trees: Trees, tree: str, path: str) -> Entry | None:
    """What is at a path of a tree."""
    at = trees.get(bytes.fromhex(tree))
    *folders, name = encode_name(path).split(b"/")
    for folder in folders:
        at = trees.below(at.get(folder))
    return at.get(name)
