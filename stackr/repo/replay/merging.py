"""One three-way merge of trees by the cheapest way that gives what ``git rebase`` gives: none, a splice, or git's own.

What is made lives in ``Merging.trees.new`` until ``stored`` says which objects have to be written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from stackr.core.replaying import MergedTree
from stackr.records import dataclass
from stackr.repo.config import GitConfig
from stackr.repo.replay.scratch import Scratch
from stackr.repo.replay.splice import splice
from stackr.repo.replay.trees import TREE, Pair, Read, ReadMany, Tree, Trees, changed
from stackr.repo.run import Runner
from stackr.repo.text import decode_name

if TYPE_CHECKING:
    from stackr.repo.replay import real

# From here on git rebase merges by diff.algorithm, and merge-tree only when told.
_ALGORITHM_SINCE = (2, 46)

_NONE: Mapping[bytes, tuple[str, bytes]] = {}


@dataclass(frozen=True, slots=True)
class Place:
    """A repository, as far as merging needs it. ``objects`` is its object directory, ``env`` what reading it takes."""

    runner: Runner
    read: Read
    read_many: ReadMany
    git_dir: Path
    objects: Path
    config: Callable[[], GitConfig]
    version: Callable[[], tuple[int, ...]]
    env: Callable[[], Mapping[str, str]]


class Merging:
    """Merges that build on one another; git and the scratch directory appear with the first that needs them."""

    def __init__(self, place: Place, drafts: Mapping[bytes, tuple[str, bytes]] = _NONE) -> None:
        """``drafts`` are objects of earlier merges that are not written yet; see ``Trees.new``."""
        self._place = place
        self.trees = Trees(self._read, place.read_many)
        self.trees.new.update(drafts)
        self._read_ahead = 0
        self._scratch: Scratch | None = None
        self._git: real.Merge | None = None
        self._looks_ahead = False
        self._shown: set[bytes] = set()
        self._stack = ExitStack()

    def __enter__(self) -> Merging:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def merge(self, base: str, ours: str, theirs: str, following: Sequence[tuple[str, str]] = ()) -> MergedTree:
        """The tree that has the change from ``base`` to ``theirs`` applied to ``ours``, or where it does not apply.

        ``following`` are the changes (trees before and after) that will be merged onto the outcome.
        """
        if base == ours:
            return MergedTree(theirs)
        if base == theirs or ours == theirs:
            return MergedTree(ours)
        one, two, three = bytes.fromhex(base), bytes.fromhex(ours), bytes.fromhex(theirs)
        self._look_ahead([(base, theirs), *following], (one, two))
        spliced = splice(self.trees, one, two, three)
        if spliced is not None:
            return MergedTree(spliced.hex())
        return self._really(one, two, three, _raw(following))

    def _look_ahead(self, changes: Sequence[tuple[str, str]], apart: Pair) -> None:
        """Read the trees of many changes at once, and again when those have been merged.

        What the first is merged onto mostly differs from its base (``apart``) where the later ones' will: in the change
        that was made below them all.
        """
        if self._read_ahead == 0:
            self.trees.read_ahead(_raw(changes), apart)
            self._read_ahead = len(changes)
        self._read_ahead -= 1

    def _really(self, base: bytes, ours: bytes, theirs: bytes, following: Sequence[real.Change]) -> MergedTree:
        """Let git merge, and take in what it made."""
        merge = self._merger()
        if not self._looks_ahead:
            following = []
        for tree in (base, ours, theirs, *chain.from_iterable(following)):
            self._show(tree)
        answer = merge(base, ours, theirs, following)
        if not answer.clean:
            return MergedTree(None, tuple(decode_name(path) for path in answer.paths))
        self._take_in(bytes.fromhex(answer.tree), ours)
        return MergedTree(answer.tree)

    def _merger(self) -> real.Merge:
        """What merges."""
        if self._git is None:
            self._git = self._begin()
        return self._git

    def _begin(self) -> real.Merge:
        """Imported with the first merge that needs it: most changes edit files of their own."""
        from stackr.repo.replay import ahead, real

        place, env = self._place, self._place.env()
        self._scratch = self._stack.enter_context(Scratch(place.objects, {**place.runner.extra, **env}))
        shop = real.Workshop(
            runner=place.runner,
            trees=self.trees,
            scratch=self._scratch,
            git_dir=place.git_dir,
            version=place.version(),
            env={**env, **self._scratch.env},
            options=self._options(),
            renormalize=place.config().get_bool("merge.renormalize"),
        )
        # A git that answers at once need not be told what will follow.
        self._looks_ahead = shop.version < real.STREAM_SINCE
        if self._looks_ahead:
            return ahead.Ahead(shop).merge
        stream = real.Stream(shop)
        self._stack.callback(stream.close)
        return stream.merge

    def _read(self, oid: str) -> tuple[str, bytes] | None:
        """From the scratch directory first: a partial clone would ask its remote for what exists only there."""
        return (self._scratch.read(oid) if self._scratch else None) or self._place.read(oid)

    def _options(self) -> tuple[str, ...]:
        algorithm = self._place.config().get("diff.algorithm")
        told = algorithm and self._place.version() >= _ALGORITHM_SINCE
        return (f"-Xdiff-algorithm={algorithm}",) if told else ()

    def _show(self, oid: bytes) -> None:
        """Let git see a tree that is not written yet, with everything in it."""
        made = self.trees.new.get(oid)
        if made is None or oid in self._shown or self._scratch is None:
            return
        self._shown.add(oid)
        self._scratch.put(oid.hex(), *made)
        if made[0] == "tree":
            for _, below in self.trees.get(oid).values():
                self._show(below)

    def _take_in(self, result: bytes, ours: bytes) -> None:
        """Remember what git made: only what differs from ``ours`` can be new."""
        if self._remember(result):
            self._take_in_below(self.trees.get(result), self.trees.get(ours))

    def _take_in_below(self, result: Tree, ours: Tree) -> None:
        for name in changed(result, ours):
            entry = result.get(name)
            if entry is not None and self._remember(entry[1]) and entry[0] == TREE:
                self._take_in_below(self.trees.get(entry[1]), self.trees.below(ours.get(name)))

    def _remember(self, oid: bytes) -> bool:
        """Whether the object is new; what git wrote to the scratch directory is."""
        if oid not in self.trees.new:
            made = self._scratch.read(oid.hex()) if self._scratch else None
            if made is None:
                return False
            self.trees.add(oid, *made)
            self._shown.add(oid)
        return True


def _raw(changes: Sequence[tuple[str, str]]) -> list[real.Change]:
    return [(bytes.fromhex(before), bytes.fromhex(after)) for before, after in changes]
