"""What went wrong for users of other tools (design: scenarios 10, 11 and 13): titles, descriptions, drafts."""

from __future__ import annotations

import re

import pytest

from tests.support.laws import check_laws
from tests.support.world import World


def text_of(world: World, number: int) -> str:
    """The description without the stack block."""
    body = (world.pull(number).body or "").replace("\r\n", "\n")
    return re.sub(r"<!-- stackr:begin.*?stackr:end -->", "", body, flags=re.DOTALL).strip()


def test_a_description_edited_on_github_is_kept_and_said_so(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.reword("B", "B\n\nfrom the commit")
    clone.stackr("submit")
    world.edit(2, body=(world.pull(2).body or "").replace("from the commit", "from a person"), title="B, they say")
    clone.reword("B", "B\n\nanother from the commit")
    told = clone.stackr("submit")
    assert [line for line in told.out.splitlines() if line.startswith("note: ")] == [
        f"note: the {field} of #2 was edited on GitHub and is kept; "
        "stackr submit --update-fields replaces it with the commit message"
        for field in ("title", "description")
    ]
    assert (world.pull(2).title, text_of(world, 2)) == ("B, they say", "from a person")
    clone.stackr("submit", "--update-fields")
    assert (world.pull(2).title, text_of(world, 2)) == ("B", "another from the commit")
    check_laws(world, clone)


def test_the_words_of_one_clone_are_not_taken_back_by_another_that_has_the_old_ones(world: World) -> None:
    first = world.stacked("A", "B")
    second, plain = world.clone(), world.clone()
    second.stackr("checkout", "2")
    plain.git("checkout", "-q", "-b", "feature", f"origin/{first.head_ref('B')}")
    first.reword("B", "Better B\n\nWhy.")
    first.stackr("submit")
    kept = [
        f"note: the {field} of #2 was changed from another clone and is kept; "
        "stackr submit --update-fields replaces it with the commit message"
        for field in ("title", "description")
    ]
    for clone in (second, plain):
        clone.amend("B")
        told = clone.stackr("submit")
        assert [line for line in told.out.splitlines() if line.startswith("note: ")] == kept
        assert (world.pull(2).title, text_of(world, 2)) == ("Better B", "Why.")
    assert [line for line in second.stackr("status").out.splitlines() if line.startswith("note: ")] == kept
    # What both have changed is kept as well, until somebody says which is right; then that clone goes on.
    second.reword("B", "Other B")
    assert kept[0] in second.stackr("submit").out.splitlines()
    second.stackr("submit", "--update-fields")
    second.reword("Other B", "Another B")
    second.stackr("submit")
    assert (world.pull(2).title, text_of(world, 2)) == ("Another B", "")
    check_laws(world, second)


def test_a_description_edited_during_the_submit_is_kept_and_said_so(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.change("C")
    edited = "An edit made meanwhile.\n\n" + (world.pull(1).body or "")
    world.server.on(1, "push", lambda: world.edit(1, body=edited))
    told = clone.stackr("submit")
    assert "#1 was edited on GitHub during this run; the edit is kept" in told.err.splitlines()
    assert "An edit made meanwhile." in text_of(world, 1)
    check_laws(world, clone)


def test_an_edit_between_two_requests_that_create_is_kept(world: World) -> None:
    clone = world.stacked("A", "B", "C", "D", "E", "F", submit=False)
    world.server.on(1, "mutation", lambda: world.edit(1, body=f"Written at once.\n\n{world.pull(1).body}"))
    clone.stackr("submit")
    assert text_of(world, 1) == "Written at once."
    check_laws(world, clone)


def test_an_unedited_description_follows_the_commit(world: World) -> None:
    clone = world.stacked("A")
    clone.reword("A", "A, better\n\nFirst.\n\nSigned-off-by: Alice <a@example.com>")
    clone.stackr("submit")
    assert (world.pull(1).title, text_of(world, 1)) == ("A, better", "First.\n\nSigned-off-by: Alice <a@example.com>")
    check_laws(world, clone)


def test_drafts_are_updated_in_place_and_stay_drafts(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.stackr("submit", "--draft")
    clone.amend("A")
    clone.stackr("submit")
    assert [(pull.number, pull.draft) for pull in world.pulls()] == [(1, True), (2, True)]
    check_laws(world, clone)


def test_a_draft_made_ready_on_github_is_not_made_a_draft_again(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("config", "stackr.draft", "true")
    clone.stackr("submit")
    assert world.pull(1).draft
    world.ready(1)
    clone.amend("A")
    clone.stackr("submit")
    assert not world.pull(1).draft
    check_laws(world, clone)


LISTS = "Steps:\n\n* #1\n* __->__ #2\n* three"
GHSTACK = "Stack from [ghstack](https://github.com/ezyang/ghstack) (oldest at bottom):\n* #7\n* __->__ #6\n\nText."


@pytest.mark.parametrize(
    "text",
    [
        LISTS,
        GHSTACK,
        "Ends in a list:\n\n- one\n- two",
        "emoji 🎉 and \u4e2d\u6587, e\u0301",
        "a" * 65_000,
        "<b>html</b> & <!-- x -->",
    ],
    ids=["list", "ghstack", "bullets", "unicode", "long", "html"],
)
def test_any_text_reaches_github_and_stays_as_it_is(world: World, text: str) -> None:
    clone = world.stacked("A", submit=False)
    clone.change("B", message=f"B\n\n{text}\n")
    clone.stackr("submit")
    assert text_of(world, 2) == text
    check_laws(world, clone)
    clone.amend("A")
    clone.stackr("submit")
    assert text_of(world, 2) == text


def test_crlf_messages_and_crlf_descriptions_are_no_edits(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.change("B", message=b"B\r\n\r\nfirst\r\n\r\n* last\r\n")
    clone.stackr("submit")
    assert text_of(world, 2) == "first\n\n* last"
    world.edit(2, body=(world.pull(2).body or "").replace("\n", "\r\n"))
    check_laws(world, clone)
    clone.change("C")
    told = clone.stackr("submit")
    assert "kept" not in told.err
    check_laws(world, clone)


def test_a_list_that_somebody_deleted_comes_back(world: World) -> None:
    clone = world.stacked("A", "B")
    world.edit(1, body="Only words.")
    clone.stackr("submit")
    assert text_of(world, 1) == "Only words."
    check_laws(world, clone)


def test_a_block_that_somebody_duplicated_is_folded_into_one(world: World) -> None:
    clone = world.stacked("A", "B")
    world.edit(1, body=f"{world.pull(1).body}\n\nBetween.\n\n{world.pull(1).body}")
    clone.stackr("submit")
    assert text_of(world, 1) == "Between."
    check_laws(world, clone)


def test_a_block_moved_to_the_bottom_stays_there(world: World) -> None:
    clone = world.stacked("A", "B")
    world.edit(1, body=f"Words first.\n\n{world.pull(1).body}")
    clone.change("C")
    clone.stackr("submit")
    assert (world.pull(1).body or "").startswith("Words first.\n\n<!-- stackr:begin")
    check_laws(world, clone)
