"""The story of ``stackr diff``: which versions a change had, and what one did to another.

An older version is carried over to what the newer one stands on, in memory, so that what is left is the author's own
work. Which versions there are is decided in ``stackr.core.versions``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stackr.core import body, versions
from stackr.core.model import ReviewVote
from stackr.core.sought import Sought
from stackr.core.versions import FileDiff, Span, Version
from stackr.errors import Refused
from stackr.observe.footing import read_footing
from stackr.observe.one import Seen, observe_one
from stackr.records import dataclass
from stackr.ui import output
from stackr.ui import versions as view

if TYPE_CHECKING:
    from stackr.app import App
    from stackr.repo.diffs import TreePair


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: ``review`` is a login, ``""`` for anybody's, ``None`` when no review is meant."""

    span: str | None = None
    review: str | None = None
    stat: bool = False
    listed: bool = False
    as_json: bool = False


def run(app: App, sought: Sought, question: Question) -> None:
    """Show what is asked of one change."""
    app.ui.step("reading the change")
    seen = observe_one(app.repo, app.forge, app.remote, sought)
    found = _versions(seen)
    if question.listed:
        view.listing(app.ui, seen.pull, found, as_json=question.as_json)
        return
    span, review = _span(app, seen, found, question)
    with app.repo.rehearsal():
        _compare(app, seen, span, review, question)


def _versions(seen: Seen) -> tuple[Version, ...]:
    block = body.parse(seen.pull.body).block
    change = block.id if block else ""
    found = versions.list_versions(change, seen.pull.head_oid, seen.below, seen.commits)
    if not found:
        raise Refused(
            f"the branch of #{seen.pull.number} has no commit of its own",
            next_step="there is nothing to compare: its base contains all of it",
        )
    return found


def _span(app: App, seen: Seen, found: Sequence[Version], question: Question) -> tuple[Span, ReviewVote | None]:
    if question.review is None:
        return versions.choose(found, question.span), None
    reviews = app.forge.read_reviews(seen.pull.number)
    return versions.since_review(found, reviews, seen.pull.author, question.review or None, seen.graph)


def _compare(app: App, seen: Seen, span: Span, review: ReviewVote | None, question: Question) -> None:
    new = _pair(app, seen, span.new)
    old = _pair(app, seen, span.old) if span.old else (new[0], new[0])
    carried = app.repo.merge_trees(old[0], new[0], old[1])
    if not question.as_json:
        view.heading(app.ui, seen.pull, span, review)
    if question.as_json:
        files = app.repo.diff_files(carried.tree, new[1]) if carried.tree else _own_files(app, old, new)
        view.document(app.ui, seen.pull, span, files, carried.paths)
    elif carried.tree is not None:
        _show(app, carried.tree, new[1], stat=question.stat)
    else:
        view.tell_conflict(app.ui, span, carried.paths)
        _show_patches(app, old, new, seen.pull.title)


def _own_files(app: App, old: TreePair, new: TreePair) -> tuple[FileDiff, ...]:
    """What differs in the files that either version touches, where the older cannot be carried over."""
    touched = {each.path for pair in (old, new) for each in app.repo.diff_files(*pair)}
    return tuple(each for each in app.repo.diff_files(old[1], new[1]) if each.path in touched)


def _show(app: App, old: str, new: str, *, stat: bool) -> None:
    if old == new:
        app.ui.note("nothing differs, but for what came from below or from trunk")
        return
    terminal = output.is_terminal(app.ui.out)
    output.erase_progress()
    app.ui.raw(app.repo.show_diff(old, new, stat=stat, color=app.ui.color_out, terminal=terminal))


def _show_patches(app: App, old: TreePair, new: TreePair, title: str) -> None:
    terminal = output.is_terminal(app.ui.out)
    output.erase_progress()
    app.ui.raw(app.repo.show_range_diff(old, new, title, color=app.ui.color_out, terminal=terminal))


def _pair(app: App, seen: Seen, version: Version) -> TreePair:
    """The trees before and after a version's own change."""
    before = read_footing(app.repo, version, seen.below, seen.graph)
    if before is None:
        raise Refused(
            f"what {version.name} of #{seen.pull.number} stands on is not in this clone",
            next_step="git fetch --unshallow brings the whole history",
        )
    return before.tree, version.commit.tree
