"""Whole plans: what a submit does, in the order in which it is safe to die."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core import body
from stackr.core.model import Head, PullState
from stackr.core.options import SubmitOptions
from stackr.core.ownership import BRANCHES, HEADS, PUSHING, SAID
from stackr.core.plan import (
    CreatePull,
    MoveRefs,
    Park,
    Plan,
    Push,
    PushRefs,
    RefMove,
    Reopen,
    SetConfig,
    UpdatePull,
    WriteCommit,
)
from stackr.core.pulls import people
from tests.support.builders import cid, commit, listed, live, new, number, pull, ref, stack, submitted

A, B = cid("A"), cid("B")


def kinds(plan: Plan) -> list[str]:
    return [type(action).__name__ for action in plan.actions]


def updates(plan: Plan) -> dict[str, UpdatePull]:
    return {action.change_id: action for action in plan.actions if isinstance(action, UpdatePull)}


def wants(change_id: str, title: str, rows: tuple[body.Row, ...] = ()) -> body.Description:
    """Just the list of a page that has this title from here."""
    return body.Description(change_id, title, "", rows, list_only=True, said=(title, ""))


def test_a_first_submit_writes_ids_then_pushes_then_creates_then_lists():
    bare = [commit("a1", "t1", "Add A\n\nWhy.\n"), commit("b1", "a1", "Add B\n")]
    made = stack(new("a1", "t1", commit=bare[0]), new("b1", "a1", commit=bare[1]))
    rows = (body.Row(A), body.Row(B))
    plan = submitted(made, template="- [ ] x", new_draft=True)
    first, second, moved, pushed, noted, *pulls = plan.actions
    assert isinstance(first, WriteCommit) and isinstance(second, WriteCommit)
    assert [(w.why, w.change_id, w.commit.label) for w in (first, second)] == [
        ("id", A, ":local/a1"),
        ("id", B, ":local/b1"),
    ]
    assert moved == MoveRefs(
        (
            RefMove("refs/heads/feature", "b1", ":local/b1"),
            RefMove(PUSHING + A, None, ":local/a1"),
            RefMove(PUSHING + B, None, ":local/b1"),
            RefMove(SAID + A, None, ":local/a1"),
            RefMove(SAID + B, None, ":local/b1"),
        ),
        "submit: add change ids",
    )
    assert pushed == PushRefs(
        (
            Push(A, "refs/heads/" + ref("A"), ":local/a1", None),
            Push(B, "refs/heads/" + ref("B"), ":local/b1", None),
        )
    )
    assert noted == MoveRefs(
        (
            RefMove(HEADS + A, None, ":local/a1"),
            RefMove(BRANCHES + ref("A"), None, ":local/a1"),
            RefMove(PUSHING + A, ":local/a1", None),
            RefMove(HEADS + B, None, ":local/b1"),
            RefMove(BRANCHES + ref("B"), None, ":local/b1"),
            RefMove(PUSHING + B, ":local/b1", None),
        ),
        "submit: pushed",
    )
    texts = [
        body.Description(A, "Add A", "Why.", rows, "- [ ] x"),
        body.Description(B, "Add B", "", rows, "- [ ] x"),
    ]
    assert pulls == [
        CreatePull(A, ref("A"), "main", "Add A", texts[0], True),
        CreatePull(B, ref("B"), ref("A"), "Add B", texts[1], True),
        UpdatePull(A, None, None, description=texts[0]),
        UpdatePull(B, None, None, description=texts[1]),
    ]
    assert plan.notes == ()


def test_a_second_submit_plans_nothing():
    plan = submitted(listed(stack(live("a1", "t1"), live("b1", "a1", ref("A")))))
    assert plan == Plan("submit")
    assert plan.is_empty


def test_a_single_change_has_no_list_and_needs_no_update():
    assert kinds(submitted(stack(new("a1", "t1")))) == ["MoveRefs", "PushRefs", "MoveRefs", "CreatePull"]


def test_an_amended_bottom_is_one_push_and_no_request():
    made = listed(
        stack(
            live("a2", "t1", remote="a1"),
            live("b2", "a2", ref("A"), "b1"),
            history={"a1": ["t1"], "b1": ["a1"]},
        )
    )
    plan = submitted(made)
    assert kinds(plan) == ["WriteCommit", "WriteCommit", "MoveRefs", "PushRefs", "MoveRefs"]
    assert [a.why for a in plan.actions if isinstance(a, WriteCommit)] == ["head", "head"]
    assert plan.actions[3] == PushRefs(
        (
            Push(A, "refs/heads/" + ref("A"), f":head/{A}", "a1"),
            Push(B, "refs/heads/" + ref("B"), f":head/{B}", "b1"),
        )
    )
    assert plan.actions[4].moves[0] == RefMove(HEADS + A, "a1", f":head/{A}")


def test_an_amended_top_does_not_touch_the_lower_pull_requests():
    made = listed(stack(live("a1", "t1"), live("b2", "a1", ref("A"), "b1"), history={"b1": ["a1"]}))
    plan = submitted(made)
    assert {p.change_id for a in plan.actions if isinstance(a, PushRefs) for p in a.pushes} == {B}
    assert updates(plan) == {}


def test_a_reworded_title_is_one_update_and_no_push():
    made = listed(stack(live("a1", "t1")))
    reworded = replace(commit("a2", "t1", f"Add better A\n\nChange-Id: {A}\n"), tree="tree of a1")
    made = replace(made, changes=(replace(made.changes[0], commit=reworded),))
    wanted = body.Description(A, "Add better A", "", said=("Add A", ""))
    assert submitted(made).actions == (
        UpdatePull(A, number("A"), "PR_10", description=wanted),
        MoveRefs((RefMove(SAID + A, "a1", "a2"),), "submit: said"),
    )


def test_a_branch_that_does_not_tell_the_id_is_recorded_before_the_id_is_written():
    bare = commit("a2", "t1", "Add A\n")
    made = stack(live("a2", "t1", remote="a1", commit=bare, head_ref="gh/alice/1/head"))
    first = next(action for action in submitted(made).actions if isinstance(action, MoveRefs))
    assert RefMove(f"refs/stackr/names/{cid('A')}/gh/alice/1/head", None, f":head/{cid('A')}") in first.moves
    recorded = replace(made, own_refs={**made.own_refs, f"refs/stackr/names/{cid('A')}/gh/alice/1/head": "a1"})
    again = next(action for action in submitted(recorded).actions if isinstance(action, MoveRefs))
    assert not [move for move in again.moves if "/names/" in move.ref]


def test_a_swap_parks_pushes_and_then_gives_final_bases():
    made = listed(
        stack(live("b2", "t1", ref("A"), "b1"), live("a2", "b2", "main", "a1"), history={"a1": ["t1"], "b1": ["a1"]})
    )
    made = replace(made, changes=tuple(replace(c, pull=pull_of(c, made)) for c in made.changes))
    plan = submitted(made)
    assert kinds(plan) == [
        "WriteCommit",
        "WriteCommit",
        "MoveRefs",
        "Park",
        "PushRefs",
        "MoveRefs",
        "UpdatePull",
    ]
    assert plan.actions[3] == Park(number("B"), "PR_11", "main")
    assert plan.actions[6] == UpdatePull(A, number("A"), "PR_10", base_ref=ref("B"))


def pull_of(change, made):
    """The pull request with the list already in the new order, so that only bases differ."""
    return listed(made).changes[made.changes.index(change)].pull


def test_a_new_change_in_the_middle_updates_every_list():
    made = listed(stack(live("a1", "t1"), live("b1", "a1", ref("A"))))
    a, b = made.changes
    moved = replace(b, commit=commit("b2", "c1"))
    made = stack(a, new("c1", "a1"), moved, history={"b1": ["a1"]})
    plan = submitted(made)
    assert [a.change_id for a in plan.actions if isinstance(a, CreatePull)] == [cid("C")]
    assert list(updates(plan)) == [A, cid("C"), B]
    assert updates(plan)[B].base_ref == ref("C")
    assert updates(plan)[A].base_ref is None


def test_died_after_the_push_records_it_and_forgets_the_intention():
    made = stack(live("a2", "t1", remote="x1", accepted="a1", pushing="x1"), history={"x1": ["a1"], "a1": ["t1"]})
    made = replace(made, trees={**made.trees, "x1": "tree of a2"})
    assert submitted(made).actions == (
        MoveRefs(
            (
                RefMove(HEADS + A, "a1", "x1"),
                RefMove(BRANCHES + ref("A"), "a1", "x1"),
                RefMove(PUSHING + A, "x1", None),
            ),
            "submit: pushed",
        ),
    )


def test_a_head_taken_over_is_recorded():
    made = stack(live("a1", "t1", accepted=None))
    assert submitted(made).actions == (
        MoveRefs((RefMove(HEADS + A, None, "a1"), RefMove(BRANCHES + ref("A"), None, "a1")), "submit: pushed"),
    )


def test_died_between_push_and_create_creates_only():
    made = stack(live("a1", "t1", pull=None))
    assert kinds(submitted(made)) == ["MoveRefs", "CreatePull"]
    assert kinds(submitted(replace(made, own_refs={**made.own_refs, SAID + A: "a1"}))) == ["CreatePull"]


def test_a_detached_head_moves_itself():
    bare = commit("a1", "t1", "Add A\n")
    made = stack(new("a1", "t1", commit=bare), local_branches={}, head=Head(None, "a1"))
    moved = submitted(made).actions[1]
    assert isinstance(moved, MoveRefs)
    assert moved.moves[0] == RefMove("HEAD", "a1", ":local/a1")
    kept = submitted(stack(new("a1", "t1"), head=Head(None, "a1"), local_branches={})).actions[0]
    assert isinstance(kept, MoveRefs)
    assert [move.ref for move in kept.moves] == [PUSHING + A, SAID + A]


def test_every_local_branch_in_the_stack_moves_and_others_do_not():
    bare = commit("a1", "t1", "Add A\n")
    branches = {"refs/heads/z": "a1", "refs/heads/a": "b1", "refs/heads/main": "t1"}
    made = stack(
        new("a1", "t1", commit=bare), new("b1", "a1"), local_branches=branches, head=Head("refs/heads/a", "b1")
    )
    moved = next(action for action in submitted(made).actions if isinstance(action, MoveRefs))
    assert moved.moves[:2] == (
        RefMove("refs/heads/a", "b1", ":local/b1"),
        RefMove("refs/heads/z", "a1", ":local/a1"),
    )


def test_a_base_asked_for_is_remembered_for_the_branch():
    made = stack(new("a1", "t1"))
    assert SetConfig("branch.feature.stackrBase", "next") in submitted(made, remember_base="next").actions
    detached = replace(made, head=Head(None, "a1"), local_branches={})
    assert "SetConfig" not in kinds(submitted(detached, remember_base="next"))


def test_a_closed_pull_request_is_opened_before_its_base_changes():
    closed = pull("B", "main", "b1", state=PullState.CLOSED)
    made = stack(live("a1", "t1"), live("b1", "a1", pull=closed))
    plan = submitted(made, reopen=True)
    assert kinds(plan) == ["Reopen", "UpdatePull", "UpdatePull"]
    assert plan.actions[0] == Reopen(number("B"), "PR_11")
    assert updates(plan)[B].base_ref == ref("A")


def test_submitting_the_lower_part_leaves_the_rest_but_for_its_list():
    made = stack(live("a1", "t1"), live("b2", "a1", ref("A"), "b1"), new("c1", "b2"), history={"b1": ["a1"]})
    plan = submitted(made, upto="a1")
    assert kinds(plan) == ["UpdatePull", "UpdatePull"]
    rows = (body.Row(A, 10), body.Row(B, 11))
    assert updates(plan)[A].description == wants(A, "Add A", rows)
    assert updates(plan)[B] == UpdatePull(B, 11, "PR_11", description=wants(B, "Add B", rows))


def test_closed_pull_requests_above_are_not_touched_or_listed():
    made = listed(stack(live("a1", "t1"), live("b1", "a1", pull=pull("B", ref("A"), state=PullState.CLOSED))))
    assert updates(submitted(made, upto="a1"))[A].description == wants(A, "Add A")


def test_lists_above_the_submitted_part_that_are_right_are_not_written():
    made = listed(stack(live("a1", "t1"), live("b1", "a1", ref("A"))))
    assert submitted(made, upto="a1").is_empty


def test_landed_pull_requests_stay_in_the_list():
    made = stack(live("a1", "t1"), landed_numbers=(3, 4))
    wanted = updates(submitted(made))[A].description
    assert wanted is not None
    assert wanted.rows == (body.Row(number=3, landed=True), body.Row(number=4, landed=True), body.Row(A, 10))


def test_an_edited_text_is_kept_with_a_note():
    made = listed(stack(live("a1", "t1", pull=pull("A", title="[wip] Add A"))))
    edited = pull("A", title="[wip] Add A", body=made.changes[0].pull.body + "\n\nwords")
    made = replace(made, changes=(replace(made.changes[0], pull=edited),))
    plan = submitted(made)
    assert plan.is_empty
    way_out = "stackr submit --update-fields replaces it with the commit message"
    assert plan.notes == (
        f"the title of #10 was edited on GitHub and is kept; {way_out}",
        f"the description of #10 was edited on GitHub and is kept; {way_out}",
    )
    overwritten = submitted(made, update_fields=True)
    assert (kinds(overwritten), overwritten.notes) == (["UpdatePull"], ())


@pytest.mark.parametrize(("asked", "sent"), [(None, None), (False, None), (True, True)])
def test_the_draft_state_changes_only_when_asked(asked: bool | None, sent: bool | None):
    plan = submitted(stack(live("a1", "t1")), draft=asked, new_draft=True)
    assert [a.draft for a in updates(plan).values()] == ([True] if sent else [])


@pytest.mark.parametrize(
    ("asked", "configured", "draft"), [(None, True, True), (None, False, False), (False, True, False)]
)
def test_a_new_pull_request_is_a_draft_when_asked_or_configured(asked: bool | None, configured: bool, draft: bool):
    plan = submitted(stack(new("a1", "t1")), draft=asked, new_draft=configured)
    assert [a.draft for a in plan.actions if isinstance(a, CreatePull)] == [draft]


def test_people_and_labels_asked_for_go_to_every_change_and_configured_ones_to_new_ones():
    made = listed(stack(live("a1", "t1")))
    made = stack(made.changes[0], new("b1", "a1"))
    plan = submitted(made, new_reviewers=("carol",), new_labels=("stack",))
    assert [(u.reviewers, u.labels) for u in updates(plan).values()] == [((), ()), (("carol",), ("stack",))]
    plan = submitted(made, reviewers=("bob",), labels=("x", "y"), new_reviewers=("carol",), new_labels=("stack",))
    assert [(u.reviewers, u.labels) for u in updates(plan).values()] == [(("bob",), ("x", "y"))] * 2
    assert people(plan) == (("bob",), ("x", "y"))


def test_people_for_a_single_new_change_need_an_update_without_a_text():
    plan = submitted(stack(new("a1", "t1")), reviewers=("bob",))
    assert updates(plan)[A] == UpdatePull(A, None, None, reviewers=("bob",))


def test_the_active_part_of_a_stack():
    made = stack(new("a1", "t1"), new("b1", "a1"), new("c1", "b1"))
    assert list(SubmitOptions().active(made)) == [0, 1, 2]
    assert list(SubmitOptions(upto="b1").active(made)) == [0, 1]
    assert list(SubmitOptions(upto="b1", only=True).active(made)) == [1]
    assert list(SubmitOptions(only=True).active(made)) == [2]
    assert list(SubmitOptions().active(stack())) == []
