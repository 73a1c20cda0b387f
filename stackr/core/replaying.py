"""What a restack is asked for and what came of it, as data; the work is done behind ``stackr.core.ports.Repo.replay``.

A pick is one commit's change, applied to whatever stands below it: docs/internals/protocol.md 6.3 and 6.5.
"""

from __future__ import annotations

from stackr.core.model import Commit
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Pick:
    """Apply the change from ``base_tree`` to ``theirs_tree`` and make a commit of the outcome.

    ``label`` names the commit within one replay. The other fields are those of ``NewCommit``: ``committer`` of
    ``None`` is the person who runs stackr, now. ``source`` is the commit that is copied, if there is one: should the
    copy be the same commit but for its committer, on the same parent, the source itself is the outcome.
    """

    label: str
    base_tree: str
    theirs_tree: str
    message: bytes
    author: bytes | None = None
    committer: bytes | None = None
    encoding: str = ""
    extra: tuple[tuple[bytes, bytes], ...] = ()
    source: Commit | None = None

    @classmethod
    def of(cls, commit: Commit, base_tree: str, label: str = "") -> Pick:
        """The pick that carries ``commit`` over as it is; ``base_tree`` is the tree of its parent."""
        return cls(
            label=label or commit.oid,
            base_tree=base_tree,
            theirs_tree=commit.tree,
            message=commit.message,
            author=commit.author,
            encoding=commit.encoding,
            extra=commit.extra,
            source=commit,
        )


@dataclass(frozen=True, slots=True)
class Picked:
    """The outcome of one pick. ``became_empty``: all of its change is there already, so ``oid`` is the commit below."""

    label: str
    oid: str
    tree: str
    became_empty: bool = False


@dataclass(frozen=True, slots=True)
class ReplayConflict:
    """The pick that does not apply, and the files in which it does not, sorted by name."""

    label: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """The outcome of a replay: every pick in order; or a conflict, and then no pick, and nothing was written."""

    picks: tuple[Picked, ...] = ()
    conflict: ReplayConflict | None = None

    @property
    def oids(self) -> dict[str, str]:
        """Commit ids by label; a pick that became empty has that of the commit below."""
        return {picked.label: picked.oid for picked in self.picks}


@dataclass(frozen=True, slots=True)
class MergedTree:
    """A tree, or the files in which two changes conflict (sorted by name) and no tree."""

    tree: str | None
    paths: tuple[str, ...] = ()
