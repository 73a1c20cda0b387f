"""What this clone said last of a change: when the record follows the commit, and what the user is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core import body
from stackr.core.body import Merged
from stackr.core.model import Stack
from stackr.core.ownership import SAID
from stackr.core.plan import MoveRefs, RefMove, UpdatePull
from stackr.core.said import is_news, words_of
from tests.support.builders import cid, commit, live, pull, stack, submitted

A = cid("A")
LAST = ("old title", "old text")


def test_the_words_of_a_commit_are_its_title_and_its_text_without_the_id() -> None:
    assert words_of(commit("a1", "t1", f"Add A\n\nWhy.\n\nChange-Id: {A}\n")) == ("Add A", "Why.")


@pytest.mark.parametrize(
    ("message", "merged", "news"),
    [
        ("old title\n\nold text\n", Merged("old title", None), False),
        ("new title\n\nold text\n", Merged("new title", None), True),
        ("new title\n\nold text\n", Merged(None, None, kept=("title",)), False),
        ("new title\n\nnew text\n", Merged(None, None, elsewhere=("title",)), True),
        ("new title\n\nnew text\n", Merged(None, None, ("title",), ("description",)), False),
    ],
    ids=["the same", "sent", "kept", "one of two sent", "both kept"],
)
def test_the_record_follows_words_that_are_on_the_page(message: str, merged: Merged, news: bool) -> None:
    change = live("a1", "t1", commit=commit("a1", "t1", message))
    assert is_news(change, merged, stack(change, said={A: LAST})) is news
    assert is_news(change, merged, stack(change, said={}))


def behind(**more: object) -> Stack:
    """A stack whose one page another clone has given better words; the commit has the old ones."""
    page = pull("A", title="Better A", body=body.new_body(body.Description(A, "Better A", ""), {}))
    return stack(live("a1", "t1", pull=page), said={A: ("Add A", "")}, **more)


def test_a_submit_leaves_the_newer_words_of_another_clone_and_says_so() -> None:
    plan = submitted(behind())
    assert plan.is_empty
    assert plan.notes == (
        "the title of #10 was changed from another clone and is kept; "
        "stackr submit --update-fields replaces it with the commit message",
    )
    (update,) = submitted(behind(), update_fields=True).actions
    assert isinstance(update, UpdatePull)
    assert update.description is not None and update.description.title == "Add A"


def test_a_clone_without_a_record_keeps_what_is_on_github_and_begins_one() -> None:
    found = behind()
    bare = replace(found, said={}, own_refs={ref: oid for ref, oid in found.own_refs.items() if ref != SAID + A})
    assert submitted(bare).actions == (MoveRefs((RefMove(SAID + A, None, "a1"),), "submit: said"),)
