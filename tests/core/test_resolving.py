"""The to-do list of a rebase in the work tree, and knowing its end."""

from __future__ import annotations

from dataclasses import replace

from stackr.core.fates import Fate, fates
from stackr.core.model import Head, NewCommit, PullState, Stack
from stackr.core.ownership import BRANCHES, HEADS
from stackr.core.plan import RefMove
from stackr.core.resolving import Resolution, is_undone, moved_by, plan_resolution, plan_script, todo
from stackr.core.sync import plan_picks
from stackr.core.taking import TreeMerge
from tests.support.builders import AUTHOR, BOB, cid, commit, live, message, pull, ref, stack


def three(**more: object) -> Stack:
    """A, which has landed, B and C; branches at A and B, one of those at B in another worktree."""
    made = stack(
        live("a1", "t1", pull=pull("A", head_oid="a1", state=PullState.MERGED)),
        live("b1", "a1", ref("A")),
        live("c1", "b1", ref("B")),
        trunk="t2",
        trees={"t1": "tree of t1"},
        **more,
    )
    others = {"refs/heads/low": "a1", "refs/heads/mid": "b1", "refs/heads/other": "t1", "refs/heads/else": "b1"}
    return replace(
        made,
        local_branches={**made.local_branches, **others},
        kept_branches=frozenset({"refs/heads/else"}),
    )


def test_plain_commits_are_picked_and_branches_follow_the_landed_ones_included():
    made = three()
    script = plan_script(made, plan_picks(made, fates(made), {}), [])
    assert script.writes == ()
    assert todo(script, {}).splitlines() == [
        "update-ref refs/heads/low",
        "pick b1 Add B",
        "update-ref refs/heads/mid",
        "pick c1 Add C",
    ]


def test_a_commit_whose_message_changes_is_prepared():
    made = stack(live("a1", "t1", commit=commit("a1", "t1", "Add A\n")))
    script = plan_script(made, plan_picks(made, fates(made), {}), [])
    assert script.writes == (NewCommit(":prepared/a1", "tree of a1", ("t1",), message("A"), AUTHOR),)
    assert todo(script, {":prepared/a1": "p1"}) == "pick p1 Add A\n"


def test_what_was_amended_after_the_merge_is_prepared_on_what_was_sent():
    merged = pull("A", head_oid="a1", state=PullState.MERGED)
    made = stack(live("a2", "t1", remote="a1", pull=merged), history={"a1": ["t1"]})
    script = plan_script(made, plan_picks(made, fates(made), {}), [])
    base, prepared = script.writes
    assert (base.label, base.tree, base.parents) == (":base/a2", "tree of a1", ("t1",))
    assert (prepared.label, prepared.tree, prepared.parents) == (":prepared/a2", "tree of a2", (":base/a2",))


def test_the_work_of_others_that_does_not_merge_is_melted_into_the_change_with_their_names():
    made = stack(
        replace(live("a2", "t1", remote="a1"), remote_head="x1"),
        history={"a1": ["t1"], "x1": ["a1"]},
        foreign={cid("A"): (commit("x1", "a1", "Fix", author=BOB),)},
    )
    clash = TreeMerge(cid("A"), "tree of a1", "tree of a2", "tree of x1")
    script = plan_script(made, plan_picks(made, fates(made), {}), [clash])
    # The pick has the credits already, so it is prepared as well.
    prepared, known, theirs = script.writes
    assert prepared.label == ":prepared/a2"
    assert (known.tree, known.parents) == ("tree of a1", ("t1",))
    assert (theirs.tree, theirs.parents, theirs.message) == ("tree of x1", (known.label,), prepared.message)
    assert b"Co-authored-by: Bob" in theirs.message
    oids = {prepared.label: "p1", theirs.label: "x2"}
    assert todo(script, oids) == "pick p1 Add A\nfixup -C x2 Add A\n"


def test_what_a_rebase_was_started_for_is_known_by_where_everything_stood():
    made = three()
    found = {**fates(made), cid("C"): Fate.TAKEN_IN}
    made = replace(made, changes=(*made.changes[:2], replace(made.changes[2], remote_head="x1")))
    resolution = plan_resolution(made, found, push=False)
    assert (resolution.command, resolution.push, resolution.trunk) == ("sync", False, "main")
    assert resolution.head == Head("refs/heads/feature", "c1")
    assert resolution.branches == {"refs/heads/feature": "c1", "refs/heads/low": "a1", "refs/heads/mid": "b1"}
    assert resolution.taken == (RefMove(HEADS + cid("C"), "c1", "x1"), RefMove(BRANCHES + ref("C"), "c1", "x1"))


BEFORE = Resolution(
    "sync", True, "main", Head("refs/heads/feature", "c1"), {"refs/heads/feature": "c1", "refs/heads/mid": "b1"}
)
DETACHED = replace(BEFORE, head=Head(None, "c1"), branches={"refs/heads/mid": "b1"})


def test_a_rebase_is_undone_when_its_branch_is_where_it_was():
    back = {"refs/heads/feature": "c1"}
    assert is_undone(BEFORE, back, Head("refs/heads/other", "z1"))
    assert not is_undone(BEFORE, {"refs/heads/feature": "c2"}, Head("refs/heads/feature", "c2"))
    assert is_undone(DETACHED, {}, Head(None, "c1"))
    assert not is_undone(DETACHED, {}, Head(None, "c2"))


def test_what_a_rebase_has_moved_is_what_stands_elsewhere_now():
    now = {"refs/heads/feature": "c2", "refs/heads/mid": "b1"}
    assert moved_by(BEFORE, now, Head("refs/heads/feature", "c2")) == (RefMove("refs/heads/feature", "c1", "c2"),)
    assert moved_by(BEFORE, {}, Head("refs/heads/x", "z1")) == ()
    assert moved_by(DETACHED, {}, Head(None, "c2")) == (RefMove("HEAD", "c1", "c2"),)
    assert moved_by(DETACHED, {}, Head(None, "c1")) == ()
    assert moved_by(DETACHED, {}, Head("refs/heads/x", "z1")) == ()
