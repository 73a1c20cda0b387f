"""Finishing a change of the work tree that a crash or a power loss cut short, without losing a byte of the user's.

Before anything was written every file that the update touches was as the old commit has it (``worktree`` had asked). So
a file that is as the new commit has it is done, one as the old has it is still to be written, a missing one or the
beginning of the new one is a write that was cut; anything else the user did since, and it stays.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import Enum

from stackr.records import dataclass
from stackr.repo.replay.trees import Entry, object_id
from stackr.repo.text import decode_name
from stackr.repo.worktree import Difference, WorkTree, nested

_GONE = b"0 " + b"0" * 40


@dataclass(frozen=True, slots=True)
class Mended:
    """A change of the work tree that was found unfinished.

    ``files`` is how many files it is about. ``kept`` names those that the user has changed since; they are as they
    were, and git shows them as modified. ``moved_on``: HEAD was somewhere else by then, and nothing was done.
    """

    old: str
    new: str
    files: int = 0
    kept: tuple[str, ...] = ()
    moved_on: bool = False


class _On(Enum):
    """What a file is found to be."""

    OLD = "as the old commit has it, or missing"
    NEW = "as the new commit has it"
    CUT = "the beginning of the new file"
    OWN = "the user's"


@dataclass(slots=True)
class _Findings:
    """What is to be left alone from here on.

    ``settled``: entries of the new commit that git shall not look at again. ``index``: those of them that the index
    does not have yet. ``cut``: files that are half written. ``kept``: what the user did since.
    """

    settled: dict[bytes, Entry | None] = field(default_factory=dict)
    index: dict[bytes, Entry | None] = field(default_factory=dict)
    cut: list[bytes] = field(default_factory=list)
    kept: set[bytes] = field(default_factory=set)


def mend(tree: WorkTree, head: str | None) -> Mended | None:
    """Finish what was begun, if anything was; ``head`` is the commit HEAD is at.

    To be called at the start of a command that holds the repository's lock. ``None``: nothing was pending, or it was
    noted but no ref had moved. Raises ``GitError`` when the files still cannot be written.
    """
    pending = tree.journal.read()
    if pending is None or head == pending.old:
        tree.finish()
        return None
    if head != pending.new:
        tree.finish()
        return Mended(pending.old, pending.new, moved_on=True)
    tree.index.lock()
    tree.index.make_copy()
    differences = tree.differences(pending.old, pending.new)
    findings = _look(tree, differences)
    _go_on(tree, pending.old, pending.new, findings)
    tree.index.install()
    tree.finish()
    kept = tuple(decode_name(path) for path in sorted(findings.kept))
    return Mended(pending.old, pending.new, len(differences), kept)


def _go_on(tree: WorkTree, old: str, new: str, findings: _Findings) -> None:
    """Let git do the rest: from a tree that has what is settled as the new commit has it, so that it stays as it is."""
    _tell(tree, findings.index)
    for path in findings.cut:
        (tree.runner.cwd / decode_name(path)).unlink(missing_ok=True)
    tree.runner.try_git("update-index", "-q", "--refresh", env=tree.index.env)
    done = tree.read_tree(tree.with_entries(old, findings.settled), tree.tree_of(new))
    if done.code or done.late:
        raise tree.unfinished(done)


def _look(tree: WorkTree, differences: list[Difference]) -> _Findings:
    findings = _Findings()
    index = _entries(tree)
    states = _states(tree, differences)
    for path, was, now in differences:
        have = index.get(path)
        if have not in (was, now):  # staged since
            findings.kept.add(path)
        elif have != now and states[path] is _On.OLD:
            continue
        elif have != now and states[path] is _On.CUT:
            findings.cut.append(path)
            continue
        elif have != now:
            findings.index[path] = now
            findings.kept |= {path} if states[path] is _On.OWN else set()
        findings.settled[path] = now
    return findings


def _entries(tree: WorkTree) -> dict[bytes, Entry]:
    """The index: mode and object id by path."""
    entries = {}
    for row in tree.runner.git("ls-files", "-s", "-z", env=tree.index.env).split(b"\0")[:-1]:
        words, _, path = row.partition(b"\t")
        mode, oid, _ = words.split(b" ")
        entries[path] = (mode, bytes.fromhex(oid.decode("ascii")))
    return entries


def _tell(tree: WorkTree, entries: Mapping[bytes, Entry | None]) -> None:
    """Write entries into the copy of the index; removals first, so that a file can become a folder."""
    if not entries:
        return
    rows = [_GONE + b"\t" + path for path, entry in entries.items() if entry is None]
    rows += [b"%s %s\t%s" % (entry[0], entry[1].hex().encode(), path) for path, entry in entries.items() if entry]
    tree.runner.git("update-index", "-z", "--index-info", stdin=b"\0".join(rows) + b"\0", env=tree.index.env)


def _states(tree: WorkTree, differences: list[Difference]) -> dict[bytes, _On]:
    """What every file that the update touches is now."""
    gone = {path for path, was, now in differences if was is not None and now is None}
    states: dict[bytes, _On] = {}
    unclear: list[Difference] = []
    for path, was, now in differences:
        state = _at_a_glance(tree, path, was, now, gone)
        if state is None:
            unclear.append((path, was, now))
        else:
            states[path] = state
    cleaned = _cleaned(tree, unclear)
    for path, was, now in unclear:
        found = cleaned.get(path)
        if found is not None and found in (was, now):
            states[path] = _On.NEW if found == now else _On.OLD
        else:
            states[path] = _of_bytes(tree, path, now)
    return {path: _with_neighbours(states, path) for path in states}


def _with_neighbours(states: Mapping[bytes, _On], path: bytes) -> _On:
    """The state of a file; what is above or below something of the user's cannot be written or deleted either."""
    own = (other for other, state in states.items() if state is _On.OWN)
    return _On.OWN if any(nested(path, other) for other in own) else states[path]


def _at_a_glance(tree: WorkTree, path: bytes, was: Entry | None, now: Entry | None, gone: set[bytes]) -> _On | None:
    """The state of a file where that needs no filter; ``None`` where a filter may have changed its bytes."""
    if b"160000" in (entry[0] for entry in (was, now) if entry):
        return _On.OLD  # git sees to submodules, and touches nothing in them
    for at in (at for at, byte in enumerate(path) if byte == ord("/")):
        above = tree.mode(path[:at])
        if above is not None and not stat.S_ISDIR(above):
            return _On.NEW if now is None else _On.OLD if path[:at] in gone else _On.OWN
    mode = tree.mode(path)
    if mode is None:
        return _On.OLD
    if stat.S_ISDIR(mode):
        return _On.OLD if now is None or gone.issuperset(tree.files_below(path)) else _On.OWN
    found = _entry(tree, path, mode, was, now)
    return _On.NEW if found == now else _On.OLD if found == was else None


def _entry(tree: WorkTree, path: bytes, mode: int, was: Entry | None, now: Entry | None) -> Entry:
    """The file as an entry, its bytes as they are."""
    return _mode(tree, mode, was, now), object_id("blob", _bytes(tree, path, mode))


def _mode(tree: WorkTree, mode: int, was: Entry | None, now: Entry | None) -> bytes:
    """The mode git would give the file (core.fileMode, core.symlinks: git-config(1))."""
    if stat.S_ISLNK(mode):
        return b"120000"
    likely = now or was
    if likely and likely[0] == b"120000" and not tree.is_on("core.symlinks", True):
        return likely[0]
    if likely and likely[0] != b"120000" and not tree.is_on("core.filemode", True):
        return likely[0]
    return b"100755" if mode & stat.S_IXUSR else b"100644"


def _bytes(tree: WorkTree, path: bytes, mode: int) -> bytes:
    file = tree.runner.cwd / decode_name(path)
    return os.fsencode(file.readlink()) if stat.S_ISLNK(mode) else file.read_bytes()


def _cleaned(tree: WorkTree, differences: Iterable[Difference]) -> dict[bytes, Entry]:
    """Files as git would store them, filters and line ends applied; one process."""
    files: dict[bytes, bytes] = {}
    for path, was, now in differences:
        mode = tree.mode(path)
        if mode is not None and stat.S_ISREG(mode) and b"\n" not in path and not path.startswith(b'"'):
            files[path] = _mode(tree, mode, was, now)
    if not files:
        return {}
    asked = b"".join(path + b"\n" for path in files)
    oids = tree.runner.git("hash-object", "--stdin-paths", stdin=asked, env=tree.index.env).decode("ascii").split()
    return {path: (files[path], bytes.fromhex(oid)) for path, oid in zip(files, oids, strict=True)}


def _of_bytes(tree: WorkTree, path: bytes, now: Entry | None) -> _On:
    """Whether a file is the beginning of the new one, as a write that was cut leaves it."""
    mode = tree.mode(path)
    if now is None or mode is None or not stat.S_ISREG(mode):
        return _On.OWN
    asked = ("cat-file", "--filters", f"--path={decode_name(path)}", now[1].hex())
    whole = tree.runner.try_git(*asked, env=tree.index.env)
    return _On.CUT if whole.code == 0 and whole.out.startswith(_bytes(tree, path, mode)) else _On.OWN
