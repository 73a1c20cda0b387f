"""Bringing index and files from one commit to another, touching only what differs and never what is the user's.

``git read-tree -m -u`` (git-read-tree(1), "Two Tree Merge") does it: staged changes, sparse checkouts, filters, links
and submodules are git's business. Here: who is asked first, the order that survives a power loss (``pending``), and
names for what stands in the way. Moving refs is done elsewhere; what is left after a crash is mended in ``mend``.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from stackr.errors import GitError, Refused
from stackr.patterns import pattern
from stackr.repo import disk, failures, write
from stackr.repo.pending import Index, Journal, Pending
from stackr.repo.replay.trees import SUBMODULE, Entry, Trees
from stackr.repo.run import Done, Runner
from stackr.repo.text import decode_name

# A smudge filter may download (git-lfs), and a partial clone fetches the files it lacks.
SWITCH_TIMEOUT_S = 3600.0
_READ_TREE = ("read-tree", "-m", "-u", "--no-recurse-submodules")
_NAMED = 10
# A file that git was told not to look at (git-update-index(1), --skip-worktree) is in no list; only this names it.
_IN_THE_WAY = pattern(r"^error: Entry '(.+)' (?:not uptodate|would be overwritten)", re.MULTILINE)

Difference = tuple[bytes, "Entry | None", "Entry | None"]


class WorkTree:
    """One work tree. ``tree_of`` gives the tree id of a commit, ``env`` what a command needs that may fetch files.

    ``is_on`` reads a boolean of git's configuration, with its default.
    """

    def __init__(
        self,
        runner: Runner,
        git_dir: Path,
        index: Path,
        trees: Trees,
        tree_of: Callable[[str], str],
        env: Callable[[], Mapping[str, str]],
        is_on: Callable[[str, bool], bool],
    ) -> None:
        self.runner = runner
        self.trees = trees
        self.index = Index(index, git_dir)
        self.journal = Journal(git_dir)
        self.tree_of = tree_of
        self._env = env
        self.is_on = is_on

    def check(self, old: str, new: str) -> None:
        """Raise ``Refused``, naming files, if going from commit ``old`` to ``new`` would overwrite the user's work.

        Also for ignored files, which git would give up: nobody asked for that here. Changes nothing at all.
        """
        if self.tree_of(old) == self.tree_of(new):
            return
        try:
            self.index.make_copy()
            self._refuse_loss(old, new)
        finally:
            self.index.copy.unlink(missing_ok=True)

    def begin(self, old: str, new: str) -> None:
        """Check again, keep other git processes out, and note what is about to happen; refs move after this."""
        if self.tree_of(old) == self.tree_of(new):
            return
        self.index.lock()
        try:
            self.index.make_copy()
            self._refuse_loss(old, new)
            self.journal.write(Pending(old, new))
        except BaseException:
            self.index.unlock()
            raise

    def apply(self, old: str, new: str) -> None:
        """Write the files that differ, then the index; after ``begin``, when refs have moved."""
        if self.tree_of(old) == self.tree_of(new):
            return
        done = self.read_tree(self.tree_of(old), self.tree_of(new))
        if done.code or done.late:
            raise self.unfinished(done)
        self.index.install()

    def finish(self) -> None:
        """All is done, or nothing happened: let git in again and forget what was noted."""
        self.index.unlock()
        self.journal.remove()

    @contextmanager
    def switching(self, old: str, new: str, head: Callable[[], str | None]) -> Iterator[None]:
        """Move refs inside this block; files and index follow when it ends.

        If the block fails before HEAD has moved, nothing has happened; after that the files follow all the same.
        """
        self.begin(old, new)
        try:
            yield
        except BaseException:
            if head() == old:
                self.finish()
            raise
        self.apply(old, new)
        self.finish()

    @contextmanager
    def restaging(self, old: str, new: str) -> Iterator[None]:
        """Move refs inside this block; before, the index goes from one tree to another. Files stay, all of them.

        Raises ``Refused`` when what is staged would be lost; a block that fails leaves the index as it was.
        """
        if old == new:
            yield
            return
        self.index.lock()
        try:
            self.index.make_copy()
            self._restage(old, new)
            before = self.index.path.read_bytes()
            self.index.install()
            try:
                yield
            except BaseException:
                disk.replace(self.index.path, before)
                raise
        finally:
            self.index.unlock()

    def _restage(self, old: str, new: str) -> None:
        """The two-tree merge without a look at the files: those are what is being staged, or given back."""
        done = self.runner.try_git("read-tree", "-m", "-i", "--no-recurse-submodules", old, new, env=self.index.env)
        if done.code or done.late:
            raise Refused(
                "what you have staged since would be lost from the index",
                next_step="git restore --staged . keeps it in your files; then run the same command again",
            )
        self.runner.try_git("update-index", "-q", "--refresh", env=self.index.env)

    def read_tree(self, old: str, new: str, *options: str) -> Done:
        """The two-tree merge of tree ids on the copy of the index; filters may print more than ASCII."""
        env = {"LC_ALL": "C.UTF-8", **self._env(), **self.index.env}
        args = (*_READ_TREE, *options, old, new)
        return self.runner.try_git(*args, env=env, timeout_s=SWITCH_TIMEOUT_S)

    def unfinished(self, done: Done) -> GitError:
        """Git could not write the files: a full disk, a filter that failed."""
        why = "it did not end" if done.late else failures.last_words(done.err)
        return GitError(
            f"the files could not be brought up to date: {why}",
            safe="branches have moved; no work of yours was touched",
            next_step="mend what git names, then run any stackr command: it goes on from there",
        )

    def differences(self, old: str, new: str) -> list[Difference]:
        """What differs between two commits: path, old entry, new entry."""
        roots = (bytes.fromhex(self.tree_of(old)), bytes.fromhex(self.tree_of(new)))
        self.trees.read_ahead([roots])
        before, after = map(self.trees.get, roots)
        return list(self.trees.differences(before, after))

    def with_entries(self, commit: str, entries: Mapping[bytes, Entry | None]) -> str:
        """The tree of a commit with these entries instead, written; ``None`` takes one away."""
        tree = self.trees.with_entries(bytes.fromhex(self.tree_of(commit)), entries).hex()
        write.store(self.runner, list(self.trees.new.values()))
        return tree

    def _refuse_loss(self, old: str, new: str) -> None:
        differences = self.differences(old, new)
        hidden = self._untracked_in_the_way(differences)
        if hidden:
            raise _refusal(hidden | self._touched_by_both(old, differences))
        done = self.read_tree(self.tree_of(old), self.tree_of(new), "-n")
        if done.code and not done.late:
            # A file that was only touched looks changed until the index is told; git's own commands do this first.
            self.runner.try_git("update-index", "-q", "--refresh", env=self.index.env)
            done = self.read_tree(self.tree_of(old), self.tree_of(new), "-n")
        if done.code or done.late:
            paths = self._touched_by_both(old, differences) or {
                found.encode() for found in _IN_THE_WAY.findall(done.err)
            }
            raise _refusal(paths) if paths else failures.local_failure("read-tree", done.code, done.err)

    def _touched_by_both(self, old: str, differences: list[Difference]) -> set[bytes]:
        """The files that the user and the update changed; git's own words name only the first of them."""
        unstaged = self.runner.git("diff-files", "-z", "--name-only", env=self.index.env)
        staged = self.runner.git("diff-index", "--cached", "-z", "--name-only", old, env=self.index.env)
        dirty = {*unstaged.split(b"\0"), *staged.split(b"\0")} - {b""}
        touched = {path for path, _, _ in differences}
        # A file where the update has a folder, or the other way round, is in the way as well.
        return {path for path in dirty if path in touched or any(nested(path, other) for other in touched)}

    def _untracked_in_the_way(self, differences: list[Difference]) -> set[bytes]:
        """Untracked files, ignored ones included, at paths that the update adds."""
        gone = {path for path, was, now in differences if was is not None and now is None}
        found: set[bytes] = set()
        for path, was, now in differences:
            if was is None and now is not None:
                found |= {clash for clash in self._on_disk(path, now[0] == SUBMODULE) if clash not in gone}
        if not found:
            return found
        tracked = set(self.runner.git("ls-files", "-z", env=self.index.env).split(b"\0"))
        fold = bytes.lower if self.is_on("core.ignorecase", False) else bytes
        known = {fold(path) for path in tracked}
        return {path for path in found if fold(path) not in known}

    def _on_disk(self, path: bytes, is_submodule: bool) -> Iterator[bytes]:
        """Files at this path: itself, a file where it needs a folder, or what is in a folder of that name.

        A submodule may have a folder already, whose files are its own: git leaves them alone.
        """
        for at in (at for at, byte in enumerate(path) if byte == ord("/")):
            mode = self.mode(path[:at])
            if mode is None:
                return
            if not stat.S_ISDIR(mode):
                yield path[:at]
                return
        mode = self.mode(path)
        if mode is not None and stat.S_ISDIR(mode):
            yield from () if is_submodule else self.files_below(path)
        elif mode is not None:
            yield path

    def mode(self, path: bytes) -> int | None:
        """What is at a path of the work tree, links not followed; ``None``: nothing."""
        try:
            return (self.runner.cwd / decode_name(path)).lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None

    def files_below(self, path: bytes) -> Iterator[bytes]:
        """Every file in a folder of the work tree."""
        top = os.fsencode(self.runner.cwd)
        for root, folders, names in os.walk(os.path.join(top, path)):  # noqa: PTH118 - bytes, for any name
            links = [name for name in folders if os.path.islink(os.path.join(root, name))]  # noqa: PTH114, PTH118
            for name in [*names, *links]:
                yield os.path.relpath(os.path.join(root, name), top)  # noqa: PTH118


def nested(one: bytes, other: bytes) -> bool:
    """Whether one path lies below the other."""
    return one.startswith(other + b"/") or other.startswith(one + b"/")


def _refusal(paths: set[bytes]) -> Refused:
    names = [f'"{decode_name(path)}"' for path in sorted(paths)]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return Refused(
        f"files you have changed would be overwritten: {', '.join(names[:_NAMED])}{more}",
        next_step="commit or stash them (git stash -u), or move them away; then run the same command again",
    )
