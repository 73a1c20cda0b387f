"""One bare repository: its refs and commit graph in memory, its objects on disk.

The caches are filled once and kept right by whoever moves refs: ``update`` for the sandbox's own
writes, ``sync`` after a push. What a moved ref means for pull requests is ``aftermath``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stackr.sandbox import diffs
from stackr.sandbox.gitrun import GitFailed, git
from stackr.sandbox.graph import Graph
from stackr.sandbox.model import ZERO_OID
from stackr.sandbox.objects import CommitInfo, Person, Reader, parse_commit, print_commit, write_object

HEADS = "refs/heads/"


@dataclass(frozen=True, slots=True)
class RefMove:
    """A ref that moved: full name, from, to; ZERO_OID stands for "was not there" and "is gone"."""

    name: str
    old: str
    new: str

    @property
    def branch(self) -> str | None:
        """The short name if it is a branch."""
        return self.name[len(HEADS) :] if self.name.startswith(HEADS) else None


class GitRepo:
    """A bare repository. All oids are full; all refs are full names."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._reader = Reader(directory)
        self._commits: dict[str, CommitInfo] = {}
        self.graph = Graph(self._parents)
        self.refs: dict[str, str] = {}
        self.reload()

    def run(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """Run git here; GitFailed if it fails."""
        return git(self.directory, *args, stdin=stdin, env=env)

    def reload(self) -> None:
        """Read all refs, and the whole graph of what they reach, in two processes."""
        lines = self.run("for-each-ref", "--format=%(objectname) %(refname)").decode().splitlines()
        self.refs = {name: oid for oid, _, name in (line.partition(" ") for line in lines)}
        for line in self.run("rev-list", "--parents", "--all").decode().splitlines():
            oid, *parents = line.split()
            self.graph.parents.setdefault(oid, tuple(parents))

    def branch(self, name: str) -> str | None:
        """The tip of a branch."""
        return self.refs.get(HEADS + name)

    # -- refs ------------------------------------------------------------------------------------------

    def update(self, moves: Iterable[RefMove]) -> None:
        """Move refs in one transaction, all or none; GitFailed when one is not where ``old`` says."""
        moves = [move for move in moves if move.old != move.new]
        if not moves:
            return
        lines = [
            f"delete {move.name}\0{move.old}\0"
            if move.new == ZERO_OID
            else f"update {move.name}\0{move.new}\0{move.old}\0"
            for move in moves
        ]
        self.run("update-ref", "--stdin", "-z", stdin="".join(lines).encode())
        for move in moves:
            self._remember(move)

    def set_pull_heads(self, moves: Iterable[RefMove]) -> None:
        """Move ``refs/pull/N/head``: files written aside and renamed, without a process.

        Nobody else can move these (pushes may not), so git's lock is not needed; a create or a push of twenty
        heads would otherwise wait for git.
        """
        for move in moves:
            path = self.directory / move.name
            path.parent.mkdir(parents=True, exist_ok=True)
            aside = path.with_suffix(".new")
            aside.write_text(f"{move.new}\n")
            aside.replace(path)
            self._remember(move)

    def sync(self, names: Iterable[str]) -> list[RefMove]:
        """Look where these refs are now, after somebody else (a push) may have moved them."""
        moves = []
        for name in names:
            move = RefMove(name, self.refs.get(name, ZERO_OID), self._on_disk(name) or ZERO_OID)
            if move.old != move.new:
                self._remember(move)
                moves.append(move)
        return moves

    def _remember(self, move: RefMove) -> None:
        if move.new == ZERO_OID:
            self.refs.pop(move.name, None)
        else:
            self.refs[move.name] = move.new

    def _on_disk(self, name: str) -> str | None:
        """Where a ref points, read as git does: loose file first, then packed-refs (gitrepository-layout(5))."""
        try:
            return (self.directory / name).read_text().strip()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            pass
        try:
            packed = (self.directory / "packed-refs").read_text()
        except FileNotFoundError:
            return None
        for line in packed.splitlines():
            if line.endswith(" " + name):
                return line.split(" ", 1)[0]
        return None

    # -- objects ---------------------------------------------------------------------------------------

    def object(self, expression: str) -> tuple[str, str, bytes] | None:
        """Oid, type and bytes of what a revision expression names (``main:README.md``)."""
        return self._reader.read(expression)

    def commit(self, oid: str) -> CommitInfo | None:
        """The commit with this full oid; None if there is no such commit."""
        if oid not in self._commits:
            found = self._reader.read(oid)
            if found is None or found[1] != "commit" or found[0] != oid:
                return None
            self._commits[oid] = parse_commit(oid, found[2])
        return self._commits[oid]

    def need(self, oid: str) -> CommitInfo:
        """The commit with this oid; KeyError without one."""
        found = self.commit(oid)
        if found is None:
            raise KeyError(oid)
        return found

    def resolve(self, expression: str) -> str | None:
        """The commit that a branch, tag, ref or (short) oid names."""
        for prefix in (HEADS, "refs/tags/", "", "refs/"):
            if prefix + expression in self.refs:
                expression = self.refs[prefix + expression]
                break
        found = self._reader.read(expression + "^{commit}")
        return found[0] if found else None

    def _parents(self, oid: str) -> tuple[str, ...]:
        return self.need(oid).parents

    def write_commit(self, tree: str, parents: tuple[str, ...], author: Person, committer: Person, message: str) -> str:
        """Write a commit object and return its oid."""
        return write_object(self.directory, "commit", print_commit(tree, parents, author, committer, message))

    def merge_tree(self, base: str, ours: str, theirs: str) -> str | None:
        """The tree of a three-way merge of commits; None on a conflict.

        ``merge-tree --merge-base`` needs git 2.40, so ``base`` becomes the parent of two throw-away commits.
        """
        trees = [self.need(oid).tree for oid in (base, ours, theirs)]
        if trees[0] == trees[1]:
            return trees[2]
        if trees[0] == trees[2] or trees[1] == trees[2]:
            return trees[1]
        nobody = Person("stackr sandbox", "sandbox@localhost")
        root = self.write_commit(trees[0], (), nobody, nobody, "base\n")
        sides = [self.write_commit(t, (root,), nobody, nobody, f"side {i}\n") for i, t in enumerate(trees[1:])]
        return self.true_merge(*sides)

    def true_merge(self, ours: str, theirs: str) -> str | None:
        """The tree that git's own merge of two commits gives; None for a conflict."""
        try:
            out = self.run("merge-tree", "--write-tree", "--no-messages", "--name-only", ours, theirs)
        except GitFailed as error:
            if error.code != 1:  # pragma: no cover - git itself would be broken
                raise
            return None
        return out.decode().split("\n", 1)[0]

    def diff(self, base: str, head: str) -> list[diffs.FileChange]:
        """What changed between two commits or trees, by path; renames detected."""
        return diffs.changed_files(self.directory, base, head)

    def changes_of(self, info: CommitInfo) -> list[diffs.FileChange]:
        """What a commit changes against its first parent."""
        return self.diff(info.parents[0] if info.parents else diffs.EMPTY_TREE, info.oid)

    @property
    def awake(self) -> bool:
        """Whether a process of it is running."""
        return self._reader.awake

    def close(self) -> None:
        """End the process; it starts again when something is asked."""
        self._reader.close()
