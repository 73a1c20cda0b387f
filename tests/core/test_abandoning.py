"""Giving up one change: what stands on it first, its branch last, and only what this clone knows all of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core.abandoning import closed, doomed_change, doomed_outsider, known_pulls, plan_abandon, without
from stackr.core.model import PullState, Stack
from stackr.core.ownership import BRANCHES, HEADS, SAID, TAKEN
from stackr.core.plan import ClosePull, DeleteRefs, MoveRefs, UpdatePull
from stackr.errors import Refused
from tests.support.builders import cid, listed, live, new, orphan, pull, ref, stack


def three(**more: object) -> Stack:
    """A, B and C as they are on GitHub."""
    made = stack(live("a1", "t1"), live("b1", "a1", ref("A")), live("c1", "b1", ref("B")), **more)
    return listed(made)


def test_what_stands_on_it_is_retargeted_first_and_the_branch_goes_last() -> None:
    made = three(relatives=(pull("G", ref("B")),), orphans=(orphan("H", ref("B"), "h1"), orphan("I", "main", "i1")))
    plan = plan_abandon(made, doomed_change(made.changes[1], made))
    assert [type(action) for action in plan.actions] == [*(UpdatePull,) * 4, ClosePull, DeleteRefs, MoveRefs]
    updates = [action for action in plan.actions if isinstance(action, UpdatePull)]
    assert [(update.number, update.base_ref, update.description is not None) for update in updates] == [
        (10, None, True),
        (12, ref("A"), True),
        (17, ref("A"), False),
        (16, ref("A"), False),
    ]
    assert plan.actions[4:] == (
        ClosePull(cid("B"), 11, "PR_11"),
        DeleteRefs(((f"refs/heads/{ref('B')}", "b1"),)),
        plan.actions[-1],
    )
    gone = [HEADS + cid("B"), SAID + cid("B"), BRANCHES + ref("B")]
    assert [move.ref for move in plan.actions[-1].moves] == gone  # type: ignore[union-attr]
    after = closed(made, doomed_change(made.changes[1], made))
    assert [(change.pull and change.pull.base_ref, change.remote_head) for change in after.changes] == [
        ("main", "a1"),
        (ref("A"), None),
        (ref("A"), "c1"),
    ]
    assert len(known_pulls(made)) == 6


def test_what_is_done_already_is_left_out() -> None:
    made = three()
    done = replace(made.changes[2], pull=pull("C", ref("B"), "c1", state=PullState.CLOSED), remote_head=None)
    made = replace(made, changes=(*made.changes[:2], done), own_refs={})
    doomed = doomed_change(done, made)
    plan = plan_abandon(made, doomed)
    assert [type(action) for action in plan.actions] == [UpdatePull, UpdatePull]
    settled = replace(made, changes=(*listed(without(made, doomed)).changes, done))
    assert plan_abandon(settled, doomed_change(done, settled)).is_empty


def test_a_branch_with_commits_of_others_stays_and_is_named() -> None:
    made = stack(live("a1", "t1", remote="a2", accepted="a1"), history={"a2": ("a1",)})
    doomed = doomed_change(made.changes[0], made)
    plan = plan_abandon(made, doomed)
    assert [type(action) for action in plan.actions] == [ClosePull]
    assert plan.notes == (f'the branch "{ref("A")}" stays: it has commits that this clone has not taken in (a2)',)
    assert closed(made, doomed).changes[0].remote_head == "a2"


def test_what_left_the_stack_goes_the_same_way() -> None:
    out = orphan("B", ref("A"), "b1")
    made = three(orphans=(out,))
    made = replace(made, changes=made.changes[:1])
    doomed = doomed_outsider(out.pull, cid("B"), "b1", made)
    kinds = [type(action) for action in plan_abandon(made, doomed).actions]
    assert kinds == [UpdatePull, ClosePull, DeleteRefs, MoveRefs]
    assert closed(made, doomed).orphans == ()
    gone = doomed_outsider(replace(out.pull, state=PullState.CLOSED), "", None, replace(made, own_refs={}))
    assert not gone.is_ours or gone.remote_head is None


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, '#10 "Add A" is merged into "main"'),
        (1, '#11 "Add B" is a change of alice'),
        (2, '"Add C" has no pull request'),
    ],
)
def test_what_is_not_there_or_not_mine_is_refused(number: int, words: str) -> None:
    landed = live("a1", "t1", pull=pull("A", head_oid="a1", state=PullState.MERGED))
    made = stack(landed, live("b1", "a1", ref("A")), new("c1", "b1"))
    made = replace(made, own_refs={**made.own_refs, TAKEN + cid("B"): "b1"})
    with pytest.raises(Refused) as refusal:
        doomed_change(made.changes[number], made)
    assert refusal.value.message == words
