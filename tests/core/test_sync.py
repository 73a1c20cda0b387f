"""Planning a sync: what is picked, where everything goes, what is refreshed and what is cleaned up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from stackr.core.fates import Fate, fates
from stackr.core.identity import change_id, new_id
from stackr.core.model import Finished, Head, PullState, Stack
from stackr.core.options import SubmitOptions
from stackr.core.ownership import BRANCHES, HEADS, LANDED, PUSHING, SAID, TAKEN
from stackr.core.plan import DeleteRefs, MoveRefs, Park, Plan, PushRefs, RefMove, UpdatePull
from stackr.core.replaying import Picked, Replayed
from stackr.core.sync import after, is_settled, new_tips, plan_picks, plan_sync, refreshed, unmoved
from stackr.core.taking import TreeMerge, below_label, foreign_merges, old_holders, taken_in, with_co_authors
from tests.support.builders import AUTHOR, BOB, cid, commit, listed, live, message, new, orphan, pull, ref, stack

MERGED = PullState.MERGED


def replayed(**outcomes: str) -> Replayed:
    """Where picks went: ``a1="a2"``; one that became empty ends in ``!``."""
    return Replayed(
        tuple(
            Picked(label, oid.rstrip("!"), f"tree of {oid.rstrip('!')}", oid.endswith("!"))
            for label, oid in outcomes.items()
        )
    )


def landed_one(**more: object) -> Stack:
    """A, which is merged into trunk at t2, and B on it."""
    bottom = live("a1", "t1", pull=pull("A", head_oid="a1", state=MERGED))
    made = stack(bottom, live("b1", "a1", ref("A")), trunk="t2", trees={"t1": "tree of t1"}, **more)
    return replace(made, local_branches={**made.local_branches, "refs/heads/low": "a1"})


def synced(made: Stack, done: Replayed, *, push: bool = True) -> tuple[Stack, Plan]:
    """The stack afterwards and the plan, when the picks end like this."""
    found = fates(made)
    later = after(made, found, plan_picks(made, found, {}), done)
    return later, plan_sync(made, later, found, done, SubmitOptions(), push=push)


# -- picks ---------------------------------------------------------------------------------------------


def test_what_is_alive_is_picked_as_it_is_and_what_landed_is_not():
    made = landed_one()
    (pick,) = plan_picks(made, fates(made), {})
    assert (pick.label, pick.base_tree, pick.theirs_tree, pick.message) == (
        "b1",
        "tree of a1",
        "tree of b1",
        message("B"),
    )


def test_a_submitted_change_that_lost_its_id_gets_it_back_and_a_new_one_gets_none():
    bare = commit("a1", "t1", "Add A\n")
    made = stack(live("a1", "t1", commit=bare), new("b1", "a1", commit=commit("b1", "a1", "Add B\n")))
    assert [pick.message for pick in plan_picks(made, fates(made), {})] == [message("A"), b"Add B\n"]


def test_of_what_was_amended_after_the_merge_the_rest_is_picked_under_a_new_id():
    merged = pull("A", head_oid="a1", state=MERGED)
    made = stack(live("a2", "t1", remote="a1", pull=merged), history={"a1": ["t1"]})
    (pick,) = plan_picks(made, fates(made), {})
    assert (pick.base_tree, pick.theirs_tree) == ("tree of a1", "tree of a2")
    assert change_id(pick.message) == new_id(made.changes[0].commit, "rest")


def test_of_what_stands_on_its_own_merge_all_is_picked():
    merged = pull("A", head_oid="a1", state=MERGED)
    made = stack(live("a2", "t1", remote="a1", pull=merged), history={"a1": ["t1"]})
    made = replace(made, landed_below=frozenset({cid("A")}))
    assert plan_picks(made, fates(made), {})[0].base_tree == "tree of t1"


# -- what others pushed --------------------------------------------------------------------------------


def pushed_to(**more: object) -> Stack:
    """B is on A; somebody pushed x1 to B's branch."""
    upper = replace(live("b1", "a1", ref("A")), remote_head="x1")
    foreign = {cid("B"): (commit("x1", "b1", "Fix", author=BOB),)}
    return replace(stack(live("a1", "t1"), upper, history={"x1": ["b1"]}, foreign=foreign), **more)


def test_their_work_is_merged_relative_to_what_was_pushed_last():
    made = pushed_to()
    assert list(foreign_merges(made, fates(made))) == [TreeMerge(cid("B"), "tree of b1", "tree of b1", "tree of x1")]
    picks = plan_picks(made, fates(made), {cid("B"): "merged"})
    assert (picks[1].base_tree, picks[1].theirs_tree) == ("tree of a1", "merged")
    assert picks[1].message == (
        b"Add B\n\nCo-authored-by: Bob <bob@example.com>\nChange-Id: " + cid("B").encode() + b"\n"
    )


def without_record(made: Stack, **more: object) -> Stack:
    return replace(made, changes=(made.changes[0], replace(made.changes[1], accepted=None, **more)))


def base_of(made: Stack) -> str:
    return next(foreign_merges(made, dict.fromkeys(fates(made), Fate.TAKEN_IN) | {cid("A"): Fate.ALIVE})).base


def test_without_a_record_it_is_relative_to_what_their_branch_grew_from():
    assert base_of(without_record(pushed_to())) == "tree of b1"
    same_tree = commit("b2", "a1", tree="tree of y1")
    grown = {cid("B"): (commit("y1", "a1"), commit("x1", "y1", "Fix"))}
    made = replace(pushed_to(), foreign=grown)
    made = replace(made, graph=made.graph.with_commits({"x1": ("y1",), "y1": ("a1",)}))
    assert base_of(without_record(made, commit=same_tree)) == "tree of y1"
    assert base_of(without_record(made, commit=commit("b3", "a1"))) == "tree of a1"


def test_a_branch_that_is_gone_has_nothing_to_take_in():
    made = pushed_to()
    gone = replace(made, changes=(made.changes[0], replace(made.changes[1], remote_head=None)))
    assert not list(foreign_merges(gone, {cid("A"): Fate.ALIVE, cid("B"): Fate.TAKEN_IN}))


def test_trunk_commits_that_their_branch_holds_already_do_not_count_as_theirs():
    made = pushed_to(newer_trunk={cid("B"): "t2"})
    made = replace(made, trees={**made.trees, "t2": "tree of t2"})
    (merge,) = foreign_merges(made, fates(made))
    assert merge.below == ("tree of t1", "tree of a1", "tree of t2")
    picks = plan_picks(made, fates(made), {cid("B"): "merged", below_label(cid("B")): "below"})
    assert (picks[1].base_tree, picks[1].theirs_tree) == ("below", "merged")
    unknown = replace(made, newer_trunk={cid("B"): "t3"})
    assert next(foreign_merges(unknown, fates(unknown))).below is None


def test_what_was_taken_in_counts_as_ours_afterwards():
    made = pushed_to()
    assert dict(taken_in(made, fates(made))) == {HEADS + cid("B"): "x1", BRANCHES + ref("B"): "x1"}
    later, plan = synced(made, replayed(a1="a1", b1="b2"))
    assert later.changes[1].accepted == "x1"
    moves = plan.actions[0]
    assert isinstance(moves, MoveRefs)
    assert RefMove(HEADS + cid("B"), "b1", "x1") in moves.moves


def test_a_head_with_the_local_tree_is_adopted():
    adopted = replace(live("a1", "t1"), remote_head="x1")
    made = stack(adopted, history={"x1": ["t1"]}, trees={"x1": "tree of a1"})
    assert dict(taken_in(made, fates(made))) == {HEADS + cid("A"): "x1", BRANCHES + ref("A"): "x1"}


def test_everybody_who_pushed_is_credited_once_but_not_the_author_nor_who_only_merged():
    own = commit("a1", "t1", author=AUTHOR)
    merge = commit("m1", "a1", "Merge branch 'main'", author=b"Carol <carol@example.com> 1 +0000", parents=("a1", "t2"))
    theirs = (commit("x1", "a1", author=BOB), commit("x2", "x1", author=BOB), commit("x3", "x2"), merge)
    text = b"Add A\n\nSigned-off-by: Alice <alice@example.com>\nChange-Id: " + cid("A").encode() + b"\n"
    told = with_co_authors(text, theirs, own)
    assert told == text.replace(b"Change-Id", b"Co-authored-by: Bob <bob@example.com>\nChange-Id")
    assert with_co_authors(told, theirs, own) == told
    assert with_co_authors(b"Add A\n", theirs, own) == b"Add A\n\nCo-authored-by: Bob <bob@example.com>\n"


def test_a_branch_that_grew_out_of_the_stack_is_named_when_it_stays_behind():
    made = pushed_to()
    branches = ["refs/heads/feature", "refs/heads/fork"]
    assert list(old_holders(made, made.changes[1], "b2", branches)) == [
        '"fork" still holds "Add B" without what others pushed; before you submit it: git rebase --onto b2 b1 fork'
    ]


# -- afterwards ----------------------------------------------------------------------------------------


def test_a_stack_on_trunks_tip_on_which_nothing_happened_is_settled_and_empty_plans_follow():
    made = listed(stack(live("a1", "t1"), live("b1", "a1", ref("A"))))
    assert is_settled(made, fates(made))
    later, plan = synced(made, unmoved(made))
    assert later.changes == made.changes
    assert plan.is_empty


def test_a_stack_behind_trunk_or_with_anything_to_do_is_not_settled():
    made = stack(live("a1", "t1"), trunk="t2", trees={"t1": "tree of t1"})
    assert not is_settled(made, fates(made))
    assert not is_settled(pushed_to(), fates(pushed_to()))
    assert not is_settled(stack(), {})


# A leaves the stack while its branch is still on GitHub.
LEAVES = RefMove(LANDED + cid("A"), None, "a1")


def test_what_landed_is_gone_its_branches_go_to_what_is_below_and_files_follow_head():
    later, plan = synced(landed_one(), replayed(b1="b2"))
    assert [(c.commit.oid, c.commit.parents) for c in later.changes] == [("b2", ("t2",))]
    assert later.head == Head("refs/heads/feature", "b2")
    assert later.landed_numbers == (10,)
    branches = (RefMove("refs/heads/feature", "b1", "b2"), RefMove("refs/heads/low", "a1", "t2"))
    assert plan.actions[0] == MoveRefs((*branches, LEAVES), "sync", ("b1", "b2"))
    assert plan.switches == (("b1", "b2"),)


def test_the_next_is_retargeted_before_it_is_pushed_and_the_branch_of_what_landed_goes_last():
    _, plan = synced(landed_one(), replayed(b1="b2"))
    kinds = [type(action) for action in plan.actions]
    assert kinds.index(Park) < kinds.index(PushRefs) < kinds.index(UpdatePull) < kinds.index(DeleteRefs)
    assert plan.actions[-2:] == (
        DeleteRefs((("refs/heads/" + ref("A"), "a1"),)),
        MoveRefs(
            (
                RefMove(HEADS + cid("A"), "a1", None),
                RefMove(LANDED + cid("A"), "a1", None),
                RefMove(SAID + cid("A"), "a1", None),
                RefMove(BRANCHES + ref("A"), "a1", None),
            ),
            "sync: landed",
        ),
    )


def test_without_push_only_local_branches_move():
    _, plan = synced(landed_one(), replayed(b1="b2"), push=False)
    assert [type(action) for action in plan.actions] == [MoveRefs]


def test_a_branch_in_another_worktree_stays_and_is_named():
    made = replace(landed_one(), kept_branches=frozenset({"refs/heads/low"}))
    _, plan = synced(made, replayed(b1="b2"))
    moves = plan.actions[0]
    assert isinstance(moves, MoveRefs)
    assert [move.ref for move in moves.moves] == ["refs/heads/feature", LEAVES.ref]
    assert '"low" is checked out in another worktree and stays at a1' in plan.notes


def test_a_detached_head_moves_by_itself():
    made = replace(landed_one(), head=Head(None, "b1"), local_branches={})
    _, plan = synced(made, replayed(b1="b2"))
    assert plan.actions[0] == MoveRefs((RefMove("HEAD", "b1", "b2"), LEAVES), "sync", ("b1", "b2"))


def test_an_empty_stack_goes_to_the_tip_of_trunk():
    made = replace(stack(trunk="t2"), head=Head("refs/heads/feature", "t1"))
    assert new_tips(made, Replayed()) == {"t1": "t2"}
    _, plan = synced(made, Replayed())
    assert plan.actions == (MoveRefs((RefMove("refs/heads/feature", "t1", "t2"),), "sync", ("t1", "t2")),)


def test_a_head_in_the_middle_goes_back_to_its_branch_when_all_of_it_is_on_trunk():
    feature = "refs/heads/feature"
    made = replace(stack(trunk="t2"), head=Head(None, "t1", feature), local_branches={feature: "c1", "other": "t1"})
    _, plan = synced(made, Replayed())
    moves = (RefMove(feature, "c1", "t2"), RefMove("HEAD", "t1", feature))
    assert plan.actions == (MoveRefs(moves, "sync", ("t1", "t2")),)


def test_what_became_empty_leaves_the_stack_and_counts_as_landed():
    made = stack(live("a1", "t1"), live("b1", "a1", ref("A")), trunk="t2", trees={"t1": "tree of t1"})
    later, plan = synced(made, replayed(a1="t2!", b1="b2"))
    assert [change.commit.oid for change in later.changes] == ["b2"]
    assert later.landed_numbers == (10,)
    assert plan.notes[0].startswith('#10 "Add A" leaves your stack')


def test_a_misplaced_change_goes_on_as_a_new_one_without_branch_and_pull_request():
    lower = live("a1", "t1")
    upper = live("b1", "a1", pull=pull("B", ref("A"), "b1", state=MERGED))
    made = stack(lower, upper)
    later, _ = synced(made, replayed(a1="a1", b1="b2"))
    fresh = later.changes[1]
    assert fresh.id == new_id(upper.commit, "rest") != cid("B")
    assert (fresh.pull, fresh.remote_head) == (None, None)
    assert fresh.head_ref.endswith(fresh.id[1:11])
    assert refreshed(later) == later.changes[:1]


def test_with_an_unsubmitted_change_at_the_bottom_nothing_is_refreshed_and_the_base_is_kept():
    bottom = live("a1", "t1", pull=pull("A", head_oid="a1", state=MERGED))
    made = stack(bottom, new("z1", "a1"), live("b1", "z1", ref("A")), trunk="t2", trees={"t1": "tree of t1"})
    _, plan = synced(made, replayed(z1="z2", b1="b2"))
    assert [type(action) for action in plan.actions] == [MoveRefs]


# -- cleaning up ---------------------------------------------------------------------------------------


def cleaned(*gone: Finished, refs: Mapping[str, str] | None = None, **more: object) -> Plan:
    made = listed(stack(live("b1", "t1"), finished=gone, **more))
    return synced(replace(made, own_refs={**made.own_refs, **(refs or {})}), unmoved(made))[1]


def finished(remote: str | None) -> Finished:
    return Finished(cid("A"), ref("A"), remote, pull("A", head_oid="a1", state=MERGED))


def test_what_landed_earlier_is_cleaned_up_with_all_records_of_it():
    records = {HEADS + cid("A"): "a1", PUSHING + cid("A"): "a1", BRANCHES + ref("A"): "a1"}
    forget = MoveRefs(tuple(RefMove(name, "a1", None) for name in records), "sync: landed")
    assert cleaned(finished("a1"), refs=records).actions == (DeleteRefs((("refs/heads/" + ref("A"), "a1"),)), forget)
    assert cleaned(finished(None), refs=records).actions == (forget,)


def test_a_branch_that_somebody_pushed_to_after_the_merge_stays_on_github():
    assert cleaned(finished("x1")).is_empty


def test_a_branch_that_an_open_pull_request_targets_stays_and_is_remembered():
    records = {HEADS + cid("A"): "a1"}
    guest = pull("G", ref("A"), "g1")
    assert cleaned(finished("a1"), refs=records, relatives=(guest,)).is_empty
    assert cleaned(finished("a1"), refs=records, orphans=(orphan("C", ref("A"), "c1"),)).is_empty
    closed = replace(guest, state=PullState.CLOSED)
    assert not cleaned(finished("a1"), refs=records, relatives=(closed,)).is_empty


def test_a_branch_is_free_once_what_targets_it_is_retargeted():
    made = stack(live("b1", "a1", ref("A")), trunk="a1", finished=(finished("a1"),))
    _, plan = synced(made, unmoved(made))
    update, delete = plan.actions
    assert isinstance(update, UpdatePull)
    assert update.base_ref == "main"
    assert delete == DeleteRefs((("refs/heads/" + ref("A"), "a1"),))


def test_a_sync_that_would_push_somebody_elses_change_leaves_github_as_it_is_and_says_so():
    made = listed(stack(live("a1", "t1"), live("b1", "a1", ref("A")), trunk="t2", trees={"t1": "tree of t1"}))
    theirs = replace(made, own_refs={**made.own_refs, TAKEN + cid("A"): "a1"})
    _, mine = synced(made, replayed(a1="a2", b1="b2"))
    assert any(isinstance(action, PushRefs) for action in mine.actions)
    _, held = synced(theirs, replayed(a1="a2", b1="b2"))
    assert [type(action) for action in held.actions] == [MoveRefs]
    assert held.notes == (
        'GitHub was left as it is, since this would push what is not yours: #10 "Add A" of alice; '
        "stackr submit --others does it",
    )
