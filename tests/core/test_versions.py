"""Versions of a change: the first-parent line of its branch, what each stood on, and which two are compared."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from stackr.core.model import Commit, Graph, ReviewVote
from stackr.core.versions import choose, foundation, foundations, list_versions, since_review, trunk_edges
from stackr.errors import Refused, UsageError
from tests.support.builders import cid, commit


def history(*rows: tuple[str, Sequence[str], str]) -> dict[str, Commit]:
    """Commits by id, from (id, parents, the letter of the change whose id the message has)."""
    return {
        oid: commit(oid, parents[0], f"{oid}\n\nChange-Id: {cid(letter)}\n" if letter else oid, parents=tuple(parents))
        for oid, parents, letter in rows
    }


def graph_of(commits: dict[str, Commit]) -> Graph:
    return Graph({oid: each.parents for oid, each in commits.items()})


# B on A; A gets a commit, B one that brings it in, and a suggestion.
USUAL = history(
    ("a1", ["t1"], "A"), ("b1", ["a1"], "B"), ("a2", ["a1"], ""), ("b2", ["b1", "a2"], ""), ("b3", ["b2"], "")
)


def test_versions_are_the_first_parent_line_from_the_commit_with_the_id_on() -> None:
    found = list_versions(cid("B"), "b3", "a2", USUAL)
    assert [(each.name, each.commit.oid, each.below) for each in found] == [
        ("v1", "b1", "a1"),
        ("v2", "b2", "a2"),
        ("v3", "b3", "a2"),
    ]
    # The change below has landed by a squash, so nothing but the id tells where B begins.
    assert list_versions(cid("B"), "b3", "t2", USUAL) == found
    assert list_versions(cid("B"), "b3", None, USUAL) == found


def test_without_an_id_a_branch_begins_where_its_base_ends() -> None:
    assert [each.commit.oid for each in list_versions("", "b3", "a2", USUAL)] == ["b1", "b2", "b3"]
    assert [each.commit.oid for each in list_versions(cid("Z"), "b3", "t1", USUAL)] == ["a1", "b1", "b2", "b3"]
    assert list_versions(cid("A"), "a1", "b1", USUAL) == ()


def test_a_branch_may_begin_with_the_first_commit_of_all() -> None:
    (only,) = list_versions("", "r1", None, history(("r1", ["x"], "")) | {"r1": commit("r1", "x", parents=())})
    graph = Graph({"r1": ()})
    assert (only.below, foundation(only, None, graph), foundations(only, None, graph, ())) == ("", None, ())


def test_what_the_base_still_holds_is_what_a_version_stood_on() -> None:
    graph = graph_of(USUAL)
    one, two, _ = list_versions(cid("B"), "b3", "a2", USUAL)
    assert [foundation(each, "a2", graph) for each in (one, two)] == ["a1", "a2"]
    assert trunk_edges(two, graph) == ("t1",)
    bottom = list_versions(cid("A"), "a2", "t9", USUAL)[0]
    assert foundation(bottom, "t9", graph) == "t1"


def test_after_a_reorder_or_a_landing_the_trees_have_to_tell() -> None:
    graph = graph_of(USUAL)
    one = list_versions(cid("B"), "b3", "a2", USUAL)[0]
    assert foundation(one, "t2", graph) is None
    assert foundations(one, "t2", graph, ["t1"]) == ("a1", "t1")
    assert foundations(one, None, graph, ["t1"]) == ("a1", "t1")
    # C stood on B and stands on A now, which its branch contains already.
    commits = USUAL | history(("c1", ["b1"], "C"), ("c2", ["c1"], ""))
    moved = list_versions(cid("C"), "c2", "a2", commits)[1]
    assert foundations(moved, "a2", graph_of(commits), ["t1"]) == ("b1", "a1", "t1")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (None, "v2..v3"),
        ("v1..v3", "v1..v3"),
        ("1..2", "v1..v2"),
        ("v1..", "v1..v3"),
        ("2", "v2..v3"),
        ("..v2", "v1..v2"),
        ("..1", "v0..v1"),
        ("v3..v1", "v3..v1"),
        ("0..", "v0..v3"),
    ],
)
def test_two_versions_are_named(text: str | None, name: str) -> None:
    assert choose(list_versions(cid("B"), "b3", "a2", USUAL), text).name == name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v1..v4", "there is no version v4: the change has v1 to v3"),
        ("v9", "there is no version v9: the change has v1 to v3"),
        ("v0..v0", "there is no version v0: the change has v1 to v3"),
        ("main", '"main" names no versions: it has the form FROM..TO, as in v1..v2'),
    ],
)
def test_versions_that_do_not_exist_are_named(text: str, words: str) -> None:
    with pytest.raises(UsageError) as refusal:
        choose(list_versions(cid("B"), "b3", "a2", USUAL), text)
    assert refusal.value.message == words


def reviewed(*rows: tuple[str, str]) -> list[ReviewVote]:
    return [ReviewVote(login, "COMMENTED", oid) for login, oid in rows]


def test_the_last_review_counts_and_the_authors_own_answers_do_not() -> None:
    found, graph = list_versions(cid("B"), "b3", "a2", USUAL), graph_of(USUAL)
    given = reviewed(("carol", "b1"), ("Bob", "a2"), ("alice", "b3"))
    span, review = since_review(found, given, "alice", None, graph)
    # What was reviewed need not be on the first-parent line.
    assert (span.name, review.login) == ("v2..v3", "Bob")
    assert since_review(found, given, "alice", "@Carol", graph)[0].name == "v1..v3"
    assert since_review(found, given, "alice", "alice", graph)[0].name == "v3..v3"


@pytest.mark.parametrize(
    ("oid", "login", "words"),
    [
        ("b1", "dave", '"dave" has not reviewed it yet'),
        ("b1", None, "nobody has reviewed it yet"),
        ("x1", "bob", "what bob reviewed (x1) is not on the branch any more: it was force-pushed since"),
        ("", "bob", "what bob reviewed (it is gone) is not on the branch any more: it was force-pushed since"),
        ("t1", "bob", "what bob reviewed (t1) is not on the branch any more: it was force-pushed since"),
    ],
)
def test_a_review_that_is_not_there_is_named(oid: str, login: str | None, words: str) -> None:
    given = reviewed(("alice", "b1"), *([("bob", oid)] if login == "bob" else []))
    with pytest.raises(Refused) as refusal:
        since_review(list_versions(cid("B"), "b3", "a2", USUAL), given, "alice", login, graph_of(USUAL))
    assert refusal.value.message == words
