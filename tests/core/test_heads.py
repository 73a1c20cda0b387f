"""Where head branches have to point: first push, append, rewrite, fast-forward, and the ids before all that."""

from __future__ import annotations

from dataclasses import replace

from stackr.core.heads import HeadPlan, adopted, plan_heads, plan_ids
from stackr.core.model import NewCommit, Stack, Style
from stackr.core.ownership import Ownership, foreign_changes, ownership
from tests.support.builders import AUTHOR, BOB, change, cid, commit, live, message, new, stack


def heads(made: Stack, active: range | None = None, style: Style = Style.APPEND, text: str | None = None):
    """Letter to (where its branch has to point, the parents of the commit that is made for it)."""
    active = range(len(made.changes)) if active is None else active
    local = plan_ids(made, active[-1] + 1)
    plans = plan_heads(made, active, local, style, text)
    return {letter(plan): (plan.target, plan.commit.parents if plan.commit else None) for plan in plans}


def letter(plan: HeadPlan) -> str:
    return plan.change.commit.oid[0].upper()


def head(name: str) -> str:
    return f":head/{cid(name)}"


# ids


def test_commits_with_their_ids_stay_as_they_are():
    local = plan_ids(stack(new("a1", "t1"), new("b1", "a1")), 2)
    assert local.writes == ()
    assert local.tips == {"a1": "a1", "b1": "b1"}


def test_a_missing_id_is_added_and_nothing_else_changes():
    bare = commit("a1", "t1", "Add A\n", author=BOB, encoding="latin-1", extra=((b"x", b"y"),))
    local = plan_ids(stack(new("a1", "t1", commit=bare), new("b1", "a1")), 2)
    assert local.writes == (
        NewCommit(":local/a1", "tree of a1", ("t1",), message("A"), BOB, AUTHOR, "latin-1", ((b"x", b"y"),)),
        NewCommit(":local/b1", "tree of b1", (":local/a1",), message("B"), AUTHOR, AUTHOR),
    )
    assert local.tips == {"a1": ":local/a1", "b1": ":local/b1"}


def test_commits_above_the_submitted_part_get_a_parent_and_no_id():
    bare = [commit("a1", "t1", "Add A\n"), commit("b1", "a1", "Add B\n")]
    local = plan_ids(stack(new("a1", "t1", commit=bare[0]), new("b1", "a1", commit=bare[1])), 1)
    assert [write.message for write in local.writes] == [message("A"), b"Add B\n"]


# first push


def test_a_new_stack_is_pushed_as_it_is():
    made = stack(new("a1", "t1"), new("b1", "a1"))
    assert heads(made) == {"A": ("a1", None), "B": ("b1", None)}


def test_a_new_stack_without_ids_is_pushed_as_rewritten():
    bare = [commit("a1", "t1", "Add A\n"), commit("b1", "a1", "Add B\n")]
    made = stack(new("a1", "t1", commit=bare[0]), new("b1", "a1", commit=bare[1]))
    assert heads(made) == {"A": (":local/a1", None), "B": (":local/b1", None)}


def test_a_new_change_on_an_amended_one_goes_on_top_of_its_branch():
    made = stack(live("a2", "t1", remote="a1"), new("b1", "a2"), history={"a1": ["t1"]})
    assert heads(made) == {"A": (head("A"), ("a1",)), "B": (head("B"), (head("A"),))}


def test_the_first_head_on_top_of_a_branch_keeps_author_and_message():
    bare = commit("b1", "a2", "Add B\n", author=BOB, extra=((b"x", b"y"),))
    made = stack(live("a2", "t1", remote="a1"), new("b1", "a2", commit=bare), history={"a1": ["t1"]})
    (_, plan) = plan_heads(made, range(2), plan_ids(made, 2), Style.APPEND, None)
    assert plan.commit == NewCommit(head("B"), "tree of b1", (head("A"),), message("B"), BOB, None, "", ((b"x", b"y"),))


# update, append


def test_nothing_changed_moves_nothing():
    assert heads(stack(live("a1", "t1"), live("b1", "a1"))) == {"A": ("a1", None), "B": ("b1", None)}


def test_a_reworded_message_moves_nothing():
    made = stack(live("a2", "t1", remote="a1"), history={"a1": ["t1"]}, trees={"a1": "tree of a2"})
    assert heads(made) == {"A": ("a1", None)}


def test_an_amended_top_leaves_the_branches_below():
    made = stack(live("a1", "t1"), live("b2", "a1", remote="b1"), history={"b1": ["a1"]})
    assert heads(made) == {"A": ("a1", None), "B": (head("B"), ("b1",))}


def test_an_amended_bottom_is_taken_into_what_stands_on_it():
    made = stack(live("a2", "t1", remote="a1"), live("b2", "a2", remote="b1"), history={"a1": ["t1"], "b1": ["a1"]})
    assert heads(made) == {"A": (head("A"), ("a1",)), "B": (head("B"), ("b1", head("A")))}


def test_the_commit_of_an_update_is_by_the_person_submitting_with_a_line_that_says_what_it_is():
    made = stack(live("a2", "t1", remote="a1"), history={"a1": ["t1"]})
    (plan,) = plan_heads(made, range(1), plan_ids(made, 1), Style.APPEND, None)
    assert plan.commit == NewCommit(head("A"), "tree of a2", ("a1",), b"Update: Add A\n")
    (plan,) = plan_heads(made, range(1), plan_ids(made, 1), Style.APPEND, " my words\n")
    assert plan.commit == NewCommit(head("A"), "tree of a2", ("a1",), b"my words\n")


def test_a_rebase_onto_newer_trunk_merges_trunk_once():
    made = stack(
        live("a2", "t2", remote="a1"),
        live("b2", "a2", remote="b1"),
        history={"a1": ["t1"], "b1": ["a1"]},
        trunk="t2",
    )
    assert heads(made) == {"A": (head("A"), ("a1", "t2")), "B": (head("B"), ("b1", head("A")))}


def test_a_local_commit_on_top_of_the_remote_head_is_pushed_as_it_is():
    made = stack(live("a2", "a1", remote="a1"), history={"a1": ["t1"]})
    assert heads(made) == {"A": ("a2", None)}


def test_a_local_commit_that_is_ahead_but_not_on_the_branch_below_gets_a_commit():
    made = stack(live("a2", "t1", remote="a1"), live("b2", "b1", remote="b1"), history={"a1": ["t1"], "b1": ["a1"]})
    assert heads(made)["B"] == (head("B"), ("b1", head("A")))


def test_a_reorder_turns_each_branch_by_one_commit():
    made = stack(
        live("b2", "t1", base="x", remote="b1"), live("a2", "b2", remote="a1"), history={"a1": ["t1"], "b1": ["a1"]}
    )
    assert heads(made) == {"B": (head("B"), ("b1",)), "A": (head("A"), ("a1", head("B")))}


def test_an_insert_below_everything_is_taken_into_the_rest():
    made = stack(new("c1", "t1"), live("a2", "c1", remote="a1"), history={"a1": ["t1"]})
    assert heads(made) == {"C": ("c1", None), "A": (head("A"), ("a1", "c1"))}


def test_a_dropped_bottom_gives_the_next_a_commit_without_it():
    made = stack(live("b2", "t1", remote="b1"), history={"a1": ["t1"], "b1": ["a1"]})
    assert heads(made) == {"B": (head("B"), ("b1",))}


def test_a_squash_gives_the_lower_branch_the_whole_tree():
    squashed = replace(commit("a2", "t1", message("A") + b"\n" + message("B")), tree="tree of b1")
    made = stack(live("a2", "t1", remote="a1", commit=squashed), history={"a1": ["t1"], "b1": ["a1"]})
    plan = plan_heads(made, range(1), plan_ids(made, 1), Style.APPEND, None)[0]
    assert plan.commit == NewCommit(head("A"), "tree of b1", ("a1",), b"Update: Add A\n")


def test_a_split_keeps_the_branch_and_puts_the_new_change_on_top():
    made = stack(
        live("a2", "t1", remote="a1"),
        new("c1", "a2", commit=replace(commit("c1", "a2"), tree="tree of a1")),
        history={"a1": ["t1"]},
    )
    assert heads(made) == {"A": (head("A"), ("a1",)), "C": (head("C"), (head("A"),))}


def test_only_one_change_stands_on_the_remote_branch_below():
    made = stack(
        live("a2", "t1", remote="a1"),
        live("b2", "a2", remote="b1"),
        new("c1", "b2"),
        history={"a1": ["t1"], "b1": ["a1"]},
        trees={"b1": "tree of b2"},
    )
    assert heads(made, range(2, 3)) == {"C": (head("C"), ("b1",))}
    assert heads(made, range(1, 2)) == {"B": ("b1", None)}


def test_only_one_change_on_a_branch_that_does_not_exist_stands_on_the_local_commit():
    made = stack(new("a1", "t1"), new("b1", "a1"))
    assert heads(made, range(1, 2)) == {"B": ("b1", None)}


# rewrite


def test_style_rewrite_pushes_the_local_commits():
    made = stack(live("a2", "t1", remote="a1"), live("b2", "a2", remote="b1"), history={"a1": ["t1"], "b1": ["a1"]})
    assert heads(made, style=Style.REWRITE) == {"A": ("a2", None), "B": ("b2", None)}


# whose head is it


def test_a_recorded_or_intended_head_is_ours():
    made = stack(live("a1", "t1"))
    assert ownership(made.changes[0], made) is Ownership.OURS
    died = replace(made.changes[0], remote_head="x9", pushing="x9")
    assert ownership(died, made) is Ownership.OURS


def test_no_head_is_absent():
    made = stack(new("a1", "t1"))
    assert ownership(made.changes[0], made) is Ownership.ABSENT


def test_a_head_with_the_local_tree_may_be_taken_over():
    made = stack(live("a2", "t1", remote="x9", accepted="a1"), history={"x9": ["a1"]}, trees={"x9": "tree of a2"})
    assert ownership(made.changes[0], made) is Ownership.ADOPTABLE


def test_a_head_below_the_local_commit_may_be_taken_over_only_without_a_record():
    made = stack(live("a2", "a1", remote="a1", accepted=None), history={"a1": ["t1"]})
    assert ownership(made.changes[0], made) is Ownership.ADOPTABLE
    assert foreign_changes(made) == ()
    made = stack(live("a2", "a1", remote="a1", accepted="x9"), history={"a1": ["t1"]})
    assert ownership(made.changes[0], made) is Ownership.FOREIGN


def test_any_other_head_is_foreign():
    made = stack(live("a1", "t1", remote="x9", accepted="a1"), live("b1", "a1"), history={"x9": ["a1"]})
    assert foreign_changes(made) == (made.changes[0],)


def test_only_heads_that_stay_and_are_not_recorded_are_adopted():
    made = stack(
        live("a1", "t1", accepted=None),
        live("b1", "a1"),
        live("c2", "b1", remote="c1", accepted="b1"),
        live("d1", "c2", remote="x9", accepted="b1"),
        change("e1", "d1"),
        history={"c1": ["b1"], "x9": ["c1"]},
        trees={"c1": "tree of c2"},
    )
    plans = [HeadPlan(each, each.remote_head or each.commit.oid) for each in made.changes]
    assert [letter(plan) for plan in adopted(made, plans)] == ["A", "C"]
