"""Git as values in memory: commits whose trees are dicts, and a clone that implements ``core.ports.Repo``.

Here: objects, refs, a gate that lets a run die at its k-th write. Not here: GitHub (``pure_github``) and any rule of
stackr; what a person does with ``git rebase`` is in ``pure_work``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from stackr.core.model import Commit, Head, NewCommit
from stackr.core.plan import RefMove
from stackr.core.ports import LocalState, RefUpdate
from stackr.errors import Refused, UsageError

if TYPE_CHECKING:
    from tests.support.pure_github import PureGitHub

Files = Mapping[str, str]
T = TypeVar("T")


class Killed(BaseException):
    """The process died here."""


@dataclass
class Gate:
    """Every write goes through here; the ``at``-th one dies, before its effect or after it."""

    at: int = 0
    after: bool = False
    count: int = 0

    def __call__(self, effect: Callable[[], T]) -> T:
        self.count += 1
        if self.count == self.at and not self.after:
            raise Killed
        result = effect()
        if self.count == self.at:
            raise Killed
        return result


@dataclass
class Objects:
    """An object store: commits by id, and what their trees hold."""

    commits: dict[str, Commit] = field(default_factory=dict)
    files: dict[str, Files] = field(default_factory=dict)

    def copy(self) -> Objects:
        return Objects(dict(self.commits), dict(self.files))

    def tree(self, files: Files) -> str:
        """The id of a tree with these files."""
        oid = "tree-" + hashlib.sha1(repr(sorted(files.items())).encode()).hexdigest()[:12]
        self.files[oid] = dict(files)
        return oid

    def add(self, tree: str, parents: Sequence[str], message: bytes, author: bytes, committer: bytes) -> str:
        """Write a commit; the same content gives the same id."""
        raw = repr((tree, tuple(parents), message, author, committer)).encode()
        oid = hashlib.sha1(raw).hexdigest()
        self.commits[oid] = Commit(oid, tree, tuple(parents), author, committer, message)
        return oid

    def ancestors(self, oid: str) -> set[str]:
        """Every ancestor, the commit itself included."""
        seen: set[str] = set()
        todo = [oid]
        while todo:
            current = todo.pop()
            if current not in seen:
                seen.add(current)
                todo.extend(self.commits[current].parents)
        return seen

    def content(self, oid: str) -> Files:
        """The files of a commit."""
        return self.files[self.commits[oid].tree]

    def diff(self, old: str, new: str) -> dict[str, tuple[str | None, str | None]]:
        """Path to (before, after) of what differs between two commits."""
        before, after = self.content(old), self.content(new)
        return {p: (before.get(p), after.get(p)) for p in before.keys() | after.keys() if before.get(p) != after.get(p)}

    def merge_bases(self, one: str, two: str) -> set[str]:
        """The best common ancestors."""
        common = self.ancestors(one) & self.ancestors(two)
        return {c for c in common if not any(c != d and c in self.ancestors(d) for d in common)}

    def take(self, other: Objects, tip: str) -> None:
        """Copy ``tip`` and its history from another store."""
        for oid in other.ancestors(tip) - self.commits.keys():
            self.commits[oid] = other.commits[oid]
            self.files[other.commits[oid].tree] = other.files[other.commits[oid].tree]


@dataclass
class PureRepo:
    """A clone: implements ``core.ports.Repo``. HEAD is on the branch ``feature``."""

    github: PureGitHub
    objects: Objects
    refs: dict[str, str]
    gate: Gate = field(default_factory=Gate)
    config: dict[str, str] = field(default_factory=dict)
    ticks: int = 0

    @property
    def tip(self) -> str:
        """The commit of HEAD."""
        return self.refs["refs/heads/feature"]

    def now(self) -> bytes:
        """The ident of the person, a second later every time."""
        self.ticks += 1
        return f"Alice <alice@example.com> {1_700_000_000 + self.ticks} +0000".encode()

    def local_state(self, remote: str) -> LocalState:
        return LocalState(Head("refs/heads/feature", self.tip), dict(self.refs), "main")

    def resolve(self, revision: str) -> str:
        if revision not in self.objects.commits:
            raise UsageError(revision)
        return revision

    def _reachable(self, tips: Iterable[str]) -> set[str]:
        return set().union(*(self.objects.ancestors(tip) for tip in tips if tip in self.objects.commits))

    def list_commits(self, tips: Sequence[str], exclude: Sequence[str]) -> tuple[Commit, ...]:
        found = self._reachable(tips) - self._reachable(exclude)
        ordered = sorted(found, key=lambda oid: (len(self.objects.ancestors(oid)), oid))
        return tuple(self.objects.commits[oid] for oid in ordered)

    def read_commits(self, oids: Iterable[str]) -> dict[str, Commit]:
        return {oid: self.objects.commits[oid] for oid in oids if oid in self.objects.commits}

    def read_graph(self, tips: Sequence[str], exclude: Sequence[str]) -> dict[str, tuple[str, ...]]:
        found = self._reachable(tips) - self._reachable(exclude)
        return {oid: self.objects.commits[oid].parents for oid in found}

    def read_file(self, commit: str, paths: Sequence[str]) -> bytes | None:
        return None

    def write_commits(self, commits: Sequence[NewCommit]) -> dict[str, str]:
        return self.gate(lambda: self._write(commits))

    def _write(self, commits: Sequence[NewCommit]) -> dict[str, str]:
        oids: dict[str, str] = {}
        for new in commits:
            parents = [oids.get(parent, parent) for parent in new.parents]
            assert set(parents) <= self.objects.commits.keys(), "a commit on a parent that is not here"
            oids[new.label] = self.objects.add(
                new.tree, parents, new.message, new.author or self.now(), new.committer or self.now()
            )
        return oids

    def move_refs(
        self,
        moves: Sequence[RefMove],
        reason: str,
        files: tuple[str, str] | None = None,
        index: tuple[str, str] | None = None,
    ) -> None:
        self.gate(lambda: self._move(moves))

    def _move(self, moves: Sequence[RefMove]) -> None:
        assert len({move.ref for move in moves}) == len(moves), "a ref moves twice in one transaction"
        for move in moves:
            if self.refs.get(move.ref) != move.old:
                raise Refused(f"{move.ref} is not at {move.old}")
        for move in moves:
            if move.new is None:
                self.refs.pop(move.ref, None)
            else:
                assert move.new in self.objects.commits, "a ref to nowhere"
                self.refs[move.ref] = move.new

    def set_config(self, key: str, value: str) -> None:
        self.gate(lambda: self.config.update({key: value}))

    def fetch(self, remote: str, refspecs: Sequence[str]) -> None:
        for refspec in refspecs:
            source, _, target = refspec.lstrip("+").partition(":")
            name = source.removeprefix("refs/heads/")
            oid = self.github.branches[name]
            self.objects.take(self.github.objects, oid)
            self.refs[target or f"refs/remotes/{remote}/{name}"] = oid

    def push(self, remote: str, updates: Sequence[RefUpdate]) -> None:
        self.gate(lambda: self._push(remote, updates))

    def _push(self, remote: str, updates: Sequence[RefUpdate]) -> None:
        self.github.receive(self.objects, updates)
        for update in updates:
            assert update.new is not None
            self.refs[f"refs/remotes/{remote}/{update.ref.removeprefix('refs/heads/')}"] = update.new
