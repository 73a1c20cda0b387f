"""What execute and observe need from the outside, as Protocols; the rooms that implement them do not know each other.

``Repo`` is implemented by ``stackr.repo``, ``Forge`` by ``stackr.github``, ``Ui`` by ``stackr.ui``. The data that cross
these borders are defined here and in ``stackr.core.model``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from stackr.core.model import Commit, Head, NewCommit, PullRequest
from stackr.core.native import NativeStack
from stackr.core.plan import RefMove
from stackr.core.replaying import MergedTree, Pick, Replayed
from stackr.core.rules import LandingFacts, Method
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class LocalState:
    """What one look at the repository tells, without the network.

    ``refs`` maps full ref names to object ids: local branches, everything under ``refs/stackr/``, and the
    remote-tracking branches of the chosen remote. ``busy`` names an unfinished operation (``rebase``, ``merge``,
    ``cherry-pick``, ``revert``, ``bisect``, ``am``) or is ``""``. ``other_worktrees`` maps branches checked out in
    another worktree to its path. ``left`` is the branch that a detached HEAD was last in the middle of, and the commits
    at which that held.
    """

    head: Head | None
    refs: Mapping[str, str]
    remote_head: str | None = None
    busy: str = ""
    other_worktrees: Mapping[str, str] = field(default_factory=dict)
    left: tuple[str, tuple[str, ...]] = ("", ())


@dataclass(frozen=True, slots=True)
class RefUpdate:
    """One ref of a push: full remote ref name, object id to put there (``None``: delete), lease (``None``: absent)."""

    ref: str
    new: str | None
    expected: str | None


class Repo(Protocol):
    """The git layer. Every method starts at most one git process, whatever the number of objects."""

    def local_state(self, remote: str) -> LocalState:
        """HEAD, branches, our own refs and the tracking refs of ``remote``."""
        ...

    def resolve(self, revision: str) -> str:
        """The commit id of a revision; raises ``UsageError`` when there is none."""
        ...

    def list_commits(self, tips: Sequence[str], exclude: Sequence[str]) -> tuple[Commit, ...]:
        """Commits reachable from ``tips`` and not from ``exclude``, parents before children."""
        ...

    def read_commits(self, oids: Iterable[str]) -> dict[str, Commit]:
        """Commit objects by id; an id that is not here is left out, and nothing is fetched for it."""
        ...

    def read_graph(self, tips: Sequence[str], exclude: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Parents by commit id for ``tips`` without what ``exclude`` reaches (tips that are not here are ignored)."""
        ...

    def list_equivalent(self, head: str, trunk: str) -> frozenset[str]:
        """Commits of ``trunk..head`` whose patch stands on trunk too, as ``git rebase`` finds them."""
        ...

    def list_touching(self, paths: Sequence[str], tip: str, exclude: str) -> tuple[Commit, ...]:
        """Commits of ``exclude..tip`` that touch one of ``paths``, newest first."""
        ...

    def replay(self, picks: Sequence[Pick], onto: str) -> Replayed:
        """Apply commits to another parent in memory; no ref, file or index is touched."""
        ...

    def merge_trees(self, base: str, ours: str, theirs: str) -> MergedTree:
        """The change between two trees applied to a third, written when it applies."""
        ...

    def try_merges(self, merges: Sequence[tuple[str, str, str]]) -> tuple[MergedTree, ...]:
        """The outcome of independent merges of (base, ours, theirs), ids of trees; nothing is written."""
        ...

    def diff_size(self, old: str, new: str) -> int:
        """How many lines, and files, two trees differ by."""
        ...

    def list_independent(self, oids: Sequence[str]) -> tuple[str, ...]:
        """Those commits that no other one of them contains."""
        ...

    def interrupt(self) -> None:
        """Stop every git process still running, those of other threads included."""
        ...

    def read_file(self, commit: str, paths: Sequence[str]) -> bytes | None:
        """The first of ``paths`` (compared without case) that is a file in the tree of ``commit``."""
        ...

    def write_commits(self, commits: Sequence[NewCommit]) -> dict[str, str]:
        """Write commits whose parents are object ids or earlier labels; returns object ids by label."""
        ...

    def move_refs(
        self,
        moves: Sequence[RefMove],
        reason: str,
        files: tuple[str, str] | None = None,
        index: tuple[str, str] | None = None,
    ) -> None:
        """Move refs in one transaction with a reflog message; raises ``Refused`` if one is not at its old value.

        The ref name ``HEAD`` moves a detached HEAD, onto a branch too. With ``files`` (old commit, new commit) index
        and work tree are switched: only what differs is written, and what the user changed is kept, or nothing at all
        moves. With ``index`` (old tree, new tree) only the index follows.
        """
        ...

    def set_config(self, key: str, value: str) -> None:
        """Set a value in the clone's own git configuration."""
        ...

    def fetch(self, remote: str, refspecs: Sequence[str]) -> None:
        """One ``git fetch``; raises ``GitHubError``, ``ConfigError`` or ``GitError``."""
        ...

    def push(self, remote: str, updates: Sequence[RefUpdate]) -> None:
        """One ``git push --atomic`` with an explicit lease per ref.

        Raises ``LeaseLost`` (a ``Refused``) when a ref was not where expected, ``GitError`` when a hook or rule
        declined, ``ConfigError`` without access, ``GitHubError`` when the network failed (the push may have happened).
        """
        ...


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What to read from GitHub in one go: pull requests by head branch, branch tips, pull requests by number.

    ``trunk`` is a short branch name or ``None`` for the repository's default branch. ``details`` adds reviews and
    mergeability, ``checks`` the rollups (asked apart: fine-grained tokens cannot read them), ``targeting`` the open
    pull requests whose base is one of ``heads``. ``landing`` adds the rules of trunk, how each pull request stands
    with them, and the open issues with the label ``sev_label``, in the same request.
    """

    heads: tuple[str, ...] = ()
    trunk: str | None = None
    numbers: tuple[int, ...] = ()
    details: bool = False
    checks: bool = False
    targeting: bool = False
    landing: bool = False
    sev_label: str = ""


@dataclass(frozen=True, slots=True)
class ForgeFacts:
    """What GitHub says. ``pulls`` maps each asked head branch to its pull requests, newest first.

    ``branches`` maps each asked head branch to its tip (``None``: no such branch). ``targeting`` holds, if asked for,
    the open pull requests, anybody's, that have one of the asked head branches as their base. ``trunk_oid`` is
    ``None`` when the trunk does not exist.
    """

    repository_id: str
    default_branch: str
    can_push: bool
    trunk: str
    trunk_oid: str | None
    branches: Mapping[str, str | None] = field(default_factory=dict)
    pulls: Mapping[str, tuple[PullRequest, ...]] = field(default_factory=dict)
    by_number: Mapping[int, PullRequest] = field(default_factory=dict)
    targeting: tuple[PullRequest, ...] = ()
    warnings: tuple[str, ...] = ()
    landing: LandingFacts | None = None


@dataclass(frozen=True, slots=True)
class OwnPulls:
    """All open pull requests of one person for a repository with the default branch ``trunk``, in no order."""

    trunk: str
    pulls: tuple[PullRequest, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewPull:
    """One pull request to create; ``head`` and ``base`` are short branch names of this repository."""

    head: str
    base: str
    title: str
    body: str
    draft: bool = False


@dataclass(frozen=True, slots=True)
class PullText:
    """Title and description of a pull request as they stand on GitHub now."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Created:
    """The outcome of ``create_pulls``: pull requests by head branch, and the texts all of them had right afterwards."""

    pulls: Mapping[str, PullRequest]
    texts: Mapping[int, PullText] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Merge:
    """One pull request to merge, as a planner wants it: by ``method``, if its head is still ``head``.

    ``title`` and ``message`` are those of the commit; GitHub takes them for squash, merge and auto-merge. ``how`` says
    how squash, rebase or merge is to be done later by auto-merge.
    """

    number: int
    node_id: str
    head: str
    method: Method
    title: str = ""
    message: str = ""
    how: Method = Method.SQUASH


@dataclass(frozen=True, slots=True)
class PullEdit:
    """Changes to one pull request; only what is set is sent (a native stack refuses even an unchanged base)."""

    number: int
    node_id: str
    title: str | None = None
    body: str | None = None
    base: str | None = None
    draft: bool | None = None
    reopen: bool = False
    close: bool = False
    reviewers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


class Forge(Protocol):
    """GitHub. Requests do not grow with the stack beyond what docs/internals/protocol.md states."""

    def viewer(self) -> str:
        """The login of the token's owner; one request."""
        ...

    def read(self, request: ReadRequest) -> ForgeFacts:
        """All facts in one request (two, side by side, with ``checks``)."""
        ...

    def read_stacks(self, numbers: Sequence[int]) -> tuple[NativeStack, ...] | None:
        """GitHub's own stacks that these pull requests are in; requests side by side. ``None``: not enabled."""
        ...

    def link_stack(self, numbers: Sequence[int], onto: int | None = None) -> bool:
        """Register pull requests, bottom first, as a stack, or on top of one; ``False`` where that is not enabled."""
        ...

    def dissolve_stack(self, number: int) -> tuple[int, ...]:
        """Take everything out of a stack that is not merged; the numbers that GitHub keeps in it all the same."""
        ...

    def list_open_pulls(self) -> tuple[PullRequest, ...]:
        """The newest hundred open pull requests, anybody's; those from forks left out; one request."""
        ...

    def create_pulls(self, repository_id: str, pulls: Sequence[NewPull], reread: Sequence[int] = ()) -> Created:
        """Create in order, bottom first, several a request; what was lost is looked up before it is repeated.

        The last answer also carries the present title and description of every pull request created here and of
        those in ``reread``. Raises ``GitHubError`` naming what was created and what was not,
        and for programs in ``details``: ``created``, a list of ``head_ref`` and ``number``.
        """
        ...

    def read_texts(self, numbers: Sequence[int]) -> dict[int, PullText]:
        """Title and description by number; one request."""
        ...

    def update_pulls(self, edits: Sequence[PullEdit]) -> None:
        """Apply edits, ten and more a request, several requests at once; ``GitHubError`` for the first that failed."""
        ...

    def merge_pull(self, merge: Merge) -> str | None:
        """Merge now (squash, rebase, merge), or ask GitHub to (queue, auto, native); one request unless it is polled.

        Returns the commit that trunk got, ``None`` when GitHub will merge later. A lost answer is looked up before it
        is repeated. Raises ``Refused`` when the head has moved, or with GitHub's words when a rule stands in the way.
        """
        ...

    def add_comment(self, number: int, text: str) -> None:
        """One comment on a pull request, unless our newest ones there say just that already."""
        ...

    def delete_refs(self, repository_id: str, refs: Sequence[tuple[str, str]]) -> None:
        """Delete (full ref name, expected commit) pairs in one request, all or none; ``LeaseLost`` if one moved."""
        ...


class Ui(Protocol):
    """Talk on stderr."""

    def note(self, text: str) -> None:
        """One sentence for the user."""
        ...

    def warn(self, text: str) -> None:
        """One sentence the user should not overlook."""
        ...

    def step(self, text: str) -> None:
        """What is happening now, on a terminal only."""
        ...

    def wait(self, seconds: float, reason: str) -> None:
        """Wait with a visible, interruptible countdown."""
        ...


Sleep = Callable[[float, str], None]
