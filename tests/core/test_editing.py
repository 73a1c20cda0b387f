"""Which picks an edit comes to, and what moves once they are replayed; trees and commits are words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core import conflicts, editing
from stackr.core.editing import Edit, folded_message, head_tree, plan_edit, with_id
from stackr.core.model import Change, Head, Stack
from stackr.core.plan import MoveRefs, Plan, RefMove
from stackr.core.replaying import Picked, ReplayConflict, Replayed
from stackr.errors import Refused
from tests.support.builders import change, cid, commit, message, new, stack

FEATURE, LOWER = "refs/heads/feature", "refs/heads/lower"


def made(**more: object) -> Stack:
    return replace(stack(new("a1", "t1"), new("b1", "a1"), new("c1", "b1")), **more)  # type: ignore[arg-type]


def shown(edit: Edit) -> list[str]:
    """Each pick as ``label: from -> to``."""
    short = [
        (pick.base_tree.removeprefix("tree of "), pick.theirs_tree.removeprefix("tree of ")) for pick in edit.picks
    ]
    return [f"{pick.label}: {old} -> {to}" for pick, (old, to) in zip(edit.picks, short, strict=True)]


def replayed(**outcomes: str) -> Replayed:
    """Outcomes by label; ``!`` at the end: it became empty."""
    return Replayed(
        tuple(
            Picked(label.replace("_", ":"), oid.rstrip("!"), f"tree of {oid.rstrip('!')}", oid.endswith("!"))
            for label, oid in outcomes.items()
        )
    )


def test_an_amended_change_gets_another_tree_and_the_rest_follows() -> None:
    edit = editing.amend(made(), {1: "better"})
    assert shown(edit) == ["a1: t1 -> a1", "b1: a1 -> better", "c1: b1 -> c1"]
    assert edit.picks[1].message == message("B")
    assert editing.amend(made(), {0: "x"}, b"Words\n").picks[0].message == b"Words\n"


def test_a_change_of_which_nothing_would_be_left_is_refused() -> None:
    with pytest.raises(Refused, match='"Add B" would be left without any change'):
        editing.amend(made(), {1: "tree of a1"})
    empty = stack(new("a1", "t1"), change("b1", "a1", commit=commit("b1", "a1", tree="tree of a1")))
    assert editing.amend(empty, {1: "tree of a1"}).picks[1].theirs_tree == "tree of a1"


def test_other_words_leave_the_trees_alone() -> None:
    latin = commit("b1", "a1", encoding="latin-1")
    edit = editing.reword(stack(new("a1", "t1"), change("b1", "a1", commit=latin)), 1, b"Words\n")
    assert shown(edit) == ["a1: t1 -> a1", "b1: a1 -> b1"]
    assert (edit.picks[1].message, edit.picks[1].encoding) == (b"Words\n", "")


def test_a_change_that_is_dropped_has_no_pick() -> None:
    assert shown(editing.drop(made(), 1)) == ["a1: t1 -> a1", "c1: b1 -> c1"]
    assert shown(editing.reorder(made(), (2, 0))) == ["c1: b1 -> c1", "a1: t1 -> a1"]


def test_two_changes_are_folded_into_the_lower_one() -> None:
    edit = editing.fold(made(), 2, b"Both\n")
    assert shown(edit) == ["a1: t1 -> a1", "b1: a1 -> c1"]
    assert edit.heirs == {"c1": "b1"}
    back = stack(new("a1", "t1"), change("b1", "a1", commit=commit("b1", "a1", tree="tree of t1")))
    with pytest.raises(Refused, match='"Add A" and "Add B" cancel each other'):
        editing.fold(back, 1, b"Both\n")


def test_the_first_part_of_a_split_stays_the_change() -> None:
    edit = editing.split(made(), 1, "half", b"Rest\n")
    assert shown(edit) == ["a1: t1 -> a1", "b1: a1 -> half", ":rest: half -> b1", "c1: b1 -> c1"]
    assert [pick.message for pick in edit.picks[1:3]] == [message("B"), b"Rest\n"]
    assert (edit.picks[2].source, edit.heirs) == (None, {"b1": ":rest"})
    for tree, part in (("tree of a1", "nothing"), ("tree of b1", "all")):
        with pytest.raises(Refused, match=f'{part} of "Add B" would go into the first part'):
            editing.split(made(), 1, tree, b"Rest\n")


def test_whoever_is_at_the_change_goes_along_to_the_one_inserted_above() -> None:
    edit = editing.insert(made(), 1, "more", b"New\n")
    assert shown(edit) == ["a1: t1 -> a1", "b1: a1 -> b1", ":new: b1 -> more", "c1: b1 -> c1"]
    assert edit.head == ""
    assert editing.insert(made(), 2, "more", b"New\n").head == ":new"


def test_a_new_message_keeps_the_id_that_was_there() -> None:
    named, nameless = new("a1", "t1"), change("b1", "a1", commit=commit("b1", "a1", "Add B\n"))
    assert with_id(b"Words\n", named) == f"Words\n\nChange-Id: {cid('A')}\n".encode()
    assert with_id(f"Words\n\nChange-Id: {cid('Z')}\n".encode(), named).endswith(cid("A").encode() + b"\n")
    assert with_id(b"Words\n", nameless) == b"Words\n"


def lettered(letter: str, text: bytes, encoding: str = "") -> Change:
    oid = letter.lower() + "1"
    return change(oid, "x", commit=commit(oid, "x", text, encoding=encoding))


def test_a_folded_message_has_both_texts_and_the_lower_id() -> None:
    lower, upper = lettered("A", message("A", "Why A.")), lettered("B", message("B", "Why B."))
    assert folded_message(lower, upper) == (
        b"Add A\n\nWhy A.\n\nAdd B\n\nWhy B.\n\nChange-Id: " + cid("A").encode() + b"\n"
    )
    latin, utf = lettered("A", "Süß\n".encode("latin-1"), "latin-1"), lettered("B", "Größe\n".encode())
    assert folded_message(latin, utf).decode() == "Süß\n\nGröße\n"


def test_branches_head_and_files_go_where_the_commits_are() -> None:
    whole = made(local_branches={FEATURE: "c1", LOWER: "a1"})
    edit = editing.amend(whole, {0: "better"})
    plan = plan_edit("amend", whole, edit, replayed(a1="a2", b1="b2", c1="c2"))
    assert plan == Plan(
        "amend", (MoveRefs((RefMove(FEATURE, "c1", "c2"), RefMove(LOWER, "a1", "a2")), "amend", ("c1", "c2")),)
    )
    same = plan_edit("amend", whole, edit, replayed(a1="a2", b1="b2", c1="c2"), ("i1", "i2"))
    assert same.actions == (
        MoveRefs((RefMove(FEATURE, "c1", "c2"), RefMove(LOWER, "a1", "a2")), "amend", None, ("i1", "i2")),
    )


def test_the_branch_of_the_stack_goes_to_the_new_top_and_others_with_their_changes() -> None:
    whole = made(local_branches={FEATURE: "c1", LOWER: "a1", "refs/heads/out": "z1"})
    plan = plan_edit("reorder", whole, editing.reorder(whole, (2, 0, 1)), replayed(c1="c2", a1="a2", b1="b2"))
    (action,) = plan.actions
    assert isinstance(action, MoveRefs)
    assert action.moves == (RefMove(FEATURE, "c1", "b2"), RefMove(LOWER, "a1", "a2"))


def test_what_is_gone_leaves_its_branches_to_the_change_below() -> None:
    whole = made(local_branches={FEATURE: "c1", LOWER: "a1"}, kept_branches=frozenset({LOWER}))
    plan = plan_edit("drop", whole, editing.drop(whole, 0), replayed(b1="b2", c1="c2"))
    (action,) = plan.actions
    assert isinstance(action, MoveRefs)
    assert action.moves == (RefMove(FEATURE, "c1", "c2"),)
    assert plan.notes == ('"lower" is checked out in another worktree and stays at a1',)
    alone = stack(new("a1", "t1"))
    (last,) = plan_edit("drop", alone, editing.drop(alone, 0), Replayed()).actions
    assert isinstance(last, MoveRefs)
    assert (last.moves, last.files) == ((RefMove(FEATURE, "a1", "t1"),), ("a1", "t1"))


def test_a_change_that_became_empty_is_told() -> None:
    edit = editing.amend(made(), {0: "all of it"})
    plan = plan_edit("amend", made(), edit, replayed(a1="a2", b1="a2!", c1="c2"))
    assert plan.notes == ('"Add B" leaves the stack: the changes below have all of it now',)


def test_head_in_the_middle_follows_its_change_or_goes_to_the_new_one() -> None:
    middle = made(head=Head(None, "b1", FEATURE))
    plan = plan_edit("amend", middle, editing.amend(middle, {0: "x"}), replayed(a1="a2", b1="b2", c1="c2"))
    (action,) = plan.actions
    assert isinstance(action, MoveRefs)
    assert (action.moves, action.files) == ((RefMove(FEATURE, "c1", "c2"), RefMove("HEAD", "b1", "b2")), ("b1", "b2"))
    edit = editing.insert(middle, 1, "more", b"New\n")
    outcome = replayed(a1="a1", b1="b1", _new="n1", c1="c2")
    (action,) = plan_edit("insert", middle, edit, outcome, ("i", "i")).actions
    assert isinstance(action, MoveRefs)
    assert action.moves == (RefMove(FEATURE, "c1", "c2"), RefMove("HEAD", "b1", "n1"))
    assert head_tree(middle, edit, outcome) == "tree of n1"
    assert head_tree(middle, editing.drop(middle, 0), replayed(b1="b2", c1="c2")) == "tree of b2"


def test_a_detached_head_without_a_branch_stays_at_the_top() -> None:
    loose = made(head=Head(None, "c1"), local_branches={})
    (action,) = plan_edit("drop", loose, editing.drop(loose, 2), replayed(a1="a1", b1="b1")).actions
    assert isinstance(action, MoveRefs)
    assert action.moves == (RefMove("HEAD", "c1", "b1"),)


def test_a_stack_that_is_like_that_already_moves_nothing() -> None:
    edit = editing.reorder(made(), (0, 1, 2))
    plan = plan_edit("reorder", made(), edit, replayed(a1="a1", b1="b1", c1="c1"))
    assert plan == Plan("reorder", notes=("nothing to do: the stack is like that already",))


def test_conflicts_name_the_change_the_files_and_the_way_out() -> None:
    within = conflicts.within(made(), ReplayConflict("c1", ("a.txt", "b.txt")), 'dropping "Add B"')
    assert (within.message, within.safe, within.next_step) == (
        '"Add C" no longer applies after dropping "Add B" (conflict in a.txt, b.txt)',
        "nothing was moved; your branch is still at c1",
        "git rebase -i t1 does it step by step, and lets you mend the files",
    )
    inserted = conflicts.within(made(), ReplayConflict(":new", ("a.txt",)), "inserting a change")
    assert inserted.message == '"the new change" no longer applies after inserting a change (conflict in a.txt)'
    there = conflicts.not_there(made(), made().changes[0], ["a.txt"])
    assert there.message == 'what is staged does not apply to "Add A" (conflict in a.txt)'
