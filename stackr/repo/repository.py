"""The git layer's front door: ``Repository`` implements the port ``stackr.core.ports.Repo`` by short modules.

Importing this imports GitPython. Every method says which module does the work; nothing is decided here. One object
serves one thread at a time for reading; ``fetch`` and ``push`` may run in another thread meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from stackr.core.model import NewCommit
from stackr.core.plan import RefMove
from stackr.core.ports import LocalState, RefUpdate
from stackr.core.replaying import MergedTree, Pick, Replayed
from stackr.core.undo import Operation
from stackr.repo import diffs, ident, lock, mend, refs, sign, write
from stackr.repo.belonging import note_moves
from stackr.repo.diffs import TreePair
from stackr.repo.mend import Mended
from stackr.repo.opened import Opened
from stackr.repo.oplog import OpLog
from stackr.repo.replay import restack
from stackr.repo.replay.merging import Merging
from stackr.repo.replay.merging import Place as MergingPlace
from stackr.repo.replay.scratch import Scratch
from stackr.repo.replay.trees import Trees
from stackr.repo.worktree import WorkTree

if TYPE_CHECKING:
    from stackr.repo.resolving import Resolving
    from stackr.repo.shaping import Shaping


class Repository(Opened):
    """A clone with a work tree, read (``opened``) and written."""

    @cached_property
    def oplog(self) -> OpLog:
        """What stackr did to branches and HEAD."""
        return OpLog(self.runner, self.git_dir, self.common_dir)

    def write_commits(self, commits: Sequence[NewCommit]) -> dict[str, str]:
        """Write commits whose parents are object ids or earlier labels; returns object ids by label.

        One process for any number, one or two more when the user's identity is needed, and one for each signature
        when ``commit.gpgSign`` is set.
        """
        signer = sign.signer(self.runner, self.config) if commits else None
        return write.write_commits(self.runner, commits, self._identity, signer)

    @property
    def _identity(self) -> ident.Identity:
        return ident.Identity(self.runner, self.config)

    def replay(self, picks: Sequence[Pick], onto: str) -> Replayed:
        """Apply commits to another parent in memory, and write them; no ref, file or index is touched.

        ``onto`` is a commit id. The trees are those ``git rebase`` would make; see ``replay.restack``. Three processes
        for any number, and where both sides changed the same files git's own merges: a process each, or from git 2.49
        on one for all.
        """
        identity = self._identity
        with identity.asked() if picks else nullcontext(), Merging(self._merging_place(), self._drafts) as merging:
            replayed = restack.replay(
                merging,
                self.runner,
                picks,
                self._reader.commit(onto),
                identity=identity,
                sign=lambda: sign.signer(self.runner, self.config),
            )
        if replayed.conflict is None:
            self._drafts.clear()
        return replayed

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """What is written inside the block is there until its end and no longer: a dry run leaves nothing behind."""
        usual = {"GIT_OBJECT_DIRECTORY": str(self._object_directory), "GIT_ALTERNATE_OBJECT_DIRECTORIES": ""}
        usual = {**usual, **self.runner.extra}
        with Scratch(self._object_directory, self.runner.extra) as scratch:
            self._write_to(scratch.env)
            try:
                yield
            finally:
                self._write_to(usual)
                self._reader.forget()

    def merge_trees(self, base: str, ours: str, theirs: str) -> MergedTree:
        """The change between two trees applied to a third (ids of trees), written when it applies."""
        with Merging(self._merging_place()) as merging:
            return restack.merge_trees(merging, self.runner, base, ours, theirs)

    def draft_merge(self, base: str, ours: str, theirs: str) -> MergedTree:
        """As ``merge_trees``, for a replay to come, which writes what is made here, too; until then it is not there."""
        with Merging(self._merging_place()) as merging:
            merged = merging.merge(base, ours, theirs)
            self._drafts.update(merging.trees.new if merged.tree is not None else {})
        return merged

    @cached_property
    def _drafts(self) -> dict[bytes, tuple[str, bytes]]:
        """Objects that the next replay writes, as (kind, bytes) by id."""
        return {}

    def try_merges(self, merges: Sequence[tuple[str, str, str]]) -> tuple[MergedTree, ...]:
        """The outcome of independent merges of (base, ours, theirs), ids of trees; nothing is written."""
        with Merging(self._merging_place()) as merging:
            return tuple(merging.merge(*merge) for merge in merges)

    def show_diff(self, old: str, new: str, *, stat: bool, color: bool, terminal: bool) -> bytes:
        """Git's diff between two trees: on the terminal, by git itself, or (and then returned) as text."""
        return self._show(diffs.diff_args(old, new, stat=stat), color=color, terminal=terminal)

    def show_range_diff(self, old: TreePair, new: TreePair, title: str, *, color: bool, terminal: bool) -> bytes:
        """Git's diff of two diffs, as ``show_diff``; to be called within a ``rehearsal``, as it writes commits."""
        return self._show(diffs.range_diff_args(self.runner, old, new, title), color=color, terminal=terminal)

    def _show(self, args: Sequence[str], *, color: bool, terminal: bool) -> bytes:
        env = self._lazy_fetch_environment()
        if not terminal:
            return diffs.text(self.runner, args, env, color=color)
        diffs.show(self.runner, args, env, color=color)
        return b""

    def move_refs(
        self,
        moves: Sequence[RefMove],
        reason: str,
        files: tuple[str, str] | None = None,
        index: tuple[str, str] | None = None,
    ) -> None:
        """Move refs in one transaction with the reflog message ``stackr: <reason>``, and files along; see ``refs``.

        When branches or HEAD are among them it is an operation that ``stackr undo`` can take back; see ``oplog``.
        """
        switching = self.switching(*files) if files is not None else nullcontext()
        restaging = self._worktree.restaging(*index) if index is not None else nullcontext()
        with switching, restaging, self.oplog.recording(moves, reason, index) as kept:
            note_moves(self.git_dir, moves)
            refs.move(self.runner, moves, reason, kept)

    def list_operations(self, state: LocalState) -> tuple[Operation, ...]:
        """What stackr did to branches and HEAD, newest first; see ``oplog``."""
        return self.oplog.read(state.refs)

    def check_switch(self, old: str, new: str) -> None:
        """Raise ``Refused``, naming files, if going from commit ``old`` to ``new`` would overwrite the user's work."""
        self._worktree.check(old, new)

    def switching(self, old: str, new: str) -> AbstractContextManager[None]:
        """Move refs (HEAD's among them) from ``old`` to ``new`` inside the block; index and files follow at its end.

        Only files that differ are written; dirty, untracked and staged work stays, or this raises ``Refused`` before
        the block begins. After a crash in between, ``mend`` finishes. See ``worktree``.
        """
        return self._worktree.switching(old, new, self._reader.head)

    def mend(self) -> Mended | None:
        """Finish a change of the work tree that a crash cut short; ``None`` if there is none. See ``mend``."""
        return mend.mend(self._worktree, self._reader.head())

    def fetch(self, remote: str, refspecs: Sequence[str]) -> None:
        """One ``git fetch`` of exactly these refspecs; see ``transport``."""
        self._transport.fetch(self.config, remote, refspecs)

    def push(self, remote: str, updates: Sequence[RefUpdate]) -> None:
        """One ``git push --atomic`` with an explicit lease per ref; see ``transport``."""
        self._transport.push(self.config, remote, updates)

    @contextmanager
    def lock(self, command: str, line: str = "") -> Iterator[None]:
        """Hold this repository's lock for one stackr command; raises ``Refused`` if another one has it.

        ``line`` is the whole command line, for the log of operations.
        """
        with lock.hold(self.common_dir, command), self.oplog.command(line or f"stackr {command}"):
            yield

    @cached_property
    def resolving(self) -> Resolving:
        """The rebase that stackr may have started in the work tree."""
        from stackr.repo.resolving import Resolving

        return Resolving(self.runner, self.git_dir, self.oplog)

    @cached_property
    def shaping(self) -> Shaping:
        """What reshaping a stack needs besides a replay."""
        from stackr.repo.hookrun import HookRun
        from stackr.repo.message import Message
        from stackr.repo.shaping import Shaping
        from stackr.repo.staging import Staging

        hooks = HookRun(self.runner, self.common_dir, lambda: self.config)
        staging = Staging(self.runner, self._worktree.index, hooks)
        message = Message(self.runner, self.git_dir, lambda: self.config, hooks)
        return Shaping(self.runner, self._reader, staging, message, self._lazy_fetch_environment)

    @cached_property
    def _worktree(self) -> WorkTree:
        reader = self._reader
        return WorkTree(
            runner=self.runner,
            git_dir=self.git_dir,
            index=Path(self.runner.extra.get("GIT_INDEX_FILE") or self.git_dir / "index"),
            trees=Trees(reader.object, reader.objects),
            tree_of=reader.tree_of,
            env=self._lazy_fetch_environment,
            is_on=lambda key, default: self.config.get_bool(key, default),
        )

    def _merging_place(self) -> MergingPlace:
        reader = self._reader
        return MergingPlace(
            runner=self.runner,
            read=reader.object,
            read_many=reader.objects,
            git_dir=self.git_dir,
            objects=self._object_directory,
            config=lambda: self.config,
            version=lambda: self.git_version,
            env=self._lazy_fetch_environment,
        )

    @property
    def _object_directory(self) -> Path:
        return Path(self.runner.extra.get("GIT_OBJECT_DIRECTORY") or self.common_dir / "objects")

    def _write_to(self, places: Mapping[str, str]) -> None:
        """Let every process from now on write objects to another place, and find them there."""
        self.runner.extra.update(places)
        self._objects.close()
        self._objects.seal(places, self.work_tree)
