"""The ``.gitattributes`` files of a tree, so that git merges by those a rebase would have had in its work tree.

A rebase has the tree it merges onto checked out; ``git merge-tree`` would read the user's work tree, where the old
stack stands. From git 2.41 on a tree can be named (git(1), GIT_ATTR_SOURCE). Before, and with merge.renormalize, for
which a rebase falls back on files that the commit itself brings (and a named tree forbids that), a folder is made with
nothing but these files. What attributes mean is git's business.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from stackr.repo.replay.scratch import Scratch
from stackr.repo.replay.trees import Entry, Trees
from stackr.repo.run import Runner
from stackr.repo.text import decode_name

NAME = b".gitattributes"
SOURCE_SINCE = (2, 41)
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git knows it even where it is not stored
_EVERYWHERE = ":(top,glob)**/.gitattributes"

Files = Mapping[bytes, Entry]


class Attributes:
    """Which ``.gitattributes`` a tree has: one look through a whole tree by git, then only along what differs."""

    def __init__(self, runner: Runner, trees: Trees, env: Mapping[str, str]) -> None:
        self._runner = runner
        self._trees = trees
        self._env = env
        self._last: tuple[bytes, Files] | None = None

    def of(self, tree: bytes) -> Files:
        """Mode and blob by path."""
        if self._last is None:
            self._last = (tree, self._all(tree))
        elif self._last[0] != tree:
            files = dict(self._last[1])
            old, new = self._trees.get(self._last[0]), self._trees.get(tree)
            for path, _, now in self._trees.differences(old, new):
                if path.rpartition(b"/")[2] == NAME:
                    files.pop(path, None)
                    if now is not None:
                        files[path] = now
            self._last = (tree, files)
        return self._last[1]

    def _all(self, tree: bytes) -> Files:
        args = ("diff-tree", "-r", "-z", "--no-renames", "--full-index", _EMPTY_TREE, tree.hex(), "--", _EVERYWHERE)
        fields = self._runner.git(*args, env=self._env).split(b"\0")
        return {path: _entry(head) for head, path in zip(fields[::2], fields[1::2], strict=False)}


def _entry(head: bytes) -> Entry:
    """``:000000 100644 <zeros> <oid> A`` as an entry."""
    words = head.split(b" ")
    return words[1], bytes.fromhex(words[3].decode("ascii"))


def _is_file(entry: Entry) -> bool:
    """Git does not follow a ``.gitattributes`` that is a symbolic link (gitattributes(5))."""
    return entry[0].startswith(b"100")


class Place:
    """Where git shall read attributes: the tree itself where it can, else the user's work tree if it has the same ones,
    else a folder of ours.

    The work tree is where to start git if possible: submodules are looked up in it, and a merge driver may be a program
    of the project. ``by_source``: git takes a tree.
    """

    def __init__(self, runner: Runner, scratch: Scratch, trees: Trees, git_dir: Path, *, by_source: bool) -> None:
        self._by_source = by_source
        self._runner = runner
        self._scratch = scratch
        self._trees = trees
        self._git_dir = git_dir
        self._made: Files | None = None
        self._head: frozenset[bytes] | None = None

    def of(self, tree: bytes, files: Files) -> tuple[Path, dict[str, str]]:
        """The folder to start git in, and the environment that makes it read the attributes of ``tree``: ``files``."""
        if self._by_source:
            return self._runner.cwd, {"GIT_ATTR_SOURCE": tree.hex()}
        contents = {path: self._trees.blob(mode_oid[1]) for path, mode_oid in files.items() if _is_file(mode_oid)}
        if self._fits(contents):
            return self._runner.cwd, {}
        folder = self._scratch.path / "attributes"
        if self._made != files:
            _fill(folder, contents)
            self._made = dict(files)
        nowhere = str(self._scratch.path / "no-index")
        return folder, {"GIT_DIR": str(self._git_dir), "GIT_WORK_TREE": str(folder), "GIT_INDEX_FILE": nowhere}

    def _fits(self, contents: Mapping[bytes, bytes]) -> bool:
        """Whether the work tree's attributes are these; it has no others than those in its index, or at its top."""
        if self._head is None:
            listed = self._runner.git("ls-files", "-z", "--", _EVERYWHERE).split(b"\0")
            self._head = frozenset(path for path in [*listed, NAME] if path)
        return all(self._on_disk(path) == contents.get(path) for path in self._head | set(contents))

    def _on_disk(self, path: bytes) -> bytes | None:
        file = self._runner.cwd / decode_name(path)
        try:
            return None if file.is_symlink() else file.read_bytes()
        except OSError:
            return None


def _fill(folder: Path, contents: Mapping[bytes, bytes]) -> None:
    """Make the folder hold exactly these files, and the folders they need."""
    if folder.exists():
        for root, _, names in os.walk(folder):
            for name in names:
                Path(root, name).unlink()
    folder.mkdir(exist_ok=True)
    for path, raw in contents.items():
        file = folder / decode_name(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw)
