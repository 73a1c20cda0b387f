"""Real merges by git itself, into a scratch directory: ``git merge-tree`` (git-merge-tree(1)), with no checkout.

Two ways behind one class each. From git 2.49 on one process takes merge after merge and answers each at once. Before,
a process a merge, given throw-away commits: trees and ``--merge-base`` are taken only from 2.45 and 2.40 on, and this
way gives the same merge in all of them. Which merges need git is decided in ``splice``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from stackr.errors import GitError
from stackr.repo import failures
from stackr.repo.replay.attributes import SOURCE_SINCE, Attributes, Files, Place
from stackr.repo.replay.scratch import Scratch
from stackr.repo.replay.trees import Trees, object_id
from stackr.repo.run import Runner
from stackr.repo.talk import Talk, talk

STREAM_SINCE = (2, 49)
# A custom merge driver may be slow, and a partial clone fetches the files it lacks.
MERGE_TIMEOUT_S = 600.0
_OPTIONS = ("--name-only", "--no-messages")
_NOBODY = b"stackr <stackr> 0 +0000"
# Git names what it had to move out of the way after the argument it was given: path~<id>, path~<id>_0.
_MOVED_ASIDE = re.compile(rb"~[0-9a-f]{40}(?:_\d+)?$")


@dataclass(frozen=True, slots=True)
class Answer:
    """What git made of a merge: a tree id in hex, and the paths in conflict (then the tree holds conflict markers)."""

    clean: bool
    tree: str
    paths: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Workshop:
    """What a real merge needs. ``env`` reads from the scratch directory and the repository."""

    runner: Runner
    trees: Trees
    scratch: Scratch
    git_dir: Path
    version: tuple[int, ...]
    env: Mapping[str, str]
    options: tuple[str, ...] = ()


Merge = Callable[[bytes, bytes, bytes], Answer]


def merger(shop: Workshop, stack: ExitStack) -> Merge:
    """The way to merge with this git; what it keeps open is closed with ``stack``."""
    if shop.version >= STREAM_SINCE:
        stream = Stream(shop)
        stack.callback(stream.close)
        return stream.merge
    return OneByOne(shop).merge


class OneByOne:
    """A process a merge."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._attributes = Attributes(shop.runner, shop.trees, shop.env)
        self._place = Place(shop.runner, shop.scratch, shop.trees, shop.git_dir)

    def merge(self, base: bytes, ours: bytes, theirs: bytes) -> Answer:
        """Merge three trees, all of them readable through the scratch directory."""
        root = self._commit(base)
        commits = [self._commit(tree, root) for tree in (ours, theirs)]
        cwd, env = self._where(ours)
        args = ("-C", str(cwd), "merge-tree", "--write-tree", "-z", *_OPTIONS, *self._shop.options, *commits)
        done = self._shop.runner.try_git(*args, env={**self._shop.env, **env}, timeout_s=MERGE_TIMEOUT_S)
        if done.code not in (0, 1) or done.late:
            raise failures.local_failure("merge-tree", done.code, done.err, MERGE_TIMEOUT_S if done.late else None)
        tree, *paths = done.out.split(b"\0")[:-1]
        return _answer(done.code == 0, tree, paths)

    def _where(self, ours: bytes) -> tuple[Path, dict[str, str]]:
        if self._shop.version >= SOURCE_SINCE:
            return self._shop.runner.cwd, {"GIT_ATTR_SOURCE": ours.hex()}
        return self._place.of(self._attributes.of(ours))

    def _commit(self, tree: bytes, *parents: str) -> str:
        lines = [f"tree {tree.hex()}", *(f"parent {parent}" for parent in parents)]
        raw = "\n".join(lines).encode() + b"\nauthor %s\ncommitter %s\n\n" % (_NOBODY, _NOBODY)
        oid = object_id("commit", raw).hex()
        self._shop.scratch.put(oid, "commit", raw)
        return oid


class Stream:
    """One process for all merges, started anew only where the attributes change from one to the next."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._attributes = Attributes(shop.runner, shop.trees, shop.env)
        self._open = ExitStack()
        self._talk: Talk | None = None
        self._files: Files = {}

    def merge(self, base: bytes, ours: bytes, theirs: bytes) -> Answer:
        """Merge three trees, all of them readable through the scratch directory."""
        conversation = self._conversation(ours)
        conversation.say(f"{base.hex()} -- {ours.hex()} {theirs.hex()}\n".encode())
        return read_answer(conversation.fields())

    def close(self) -> None:
        """End the process."""
        self._open.close()
        self._talk = None

    def _conversation(self, ours: bytes) -> Talk:
        files = self._attributes.of(ours)
        if self._talk is None or files != self._files:
            self.close()
            env = {**self._shop.env, "GIT_ATTR_SOURCE": ours.hex()}
            args = ("merge-tree", "--stdin", *_OPTIONS, *self._shop.options)
            self._talk = self._open.enter_context(talk(self._shop.runner, *args, env=env, timeout_s=MERGE_TIMEOUT_S))
            self._files = dict(files)
        return self._talk


def read_answer(fields: Iterator[bytes]) -> Answer:
    """One answer of ``merge-tree --stdin --name-only --no-messages``; nothing behind it is read.

    Fields end in a zero byte: ``1`` or ``0``, the tree, in a conflict the paths, and an empty one (git-merge-tree(1),
    INPUT FORMAT and OUTPUT).
    """
    status = next(fields)
    if status not in (b"0", b"1"):
        raise GitError('"git merge-tree" gave an answer that is not understood', next_step="stackr doctor")
    tree = next(fields)
    paths = list(iter(lambda: next(fields), b""))
    return _answer(status == b"1", tree, paths)


def _answer(clean: bool, tree: bytes, paths: list[bytes]) -> Answer:
    names = {_MOVED_ASIDE.sub(b"", path) for path in paths if path}
    return Answer(clean, tree.decode("ascii"), tuple(sorted(names)))
