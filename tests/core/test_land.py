"""The steps of a landing: who is retargeted, which heads are pushed, what is merged, and which heads stay after it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core.land import (
    Clean,
    Prospect,
    Wanted,
    files_after,
    is_registered,
    keep,
    kept,
    landing_picks,
    moves_head,
    plan_steps,
)
from stackr.core.landed_message import landed_message, whole_message
from stackr.core.model import Change, Stack, Style, Trunk
from stackr.core.native import NativeStack
from stackr.core.options import SubmitOptions
from stackr.core.ownership import BRANCHES, HEADS, KEPT, PUSHING, REVIEWED
from stackr.core.plan import (
    Action,
    Comment,
    MergePull,
    MoveRefs,
    Park,
    Push,
    PushRefs,
    UnlinkStack,
    UpdatePull,
    WriteCommit,
)
from stackr.core.replaying import Pick
from stackr.core.rules import Method
from stackr.core.submit import plan_submit
from tests.support.builders import cid, commit, live, new, number, pull, ref, stack

SQUASH = Wanted(Method.SQUASH)


def two() -> Stack:
    """A below B, both submitted as they are."""
    return stack(live("a1", "t1"), live("b1", "a1", ref("A")))


def prospect(made: Stack, count: int | None = None, *, clashing: str = "", **more: object) -> Prospect:
    """The prospect of landing ``made`` on an unmoved trunk; merging the changes in ``clashing`` gives another tree."""
    clean, below = {}, made.trunk.oid
    for each in made.changes:
        letter = each.commit.oid[0]
        clean[each.id] = Clean(f"{letter}9", each.commit.tree, below)
        below = f"{letter}9"
    merged = {c.id: None if c.commit.oid[0].upper() in clashing else c.commit.tree for c in made.changes}
    return Prospect(made, len(made.changes) if count is None else count, clean, merged, **more)  # type: ignore[arg-type]


def merge(change: Change, head: str, method: Method = Method.SQUASH, how: Method = Method.SQUASH) -> MergePull:
    assert change.pull is not None
    title, text = landed_message(change.id, change.pull)
    return MergePull(change.id, change.pull.number, change.pull.node_id, head, "main", method, title, text, how)


def retarget(letter: str) -> UpdatePull:
    return UpdatePull(cid(letter), number(letter), f"PR_{number(letter)}", "main")


def kinds(actions: tuple[Action, ...]) -> list[str]:
    return [type(action).__name__ for action in actions]


def test_where_no_two_changes_touch_the_same_lines_nothing_is_pushed() -> None:
    made = two()
    a, b = plan_steps(prospect(made), SQUASH)
    assert (a.prepare, a.merge) == ((), (merge(made.changes[0], "a1"),))
    assert (b.prepare, b.merge) == ((retarget("B"),), (merge(made.changes[1], "b1"),))
    assert b.actions == (retarget("B"), merge(made.changes[1], "b1"))


@pytest.mark.parametrize("method", [Method.SQUASH, Method.REBASE, Method.MERGE])
def test_where_github_deletes_merged_heads_the_change_above_leaves_the_branch_first(method: Method) -> None:
    made = stack(live("a1", "t1"), live("b1", "a1", ref("A")), live("c1", "b1", ref("B")))
    a, b = plan_steps(prospect(made, 2), Wanted(method, deletes_heads=True))
    assert kinds(a.merge) == kinds(b.merge) == ["UpdatePull", "MergePull"]
    assert (a.merge[0], b.merge[0]) == (retarget("B"), retarget("C"))
    assert retarget("B") not in b.actions


def test_what_does_not_stand_on_the_branch_stays_where_it_is() -> None:
    wanted = Wanted(Method.SQUASH, deletes_heads=True)
    for above in (live("b1", "a1"), live("b1", "a1", "other")):
        a, b = plan_steps(prospect(stack(live("a1", "t1"), above)), wanted)
        assert kinds(a.actions) == ["MergePull"]
        assert (retarget("B") in b.prepare) is (above.pull is not None and above.pull.base_ref == "other")
    later = plan_steps(prospect(two()), Wanted(Method.QUEUE, deletes_heads=True))
    assert [kinds(step.actions) for step in later] == [["MergePull"], ["UpdatePull", "MergePull"]]


def test_a_head_that_would_not_merge_to_the_expected_tree_is_pushed_after_its_retarget() -> None:
    made = two()
    _, b = plan_steps(prospect(made, clashing="B"), SQUASH)
    retargeted, write, intended, push, accepted = b.prepare
    label = f":land/{cid('B')}"
    assert retargeted == retarget("B")
    assert isinstance(write, WriteCommit) and (write.commit.label, write.why) == (label, "head")
    assert (write.commit.tree, write.commit.parents) == ("tree of b1", ("b1", "a9"))
    assert write.commit.message == b"Merge main to land: Add B\n"
    assert isinstance(intended, MoveRefs) and {move.ref for move in intended.moves} == {
        PUSHING + cid("B"),
        REVIEWED + cid("B"),
    }
    assert push == PushRefs((Push(cid("B"), f"refs/heads/{ref('B')}", label, "b1"),))
    assert isinstance(accepted, MoveRefs) and {move.ref for move in accepted.moves} == {
        HEADS + cid("B"),
        BRANCHES + ref("B"),
        PUSHING + cid("B"),
    }
    assert b.merge == (merge(made.changes[1], label),)


def test_what_was_reviewed_first_stays_remembered_when_a_head_is_pushed_again() -> None:
    made = two()
    made = replace(made, own_refs={**made.own_refs, REVIEWED + cid("A"): "a0"})
    (a, *_) = plan_steps(prospect(made, clashing="A"), SQUASH)
    intended = next(action for action in a.prepare if isinstance(action, MoveRefs))
    assert [move.ref for move in intended.moves] == [PUSHING + cid("A")]


def test_a_rule_that_wants_branches_up_to_date_has_the_upper_heads_pushed() -> None:
    made = two()
    a, b = plan_steps(prospect(made, strict=True), SQUASH)
    assert "PushRefs" not in kinds(a.prepare) and "PushRefs" in kinds(b.prepare)
    behind = replace(made, trunk=Trunk("main", "t2"))
    assert "PushRefs" in kinds(plan_steps(prospect(behind, strict=True), SQUASH)[0].prepare)


@pytest.mark.parametrize("method", [Method.QUEUE, Method.AUTO])
def test_a_queue_or_auto_merge_that_rebases_gets_the_clean_commits_too(method: Method) -> None:
    made = two()
    assert "PushRefs" not in kinds(plan_steps(prospect(made), Wanted(method))[0].prepare)
    (a, _) = plan_steps(prospect(made), Wanted(method, Method.REBASE))
    assert next(action for action in a.prepare if isinstance(action, PushRefs)).pushes[0].new == "a9"
    assert a.merge == (merge(made.changes[0], "a9", method, Method.REBASE),)


def test_one_commit_on_an_older_commit_of_trunk_is_not_pushed_again_to_be_rebased() -> None:
    """It may be in a queue, which a push throws it out of."""
    some = replace(prospect(two()), single=cid("A"))
    for wanted, is_moved in ((Wanted(Method.QUEUE, Method.REBASE), False), (Wanted(Method.PUSH), True)):
        assert moves_head(some, 0, wanted) is is_moved
        assert moves_head(some, 1, wanted)
    assert moves_head(replace(some, merged={}), 0, Wanted(Method.REBASE))


def test_which_heads_have_to_move_before_they_land() -> None:
    some = prospect(two(), clashing="B")
    assert [moves_head(some, index, SQUASH) for index in (0, 1)] == [False, True]
    assert not moves_head(replace(some, clean={}), 1, SQUASH)


def test_files_go_where_the_sync_after_the_landing_takes_them() -> None:
    made = two()
    assert files_after(made, prospect(made)) == ("b1", "b9")
    assert files_after(made, prospect(made, 1)) == ("b1", "b9")
    assert files_after(replace(made, head=replace(made.head, oid="elsewhere")), prospect(made)) is None
    # What does not apply to trunk stays where it is, and so does everything with it.
    half = prospect(made, 1)
    assert files_after(made, replace(half, clean={cid("A"): half.clean[cid("A")]})) is None


def test_a_rebase_merge_has_the_clean_commit_pushed_unless_the_head_is_that() -> None:
    made = two()
    steps = plan_steps(prospect(made), Wanted(Method.REBASE))
    pushes = [action.pushes[0].new for step in steps for action in step.prepare if isinstance(action, PushRefs)]
    assert pushes == ["a9", "b9"] and [step.merge[-1] for step in steps] == [
        merge(made.changes[0], "a9", Method.REBASE),
        merge(made.changes[1], "b9", Method.REBASE),
    ]
    there = prospect(made)
    there = replace(there, clean={**there.clean, cid("A"): Clean("a1", "tree of a1", "t1")})
    assert plan_steps(there, Wanted(Method.REBASE))[0].prepare == ()


def test_a_push_retargets_everything_and_moves_trunk_and_heads_at_once() -> None:
    made = stack(live("a1", "t1"), live("b1", "a1", ref("A")), live("c1", "b1", ref("B")))
    (step,) = plan_steps(prospect(made, 2), Wanted(Method.PUSH))
    assert step.prepare == tuple(Park(number(x), f"PR_{number(x)}", "main") for x in "BC")
    intended, push, accepted = step.merge
    assert isinstance(push, PushRefs) and push.pushes == (
        Push("", "refs/heads/main", "b9", "t1"),
        Push(cid("A"), f"refs/heads/{ref('A')}", "a9", "a1"),
        Push(cid("B"), f"refs/heads/{ref('B')}", "b9", "b1"),
    )
    assert isinstance(intended, MoveRefs) and isinstance(accepted, MoveRefs)


def test_a_push_of_heads_that_are_the_clean_commits_moves_trunk_alone() -> None:
    made = stack(live("a1", "t1"))
    there = replace(prospect(made), clean={cid("A"): Clean("a1", "tree of a1", "t1")})
    (step,) = plan_steps(there, Wanted(Method.PUSH))
    assert step.actions == (PushRefs((Push("", "refs/heads/main", "a1", "t1"),)),)


def test_a_native_stack_is_merged_by_its_topmost() -> None:
    made = two()
    (step,) = plan_steps(prospect(made), Wanted(Method.NATIVE, Method.REBASE))
    assert step.actions == (merge(made.changes[1], "b1", Method.NATIVE, Method.REBASE),)


def test_the_words_of_force_stand_in_a_comment_on_every_pull_request() -> None:
    said = [Comment(number(x), "Landing with `stackr land --force`: the site is down") for x in "AB"]
    for method in (Method.SQUASH, Method.PUSH, Method.NATIVE):
        steps = plan_steps(prospect(two()), Wanted(method, reason="the site is down"))
        assert [a for step in steps for a in step.actions if isinstance(a, Comment)] == said


def test_without_a_group_there_is_no_step() -> None:
    assert plan_steps(prospect(two(), 0), SQUASH) == ()


def test_commits_that_go_to_trunk_themselves_get_the_message_they_land_with() -> None:
    made = stack(live("a1", "t1"), live("b1", "a1", ref("A")), new("c1", "b1"))
    picks = tuple(Pick.of(change.commit, "tree") for change in made.changes)
    a, b, c = landing_picks(picks, made, 3)
    assert (a.message, c) == (whole_message(cid("A"), pull("A")), picks[2])
    assert b.message == whole_message(cid("B"), pull("B"))
    assert landing_picks(picks, made, 1)[1:] == picks[1:]


def test_a_group_is_registered_when_it_is_the_lower_part_of_a_native_stack() -> None:
    made = replace(two(), native=(NativeStack(1, (number("A"), number("B"))),))
    assert is_registered(made, made.changes) and is_registered(made, made.changes[:1])
    assert not is_registered(made, made.changes[1:]) and not is_registered(made, ())
    assert not is_registered(two(), two().changes) and not is_registered(made, (new("c1", "b1"),))


# What stays


def test_heads_that_merge_as_expected_stay_and_the_next_submit_leaves_them() -> None:
    """A has landed: B and C stand on the new trunk here, and their heads on the old one."""
    b = live("b2", "t2", ref("A"), "b1")
    c = live("c2", "b2", ref("B"), "c1")
    history = {"b1": ("a1",), "c1": ("b1",), "a1": ("t1",), "t2": ("t1",)}
    made = stack(b, c, history=history, trees={"b1": "tree of b2", "c1": "tree of c2"}, trunk="t2")
    assert kept(prospect(made)) == made.changes
    assert kept(prospect(made, clashing="B")) == ()
    assert kept(prospect(replace(made, changes=(b, replace(c, pull=None))))) == (b,)
    noted, (moves,) = keep(made, made.changes)
    assert {(move.ref, move.old, move.new) for move in moves.moves} == {
        (KEPT + cid("B"), None, "b2"),
        (KEPT + cid("C"), None, "c2"),
    }
    assert keep(noted, made.changes) == (noted, ())
    assert pushed(made) == [cid("B"), cid("C")] and pushed(noted) == []
    # The top is amended: it alone is pushed, as long as what is below has the local tree.
    top = replace(noted.changes[1], commit=commit("c3", "b2"))
    amended = replace(noted, changes=(b, top))
    assert pushed(amended) == [cid("C")]
    assert pushed(replace(amended, trees={**amended.trees, "b1": "older"})) == [cid("B"), cid("C")]
    assert pushed(amended, Style.REWRITE) == [cid("B"), cid("C")]


def pushed(made: Stack, style: Style = Style.APPEND) -> list[str]:
    plan = plan_submit(made, SubmitOptions(style=style))
    return [push.change_id for action in plan.actions if isinstance(action, PushRefs) for push in action.pushes]


def test_a_push_forgets_what_a_landing_noted() -> None:
    made = stack(live("a2", "t1", remote="a1"), history={"a1": ("t1",)})
    made = replace(made, own_refs={**made.own_refs, KEPT + cid("A"): "a0", REVIEWED + cid("A"): "a0"})
    plan = plan_submit(made, SubmitOptions())
    gone = {m.ref for action in plan.actions if isinstance(action, MoveRefs) for m in action.moves if m.new is None}
    assert {KEPT + cid("A"), REVIEWED + cid("A")} <= gone


@pytest.mark.parametrize("method", [Method.PUSH, Method.SQUASH])
def test_by_any_other_way_what_lands_leaves_its_native_stack_first(method: Method) -> None:
    made = replace(two(), native=(NativeStack(1, (number("B"), number("C"))),))
    first, *others = plan_steps(prospect(made), Wanted(method))
    assert first.prepare[0] == UnlinkStack(1, (number("B"), number("C")), (number("B"),))
    assert not [action for step in others for action in step.actions if isinstance(action, UnlinkStack)]
