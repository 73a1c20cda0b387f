"""What became of every change, as tables of core values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core.fates import Fate, arrived_numbers, describe, fates, sent_tree
from stackr.core.model import Finished, PullRequest, PullState, Stack
from tests.support.builders import BOB, change, cid, commit, live, new, orphan, pull, ref, stack

MERGED, CLOSED = PullState.MERGED, PullState.CLOSED


def ended(letter: str, state: PullState = MERGED, base: str = "main", **more: object) -> PullRequest:
    """A pull request that is open no more."""
    return pull(letter, base, state=state, **more)


def fate(made: Stack, letter: str = "A") -> Fate:
    return fates(made)[cid(letter)]


def told(made: Stack) -> tuple[str, ...]:
    return describe(made, fates(made))


def test_what_nobody_touched_is_alive_and_not_worth_a_sentence():
    made = stack(live("a1", "t1"), new("b1", "a1"))
    assert fates(made) == {cid("A"): Fate.ALIVE, cid("B"): Fate.ALIVE}
    assert told(made) == ()


def test_a_pull_request_merged_into_trunk_has_landed():
    made = stack(live("a1", "t1", pull=ended("A")))
    assert fate(made) is Fate.LANDED
    assert told(made) == ('#10 "Add A" landed on main',)
    merged = stack(live("a1", "t1", pull=ended("A", merge_commit="t234567890")))
    assert told(merged) == ('#10 "Add A" landed on main as t234567',)


def test_an_id_on_trunk_has_landed_though_the_pull_request_is_open():
    made = stack(live("a1", "t1"), landed={cid("A"): "t234567890"})
    assert fate(made) is Fate.LANDED
    assert told(made) == ('#10 "Add A" landed on main as t234567; GitHub still shows #10 as open, close it there',)


def test_a_patch_on_trunk_has_landed_without_any_pull_request():
    made = stack(new("a1", "t1"), equivalent=frozenset({"a1"}))
    assert fate(made) is Fate.LANDED
    assert told(made) == ('"Add A" landed on main',)


def test_what_was_changed_after_it_was_sent_and_landed_is_amended():
    made = stack(live("a2", "t1", remote="a1", pull=ended("A")), history={"a1": ["t1"]})
    assert fate(made) is Fate.AMENDED
    assert told(made) == ('#10 "Add A" landed on main; what you changed since is kept as a change of its own',)


def test_what_stands_on_its_own_merge_is_amended_whatever_its_tree():
    made = stack(live("a1", "t1", pull=ended("A")), landed_below=frozenset({cid("A")}))
    assert fate(made) is Fate.AMENDED


def test_a_pull_request_merged_elsewhere_is_misplaced_and_told_loudly():
    made = stack(live("a1", "t1"), live("b1", "a1", pull=ended("B", base=ref("A"))))
    assert fate(made, "B") is Fate.MISPLACED
    assert told(made) == (
        f'#11 "Add B" was merged into "{ref("A")}", which is not main: it has NOT landed; '
        "it is kept as a new change, and stackr submit gives it a new pull request",
    )


def test_what_was_merged_elsewhere_and_came_to_trunk_all_the_same_has_landed():
    made = stack(live("b1", "t1", pull=ended("B", base=ref("A"))), landed={cid("B"): "t2"})
    assert fate(made, "B") is Fate.LANDED


def test_a_closed_pull_request_stays():
    made = stack(live("a1", "t1", pull=ended("A", CLOSED)))
    assert fate(made) is Fate.CLOSED
    assert told(made) == ('#10 "Add A" was closed on GitHub without being merged; it stays in your stack',)


def pushed_to(made_by: dict[str, object] | None = None) -> Stack:
    """A stack of two; somebody pushed x1 to the branch of the lower one."""
    lower = replace(live("a1", "t1"), remote_head="x1")
    foreign = {cid("A"): (commit("x1", "a1", "Fix", **(made_by or {"author": BOB})),)}
    return stack(lower, live("b1", "a1", ref("A")), history={"x1": ["a1"]}, foreign=foreign)


def test_what_others_pushed_is_taken_in_and_they_are_named():
    assert fate(pushed_to()) is Fate.TAKEN_IN
    assert told(pushed_to()) == ('#10 "Add A" now holds what Bob pushed to its branch',)


@pytest.mark.parametrize("made_by", [{"author": b" <x@example.com> 1 +0000"}])
def test_somebody_without_a_name_is_somebody(made_by: dict[str, object]):
    assert told(pushed_to(made_by)) == ('#10 "Add A" now holds what somebody pushed to its branch',)


def test_a_head_that_moved_without_a_known_commit_is_somebodys():
    made = replace(pushed_to(), foreign={})
    assert told(made) == ('#10 "Add A" now holds what somebody pushed to its branch',)


def test_the_accidental_merge_of_the_change_above_is_not_taken_in():
    lower = replace(live("a1", "t1"), remote_head="m1")
    upper = live("b1", "a1", pull=ended("B", base=ref("A"), merge_commit="m1"))
    foreign = {cid("A"): (commit("m1", "a1", "Merge"),)}
    made = stack(lower, upper, history={"m1": ["a1", "b1"]}, foreign=foreign)
    assert fates(made) == {cid("A"): Fate.ALIVE, cid("B"): Fate.MISPLACED}


def test_what_came_besides_the_accidental_merge_is_taken_in():
    lower = replace(live("a1", "t1"), remote_head="x1")
    upper = live("b1", "a1", pull=ended("B", base=ref("A"), merge_commit="m1"))
    foreign = {cid("A"): (commit("m1", "a1", "Merge"), commit("x1", "m1", "Fix"))}
    made = stack(lower, upper, history={"m1": ["a1", "b1"], "x1": ["m1"]}, foreign=foreign)
    assert fate(made) is Fate.TAKEN_IN


def test_the_tree_that_was_sent_is_the_recorded_one_else_that_of_the_pull_request():
    made = stack(live("a2", "t1", remote="a1"), history={"a1": ["t1"], "h1": ["t1"]})
    (one,) = made.changes
    assert sent_tree(one, made) == "tree of a1"
    assert sent_tree(replace(one, accepted=None, pull=pull("A", head_oid="h1")), made) == "tree of h1"
    assert sent_tree(replace(one, accepted="gone", pull=None), made) is None


def test_commits_that_trunk_has_as_they_are_are_told_first_with_their_pull_request():
    arrived = (commit("a1", "t1"), commit("b1", "a1"), commit("c1", "b1"), commit("z1", "c1", "No id"))
    gone = Finished(cid("B"), ref("B"), None, ended("B"))
    made = stack(
        live("d1", "z1", pull=ended("D", CLOSED)),
        arrived=arrived,
        orphans=(orphan("A", "main", "a1"),),
        finished=(gone,),
    )
    assert told(made) == (
        '#10 "Add A" landed on main as it is; GitHub still shows #10 as open, close it there',
        '#11 "Add B" landed on main as it is',
        '"Add C" landed on main as it is',
        '"No id" landed on main as it is',
        '#13 "Add D" was closed on GitHub without being merged; it stays in your stack',
    )
    assert list(arrived_numbers(made)) == [10, 11]


def test_what_has_nothing_left_is_told_so_whatever_was_to_become_of_it():
    made = stack(live("a1", "t1"), live("b1", "a1", pull=ended("B", base=ref("A"))), change("c1", "b1"))
    assert describe(made, fates(made), {"a1", "b1", "c1"}) == (
        '#10 "Add A" leaves your stack: main has all of it; GitHub still shows #10 as open, close it there',
        '#11 "Add B" leaves your stack: main has all of it',
        '"Add C" leaves your stack: main has all of it',
    )
