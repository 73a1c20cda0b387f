"""Commits as people read them, the commit graph, trunk, and small properties."""

from __future__ import annotations

import pytest

from stackr.core.model import Graph, Head
from stackr.core.plan import MoveRefs, RefMove, WriteCommit
from stackr.core.renaming import plan_new_id
from stackr.core.trunk import TrunkChoice
from tests.support.builders import cid, commit, new, stack


@pytest.mark.parametrize(
    ("raw", "encoding", "subject"),
    [
        (b"Add a\n\nbody\n", "", "Add a"),
        (b"\n \nAdd a\n  that goes on\n\nbody", "", "Add a that goes on"),
        (b"Add a\n \t \nbody", "", "Add a"),
        (b"Add a\r\nand b\r\n\r\nbody\r\n", "", "Add a and b"),
        (b"Add \xe9", "latin-1", "Add é"),
        (b"Add \xe9", "", "Add \ufffd"),
        (b"Add \xe9", "no-such-code", "Add \ufffd"),
        ("日本".encode("euc-jp"), "euc-jp", "日本"),
        (b"Add a\nChange-Id: I" + b"0" * 40 + b"\n", "", "Add a"),
        (b"", "", ""),
    ],
)
def test_the_subject_is_the_first_paragraph_on_one_line(raw: bytes, encoding: str, subject: str):
    made = commit("a1", "t1", b"x", message=raw, encoding=encoding)
    assert made.subject == subject
    assert new("a1", "t1", commit=made).title == (subject or "(no message)")


@pytest.mark.parametrize(
    ("author", "name"),
    [
        (b"Al Ice <a@x> 1 +0000", "Al Ice"),
        (b"<a@x> 1 +0000", ""),
        (b" <a@x> 1 +0000", ""),
        (b"\xe9 <a@x> 1 +0000", "\ufffd"),
    ],
)
def test_the_author_may_have_no_name(author: bytes, name: str):
    assert commit("a1", "t1", author=author).author_name == name


def test_the_graph_knows_nothing_below_its_edge():
    graph = Graph({"b": ("a",), "c": ("b", "x"), "d": ("c",)})
    assert graph.ancestors("c") == {"c", "b", "a", "x"}
    assert graph.contains("d", "a")
    assert graph.contains("q", "q")
    assert not graph.contains("a", "b")
    assert not graph.contains("d", "t0")


def test_the_graph_grows_without_changing():
    graph = Graph({"b": ("a",)})
    more = graph.with_commits({":new": ("b", "x")})
    assert more.contains(":new", "a")
    assert not graph.contains(":new", "a")


def test_diamonds_are_walked_once():
    graph = Graph({"m": ("l", "r"), "l": ("b",), "r": ("b",), "b": ()})
    assert graph.ancestors("m") == {"m", "l", "r", "b"}
    assert graph.ancestors("m") is graph.ancestors("m")


def test_head_has_a_short_name_or_none():
    assert Head("refs/heads/a/b", "x").branch_name == "a/b"
    assert Head(None, "x").branch_name is None


def test_a_stack_knows_the_place_of_a_change():
    made = stack(new("a1", "t1"), new("b1", "a1"))
    assert [made.position(cid(letter)) for letter in "AB"] == [0, 1]
    with pytest.raises(StopIteration):
        made.position("I0")


@pytest.mark.parametrize(
    ("choice", "name"),
    [
        (TrunkChoice("flag", "kept", "bottom", "set", "head"), "flag"),
        (TrunkChoice(None, "kept", "bottom", "set", "head"), "kept"),
        (TrunkChoice(None, "", "bottom", "set", "head"), "bottom"),
        (TrunkChoice(None, None, "stackr/alice/1", "set", "head"), "set"),
        (TrunkChoice(None, None, None, "", "head"), "head"),
        (TrunkChoice(None, "", None, "", ""), None),
        (TrunkChoice(), None),
    ],
)
def test_the_trunk_is_the_strongest_that_is_named(choice: TrunkChoice, name: str | None):
    assert choice.name({"stackr/alice/1"}) == name


def test_a_new_id_makes_one_commit_another_change_and_takes_the_rest_along():
    plan = plan_new_id(stack(new("a1", "t1"), new("b1", "a1")), 0)
    lower, upper, moved = plan.actions
    assert isinstance(lower, WriteCommit) and isinstance(upper, WriteCommit)
    assert lower.change_id not in ("", cid("A"))
    assert lower.commit.message == b"Add A\n\nChange-Id: " + lower.change_id.encode() + b"\n"
    assert (upper.change_id, upper.commit.parents) == (cid("B"), (":local/a1",))
    assert moved == MoveRefs((RefMove("refs/heads/feature", "b1", ":local/b1"),), "id: new change id")
