"""The nouns of stackr as frozen values: commits, pull requests, changes, stacks and the commit graph.

Nothing here reads or decides; ``observe`` fills these in and the planners in this package read them.
The words are those of docs/glossary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from functools import lru_cache

from stackr.core.forks import Fork
from stackr.core.native import NativeStack
from stackr.patterns import pattern
from stackr.records import dataclass

ZERO_OID = "0" * 40

_BLANK_LINE = pattern(r"\n[^\S\n]*\n")
_ID_LINE = pattern(r"^Change-Id: I[0-9a-f]{40}\s*$")


class PullState(str, Enum):
    """The state of a pull request, as GitHub has it."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


class Review(str, Enum):
    """What the latest reviews of the present head say, with the rules of the base branch."""

    APPROVED = "approved"
    CHANGES_REQUESTED = "changes-requested"
    REQUIRED = "required"
    NONE = "none"


class Checks(str, Enum):
    """The rollup of statuses and check runs of the head commit."""

    PASSING = "passing"
    FAILING = "failing"
    PENDING = "pending"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """How many statuses and check runs the head commit has, by outcome; skipped and neutral ones count as passing."""

    passing: int = 0
    failing: int = 0
    pending: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.passing + self.failing + self.pending


class Mergeable(str, Enum):
    """GitHub computes this in the background, so ``UNKNOWN`` is a normal answer."""

    YES = "yes"
    CONFLICTING = "conflicting"
    UNKNOWN = "unknown"


class Style(str, Enum):
    """How a changed change reaches its head branch: a commit on top, or the local commit itself, leased."""

    APPEND = "append"
    REWRITE = "rewrite"


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit object, bytes as git stores them.

    ``author`` and ``committer`` are the raw header values (``b"Name <mail> 1700000000 +0100"``); ``message`` is
    everything after the blank line; ``encoding`` is the value of the encoding header (``""`` when absent, which
    git reads as UTF-8); ``extra`` holds the other headers in order (``mergetag``, ``HG:...``, never ``gpgsig``).
    """

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: bytes
    committer: bytes
    message: bytes
    encoding: str = ""
    extra: tuple[tuple[bytes, bytes], ...] = ()
    signed: bool = False

    @property
    def text(self) -> str:
        """The message for people: undecodable bytes become U+FFFD, line ends become ``\\n``."""
        return decode(self.message, self.encoding).replace("\r\n", "\n")

    @property
    def subject(self) -> str:
        """The first paragraph on one line, as ``git log --format=%s`` has it, but never with a Change-Id in it."""
        return _subject(self.text)

    @property
    def author_name(self) -> str:
        """The author's name, empty if the header has none."""
        return decode(self.author.split(b"<", 1)[0].strip(), self.encoding)


@lru_cache(maxsize=1024)  # a view asks for each title several times
def _subject(text: str) -> str:
    lines = [line.strip() for line in split_message(text)[0].split("\n")]
    return " ".join(line for line in lines if line and not _ID_LINE.match(line))


def decode(raw: bytes, encoding: str) -> str:
    """Text of ``raw`` for people; an unknown encoding is read as UTF-8, undecodable bytes become U+FFFD."""
    try:
        return raw.decode(encoding or "utf-8", errors="replace")
    except LookupError:
        return raw.decode("utf-8", errors="replace")


def split_message(text: str) -> tuple[str, str]:
    """A message as (first paragraph, the rest); a line of blanks ends a paragraph, as it does for git."""
    first, *rest = _BLANK_LINE.split(text.strip(), maxsplit=1)
    return first, rest[0] if rest else ""


@dataclass(frozen=True, slots=True)
class NewCommit:
    """A commit that does not exist yet.

    ``label`` names it within one plan (it starts with ``:``); ``parents`` are object ids or labels of commits that
    stand earlier in the plan. ``author`` or ``committer`` of ``None`` means the person who runs stackr, now; ``sign``
    is false for what is not that person's to sign.
    """

    label: str
    tree: str
    parents: tuple[str, ...]
    message: bytes
    author: bytes | None = None
    committer: bytes | None = None
    encoding: str = ""
    extra: tuple[tuple[bytes, bytes], ...] = ()
    sign: bool = True


@dataclass(frozen=True, slots=True)
class ReviewVote:
    """One person's latest opinion and the commit it was given on."""

    login: str
    state: str
    commit: str


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as GitHub describes it at one moment; ``cross_repository``: its head is in a fork."""

    number: int
    node_id: str
    url: str
    state: PullState
    draft: bool
    head_ref: str
    head_oid: str
    base_ref: str
    title: str
    body: str
    author: str = ""
    merge_commit: str | None = None
    cross_repository: bool = False
    review: Review = Review.NONE
    votes: tuple[ReviewVote, ...] = ()
    checks: Checks = Checks.NONE
    mergeable: Mergeable = Mergeable.UNKNOWN
    counts: CheckCounts = CheckCounts()


@dataclass(frozen=True, slots=True)
class Change:
    """One commit of the stack together with its pull request, its head branch and what this clone knows of it.

    ``id`` is ``""`` only before ids are assigned. ``commit`` has the local state; ``remote_head`` is the head
    branch's tip on GitHub (``None``: no such branch); ``accepted`` and ``pushing`` are the refs
    ``refs/stackr/heads/<id>`` and ``refs/stackr/pushing/<id>`` of docs/internals/protocol.md 2.7.
    """

    id: str
    commit: Commit
    head_ref: str
    remote_head: str | None = None
    accepted: str | None = None
    pushing: str | None = None
    pull: PullRequest | None = None

    @property
    def title(self) -> str:
        """The subject line of the local commit; something to call it by where there is none."""
        return self.commit.subject or "(no message)"


@dataclass(frozen=True, slots=True)
class Trunk:
    """The remote branch the stack will land on, and its tip as last known."""

    name: str
    oid: str


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD is: ``branch`` is a full ref name, or ``None`` when detached.

    ``top`` is the branch at the top of the stack that a detached HEAD is in the middle of, if it is in one.
    """

    branch: str | None
    oid: str
    top: str | None = None

    @property
    def branch_name(self) -> str | None:
        """The short name of the branch."""
        return _short(self.branch)

    @property
    def stack_branch_name(self) -> str | None:
        """The short name of the branch whose stack this is, HEAD being on it or below."""
        return _short(self.branch or self.top)


def _short(branch: str | None) -> str | None:
    return branch.removeprefix("refs/heads/") if branch else None


@dataclass(frozen=True, slots=True)
class Orphan:
    """A pull request that was in this stack and is no longer; never closed unless asked."""

    pull: PullRequest
    id: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """A merged pull request whose change is not in the stack any more, and what is left of it.

    ``remote_head`` is the tip of its head branch (``None``: deleted).
    """

    id: str
    head_ref: str
    remote_head: str | None
    pull: PullRequest


@dataclass(frozen=True)
class Graph:
    """Commit id to parent ids, for as much of the history as a decision needs.

    Commits that are not a key are the edge of what was read: they are contained in their children and in
    themselves, and nothing below them is known.
    """

    parents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    _memo: dict[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)

    def ancestors(self, oid: str) -> frozenset[str]:
        """Every known ancestor of ``oid``, itself included."""
        if oid in self._memo:
            return self._memo[oid]
        seen: set[str] = set()
        todo = [oid]
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            if current in self._memo:
                seen |= self._memo[current]
                continue
            seen.add(current)
            todo.extend(self.parents.get(current, ()))
        self._memo[oid] = frozenset(seen)
        return self._memo[oid]

    def contains(self, descendant: str, ancestor: str) -> bool:
        """Whether ``ancestor`` is reachable from ``descendant`` (a commit contains itself)."""
        return ancestor in self.ancestors(descendant)

    def with_commits(self, more: Mapping[str, tuple[str, ...]]) -> Graph:
        """The graph with planned commits added, by label."""
        return Graph({**self.parents, **more})


@dataclass(frozen=True)
class Stack:
    """All facts a planner needs, bottom change first.

    ``trees`` maps remote heads to their trees where known. ``orphans`` are open pull requests that left the stack,
    ``relatives`` open ones that grew out of it and are no part of it: another local branch's, a colleague's, that of a
    change dropped on another machine.
    ``landed_numbers`` are pull requests that the list on GitHub marks as landed, lowest first. ``foreign`` holds,
    by change id, the commits others pushed to a head branch, oldest first. ``local_branches`` maps full ref names
    of local branches to commits. ``newer_trunk`` names, by change id, a trunk commit that the change's remote head
    contains and the local stack does not: its pull request would show that commit's work backwards. ``own_refs`` is
    everything under ``refs/stackr/``; ``kept_branches`` are checked out in another worktree. ``native`` holds GitHub's
    own stacks that pull requests of this one are in (``None``: off, or not enabled there). ``said`` holds, by change
    id, title and text as this clone last said them on GitHub, where it knows (``core.said``). Only a sync asks for the
    rest: ``landed`` maps change ids to the trunk commit that has the same id, ``equivalent`` holds local commits whose
    patch is on trunk, ``arrived`` commits of the stack that trunk contains as they are, ``finished`` merged pull
    requests that left the stack earlier; ``landed_below`` holds ids of changes whose merge lies below the stack.
    ``fork`` is where the head branches are, if not in the repository of ``remote`` itself.
    """

    trunk: Trunk
    head: Head
    changes: tuple[Change, ...]
    orphans: tuple[Orphan, ...] = ()
    relatives: tuple[PullRequest, ...] = ()
    graph: Graph = field(default_factory=Graph)
    trees: Mapping[str, str] = field(default_factory=dict)
    foreign: Mapping[str, tuple[Commit, ...]] = field(default_factory=dict)
    local_branches: Mapping[str, str] = field(default_factory=dict)
    landed_numbers: tuple[int, ...] = ()
    newer_trunk: Mapping[str, str] = field(default_factory=dict)
    own_refs: Mapping[str, str] = field(default_factory=dict)
    kept_branches: frozenset[str] = frozenset()
    landed: Mapping[str, str] = field(default_factory=dict)
    equivalent: frozenset[str] = frozenset()
    arrived: tuple[Commit, ...] = ()
    finished: tuple[Finished, ...] = ()
    landed_below: frozenset[str] = frozenset()
    native: tuple[NativeStack, ...] | None = None
    said: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    remote: str = "origin"
    repository_id: str = ""
    fork: Fork | None = None

    @property
    def head_remote(self) -> str:
        """The remote that the head branches are pushed to."""
        return self.fork.remote if self.fork else self.remote

    def position(self, change_id: str) -> int:
        """The index of a change, 0 at the bottom; raises ``StopIteration`` when it is not in the stack."""
        return next(i for i, change in enumerate(self.changes) if change.id == change_id)
