"""Commit objects survive the way into ``Commit`` and back, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackr.core.model import Commit
from stackr.errors import GitError
from stackr.repo import codec
from tests.support.git import Workspace, git_bytes

OID = st.text("0123456789abcdef", min_size=40, max_size=40)
NAME = st.binary(max_size=30).filter(lambda raw: not set(raw) & set(b"\n<>\0"))
WHO = st.builds(
    lambda name, mail, zone: name + b" <" + mail + b"> 1700000000 " + zone,
    NAME,
    NAME,
    st.sampled_from([b"+0000", b"-1130", b"+051800"]),
)
VALUE = st.lists(
    st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"").replace(b"\0", b"")), min_size=1, max_size=4
)
KEY = st.sampled_from([b"mergetag", b"HG:extra", b"encoding", b"change-id", b"git-svn"])
MESSAGE = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=100).map(lambda text: text.encode("utf-16", "surrogatepass")),
    st.sampled_from(
        [
            b"",
            b"\n\n\nlate",
            b"one\r\ntwo\r\n",
            b"no newline",
            b"tree 0\nparent 1\n\nauthor",
            "gr\u00fc\u00df".encode("latin-1"),
        ]
    ),
)


def header(key: bytes, lines: list[bytes]) -> bytes:
    return key + b" " + b"\n ".join(lines) + b"\n"


@st.composite
def raw_commits(draw: st.DrawFn) -> bytes:
    raw = b"tree " + draw(OID).encode() + b"\n"
    raw += b"".join(b"parent " + oid.encode() + b"\n" for oid in draw(st.lists(OID, max_size=3)))
    raw += b"author " + draw(WHO) + b"\ncommitter " + draw(WHO) + b"\n"
    raw += b"".join(header(key, lines) for key, lines in draw(st.lists(st.tuples(KEY, VALUE), max_size=4)))
    return raw + b"\n" + draw(MESSAGE)


def rebuilt(commit: Commit) -> bytes:
    return codec.serialise(
        commit.tree, commit.parents, commit.author, commit.committer, commit.message, commit.encoding, commit.extra
    )


@given(raw_commits())
def test_every_unsigned_commit_comes_back_byte_for_byte(raw: bytes) -> None:
    assert rebuilt(codec.parse(codec.object_id(raw), raw)) == raw


@given(raw_commits(), st.sampled_from([b"gpgsig", b"gpgsig-sha256"]))
def test_a_signature_is_dropped_and_remembered_and_nothing_else_is(raw: bytes, key: bytes) -> None:
    head, _, message = raw.partition(b"\n\n")
    signed = head + b"\n" + key + b" -----BEGIN\n \n abc\n -----END\n\n" + message
    commit = codec.parse("0" * 40, signed)
    assert commit.signed
    assert rebuilt(commit) == raw


def test_a_signature_goes_after_all_other_headers() -> None:
    raw = b"tree 1\nauthor a <> 0 +0000\ncommitter a <> 0 +0000\nHG:x y\n\nmessage\n\nmore\n"
    assert codec.add_signature(raw, b"-----BEGIN\n\nabc\n-----END\n") == (
        b"tree 1\nauthor a <> 0 +0000\ncommitter a <> 0 +0000\nHG:x y\n"
        b"gpgsig -----BEGIN\n \n abc\n -----END\n\nmessage\n\nmore\n"
    )


def test_the_encoding_is_a_field_when_it_stands_where_git_writes_it() -> None:
    raw = b"tree 1\nauthor a <> 0 +0000\ncommitter a <> 0 +0000\nencoding latin-1\nHG:x y\n\ngr\xfc\xdf"
    commit = codec.parse("0" * 40, raw)
    assert (commit.encoding, commit.extra, commit.text) == ("latin-1", ((b"HG:x", b"y"),), "gr\u00fc\u00df")


def test_an_encoding_in_an_odd_place_is_known_and_stays_there() -> None:
    raw = b"tree 1\nauthor a <> 0 +0000\ncommitter a <> 0 +0000\nHG:x y\nencoding latin-1\n\ngr\xfc\xdf"
    commit = codec.parse("0" * 40, raw)
    assert (commit.encoding, commit.extra) == ("latin-1", ((b"HG:x", b"y"), (b"encoding", b"latin-1")))
    assert rebuilt(commit) == raw


def test_headers_without_a_value_keep_their_form() -> None:
    raw = b"tree 1\nauthor a <> 0 +0000\ncommitter a <> 0 +0000\nbare\nspace \n\nmessage"
    assert rebuilt(codec.parse("0" * 40, raw)) == raw


def test_bytes_that_are_no_commit_are_refused_by_name() -> None:
    with pytest.raises(GitError, match='commit "abc" is malformed'):
        codec.parse("abc", b"tree 1\n\nmessage")


def test_tree_entries_are_read_in_order(workspace: Workspace) -> None:
    clone = workspace.clone
    (clone.path / "link").symlink_to("README")
    clone.git("add", "link")
    clone.commit("Add link", {})
    entries = codec.parse_tree(git_bytes(clone.path, "cat-file", "tree", clone.tree()))
    assert [(e.name, e.mode, e.is_file, e.is_tree) for e in entries] == [
        (b"README", "100644", True, False),
        (b"link", "120000", False, False),
        (b"notes.txt", "100644", True, False),
        (b"src", "40000", False, True),
    ]
    assert entries[0].oid == clone.oid("HEAD:README")
