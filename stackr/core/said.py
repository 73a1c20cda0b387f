"""What this clone last said of a change on GitHub, so that words of another clone are never taken back unseen.

docs/internals/protocol.md 3.2. The record is a ref to a local commit, ``refs/stackr/said/<id>``: its message has the
words. How they are merged with what stands on GitHub is in ``core.body``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from stackr.core.body import Merged, text_of_message
from stackr.core.model import Change, Commit, Stack
from stackr.core.ownership import SAID
from stackr.core.plan import RefMove


def words_of(commit: Commit) -> tuple[str, str]:
    """Title and text that a commit's message gives a pull request."""
    return commit.subject, text_of_message(commit.text)


def is_news(change: Change, merged: Merged, stack: Stack) -> bool:
    """Whether the record has to follow the commit: some words of it are new, and are on the page after ``merged``."""
    said = stack.said.get(change.id)
    if said is None:
        return True
    left = {*merged.kept, *merged.elsewhere}
    names = ("title", "description")
    return any(
        old != new and name not in left for name, old, new in zip(names, said, words_of(change.commit), strict=True)
    )


def records(stack: Stack, change_ids: Iterable[str], tips: Mapping[str, str]) -> Iterator[RefMove]:
    """The moves that record the words of these changes; ``tips`` is where their commits will be."""
    for change_id in change_ids:
        old = stack.own_refs.get(SAID + change_id)
        new = tips[stack.changes[stack.position(change_id)].commit.oid]
        if old != new:
            yield RefMove(SAID + change_id, old, new)
