"""Where ``up``, ``down`` and the others send HEAD, and where HEAD goes when commits move; stacks are values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core.heading import files_between, head_after, head_moves
from stackr.core.model import Head, Stack
from stackr.core.moving import plan_goto, plan_step, position
from stackr.core.plan import MoveRefs, Plan, RefMove, on_branch
from stackr.errors import Refused
from tests.support.builders import new, stack

FEATURE = "refs/heads/feature"


def made(head: Head | None = None) -> Stack:
    whole = stack(new("a1", "t1"), new("b1", "a1"), new("c1", "b1"))
    return replace(whole, head=head) if head else whole


def middle(oid: str = "b1") -> Stack:
    return made(Head(None, oid, FEATURE))


def went(plan: Plan) -> tuple[str | None, str | None]:
    (action,) = plan.actions
    assert isinstance(action, MoveRefs)
    (move,) = action.moves
    assert move.ref == "HEAD"
    return move.old, move.new


def test_head_steps_down_from_its_branch_and_back_onto_it() -> None:
    assert plan_step("down", made(), -1) == Plan(
        "down", (MoveRefs((RefMove("HEAD", FEATURE, "b1"),), "down", ("c1", "b1")),), ('HEAD is at "Add B", 2 of 3',)
    )
    assert went(plan_step("down", middle(), -1)) == ("b1", "a1")
    assert went(plan_step("up", middle("a1"), 1)) == ("a1", "b1")
    assert went(plan_step("up", middle("a1"), 2)) == ("a1", FEATURE)
    assert went(plan_goto("goto", middle(), 0)) == ("b1", "a1")


def test_a_head_below_the_stack_goes_up_into_it() -> None:
    below = middle("t0")
    assert position(below) == -1
    assert went(plan_step("up", below, 1)) == ("t0", "a1")


def test_a_head_detached_at_the_top_goes_back_onto_its_branch() -> None:
    plan = plan_goto("top", middle("c1"), 2)
    assert plan.actions == (MoveRefs((RefMove("HEAD", "c1", FEATURE),), "top", None),)


@pytest.mark.parametrize(
    ("head", "by", "where"),
    [
        (None, 1, '"Add C", 3 of 3'),
        (Head(None, "a1", FEATURE), -1, '"Add A", 1 of 3'),
        (Head(None, "c1"), 1, '"Add C", 3 of 3'),
    ],
)
def test_at_the_end_there_is_nothing_to_do(head: Head | None, by: int, where: str) -> None:
    assert plan_step("up", made(head), by) == Plan("up", notes=(f"HEAD is at {where}, already",))


def test_more_steps_than_there_are_changes_are_refused() -> None:
    with pytest.raises(Refused, match="there are only 2 changes below HEAD") as down:
        plan_step("down", made(), -3)
    assert down.value.next_step == "stackr bottom goes to the bottom"
    with pytest.raises(Refused, match="there is only 1 change above HEAD"):
        plan_step("up", middle(), 2)


def test_a_head_without_a_branch_does_not_leave_the_top() -> None:
    with pytest.raises(Refused, match="HEAD is on no branch"):
        plan_step("down", made(Head(None, "c1")), -1)


@pytest.mark.parametrize(
    ("head", "tips", "after"),
    [
        (Head(FEATURE, "c1"), "a2 b2 c2", Head(FEATURE, "c2")),
        (Head(FEATURE, "c1"), "t2 t2 t2", Head(FEATURE, "t2")),
        (Head(None, "c1"), "t2 t2 t2", Head(None, "t2")),
        (Head(None, "b1", FEATURE), "a2 b2 c2", Head(None, "b2", FEATURE)),
        (Head(None, "b1", FEATURE), "a2 a2 c2", Head(None, "a2", FEATURE)),
        (Head(None, "a1", FEATURE), "t2 b2 c2", Head(None, "b2", FEATURE)),
        (Head(None, "a1", FEATURE), "t2 t2 c2", Head(FEATURE, "c2")),
        (Head(None, "a1", FEATURE), "t2 t2 t2", Head(FEATURE, "t2")),
        (Head(None, "t1", FEATURE), "a2 b2 c2", Head(None, "a2", FEATURE)),
        (Head(None, "t1", FEATURE), "a2 a2 a2", Head(FEATURE, "a2")),
    ],
)
def test_head_follows_its_commit_or_goes_to_what_is_left(head: Head, tips: str, after: Head) -> None:
    moved = dict(zip(("a1", "b1", "c1"), tips.split(), strict=True))
    assert head_after(made(head), moved, "t2") == after


def test_head_itself_moves_only_when_it_is_on_no_branch_or_changes_it() -> None:
    on, off = Head(FEATURE, "c1"), Head(None, "b1", FEATURE)
    assert head_moves(on, Head(FEATURE, "c2")) == head_moves(off, off) == []
    assert head_moves(on, off) == [RefMove("HEAD", FEATURE, "b1")]
    assert head_moves(off, on) == [RefMove("HEAD", "b1", FEATURE)]
    assert (files_between(on, off), files_between(on, on)) == (("c1", "b1"), None)
    assert (on_branch(FEATURE), on_branch("b1"), on_branch(None)) == (True, False, False)


def test_the_branch_of_the_stack_is_known_below_it_too() -> None:
    names = [head.stack_branch_name for head in (Head(FEATURE, "c1"), Head(None, "b1", FEATURE), Head(None, "b1"))]
    assert names == ["feature", "feature", None]
