"""Change-Id trailers and head branch names."""

from __future__ import annotations

import string
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stackr.core import identity
from tests.support.builders import cid, commit, message
from tests.support.git import git_bytes

ID = cid("A")
OTHER = cid("B")
TRAILER = f"Change-Id: {ID}".encode()


def test_a_subject_alone_gets_a_trailer_block_of_its_own():
    assert identity.with_change_id(b"Add a\n", ID) == b"Add a\n\n" + TRAILER + b"\n"


def test_a_subject_that_looks_like_a_trailer_is_none():
    assert identity.with_change_id(b"core: add a\n", ID) == b"core: add a\n\n" + TRAILER + b"\n"


def test_a_body_is_followed_by_a_new_block():
    assert identity.with_change_id(b"Add a\n\nBecause.\n", ID) == b"Add a\n\nBecause.\n\n" + TRAILER + b"\n"


def test_an_existing_block_is_joined():
    raw = b"Add a\n\nBecause.\n\nReviewed-by: Bob <b@example.com>\nFixes: #1\n and more of it\n"
    assert identity.with_change_id(raw, ID) == raw + TRAILER + b"\n"


def test_the_words_of_a_cherry_pick_are_a_block():
    raw = b"Add a\n\n(cherry picked from commit 1234567)\n"
    assert identity.with_change_id(raw, ID) == raw + TRAILER + b"\n"


def test_a_sign_off_makes_a_block_of_a_paragraph_that_is_a_quarter_trailers():
    raw = b"Add a\n\nSigned-off-by: A <a@example.com>\none\ntwo\nthree\n"
    assert identity.with_change_id(raw, ID) == raw + TRAILER + b"\n"


def test_a_sign_off_among_too_many_other_lines_makes_no_block():
    raw = b"Add a\n\nSigned-off-by: A <a@example.com>\none\ntwo\nthree\nfour\n"
    assert identity.with_change_id(raw, ID) == raw + b"\n" + TRAILER + b"\n"


def test_prose_with_one_colon_line_is_no_block():
    raw = b"Add a\n\nNote: this is prose\nthat goes on.\n"
    assert identity.with_change_id(raw, ID) == raw + b"\n" + TRAILER + b"\n"


def test_an_indented_paragraph_is_no_block():
    raw = b"Add a\n\n    code: here\n"
    assert identity.with_change_id(raw, ID) == raw + b"\n" + TRAILER + b"\n"


def test_crlf_messages_keep_their_line_ends():
    raw = b"Add a\r\n\r\nSigned-off-by: A <a@example.com>\r\n"
    assert identity.with_change_id(raw, ID) == raw + TRAILER + b"\r\n"


def test_blank_lines_at_the_end_go():
    assert identity.with_change_id(b"Add a\n\n \n\n", ID) == b"Add a\n\n" + TRAILER + b"\n"


def test_bytes_that_are_no_utf8_pass_through():
    raw = "Füge a hinzu\n\n日本\n".encode() + b"\xff\xfe\n"
    assert identity.with_change_id(raw, ID) == raw + b"\n" + TRAILER + b"\n"


def test_a_message_with_its_id_is_not_touched_wherever_the_id_stands():
    raw = b"Add a\n\n" + TRAILER + b"\n\nwords after it  \n\n\n"
    assert identity.with_change_id(raw, ID) is raw


def test_of_several_ids_the_first_names_the_change_and_the_others_go():
    raw = message("A", "first") + b"\n" + message("B", "second")
    assert identity.change_id(raw) == ID
    assert identity.with_change_id(raw, ID) == (
        b"Add A\n\nfirst\n\nAdd B\n\nsecond\n\nChange-Id: " + ID.encode() + b"\n"
    )


def test_other_trailers_survive_a_squash():
    raw = b"A\n\nSigned-off-by: A <a@x>\n" + TRAILER + f"\n\nB\n\nChange-Id: {OTHER}\nSigned-off-by: B <b@x>\n".encode()
    assert identity.with_change_id(raw, ID) == (
        b"A\n\nSigned-off-by: A <a@x>\n\nB\n\nSigned-off-by: B <b@x>\n" + TRAILER + b"\n"
    )


def test_the_same_id_twice_becomes_one():
    raw = message("A") + TRAILER + b"\n"
    assert identity.with_change_id(raw, ID) == message("A")


def test_an_id_before_everything_leaves_no_blank_line():
    raw = TRAILER + b"\n\nAdd a\n\nChange-Id: " + OTHER.encode() + b"\n"
    assert identity.with_change_id(raw, ID) == b"Add a\n\n" + TRAILER + b"\n"


@pytest.mark.parametrize(
    "line",
    [
        b"change-id: I" + b"0" * 40,
        b"Change-Id: I" + b"0" * 39,
        b"Change-Id: I" + b"A" * 40,
        b" Change-Id: I" + b"0" * 40,
        b"see Change-Id: I" + b"0" * 40,
    ],
)
def test_what_only_looks_like_an_id_is_none(line: bytes):
    assert identity.change_id(b"Add a\n\n" + line + b"\n") == ""


def test_an_id_may_be_followed_by_blanks():
    assert identity.change_id(b"Add a\r\n\r\n" + TRAILER + b" \t\r\n") == ID


def test_a_new_id_follows_from_the_commit_and_the_salt():
    first = commit("a1", "t1")
    assert identity.new_id(first) == identity.new_id(replace(first, message=b"another"))
    assert identity.change_id(b"A\n\nChange-Id: " + identity.new_id(first).encode() + b"\n") == identity.new_id(first)
    assert len({identity.new_id(first), identity.new_id(first, "new"), identity.new_id(commit("a2", "t1"))}) == 3


def test_the_head_branch_follows_from_the_id():
    assert identity.head_ref("I0123456789abcdef", "alice") == "stackr/alice/0123456789"
    assert identity.head_ref("I0123456789abcdef", "alice", "u/{user}-{id}") == "u/alice-0123456789"


def test_a_known_branch_that_ends_in_the_id_is_kept():
    known = ["main", "stackr/bob/ffffffffff", "theirs/0123456789", "stackr/bob/0123456789"]
    assert identity.known_head_ref("I0123456789abcdef", known) == "theirs/0123456789"
    assert identity.known_head_ref("I9999999999abcdef", known) is None


def test_what_goes_on_under_another_id_gets_a_branch_that_ends_in_it():
    old, new = "I0123456789abcdef", "I9999999999abcdef"
    assert identity.renamed_head_ref("stackr/alice/0123456789", old, new) == "stackr/alice/9999999999"
    assert identity.renamed_head_ref("gh/alice/1/head", old, new) == "gh/alice/1/head-9999999999"


def test_a_branch_named_like_a_head_branch_is_recognised_whoever_made_it():
    assert identity.is_head_ref("stackr/bob/0123456789")
    assert identity.is_head_ref("stack.bob-0123456789", "stack.{user}-{id}")
    for other in ("stackr/bob/012345678", "stackr/bob/0123456789x", "stackr/0123456789", "main"):
        assert not identity.is_head_ref(other)
    assert not identity.is_head_ref("stackXbob-0123456789", "stack.{user}-{id}")


# Canonical trailers only: interpret-trailers also tidies the ones it finds, which is nothing an id should do. Lines
# that begin with "#" are comments to it and may not be in a commit.
_word = st.text(string.ascii_letters + "é-:() ", min_size=1, max_size=12).map(str.strip).filter(bool)
_trailer = st.builds("{}: {}".format, st.sampled_from(["Fixes", "Signed-off-by", "X-1", "See-also"]), _word)
_line = st.one_of(
    _word,
    _trailer,
    _trailer,
    st.builds(" {}".format, _word),
    st.sampled_from(["(cherry picked from commit 123)", "http://example.com", "* item", "Key : value x", "-x: y"]),
).filter(lambda line: not line.startswith("#"))
_paragraph = st.lists(_line, min_size=1, max_size=6).map("\n".join)
_message = st.builds(
    lambda subject, rest: "\n\n".join([subject, *rest]) + "\n", _word, st.lists(_paragraph, max_size=3)
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_message)
def test_git_would_put_the_trailer_in_the_same_place(tmp_path: Path, text: str):
    raw = text.encode()
    ours = identity.with_change_id(raw, ID)
    added = ["interpret-trailers", "--no-divider", "--trailer"]
    theirs = git_bytes(tmp_path, *added, TRAILER.decode(), stdin=raw)
    # git writes the trailers it found anew ("Key : value" becomes "Key: value"): compare what it makes of both.
    assert git_bytes(tmp_path, *added, "Z: z", stdin=ours) == git_bytes(tmp_path, *added, "Z: z", stdin=theirs)
    assert identity.with_change_id(ours, ID) == ours
    assert TRAILER in git_bytes(tmp_path, "interpret-trailers", "--parse", "--no-divider", stdin=ours).splitlines()


@given(st.binary(max_size=200), st.sampled_from([b"", TRAILER + b"\n", f"Change-Id: {OTHER}\n".encode()]))
def test_any_message_ends_with_exactly_one_id_and_stays_so(raw: bytes, more: bytes):
    once = identity.with_change_id(raw + b"\n" + more, ID)
    assert identity.change_id(once) == ID
    assert once.count(b"Change-Id: " + ID.encode()) == 1
    assert identity.with_change_id(once, ID) == once
