"""Reading commits, trees and files through the open ``git cat-file --batch``; nothing is written.

A commit that is not here is simply absent: in a partial clone git would go to the network for it, one request for each,
so there one ``git rev-list`` first says which are here. How commits hang together is read in ``history``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stackr.core.model import Commit
from stackr.errors import GitError, UsageError
from stackr.patterns import pattern
from stackr.repo import codec
from stackr.repo.gitpython import Objects
from stackr.repo.run import Runner

_FULL = pattern(r"[0-9a-f]{40}")


class Reader:
    """Objects of one repository. ``partial`` says that it is a partial clone (git-clone(1), ``--filter``)."""

    def __init__(self, objects: Objects, runner: Runner, *, partial: bool) -> None:
        self._objects = objects
        self._runner = runner
        self._partial = partial
        self._seen: dict[str, Commit] = {}

    def commits(self, oids: Iterable[str], *, known: bool = False) -> dict[str, Commit]:
        """Commits by id, in the order asked; what is absent, or no commit, is left out. Each is read only once.

        ``known``: git has just listed them, so they are here.
        """
        asked = [oid for oid in dict.fromkeys(oids) if _FULL.fullmatch(oid)]
        fresh = [oid for oid in asked if oid not in self._seen]
        for found in self._objects.read_many(fresh if known else self.present(fresh)):
            if found is not None and found[1] == "commit":
                self._seen[found[0]] = codec.parse(found[0], found[2])
        return {oid: self._seen[oid] for oid in asked if oid in self._seen}

    def forget(self) -> None:
        """Read every commit again when it is asked for: some are not here any more."""
        self._seen.clear()

    def commit(self, oid: str) -> Commit:
        """One commit that is known to be here; raises ``GitError`` when it is not."""
        found = self.commits([oid], known=True)
        if oid not in found:
            raise GitError(f'commit "{oid[:10]}" is missing', next_step="git fsck")
        return found[oid]

    def tree_of(self, oid: str) -> str:
        """The tree of such a commit."""
        return self.commit(oid).tree

    def present(self, oids: Sequence[str]) -> list[str]:
        """Those ids that may be read without going to the network."""
        if not self._partial or not oids:
            return list(oids)
        return present(self._runner, oids)

    def resolve(self, revision: str) -> str:
        """The commit that a revision names; raises ``UsageError`` if there is none or several."""
        here = not _FULL.fullmatch(revision) or self.present([revision])
        found = self._objects.read(f"{revision}^{{commit}}") if here and _is_one_line(revision) else None
        if found is None:
            raise UsageError(
                f'"{revision}" names no commit here', next_step="git log --oneline shows those of the stack"
            )
        return found[0]

    def head(self) -> str | None:
        """The commit HEAD is at, ``None`` before the first one."""
        found = self._objects.read("HEAD^{commit}")
        return None if found is None else found[0]

    def object(self, oid: str) -> tuple[str, bytes] | None:
        """Kind and bytes of an object, ``None`` if there is none; a partial clone fetches what it lacks."""
        found = self._objects.read(oid)
        return None if found is None else found[1:]

    def objects(self, oids: Sequence[str]) -> list[tuple[str, bytes] | None]:
        """As ``object``, for many at once, in their order."""
        return [None if found is None else found[1:] for found in self._objects.read_many(oids)]

    def file(self, commit: str, paths: Sequence[str]) -> bytes | None:
        """The bytes of the first path that is a file in the commit's tree, compared without case.

        A spelling that fits exactly wins; symbolic links and submodules are no files. In a partial clone git may fetch
        the file.
        """
        for path in paths:
            oid = self._find(f"{commit}^{{tree}}", path.encode().split(b"/"))
            if oid and (found := self._objects.read(oid)):
                return found[2]
        return None

    def _find(self, tree: str, parts: Sequence[bytes]) -> str | None:
        """The blob at a path below a tree, trying every spelling of each part."""
        found = self._objects.read(tree)
        if found is None or found[1] != "tree":
            return None
        name, rest = parts[0], parts[1:]
        fitting = [entry for entry in codec.parse_tree(found[2]) if entry.name.lower() == name.lower()]
        for entry in sorted(fitting, key=lambda entry: entry.name != name):
            if not rest and entry.is_file:
                return entry.oid
            if rest and entry.is_tree and (below := self._find(entry.oid, rest)):
                return below
        return None


def present(runner: Runner, oids: Sequence[str]) -> list[str]:
    """Those of the ids that are commits of this repository, asked without going to the network; one process.

    ``--missing`` is what keeps rev-list from fetching, in every git since 2.22; ``GIT_NO_LAZY_FETCH`` needs 2.44.
    """
    asked = "".join(f"{oid}\n" for oid in oids).encode()
    out = runner.git(
        "rev-list", "--no-walk=unsorted", "--ignore-missing", "--missing=allow-any", "--stdin", stdin=asked
    )
    here = set(out.decode("ascii").split())
    return [oid for oid in oids if oid in here]


def _is_one_line(revision: str) -> bool:
    return bool(revision) and not any(c in revision for c in "\n\r\0")
