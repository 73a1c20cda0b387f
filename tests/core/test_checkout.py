"""Pull requests as clean local commits: ids, messages, which commits are written, which records are left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core import body, identity
from stackr.core.checkout import (
    Member,
    branch_name,
    is_foreign,
    kept_as_they_are,
    members,
    moved_on,
    new_commits,
    plan_checkout,
    refuse_elsewhere,
    refuse_left_behind,
    refuse_name,
    refuse_other_content,
    same_content,
    stack_after,
)
from stackr.core.model import Commit, Graph, Head, PullRequest, PullState, Trunk
from stackr.core.ownership import BRANCHES, HEADS, KEPT, NAMES, SAID, TAKEN
from stackr.core.plan import MoveRefs, RefMove
from stackr.core.ports import LocalState
from stackr.errors import Refused, UsageError
from tests.support.builders import AUTHOR, BOB, cid, commit, message, pull, ref

TRUNK = Trunk("main", "t9")
# A and B as they were pushed first, then a suggestion of bob's on B.
COMMITS = {
    each.oid: each
    for each in (commit("a1", "t1"), commit("b1", "a1"), commit("b2", "b1", "Apply suggestions", author=BOB))
}
A, B = pull("A", head_oid="a1"), pull("B", ref("A"), "b2")


def two(commits: dict[str, Commit] = COMMITS, *pulls: PullRequest) -> tuple[Member, ...]:
    """The members, each with the tree of its head."""
    found = members(pulls or (A, B), commits, TRUNK)
    return tuple(replace(member, tree=member.head.tree) for member in found)


def test_every_member_has_its_id_and_its_versions() -> None:
    low, high = two()
    assert (low.id, high.id) == (cid("A"), cid("B"))
    assert [version.name for version in high.versions] == ["v1", "v2"]
    assert (high.first.oid, high.head.oid) == ("b1", "b2")


def test_an_id_comes_from_the_marker_else_from_the_first_commit_else_follows_from_it() -> None:
    (marked,) = two({"a1": commit("a1", "t1", "no id")}, A)
    (trailer,) = two({"a1": commit("a1", "t1")}, replace(A, body=""))
    (derived,) = two({"a1": commit("a1", "t1", "no id")}, replace(A, body="plain"))
    assert (marked.id, trailer.id) == (cid("A"), cid("A"))
    assert derived.id == identity.new_id(commit("a1", "t1", "no id"))


def test_a_copied_marker_does_not_make_two_of_one_change() -> None:
    low, high = two(COMMITS, A, replace(B, body=A.body))
    assert (low.id, high.id) == (cid("A"), cid("B"))


def test_what_trunk_holds_as_it_is_is_left_out() -> None:
    assert [member.pull.number for member in two({"b2": COMMITS["b2"], "b1": COMMITS["b1"]})] == [B.number]
    assert [member.pull.number for member in two(COMMITS, replace(A, state=PullState.MERGED), B)] == [B.number]
    with pytest.raises(Refused) as refusal:
        two({}, A, B)
    assert refusal.value.message == '"main" contains all of #11'


def test_a_head_that_its_base_contains_is_refused() -> None:
    with pytest.raises(Refused) as refusal:
        two(COMMITS, replace(A, head_oid="b2"), replace(B, head_oid="b1"))
    assert refusal.value.message == "the branch of #11 has no commit of its own"


def test_a_message_is_title_and_description_as_they_stand_on_github() -> None:
    (plain,) = two(COMMITS, A)
    assert plain.message == message("A")
    edited = replace(A, title=" Better A ", body=f"{A.body}\r\n\r\nWhy.\r\n\r\nFixes: #1\r\n")
    assert two(COMMITS, edited)[0].message == f"Better A\n\nWhy.\n\nFixes: #1\nChange-Id: {cid('A')}\n".encode()


def test_a_template_that_nobody_filled_in_is_left_out_of_the_message() -> None:
    wanted = body.Description(cid("A"), "Add A", "Why.", template="Tested?")
    text = body.new_body(wanted, {})
    assert two(COMMITS, replace(A, body=text))[0].message == message("A", "Why.")
    filled = replace(A, body=text.replace("Tested?", "Tested? Yes."))
    assert two(COMMITS, filled)[0].message == message("A", "Why.\n\nTested? Yes.")


def test_a_head_that_is_just_that_commit_is_taken_and_the_rest_written_unsigned_in_the_first_authors_name() -> None:
    writes, tips = new_commits(two(), "t1")
    (write,) = writes
    assert tips == ("a1", write.label)
    assert (write.tree, write.parents, write.message) == ("tree of b2", ("a1",), message("B"))
    assert (write.author, write.committer, write.sign) == (AUTHOR, AUTHOR, False)
    assert len(new_commits(two(), "t2")[0]) == 2


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Add A", "alice/add-a"),
        ("Überhaupt:  alles/neu!", "alice/uberhaupt-alles-neu"),
        ("日本語", f"alice/{identity.short_id(cid('A'))}"),
        ("x" * 38 + " yy zz", "alice/" + "x" * 38 + "-y"),
    ],
)
def test_a_branch_is_named_after_author_and_title(title: str, name: str) -> None:
    assert branch_name(two(COMMITS, replace(A, title=title))[0]) == name
    assert branch_name(two(COMMITS, replace(A, title=title, author=""))[0]) == name.partition("/")[2]


@pytest.mark.parametrize("name", ["feature", "a/b.c", "ünï", "x@y", "head", "a-b", "x.lock.y", "@x"])
def test_what_git_takes_for_a_branch_is_taken(name: str) -> None:
    refuse_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            " ",
            "with space",
            "-x",
            "HEAD",
            "@",
            "refs/heads/x",
            "a..b",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[b",
            "a\\b",
        ),
        *("/a", "a/", "a//b", ".a", "a/.b", "a.", "a.lock", "a.lock/b", "a@{1}", "a\x7f", "a\nb"),
    ],
)
def test_what_git_takes_for_no_branch_or_for_something_else_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as refusal:
        refuse_name(name)
    assert refusal.value.message == f'"{name}" cannot be the name of a branch'


def test_a_change_is_somebody_elses_unless_the_viewer_wrote_it_or_pushed_to_it() -> None:
    low, high = two()
    assert not is_foreign(low, "Alice", b"elsewhere@example.com")
    assert is_foreign(low, "bob", b"bob@example.com")
    assert not is_foreign(high, "bob", b"Bob@Example.com")


def test_a_branch_has_the_same_content_when_files_and_ids_are_the_same() -> None:
    found = two()
    existing = [commit("a7", "t1", tree="tree of a1"), commit("b7", "a7", tree="tree of b2")]
    assert same_content(existing, found)
    assert not same_content(existing[:1], found)
    assert not same_content([existing[0], commit("b7", "a7")], found)


def state(**refs: str) -> LocalState:
    return LocalState(None, refs, other_worktrees={"refs/heads/there": "/elsewhere"})


def test_a_branch_that_is_taken_is_refused_by_name() -> None:
    refuse_elsewhere("refs/heads/here", state())
    with pytest.raises(Refused) as elsewhere:
        refuse_elsewhere("refs/heads/there", state())
    assert elsewhere.value.message == '"there" is checked out in "/elsewhere"'
    with pytest.raises(Refused) as other:
        refuse_other_content("alice/a", "abcdef123", 10)
    assert other.value.message == 'the branch "alice/a" exists (at abcdef1) and is not what #10 is now'


def test_a_local_branch_that_lacks_what_was_pushed_since_is_named() -> None:
    found = two()
    assert moved_on(found, {}) == frozenset()
    assert moved_on(found, {HEADS + cid("A"): "a1", HEADS + cid("B"): "b1"}) == {cid("B")}
    holders = {"other": (commit("z1", "t1", "no id"),), "mine": (commit("a1", "t1"), commit("b1", "a1"))}
    refuse_left_behind(frozenset({cid("Z")}), holders)
    with pytest.raises(Refused) as refusal:
        refuse_left_behind(frozenset({cid("B")}), holders)
    assert refusal.value.message == 'the branch "mine" holds "Add B" without what was pushed since'


def test_branch_records_and_head_move_together() -> None:
    plan = plan_checkout(two(), ("a1", "b9"), "refs/heads/x", Head("refs/heads/main", "t1"), {}, frozenset({cid("B")}))
    (action,) = plan.actions
    assert isinstance(action, MoveRefs)
    assert action.files == ("t1", "b9")
    assert action.moves == (
        RefMove("refs/heads/x", None, "b9"),
        RefMove(HEADS + cid("A"), None, "a1"),
        RefMove(BRANCHES + ref("A"), None, "a1"),
        RefMove(SAID + cid("A"), None, "a1"),
        RefMove(HEADS + cid("B"), None, "b2"),
        RefMove(BRANCHES + ref("B"), None, "b2"),
        RefMove(TAKEN + cid("B"), None, "b2"),
        RefMove(SAID + cid("B"), None, "b9"),
        RefMove("HEAD", "refs/heads/main", "refs/heads/x"),
    )
    # What is so already does not move; a change that is shared by now is no longer just somebody else's.
    done = {move.ref: move.new or "" for move in action.moves}
    again = plan_checkout(two(), ("a1", "b9"), "refs/heads/x", Head("refs/heads/x", "b9"), done, frozenset())
    assert again.actions[0].moves == (RefMove(TAKEN + cid("B"), "b2", None),)  # type: ignore[union-attr]
    del done[TAKEN + cid("B")]
    assert plan_checkout(two(), ("a1", "b9"), "refs/heads/x", Head("refs/heads/x", "b9"), done, frozenset()).is_empty


def test_a_branch_with_a_name_of_its_own_and_a_head_that_lacks_what_landed_are_recorded() -> None:
    low, high = two(COMMITS, replace(A, head_ref="fix"), B)
    found = (replace(low, is_behind=True), high)
    assert kept_as_they_are(found) == {cid("A")}
    assert kept_as_they_are((low, replace(high, is_behind=True))) == frozenset()
    (action,) = plan_checkout(found, ("x1", "x2"), "refs/heads/x", Head(None, "t1"), {}, frozenset()).actions
    assert isinstance(action, MoveRefs)
    moves = {move.ref: move.new for move in action.moves}
    assert (moves[KEPT + cid("A")], moves[f"{NAMES}{cid('A')}/fix"]) == ("x1", "a1")
    assert KEPT + cid("B") not in moves


def test_what_has_ended_below_is_told_and_the_stack_is_reported() -> None:
    found = two(COMMITS, replace(A, state=PullState.MERGED, base_ref="dev"), replace(B, state=PullState.CLOSED))
    plan = plan_checkout(found, ("a1", "b9"), "refs/heads/x", Head(None, "t1"), {}, frozenset())
    assert plan.notes == (
        '#10 "Add A" was merged into "dev"; stackr sync sees to it',
        '#11 "Add B" is closed, and still below the others',
    )
    local = (COMMITS["a1"], commit("b9", "a1"))
    stack = stack_after(found, local, "refs/heads/x", TRUNK, Graph())
    assert [(change.commit.oid, change.remote_head, change.accepted) for change in stack.changes] == [
        ("a1", "a1", "a1"),
        ("b9", "b2", "b2"),
    ]
    assert stack.head == Head("refs/heads/x", "b9")


def test_the_words_of_a_branch_that_exists_already_are_not_taken_for_those_of_github() -> None:
    refs = {"refs/heads/x": "b9", SAID + cid("A"): "a0"}
    (action,) = plan_checkout(two(), ("a1", "b9"), "refs/heads/x", Head(None, "t1"), refs, frozenset()).actions
    assert isinstance(action, MoveRefs)
    assert not [move for move in action.moves if move.ref.startswith(SAID)]
