"""The submitted versions of a change: what its head branch was, one after the other, and what each stood on.

Versions are the first-parent line of the head branch, numbered from 1. What a version stood on is in its history: the
branch below is the other parent of the commit that brought it in. Here: the line, the numbers and the candidates.
Comparing trees is the story of ``stackr.stories.comparing``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from stackr.core import identity
from stackr.core.model import Commit, Graph, ReviewVote
from stackr.errors import Refused, UsageError
from stackr.patterns import pattern
from stackr.records import dataclass

_RANGE = pattern(r"(?P<old>v?\d+)?(?P<dots>\.\.)?(?P<new>v?\d+)?")


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a change on GitHub. ``below`` is the commit that its own line says it stood on."""

    number: int
    commit: Commit
    below: str

    @property
    def name(self) -> str:
        """``v3``."""
        return f"v{self.number}"


@dataclass(frozen=True, slots=True)
class Span:
    """Two versions to compare; ``old`` of ``None`` is what ``new`` stands on, so all of the change is shown."""

    old: Version | None
    new: Version

    @property
    def name(self) -> str:
        """``v1..v3``; ``v0`` is what the change stands on."""
        return f"{self.old.name if self.old else 'v0'}..{self.new.name}"


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file: ``added`` and ``removed`` count lines (``None``: it is binary); ``old_path`` is set when it moved."""

    path: str
    status: str
    added: int | None
    removed: int | None
    old_path: str | None = None


def list_versions(change_id: str, head: str, below: str | None, commits: Mapping[str, Commit]) -> tuple[Version, ...]:
    """The versions of a change whose head branch is at ``head``, oldest first.

    ``commits`` holds what ``head`` and ``below`` (the tip of its base) reach and trunk does not. The oldest version is
    the first commit of the line that carries the id; where none does, the first that the base does not hold.
    """
    graph = Graph({oid: commit.parents for oid, commit in commits.items()})
    held = graph.ancestors(below) if below is not None else frozenset()
    line: list[Commit] = []
    oid = head
    while oid in commits and oid not in held:
        line.append(commits[oid])
        oid = commits[oid].parents[0] if commits[oid].parents else ""
    line.reverse()
    named = (at for at, commit in enumerate(line) if change_id and identity.change_id(commit.message) == change_id)
    return tuple(_numbered(line[next(named, 0) :]))


def _numbered(line: Sequence[Commit]) -> Iterator[Version]:
    below = ""
    for number, commit in enumerate(line, 1):
        if number == 1 or len(commit.parents) > 1:
            below = next(reversed(commit.parents), "")
        yield Version(number, commit, below)


def foundation(version: Version, below: str | None, graph: Graph) -> str | None:
    """The commit that a version stood on, by its own line, if trunk or the base (its tip: ``below``) still has it."""
    held = graph.ancestors(below) if below is not None else frozenset()
    return version.below if version.below in held or version.below in trunk_edges(version, graph) else None


def foundations(version: Version, below: str | None, graph: Graph, trunk: Sequence[str]) -> tuple[str, ...]:
    """The commits that a version may have stood on, the likeliest first, where its own line is not enough.

    The stack was reordered, or the change below has landed: which of them is meant shows in the trees, as what leaves
    the smallest difference. ``trunk`` holds the newest trunk commits that the version contains.
    """
    held = graph.ancestors(below) if below is not None else frozenset()
    shared = held & graph.ancestors(version.commit.oid)
    newest = max(shared & graph.parents.keys(), key=lambda oid: (len(graph.ancestors(oid)), oid), default=None)
    found = [version.below, *([newest] if newest is not None else []), *trunk]
    return tuple(dict.fromkeys(oid for oid in found if oid))


def trunk_edges(version: Version, graph: Graph) -> tuple[str, ...]:
    """The trunk commits at which the history of a version leaves trunk, in no order."""
    return tuple(sorted(graph.ancestors(version.commit.oid) - graph.parents.keys()))


def choose(versions: Sequence[Version], text: str | None) -> Span:
    """The two versions that ``FROM..TO`` names: ``v1..v3``, ``1..3``, ``v2..`` or ``v2`` (to the newest), ``..v3``.

    Without a text, the newest and the one before it. Raises ``UsageError`` for one that does not exist.
    """
    newest = versions[-1].number
    found = _RANGE.fullmatch(text or "..")
    if found is None:
        raise UsageError(
            f'"{text}" names no versions: it has the form FROM..TO, as in v1..v2',
            next_step="stackr diff CHANGE --versions lists them",
        )
    new = _number(found["new"], newest)
    old = _number(found["old"], new - 1)
    for number in (old, new):
        if number > newest or (number == 0 and number == new):
            raise UsageError(
                f"there is no version v{number}: the change has v1 to v{newest}",
                next_step="stackr diff CHANGE --versions lists them; v0 is what the change stands on",
            )
    return Span(versions[old - 1] if old else None, versions[new - 1])


def _number(text: str | None, default: int) -> int:
    return default if text is None else int(text.lstrip("v"))


def since_review(
    versions: Sequence[Version], reviews: Sequence[ReviewVote], author: str, login: str | None, graph: Graph
) -> tuple[Span, ReviewVote]:
    """From the version that the last review of ``login`` (``None``: of anybody but the author) was given on.

    ``reviews`` are oldest first. A commit that is in the branch, but no version, counts as the first that contains it.
    """
    mine = [review for review in reviews if _is_wanted(review, author, login)]
    if not mine:
        who = f'"{login}" has not' if login else "nobody has"
        raise Refused(f"{who} reviewed it yet", next_step="stackr diff CHANGE v0.. shows all of the change")
    last = mine[-1]
    old = next((version for version in versions if graph.contains(version.commit.oid, last.commit)), None)
    if old is None or last.commit not in graph.parents:
        raise Refused(
            f"what {last.login} reviewed ({last.commit[:7] or 'it is gone'}) is not on the branch any more: it was "
            "force-pushed since",
            next_step="stackr diff CHANGE v0.. shows all of the change",
        )
    return Span(old, versions[-1]), last


def _is_wanted(review: ReviewVote, author: str, login: str | None) -> bool:
    """The author's own answers in threads are reviews to GitHub."""
    who = review.login.lower()
    return who != author.lower() if login is None else who == login.lower().removeprefix("@")
