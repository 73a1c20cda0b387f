"""Descriptions taken apart: the stack block, whole, twice, or half deleted, and the person's text around it."""

from __future__ import annotations

import time

import pytest

from stackr.core import body
from stackr.core.body import Block, Parsed, Row

BEGIN = '<!-- stackr:begin v1 id="I1" digest="aa-bb" -->'
END = "<!-- stackr:end -->"
LIST = "Stack from stackr (oldest at bottom):\n* #12\n* __->__ #11\n* #10 (landed)"
BLOCK = f"{BEGIN}\n{LIST}\n{END}"
ROWS = (Row(number=10, landed=True), Row(number=11), Row(number=12))


def test_a_description_without_a_block_is_all_text():
    assert body.parse("  words\n\nmore\n") == Parsed("", "words\n\nmore", None)
    assert body.parse("") == Parsed("", "", None)


def test_a_block_gives_id_digests_and_rows_from_the_bottom_up():
    assert body.parse(f"{BLOCK}\n\nwords") == Parsed("", "words", Block("I1", "aa", "bb", 0, ROWS))


def test_text_on_both_sides_of_the_block_is_the_persons():
    found = body.parse(f"above\n\n{BLOCK}\n\nbelow")
    assert (found.before, found.after, found.text) == ("above", "below", "above\n\nbelow")


def test_crlf_line_ends_change_nothing():
    text = f"{BLOCK}\n\nwords\n\n* a\n* b"
    assert body.parse(text.replace("\n", "\r\n")) == body.parse(text)
    assert body.parse(text.replace("\n", "\r")) == body.parse(text)


def test_unknown_attributes_and_a_newer_version_are_accepted():
    raw = f'<!-- stackr:begin v22 new="x" tail="7" digest="aa-bb" id="I1" flag -->\n{END}'
    assert body.parse(raw).block == Block("I1", "aa", "bb", 7)


@pytest.mark.parametrize("attributes", ["", ' id="" digest=""', ' tail="many"', ' tail="-3"', ' tail="²"'])
def test_missing_or_senseless_attributes_are_accepted(attributes: str):
    assert body.parse(f"<!-- stackr:begin v1{attributes} -->\n{END}\n\nwords") == Parsed("", "words", Block())


def test_two_blocks_are_folded_into_one_that_knows_every_row():
    other = f'<!-- stackr:begin v1 id="I2" digest="cc-dd" -->\nStack\n* #13\n* #11\n{END}'
    found = body.parse(f"one\n\n{BLOCK}\n\ntwo\n\n{other}\n\nthree")
    assert found.text == "one\n\ntwo\n\nthree"
    assert found.block == Block("I1", "aa", "bb", 0, (*ROWS, Row(number=13)))


def test_of_two_blocks_the_one_with_a_digest_counts_and_landed_in_one_is_landed():
    bare = f"<!-- stackr:begin v1 -->\n* #10\n{END}"
    found = body.parse(f"{bare}\n\n{BLOCK}").block
    assert found == Block("I1", "aa", "bb", 0, (Row(number=10, landed=True), Row(number=11), Row(number=12)))


def test_a_lost_end_takes_only_our_own_lines_with_it():
    found = body.parse(f"{BEGIN}\n{LIST}\n\n* a point of mine\n\n* #7 is mine too")
    assert found == Parsed("", "* a point of mine\n\n* #7 is mine too", Block("I1", "aa", "bb", 0, ROWS))


def test_a_lost_end_followed_by_prose_keeps_the_prose():
    assert body.parse(f"{BEGIN}\n{LIST}\nprose").text == "prose"
    assert body.parse(f"{BEGIN}\nprose").text == "prose"


def test_a_lost_end_before_a_whole_block_keeps_the_text_between():
    found = body.parse(f"{BEGIN}\n{LIST}\n\nthe person's words\n\n{BLOCK}\n\nmore")
    assert found.text == "the person's words\n\nmore"


def test_a_lost_begin_leaves_the_list_as_the_persons_text():
    found = body.parse(f"{LIST}\n{END}\n\nwords")
    assert found == Parsed(LIST, "words", Block())


def test_a_stray_end_beside_a_whole_block_goes():
    assert body.parse(f"{BLOCK}\n\nwords\n\n{END}").text == "words"


def test_a_list_of_another_tool_is_prose():
    text = "Stack from ghstack (oldest at bottom):\n* #12\n* __->__ #11\n\nStack from stackr (oldest at bottom):\n* #12"
    assert body.parse(f"{BLOCK}\n\n{text}").text == text


def test_rows_are_read_only_where_they_have_our_form():
    raw = f"{BEGIN}\n* #1\n* #2 and words\n * #3\n* __->__ #4 (landed)  \n- #5\n{END}"
    assert body.parse(raw).block == Block("I1", "aa", "bb", 0, (Row(number=4, landed=True), Row(number=1)))


@pytest.mark.parametrize(
    "text",
    ["<!-- stackr:begin v1 " * 3100, "<!-- stackr:begin v1 -->" * 2700, "a" + "\n" * 65_000 + "b", "<!--" * 16_000],
)
def test_a_hostile_description_takes_no_time(text: str):
    began = time.perf_counter()
    body.parse(text)
    # Milliseconds when linear, many seconds when not.
    assert time.perf_counter() - began < 1.5


def test_emoji_and_lone_surrogates_have_a_digest():
    assert body.digest("🙂") != body.digest("🙃")
    assert len(body.digest("\ud83d")) == 12
    assert body.digest(" a\r\nb\n") == body.digest("a\nb")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Subject", ""),
        ("Subject\n", ""),
        ("Subject\n\nChange-Id: I" + "0" * 40 + "\n", ""),
        ("Subject\ngoes on\n\nBody.\n", "Body."),
        ("\n\nSubject\n \t\nBody.\n", "Body."),
        ("Subject\r\n\r\nBody.\r\n\r\n* a\r\n* b\r\n", "Body.\n\n* a\n* b"),
        (
            "Subject\n\nBody.\n\nFixes: #1\nChange-Id: I" + "0" * 40 + "\nReviewed-by: B\n",
            "Body.\n\nFixes: #1\nReviewed-by: B",
        ),
        ("Subject\n\nOne.\n\nChange-Id: I" + "0" * 40 + "\n\nTwo.\n", "One.\n\nTwo."),
        (f"Subject\n\nOne.\n\n{BLOCK}\n\nTwo.\n", "One.\n\nTwo."),
        ("Subject\n\n    code\n\n    more\n", "code\n\n    more"),
    ],
)
def test_the_text_of_a_message_is_its_body_without_ids_and_blocks(message: str, text: str):
    assert body.text_of_message(message) == text
