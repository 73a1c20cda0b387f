"""Real merges by git itself, into a scratch directory: ``git merge-tree`` (git-merge-tree(1)), with no checkout.

Three ways behind one call. From git 2.49 on one process takes merge after merge and answers each at once (``Stream``).
Before, from 2.39 on, a process answers only when it has seen all its questions (``ahead``), and 2.38 takes one question
a process. Which merges need git is decided in ``splice``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from stackr.errors import GitError
from stackr.patterns import pattern
from stackr.records import dataclass
from stackr.repo.replay.attributes import SOURCE_SINCE, Attributes, Files, Place
from stackr.repo.replay.scratch import Scratch
from stackr.repo.replay.trees import Trees
from stackr.repo.run import Runner
from stackr.repo.talk import Talk, talk

STREAM_SINCE = (2, 49)
# A custom merge driver may be slow, and a partial clone fetches the files it lacks.
MERGE_TIMEOUT_S = 600.0
OPTIONS = ("--name-only", "--no-messages")
# Git names what it had to move out of the way after the argument it was given: path~<id>, path~<id>_0.
_MOVED_ASIDE = pattern(rb"~[0-9a-f]{40}(?:_\d+)?$")


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
    renormalize: bool = False

    def attributes(self) -> Attributes:
        """The attributes of trees, followed from tree to tree."""
        return Attributes(self.runner, self.trees, self.env)

    def place(self) -> Place:
        """Where git is started, so that it merges by the right attributes."""
        by_source = self.version >= SOURCE_SINCE and not self.renormalize
        return Place(self.runner, self.scratch, self.trees, self.git_dir, by_source=by_source)


Change = tuple[bytes, bytes]
"""The trees before and after a commit."""

Merge = Callable[[bytes, bytes, bytes, Sequence[Change]], Answer]
"""Base, ours, theirs, all readable through the scratch directory, and the changes that will follow, as far as known."""


class Stream:
    """One process for all merges, started anew only where the attributes change from one to the next."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._attributes = shop.attributes()
        self._place = shop.place()
        self._open = ExitStack()
        self._talk: Talk | None = None
        self._files: Files = {}

    def merge(self, base: bytes, ours: bytes, theirs: bytes, following: Sequence[Change] = ()) -> Answer:
        """Merge three trees; see ``Merge``."""
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
            cwd, place = self._place.of(ours, files)
            env = {**self._shop.env, **place}
            args = ("merge-tree", "--stdin", *OPTIONS, *self._shop.options)
            self._talk = self._open.enter_context(
                talk(self._shop.runner, cwd, *args, env=env, timeout_s=MERGE_TIMEOUT_S)
            )
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
    names = {_MOVED_ASIDE.sub(b"", path) for path in paths}
    return Answer(status == b"1", tree.decode("ascii"), tuple(sorted(names)))
