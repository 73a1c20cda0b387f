"""GitHub's worst trap: which pull requests a push would merge, and so have to stand on trunk meanwhile."""

from __future__ import annotations

from dataclasses import replace

from stackr.core.model import PullState, Style
from stackr.core.plan import Park
from tests.support.builders import cid, live, new, number, orphan, pull, ref, stack, submitted


def parked(made, **options: object) -> set[str]:
    """The letters of the pull requests that are parked."""
    parks = [action for action in submitted(made, **options).actions if isinstance(action, Park)]
    assert all(park.base_ref == "main" and park.node_id == f"PR_{park.number}" for park in parks)
    return {chr(ord("A") + park.number - 10) for park in parks}


OLD = {"a1": ["t1"], "b1": ["a1"], "c1": ["b1"]}


def test_nothing_is_parked_for_a_new_stack():
    assert parked(stack(new("a1", "t1"), new("b1", "a1"))) == set()


def test_an_amend_parks_nothing():
    made = stack(live("a2", "t1", remote="a1"), live("b2", "a2", ref("A"), "b1"), history=OLD)
    assert parked(made) == set()


def test_swapping_two_parks_the_one_that_stands_on_the_other():
    made = stack(live("b2", "t1", ref("A"), "b1"), live("a2", "b2", "main", "a1"), history=OLD)
    assert parked(made) == {"B"}


def test_moving_the_top_to_the_bottom_parks_every_one_whose_base_will_hold_it():
    made = stack(
        live("c2", "t1", ref("B"), "c1"), live("a2", "c2", "main", "a1"), live("b2", "a2", ref("A"), "b1"), history=OLD
    )
    # B: GitHub may look when A's branch has moved, and holds the old B through C, and B's has not.
    assert parked(made) == {"B", "C"}


def test_an_orphan_whose_base_swallows_it_is_parked():
    made = stack(
        live("c2", "t1", ref("B"), "c1"),
        live("a2", "c2", "main", "a1"),
        history=OLD,
        orphans=(orphan("B", ref("A"), "b1"),),
    )
    assert parked(made) == {"B"}


def test_a_pull_request_of_a_branch_that_shares_the_lower_part_is_parked_too():
    made = stack(
        live("c2", "t1", ref("B"), "c1"),
        live("a2", "c2", "main", "a1"),
        history=OLD,
        relatives=(pull("B", ref("A"), "b1"),),
    )
    assert parked(made) == {"B"}


def test_a_branch_of_the_same_name_in_a_fork_does_not_hide_ours():
    made = stack(live("b2", "t1", ref("A"), "b1"), live("a2", "b2", "main", "a1"), history=OLD)
    guest = pull("C", ref("A"), "x1", head_ref=ref("B"))
    assert parked(replace(made, relatives=(guest,))) >= {"B"}


def test_pull_requests_that_ended_or_stand_on_trunk_are_left_alone():
    made = stack(live("b2", "t1", ref("A"), "b1"), live("a2", "b2", "main", "a1"), history=OLD)
    closed = replace(made.changes[0], pull=pull("B", ref("A"), "b1", state=PullState.CLOSED))
    assert parked(replace(made, changes=(closed, made.changes[1]))) == set()
    on_trunk = replace(made.changes[0], pull=pull("B", "main", "b1"))
    assert parked(replace(made, changes=(on_trunk, made.changes[1]))) == set()


def test_a_base_that_nobody_knows_is_changed_without_parking():
    made = stack(live("b2", "t1", "feature-x", "b1"), history=OLD)
    assert parked(made) == set()


def test_branches_that_do_not_move_need_no_parking():
    made = stack(live("a1", "t1"), live("b1", "a1", ref("C")), live("c1", "b1", ref("B")))
    assert parked(made) == set()


def test_style_rewrite_parks_as_well():
    made = stack(live("b2", "t1", ref("A"), "b1"), live("a2", "b2", "main", "a1"), history=OLD)
    assert parked(made, style=Style.REWRITE) == {"B"}


def test_a_parked_pull_request_whose_place_is_trunk_stays_there():
    made = stack(live("b2", "t1", ref("A"), "b1"), live("a2", "b2", "main", "a1"), history=OLD)
    updates = {a.change_id: a.base_ref for a in submitted(made).actions if hasattr(a, "reviewers")}
    assert updates == {cid("B"): None, cid("A"): ref("B")}
    assert number("A") == 10
