"""What is done about GitHub's own stacks: nothing, register, add on top, or dissolve first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stackr.core import linking
from stackr.core.fates import fates
from stackr.core.model import PullState, Stack
from stackr.core.native import NativeStack
from stackr.core.options import SubmitOptions
from stackr.core.plan import DeleteRefs, LinkStack, UnlinkStack
from stackr.core.sync import plan_sync, unmoved
from tests.support.builders import cid, live, new, number, orphan, pull, ref, stack, submitted

A, B, C = (number(letter) for letter in "ABC")
THREE = (live("a1", "t1"), live("b1", "a1", ref("A")), live("c1", "b1", ref("B")))


def native(*letters: str, key: int = 7, merged: Sequence[str] = ()) -> NativeStack:
    """GitHub's own stack of these, bottom first."""
    return NativeStack(key, tuple(map(number, letters)), tuple(map(number, merged)))


def linked(made: Stack, **options: object) -> list[UnlinkStack | LinkStack]:
    """What a submit does about native stacks, in order; unlinks come before everything else that GitHub sees."""
    plan = submitted(made, **options)
    kinds = [type(action) for action in plan.actions]
    found = [action for action in plan.actions if isinstance(action, UnlinkStack | LinkStack)]
    if UnlinkStack in kinds:
        names = [kind.__name__ for kind in kinds[: kinds.index(UnlinkStack)]]
        assert not {"Park", "PushRefs", "CreatePull", "UpdatePull"} & set(names)
    if LinkStack in kinds:
        assert kinds[-1] is LinkStack
    return found


def link(*letters: str, onto: int | None = None) -> LinkStack:
    return LinkStack(tuple(map(cid, letters)), onto)


def test_where_native_stacks_are_off_or_not_enabled_nothing_is_done():
    assert linked(stack(*THREE)) == []


def test_a_new_stack_is_registered_bottom_first():
    made = stack(new("a1", "t1"), new("b1", "a1"), native=())
    assert linked(made) == [link("A", "B")]


def test_what_is_registered_as_it_is_stays():
    assert linked(stack(*THREE, native=(native("A", "B", "C"),))) == []


def test_a_stack_of_one_is_not_registered():
    assert linked(stack(live("a1", "t1"), native=())) == []


def test_new_changes_are_added_on_top():
    made = stack(*THREE[:2], new("c1", "b1"), new("d1", "c1"), native=(native("A", "B"),))
    assert linked(made) == [link("C", "D", onto=7)]


def test_what_landed_stays_in_its_native_stack_and_the_rest_grows():
    bottom = live("b1", "t1")
    assert linked(stack(bottom, native=(native("B", merged="A"),))) == []
    made = stack(bottom, new("c1", "b1"), native=(native("B", merged="A"),))
    assert linked(made) == [link("C", onto=7)]


def test_a_native_stack_of_which_all_landed_is_left_behind():
    made = stack(*THREE[1:], new("d1", "c1"), native=(native(merged="A"),))
    assert linked(replace(made, changes=(live("b1", "t1"), *made.changes[1:]))) == [link("B", "C", "D")]


def test_a_reorder_dissolves_what_gets_another_base_and_registers_again():
    old = {"a1": ["t1"], "b1": ["a1"]}
    made = stack(live("b2", "t1", ref("A"), "b1"), live("a2", "b2", "main", "a1"), history=old)
    made = replace(made, native=(native("A", "B"),))
    assert linked(made) == [UnlinkStack(7, (A, B), (A, B)), link("B", "A")]


def test_an_insert_dissolves_because_of_the_one_above():
    made = stack(THREE[0], new("x1", "a1"), live("b1", "x1", ref("A")), native=(native("A", "B"),))
    assert linked(made) == [UnlinkStack(7, (A, B), (B,)), link("A", "X", "B")]


def test_a_drop_from_the_top_dissolves_although_no_base_changes():
    made = stack(*THREE[:2], native=(native("A", "B", "C"),), orphans=(orphan("C", ref("B"), "c1"),))
    assert linked(made) == [UnlinkStack(7, (A, B, C)), link("A", "B")]
    made = stack(THREE[0], native=(native("A", "B"),), orphans=(orphan("B", ref("A"), "b1"),))
    assert linked(made) == [UnlinkStack(7, (A, B))]


def test_stacks_that_somebody_registered_otherwise_give_way():
    made = stack(*THREE, native=(native("B", "C"),))
    assert linked(made) == [UnlinkStack(7, (B, C)), link("A", "B", "C")]
    made = stack(*THREE, native=(native("A", "B"), native("C", "D", key=8)))
    assert linked(made) == [UnlinkStack(8, (C, number("D"))), link("C", onto=7)]


def test_one_that_is_shared_with_others_is_left_as_it_is():
    colleague = pull("D", ref("C"))
    made = stack(*THREE, native=(native("A", "B", "C", "D"),), relatives=(colleague,))
    assert (linked(made), submitted(made).notes) == ([], ())
    made = stack(*THREE, native=(native("A", "B", "D"),), relatives=(replace(colleague, base_ref=ref("B")),))
    assert linked(made) == []
    assert submitted(made).notes == ("GitHub's own stack 7 also holds #13, not of this stack: it is left as it is",)


def test_one_that_is_shared_gives_way_where_a_base_has_to_change():
    made = stack(
        *(THREE[0], new("x1", "a1"), live("b1", "x1", ref("A"))),
        native=(native("A", "B", "D"),),
        relatives=(pull("D", ref("B")),),
    )
    assert linked(made) == [UnlinkStack(7, (A, B, number("D")), (B,)), link("A", "X", "B")]


def test_one_that_others_have_to_themselves_is_nobodys_business():
    made = stack(*THREE, native=(native("D", "E"), native("A", "B", "C", key=8)), relatives=(pull("D", ref("C")),))
    assert linked(made) == []


def test_only_what_is_in_its_place_is_registered():
    made = stack(*THREE, new("d1", "c1"), native=())
    assert linked(made, upto="b1") == [link("A", "B", "C")]
    closed = replace(THREE[2], pull=pull("C", ref("B"), state=PullState.CLOSED))
    assert linked(stack(*THREE[:2], closed, native=()), upto="b1") == [link("A", "B")]
    astray = replace(THREE[2], pull=pull("C", "main"))
    assert linked(stack(*THREE[:2], astray, native=()), upto="b1") == [link("A", "B")]


def test_one_that_reaches_further_up_than_what_is_submitted_stays():
    closed = replace(THREE[2], pull=pull("C", ref("B"), state=PullState.CLOSED))
    made = stack(*THREE[:2], closed, native=(native("A", "B", "C"),))
    assert linked(made, upto="b1") == []


def test_more_than_github_takes_is_said_and_not_registered(monkeypatch):
    monkeypatch.setattr(linking, "MOST", 3)
    made = stack(*THREE, new("d1", "c1"), native=(native("A", "B", "C"),))
    assert linked(made) == []
    assert submitted(made).notes == (
        "GitHub's own stacks hold 3 pull requests at most: this one has 4 and is not registered",
    )


def test_where_what_landed_leaves_no_room_a_new_one_is_made(monkeypatch):
    monkeypatch.setattr(linking, "MOST", 3)
    made = stack(live("b1", "t1"), live("c1", "b1", ref("B")), new("d1", "c1"), native=(native("B", "C", merged="A"),))
    assert linked(made) == [UnlinkStack(7, (B, C)), link("B", "C", "D")]


def test_a_sync_registers_what_is_left_before_it_deletes_landed_branches():
    merged = live("a1", "t1", pull=pull("A", state=PullState.MERGED))
    left = stack(live("b1", "t1", ref("A")), live("c1", "b1", ref("B")), native=(native("B", "C", merged="A"),))
    before = replace(left, changes=(merged, *left.changes))
    plan = plan_sync(before, left, fates(before), unmoved(left), SubmitOptions(), push=True)
    found = [action for action in plan.actions if isinstance(action, UnlinkStack | LinkStack | DeleteRefs)]
    doomed = DeleteRefs((("refs/heads/" + ref("A"), "a1"),))
    assert found == [UnlinkStack(7, (B, C), (B,)), link("B", "C"), doomed]
