"""What an undo moves back, what it refuses, and what it says; operations and refs are given as values."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from stackr.core.model import Head
from stackr.core.plan import MoveRefs, Plan, RefMove
from stackr.core.ports import LocalState
from stackr.core.undo import Operation, Part, Place, choose, combined, is_operation, plan_undo, recorded
from stackr.errors import Refused, UsageError
from tests.support.builders import commit

FEATURE, LOWER = "refs/heads/feature", "refs/heads/lower"
RECORD = "refs/stackr/heads/I1"
GITHUB = "GitHub is as it was: the next stackr submit brings it to where you are now"


def operation(
    *moves: tuple[str, str | None, str | None], command: str = "stackr sync", worktree: str = ""
) -> Operation:
    return Operation(1700000000, command, "sync", tuple(RefMove(*move) for move in moves), "feature", worktree)


def place(
    refs: Mapping[str, str],
    head: Head | None = None,
    *,
    worktree: str = "",
    elsewhere: Mapping[str, str] | None = None,
    gone: str = "",
    same_tree: str = "",
) -> Place:
    state = LocalState(head, refs, other_worktrees=elsewhere or {})
    commits = {oid: commit(oid, "0") for oid in ("a1", "a2", "a3", "b1", "b2", "p1", "p2", "f1") if oid != gone}
    if same_tree:
        commits |= {oid: commit(oid, "0", tree="the same") for oid in same_tree.split()}
    return Place(state, worktree, commits)


def on(branch: str, oid: str) -> Head:
    return Head(branch, oid)


def moves(plan: Plan) -> tuple[RefMove, ...]:
    (action,) = plan.actions
    assert isinstance(action, MoveRefs)
    return action.moves


def test_every_branch_goes_back_and_the_files_with_head() -> None:
    undone = [operation((FEATURE, "a1", "a2"), (LOWER, "b1", "b2"))]
    plan = plan_undo(undone, place({FEATURE: "a2", LOWER: "b2"}, on(FEATURE, "a2")))
    back = (RefMove(FEATURE, "a2", "a1"), RefMove(LOWER, "b2", "b1"))
    assert plan == Plan("undo", (MoveRefs(back, "undo", ("a2", "a1")),), (GITHUB,))


def test_files_stay_when_head_is_on_a_branch_that_does_not_move() -> None:
    plan = plan_undo([operation((FEATURE, "a1", "a2"))], place({FEATURE: "a2", LOWER: "b1"}, on(LOWER, "b1")))
    assert plan.actions == (MoveRefs((RefMove(FEATURE, "a2", "a1"),), "undo"),)


def test_files_stay_when_there_is_no_head_yet() -> None:
    plan = plan_undo([operation((FEATURE, "a1", "a2"))], place({FEATURE: "a2"}))
    assert plan.actions == (MoveRefs((RefMove(FEATURE, "a2", "a1"),), "undo"),)


def test_a_detached_head_goes_back_with_its_files() -> None:
    plan = plan_undo([operation(("HEAD", "a1", "a2"))], place({}, Head(None, "a2")))
    assert plan.actions == (MoveRefs((RefMove("HEAD", "a2", "a1"),), "undo", ("a2", "a1")),)


def test_several_operations_go_back_to_before_the_oldest() -> None:
    undone = [operation((FEATURE, "a2", "a3"), (LOWER, "b1", "b2")), operation((FEATURE, "a1", "a2"))]
    assert moves(plan_undo(undone, place({FEATURE: "a3", LOWER: "b2"}))) == (
        RefMove(FEATURE, "a3", "a1"),
        RefMove(LOWER, "b2", "b1"),
    )


def test_going_back_past_a_move_by_other_means_is_said() -> None:
    undone = [operation((FEATURE, "a3", "b1")), operation((FEATURE, "a1", "a2"))]
    plan = plan_undo(undone, place({FEATURE: "b1"}))
    assert moves(plan) == (RefMove(FEATURE, "b1", "a1"),)
    assert plan.notes == (
        '"feature" was also moved in between, by other means than stackr; that is taken back with it',
        GITHUB,
    )


def test_an_operation_and_its_undo_leave_nothing_to_take_back() -> None:
    undone = [operation((FEATURE, "a2", "a1"), command="stackr undo"), operation((FEATURE, "a1", "a2"))]
    plan = plan_undo(undone, place({FEATURE: "a1"}, on(FEATURE, "a1")))
    assert plan == Plan("undo", notes=("everything is as it was before",))


def test_a_branch_that_was_deleted_comes_back_and_a_new_one_goes() -> None:
    undone = [operation((FEATURE, "a1", None), (LOWER, None, "b1"))]
    assert moves(plan_undo(undone, place({LOWER: "b1"}))) == (
        RefMove(FEATURE, None, "a1"),
        RefMove(LOWER, "b1", None),
    )


def test_records_of_what_others_pushed_go_back_from_wherever_our_push_brought_them() -> None:
    undone = [operation((FEATURE, "a1", "a2"), (RECORD, "p1", "f1"))]
    refs = {FEATURE: "a2", RECORD: "p2"}
    assert moves(plan_undo(undone, place(refs))) == (RefMove(FEATURE, "a2", "a1"), RefMove(RECORD, "p2", "p1"))
    assert moves(plan_undo(undone, place(refs, gone="p1"))) == (RefMove(FEATURE, "a2", "a1"),)
    assert moves(plan_undo(undone, place({FEATURE: "a2"}))) == (RefMove(FEATURE, "a2", "a1"),)


def refusal(undone: list[Operation], where: Place) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        plan_undo(undone, where)
    assert refused.value.safe == "nothing was changed"
    return refused.value.message, refused.value.next_step


def test_commits_on_top_are_not_lost() -> None:
    undone = [operation((FEATURE, "a1", "a2"))]
    assert refusal(undone, place({FEATURE: "a3"}, on(FEATURE, "a3"))) == (
        '"feature" has moved on: it is at a3 and not where "stackr sync" left it (a2)',
        "git branch NEW feature keeps what is there now; git reset --keep a2; then run stackr undo again",
    )
    assert refusal(undone, place({FEATURE: "a3"}, on(LOWER, "b1")))[1] == (
        "git branch NEW feature keeps what is there now; git branch -f feature a2; then run stackr undo again"
    )


def test_the_newest_operation_that_moved_the_branch_is_named() -> None:
    undone = [
        operation((LOWER, "b1", "b2"), command="stackr three"),
        operation((FEATURE, "a2", "a3"), command="stackr two"),
        operation((FEATURE, "a1", "a2"), command="stackr one"),
    ]
    assert '"stackr two" left it (a3)' in refusal(undone, place({FEATURE: "a1", LOWER: "b2"}))[0]


def test_a_branch_that_is_gone_or_back_again_is_named() -> None:
    assert refusal([operation((FEATURE, "a1", "a2"))], place({})) == (
        '"feature" was deleted since',
        "git branch feature a2; then run stackr undo again",
    )
    assert refusal([operation((FEATURE, "a1", None))], place({FEATURE: "a3"})) == (
        '"feature" exists again',
        "git branch -m feature ANOTHER-NAME; then run stackr undo again",
    )


@pytest.mark.parametrize("head", [Head(None, "a3"), on(FEATURE, "a2")])
def test_a_head_that_went_elsewhere_is_not_moved(head: Head) -> None:
    assert refusal([operation(("HEAD", "a1", "a2"))], place({FEATURE: "a2"}, head)) == (
        'HEAD is not where "stackr sync" left it',
        "git switch --detach a2; then run stackr undo again",
    )


def test_the_head_of_another_worktree_is_moved_only_from_there() -> None:
    there = place({}, Head(None, "a2"), worktree="side")
    assert refusal([operation(("HEAD", "a1", "a2"))], there) == (
        '"stackr sync" moved the HEAD of the main worktree',
        "run stackr undo there",
    )
    assert 'the HEAD of the worktree "other"' in refusal([operation(("HEAD", "a1", "a2"), worktree="other")], there)[0]
    assert moves(plan_undo([operation(("HEAD", "a1", "a2"), worktree="side")], there)) == (RefMove("HEAD", "a2", "a1"),)


def test_a_branch_in_another_worktree_moves_only_if_no_file_does() -> None:
    undone = [operation((LOWER, "b1", "b2"))]
    elsewhere = {LOWER: "/side"}
    assert refusal(undone, place({LOWER: "b2"}, elsewhere=elsewhere)) == (
        '"lower" is checked out in "/side", and its files would have to change',
        'git -C "/side" switch --detach; then run stackr undo again',
    )
    same = place({LOWER: "b2"}, elsewhere=elsewhere, same_tree="b1 b2")
    assert moves(plan_undo(undone, same)) == (RefMove(LOWER, "b2", "b1"),)


def test_a_commit_that_is_gone_is_said() -> None:
    undone = [operation((FEATURE, "a1", "a2"))]
    assert refusal(undone, place({FEATURE: "a2"}, gone="a1"))[0] == 'commit a1, where "feature" was, is no longer here'


def test_the_branch_one_stands_on_is_not_deleted() -> None:
    undone = [operation((FEATURE, None, "a1"))]
    problem, cure = refusal(undone, place({FEATURE: "a1"}, on(FEATURE, "a1")))
    assert (problem, cure) == (
        'HEAD is on "feature", which did not exist before',
        "git switch ANOTHER-BRANCH; then run stackr undo again",
    )


def test_the_newest_are_chosen() -> None:
    found = [operation(command="three"), operation(command="two"), operation(command="one")]
    assert [each.name for each in choose(found, 2)] == ["three", "two"]
    with pytest.raises(Refused, match="there is nothing to take back"):
        choose([], 1)
    with pytest.raises(UsageError, match="there is not so much to take back: 3 operations in all"):
        choose(found, 4)


def test_an_operation_without_a_command_line_goes_by_its_reason() -> None:
    assert operation(command="").name == "stackr (sync)"


def test_bookkeeping_alone_is_no_operation() -> None:
    pushing = RefMove("refs/stackr/pushing/I1", None, "p1")
    record = RefMove(RECORD, "p1", "p2")
    move = RefMove(FEATURE, "a1", "a2")
    held = RefMove(LOWER, "b1", "b1")
    assert not is_operation([pushing, record, held])
    assert is_operation([pushing, move])
    assert is_operation([RefMove("HEAD", "a1", "a2")])
    assert list(recorded([pushing, record, held, move])) == [record, move]


def test_moves_of_one_command_are_told_as_one() -> None:
    told = combined([RefMove(FEATURE, "a1", "a2"), RefMove(LOWER, None, "b1"), RefMove(FEATURE, "a2", "a3")])
    assert told == (RefMove(FEATURE, "a1", "a3"), RefMove(LOWER, None, "b1"))


def parted(*parts: Part, command: str = "stackr amend") -> Operation:
    every = combined(move for part in parts for move in part.moves)
    return Operation(1700000000, command, "amend", every, "feature", "", parts)


def test_after_a_commit_of_uncommitted_work_files_stay_and_the_index_goes_back() -> None:
    undone = parted(Part((RefMove(FEATURE, "a1", "a2"),), ("i1", "i2")))
    plan = plan_undo([undone], place({FEATURE: "a2"}, on(FEATURE, "a2")))
    assert plan.actions == (MoveRefs((RefMove(FEATURE, "a2", "a1"),), "undo", None, ("i2", "i1")),)


def test_another_branch_keeps_its_index_when_work_is_uncommitted_again() -> None:
    undone = parted(Part((RefMove(FEATURE, "a1", "a2"),), ("i1", "i2")))
    plan = plan_undo([undone], place({FEATURE: "a2", LOWER: "b1"}, on(LOWER, "b1")))
    assert plan.actions == (MoveRefs((RefMove(FEATURE, "a2", "a1"),), "undo"),)


def test_operations_with_and_without_files_are_taken_back_in_turn() -> None:
    undone = [
        operation((FEATURE, "a3", "p1")),
        operation((FEATURE, "a2", "a3")),
        parted(Part((RefMove(FEATURE, "a1", "a2"),), ("i1", "i2"))),
        operation((FEATURE, "b1", "a1"), (LOWER, "f1", "b2")),
    ]
    plan = plan_undo(undone, place({FEATURE: "p1", LOWER: "b2"}, on(FEATURE, "p1")))
    assert plan.actions == (
        MoveRefs((RefMove(FEATURE, "p1", "a2"),), "undo", ("p1", "a2")),
        MoveRefs((RefMove(FEATURE, "a2", "a1"),), "undo", None, ("i2", "i1")),
        MoveRefs((RefMove(FEATURE, "a1", "b1"), RefMove(LOWER, "b2", "f1")), "undo", ("a1", "b1")),
    )


def test_head_leaves_its_branch_before_the_branch_moves() -> None:
    undone = operation(("HEAD", "b1", FEATURE), (FEATURE, "a1", "a2"))
    plan = plan_undo([undone], place({FEATURE: "a2"}, on(FEATURE, "a2")))
    assert plan.actions == (
        MoveRefs((RefMove("HEAD", FEATURE, "b1"),), "undo", ("a2", "b1")),
        MoveRefs((RefMove(FEATURE, "a2", "a1"),), "undo"),
    )


def test_head_goes_back_onto_its_branch_wherever_that_goes() -> None:
    undone = operation(("HEAD", FEATURE, "b1"), (FEATURE, "a1", "a2"))
    plan = plan_undo([undone], place({FEATURE: "a2"}, Head(None, "b1")))
    back = (RefMove("HEAD", "b1", FEATURE), RefMove(FEATURE, "a2", "a1"))
    assert plan.actions == (MoveRefs(back, "undo", ("b1", "a1")),)


def test_a_branch_that_head_was_on_must_be_there_and_free() -> None:
    undone = [operation(("HEAD", FEATURE, "b1"))]
    with pytest.raises(Refused, match='"feature", which HEAD was on, was deleted since'):
        plan_undo(undone, place({}, Head(None, "b1")))
    with pytest.raises(Refused, match='"feature", which HEAD was on, is checked out in "/other"'):
        plan_undo(undone, place({FEATURE: "a1"}, Head(None, "b1"), elsewhere={FEATURE: "/other"}))
    with pytest.raises(Refused, match='HEAD is not where "stackr sync" left it') as moved:
        plan_undo([operation(("HEAD", "b1", FEATURE))], place({FEATURE: "a1"}, Head(None, "a2")))
    assert moved.value.next_step == "git switch feature; then run stackr undo again"


def test_steps_that_cancel_each_other_are_left_out() -> None:
    undone = [
        parted(Part((RefMove(FEATURE, "a1", "a2"),), ("i1", "i2"))),
        operation((FEATURE, "a1", "a1"), (LOWER, "b1", "b2")),
    ]
    plan = plan_undo(undone, place({FEATURE: "a2", LOWER: "b2"}, on(FEATURE, "a2")))
    assert len(plan.actions) == 2
