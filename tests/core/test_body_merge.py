"""Writing descriptions: the list, the first text, and the three-way merge of what the commit and a person say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackr.core import body
from stackr.core.body import Description, Merged, Row

NUMBERS = {"IA": 10, "IB": 11, "IC": 12}
ROWS = (Row(number=9, landed=True), Row("IA", 10), Row("IB"), Row("IC"))
WANTED = Description("IB", "Add b", "Because of b.", ROWS, said=("Add b", "Because of b."))
SINGLE = replace(WANTED, rows=())


def sent(wanted: Description = SINGLE) -> str:
    return body.new_body(wanted, NUMBERS)


def test_the_list_has_the_newest_on_top_and_an_arrow_at_its_own_page():
    assert body.render_list(ROWS, "IB", NUMBERS) == (
        "Stack from stackr (oldest at bottom):\n* #12\n* __->__ #11\n* #10\n* #9 (landed)"
    )


def test_rows_without_a_number_are_left_out_of_the_list():
    assert body.render_list(ROWS, "IA", {}) == "Stack from stackr (oldest at bottom):\n* __->__ #10\n* #9 (landed)"
    assert body.render_list((Row("IB"),), "IB", {}) == ""
    assert body.render_list((), "IB", NUMBERS) == ""


def test_a_new_description_is_block_then_text_then_template():
    title, text = body.digest("Add b"), body.digest("Because of b.\n\n- [ ] tested")
    assert body.new_body(replace(WANTED, template="- [ ] tested\r\n"), NUMBERS) == (
        f'<!-- stackr:begin v1 id="IB" digest="{title}-{text}" tail="12" -->\n'
        "Stack from stackr (oldest at bottom):\n* #12\n* __->__ #11\n* #10\n* #9 (landed)\n"
        "<!-- stackr:end -->\n\nBecause of b.\n\n- [ ] tested"
    )


def test_a_single_change_without_text_has_an_empty_block():
    digest = body.digest("")
    assert sent(replace(SINGLE, text="")) == (
        f'<!-- stackr:begin v1 id="IB" digest="{body.digest("Add b")}-{digest}" -->\n<!-- stackr:end -->'
    )


def test_nothing_changed_gives_nothing_to_write():
    assert body.merge("Add b", sent(), SINGLE, NUMBERS) == Merged(None, None)


def test_what_github_does_to_line_ends_and_edges_is_no_edit():
    stored = sent(replace(WANTED, text="One.\n\n* a\n* b")).replace("\n", "\r\n") + "\r\n"
    assert body.merge(" Add b ", stored, replace(WANTED, text="One.\n\n* a\n* b"), NUMBERS) == Merged(None, None)


def test_an_amended_message_is_followed():
    wanted = replace(SINGLE, title="Add better b", text="Really.")
    assert body.merge("Add b", sent(), wanted, NUMBERS) == Merged("Add better b", sent(wanted))


def test_a_text_edited_on_github_is_kept_and_said_so():
    edited = sent().replace("Because of b.", "Because of bees.")
    assert body.merge("Add b", edited, SINGLE, NUMBERS) == Merged(None, None, ("description",))
    wanted = replace(SINGLE, text="Really.", rows=WANTED.rows)
    merged = body.merge("Add b", edited, wanted, NUMBERS)
    assert merged.kept == ("description",)
    assert merged.body is not None and body.parse(merged.body).text == "Because of bees."


def test_an_edit_that_is_kept_once_is_kept_for_ever():
    edited = sent().replace("Because of b.", "Because of bees.")
    first = body.merge("Add b", edited, replace(WANTED, text="Really."), NUMBERS)
    assert first.body is not None
    second = body.merge("Add b", first.body, replace(WANTED, text="Truly."), NUMBERS)
    assert second == Merged(None, None, ("description",))


def test_an_edit_that_was_taken_back_lets_the_commit_speak_again():
    edited = sent().replace("Because of b.", "Because of bees.")
    kept = body.merge("Add b", edited, replace(WANTED, text="Really."), NUMBERS).body
    assert kept is not None
    undone = kept.replace("Because of bees.", "Because of b.")
    wanted = replace(WANTED, text="Truly.")
    assert body.merge("Add b", undone, wanted, NUMBERS) == Merged(None, sent(wanted))


@pytest.mark.parametrize(("said", "wins"), [("old", False), ("new", True), ("other", False), (None, False)])
def test_words_go_over_those_of_another_clone_only_where_this_one_has_seen_them(said: str | None, wins: bool):
    new = sent(replace(SINGLE, title="new", text="new"))
    wanted = replace(SINGLE, title="old", text="old", said=said and (said, said))
    merged = body.merge("new", new, wanted, NUMBERS)
    ours = Merged("old", sent(wanted))
    assert merged == (ours if wins else Merged(None, None, elsewhere=("title", "description")))
    assert body.merge("new", new, replace(wanted, overwrite=True), NUMBERS) == ours


def test_words_of_a_person_that_were_taken_in_are_followed_by_the_commit_and_claimed_by_nobody():
    edited = sent().replace("Because of b.", "Because of bees.")
    taken = replace(SINGLE, text="Because of bees.", said=("Add b", "Because of bees."))
    assert body.merge("Add b", edited, taken, NUMBERS) == Merged(None, None)
    reworded = replace(taken, text="Because of wasps.")
    assert body.merge("Add b", edited, reworded, NUMBERS) == Merged(None, sent(reworded))


def test_a_title_edited_on_github_is_kept_and_said_so():
    assert body.merge("[wip] Add b", sent(), SINGLE, NUMBERS) == Merged(None, None, ("title",))
    merged = body.merge("[wip] Add b", sent(), replace(SINGLE, title="Add c", text="Really."), NUMBERS)
    assert (merged.title, merged.kept) == (None, ("title",))
    assert merged.body is not None and body.parse(merged.body).text == "Really."


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("Because of b.", "Because of b.\n\nCo-authored-by: Bob <b@x>"),
        ("Why.\n\nSigned-off-by: A <a@x>", "Why.\n\nSigned-off-by: A <a@x>\nCo-authored-by: Bob <b@x>"),
        ("", "Co-authored-by: Bob <b@x>"),
    ],
)
def test_the_co_author_that_one_clone_names_is_not_taken_back_by_another(text: str, joined: str):
    named = sent(replace(SINGLE, text=joined))
    assert body.merge("Add b", named, replace(SINGLE, text=text), NUMBERS) == Merged(None, None)
    plain = replace(SINGLE, text=text, overwrite=True)
    assert body.merge("Add b", named, plain, NUMBERS) == Merged(None, sent(plain))


def test_the_same_edit_on_both_sides_is_no_conflict():
    edited = sent().replace("Because of b.", "Really.")
    wanted = replace(SINGLE, title="Add c", text="Really.")
    assert body.merge("Add c", edited, wanted, NUMBERS) == Merged(None, sent(wanted))


def test_update_fields_replaces_what_a_person_wrote():
    edited = sent().replace("Because of b.", "Because of bees.")
    assert body.merge("[wip] Add b", edited, replace(SINGLE, overwrite=True), NUMBERS) == Merged("Add b", sent())


def test_a_pull_request_that_stackr_did_not_write_keeps_its_text():
    merged = body.merge("Theirs", "their text", WANTED, NUMBERS)
    assert (merged.title, merged.kept) == (None, ("title", "description"))
    assert merged.body is not None and body.parse(merged.body).text == "their text"
    again = body.merge("Theirs", merged.body, WANTED, NUMBERS)
    assert again == Merged(None, None, ("title", "description"))


def test_a_deleted_block_comes_back():
    assert body.merge("Add b", "Because of b.", WANTED, NUMBERS) == Merged(None, sent(WANTED))


def test_a_duplicated_block_becomes_one():
    twice = sent(WANTED) + "\n\n" + sent(WANTED).split("\n\nBecause")[0]
    assert body.merge("Add b", twice, WANTED, NUMBERS) == Merged(None, sent(WANTED))


def test_a_block_without_its_end_is_mended():
    half = sent(WANTED).replace("<!-- stackr:end -->\n", "")
    assert body.merge("Add b", half, WANTED, NUMBERS) == Merged(None, sent(WANTED))


def test_a_block_moved_to_the_bottom_stays_there():
    block, text = sent(WANTED).split("\n\n", 1)
    moved = f"{text}\n\n{block}"
    assert body.merge("Add b", moved, WANTED, NUMBERS) == Merged(None, None)
    wanted = replace(WANTED, text="Really.")
    new_block = sent(wanted).split("\n\n", 1)[0]
    assert body.merge("Add b", moved, wanted, NUMBERS) == Merged(None, f"Really.\n\n{new_block}")


def test_text_written_below_a_block_at_the_bottom_is_an_edit_and_stays_in_place():
    block, text = sent(WANTED).split("\n\n", 1)
    merged = body.merge("Add b", f"{text}\n\n{block}\n\nPS.", replace(WANTED, rows=ROWS[1:]), NUMBERS)
    assert merged.kept == ("description",)
    assert merged.body is not None
    assert (merged.body.startswith("Because of b."), merged.body.endswith("PS.")) == (True, True)


def test_the_template_stays_when_the_commit_changes():
    templated = replace(SINGLE, template="- [ ] tested")
    wanted = replace(SINGLE, text="Really.")
    merged = body.merge("Add b", sent(templated), wanted, NUMBERS)
    assert merged == Merged(None, sent(replace(wanted, template="- [ ] tested")))
    assert body.merge("Add b", sent(templated), SINGLE, NUMBERS) == Merged(None, None)


def test_a_template_alone_is_joined_by_a_text_that_comes_later():
    before = sent(replace(SINGLE, text="", template="- [ ] tested"))
    after = sent(replace(SINGLE, template="- [ ] tested"))
    assert body.merge("Add b", before, replace(SINGLE, said=("Add b", "")), NUMBERS) == Merged(None, after)


def test_a_template_that_was_filled_in_is_kept():
    ticked = sent(replace(SINGLE, template="- [ ] tested")).replace("[ ]", "[x] well")
    assert body.merge("Add b", ticked, replace(SINGLE, text="Really."), NUMBERS).kept == ("description",)
    merged = body.merge("Add b", ticked, replace(SINGLE, text="Really.", overwrite=True), NUMBERS)
    assert merged == Merged(None, sent(replace(SINGLE, text="Really.")))


def test_a_template_that_was_ticked_stays_so_while_the_text_follows_the_commit():
    ticked = sent(replace(SINGLE, template="- [ ] tested")).replace("[ ]", "[x]")
    wanted = replace(SINGLE, text="Really.")
    merged = body.merge("Add b", ticked, wanted, NUMBERS)
    assert merged == Merged(None, sent(replace(wanted, template="- [x] tested")))


def test_a_template_that_was_removed_does_not_come_back_as_a_piece_of_text():
    removed = sent(replace(SINGLE, template="- [ ] t")).replace("\n\n- [ ] t", "")
    assert body.merge("Add b", removed, SINGLE, NUMBERS) == Merged(None, None)
    wanted = replace(SINGLE, text="A longer text than it was before.")
    assert body.merge("Add b", removed, wanted, NUMBERS) == Merged(None, sent(wanted))
    assert body.merge("Add b", removed, replace(SINGLE, said=None), NUMBERS) == Merged(None, sent())
    assert body.merge("Add b", sent(), wanted, NUMBERS) == Merged(None, sent(wanted))


def test_list_only_leaves_title_and_text_whatever_the_commit_says():
    wanted = replace(WANTED, title="Add z", text="Other.", list_only=True)
    merged = body.merge("Add b", sent(SINGLE), wanted, NUMBERS)
    assert merged == Merged(None, sent(WANTED))
    assert body.merge("Add b", sent(WANTED), wanted, NUMBERS) == Merged(None, None)


def test_list_only_writes_a_block_where_there_is_none_without_claiming_to_have_sent_the_text():
    merged = body.merge("Add b", "theirs", replace(WANTED, list_only=True), NUMBERS)
    assert merged.body is not None
    assert body.parse(merged.body).block == body.Block(
        "IB", rows=(Row(number=9, landed=True), Row(number=10), Row(number=11), Row(number=12))
    )
    assert body.merge("Add b", merged.body, WANTED, NUMBERS).kept == ("description",)


def test_a_text_with_a_foreign_stack_list_goes_through_untouched():
    text = "Stack from ghstack (oldest at bottom):\n* __->__ #12\n* #11\n\nStack from stackr (oldest at bottom):\n* #3"
    wanted = replace(WANTED, text=text)
    assert body.parse(sent(wanted)).text == text
    assert body.merge("Add b", sent(wanted), wanted, NUMBERS) == Merged(None, None)


GHSTACK = (
    "Stack from [ghstack](https://github.com/ezyang/ghstack/tree/0.18.0) (oldest at bottom):\n* __->__ #11\n* #10\n"
)


@pytest.mark.parametrize("theirs", [f"{GHSTACK}\nBecause of b.", "Because of b.\r\n\r\nDepends-On: #10"])
def test_a_stack_that_is_taken_over_has_our_list_in_the_place_of_the_other(theirs: str):
    wanted = replace(WANTED, taken_over=True)
    merged = body.merge("Add b", theirs, wanted, NUMBERS)
    assert merged == Merged(None, sent(WANTED))
    assert body.merge("Add b", sent(WANTED), wanted, NUMBERS) == Merged(None, None)
    # What a person wrote stays, and counts as an edit.
    edited = body.merge("Add b", f"{theirs}\n\nBob: why?", replace(wanted, text="Because."), NUMBERS)
    assert (edited.body or "").endswith(
        "-->\n\n" + body.normalise(theirs).replace(GHSTACK, "").strip() + "\n\nBob: why?"
    )
    assert edited.kept == ("description",)
    untouched = body.merge("Add b", theirs, WANTED, NUMBERS).body or ""
    assert untouched.endswith(body.normalise(theirs))


def test_a_text_of_65000_characters_is_merged_like_any_other():
    wanted = replace(WANTED, text="🙂é\n" * 21_600)
    assert body.merge("Add b", sent(wanted), wanted, NUMBERS) == Merged(None, None)


_PIECES = """
a|🙂|* a|* #12|Stack from stackr|<!--|-->|- [ ] x| |<!-- stackr:end -->|<!-- stackr:begin v1 -->
|<!-- stackr:begin v1 id="IB" digest="a-b" tail="2" -->
""".strip().split("|")
_piece = st.sampled_from([*_PIECES, "\n", "\n\n", "\r\n"])
_text = st.lists(_piece, max_size=8).map("".join)


@given(_text, _text, _text, st.booleans())
def test_merging_twice_is_merging_once(theirs: str, ours: str, template: str, overwrite: bool):
    text = body.text_of_message("Add b\n\n" + ours)
    wanted = replace(WANTED, text=text, template=body.text_of_message("x\n\n" + template), overwrite=overwrite)
    for before in (theirs, sent(wanted), sent(wanted) + theirs):
        merged = body.merge("Add b", before, wanted, NUMBERS)
        after = before if merged.body is None else merged.body
        assert body.merge("Add b", after, wanted, NUMBERS).body is None
        assert after.count("<!-- stackr:begin") >= 1


@pytest.mark.parametrize("title", ["Add b", "[wip] Add b"])
@given(_text, _text)
def test_no_merge_without_update_fields_loses_a_persons_words(title: str, theirs: str, ours: str):
    wanted = replace(WANTED, text=body.text_of_message("Add b\n\n" + ours))
    merged = body.merge(title, theirs, wanted, NUMBERS)
    before, after = body.parse(theirs).text, body.parse(theirs if merged.body is None else merged.body).text
    assert after == before
    assert merged.title is None
