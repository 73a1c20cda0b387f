"""One row a change: the state is what a submit would do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core.model import PullState
from stackr.core.status import Report, Row, drift, misplaced, outdated, report, with_drift, with_new_words
from tests.support.builders import BOB, change, cid, commit, listed, live, new, orphan, pull, ref, stack, submitted


def states(made) -> list[tuple[str, str | None]]:
    rows = report("status", made, outdated(submitted(made))).rows
    return [(row.state, row.next) for row in rows]


def test_a_report_has_everything_that_is_shown():
    made = listed(stack(live("a1", "t1"), orphans=(orphan("C", ref("A"), "c1"),)))
    assert report("status", made, set(), ("a note",)) == Report(
        "status",
        made.trunk,
        made.head,
        (Row(1, cid("A"), "Add A", "a1", ref("A"), "in-sync", made.changes[0].pull, None),),
        made.orphans,
        ("a note",),
    )


def test_new_changes_and_modified_ones_want_a_submit():
    made = listed(stack(live("a1", "t1"), live("b2", "a1", ref("A"), "b1"), history={"b1": ["a1"]}))
    assert states(made) == [("in-sync", None), ("modified", "submit")]
    assert states(stack(new("a1", "t1"))) == [("new", "submit")]


def test_what_ghstack_has_submitted_wants_to_be_adopted():
    marked = "Add A\n\nghstack-source-id: " + "a" * 40 + "\nPull-Request: https://github.com/acme/widgets/pull/10\n"
    assert states(stack(new("a1", "t1", commit=commit("a1", "t1", marked)))) == [("new", "adopt")]


def test_a_text_that_differs_is_modified():
    made = stack(live("a1", "t1", pull=pull("A", body="")))
    assert states(made) == [("modified", "submit")]


@pytest.mark.parametrize(
    ("state", "shown"),
    [(PullState.MERGED, ("landed", "sync")), (PullState.CLOSED, ("closed", "submit --reopen"))],
)
def test_ended_pull_requests(state: PullState, shown: tuple[str, str]):
    assert states(stack(live("a1", "t1", pull=pull("A", state=state)))) == [shown]


def test_what_was_merged_into_another_branch_has_not_landed():
    made = stack(live("a1", "t1"), live("b1", "a1", pull=pull("B", base=ref("A"), state=PullState.MERGED)))
    assert states(made)[1] == ("closed", "sync")
    assert misplaced(made) == (
        f'#11 "Add B" was merged into "{ref("A")}", which is not main: it has NOT landed unless that did; '
        "stackr sync sees to it",
    )


def test_a_colleagues_commit_wants_a_sync_with_or_without_a_pull_request():
    foreign = live("a1", "t1", remote="x9", accepted="a1")
    assert states(stack(foreign)) == [("remote-ahead", "sync")]
    assert states(stack(replace(foreign, pull=None))) == [("remote-ahead", "sync")]


def test_a_pushed_change_without_a_pull_request_is_new():
    assert states(stack(change("a1", "t1", remote="a1"))) == [("new", "submit")]


def test_offline_the_branch_as_last_seen_tells_what_a_submit_would_do():
    pushed = replace(live("a1", "t1"), pull=None)
    amended = replace(live("b2", "a1", ref("A"), "b1"), pull=None)
    made = stack(pushed, amended, new("c1", "b2"), history={"b1": ["a1"]})
    plan = submitted(made)
    rows = report("status", made, outdated(plan, offline=True), offline=True).rows
    assert [(row.state, row.next) for row in rows] == [("in-sync", None), ("modified", "submit"), ("new", "submit")]


def test_what_is_reworded_wants_a_submit_though_nobody_has_asked_github():
    before = stack(live("a1", "t1"), live("b1", "a1"), new("c1", "b1"), live("d1", "c1"))
    shown = report("reword", before, {cid("B")}, offline=True)
    shown = replace(shown, rows=(*shown.rows[:3], replace(shown.rows[3], state="closed")))
    words = [replace(each, commit=replace(each.commit, message=b"Words\n")) for each in before.changes]
    after = replace(before, changes=tuple(words))
    told = [(row.state, row.next, row.drift) for row in with_new_words(shown, before, after).rows]
    assert told[:2] == [("modified", "submit", ("text",))] * 2
    assert told[2:] == [(row.state, row.next, ()) for row in shown.rows[2:]]
    assert with_new_words(shown, before, before) == shown


def test_a_list_that_names_a_change_too_few_does_not_make_its_page_modified():
    lower = listed(stack(live("a1", "t1")))
    made = replace(stack(live("a1", "t1"), new("b1", "a1")), changes=(lower.changes[0], new("b1", "a1")))
    assert states(made) == [("in-sync", None), ("new", "submit")]
    assert submitted(made).actions


def test_a_report_tells_what_a_submit_would_change_and_what_others_pushed():
    base = live("b2", "a1", "main", "b1")
    made = stack(
        live("a1", "t1"), base, live("c1", "b2", ref("B"), pull=pull("C", ref("B"), body="")), history={"b1": ["a1"]}
    )
    plan = submitted(made)
    assert drift(plan) == {cid("B"): ("commit", "base"), cid("C"): ("commit", "text")}
    assert drift(plan, offline=True) == {cid("B"): ("commit",), cid("C"): ("commit",)}
    shown = with_drift(report("status", made, outdated(plan)), drift(plan))
    assert [row.drift for row in shown.rows][1] == ("commit", "base")
    theirs = commit("x9", "a1", author=BOB)
    foreign = stack(live("a1", "t1", remote="x9", accepted="a1"), foreign={cid("A"): (theirs,)})
    assert report("status", foreign, ()).rows[0].foreign == (theirs,)


def test_drafts_and_people_drift_only_where_they_were_asked_for():
    plan = submitted(listed(stack(live("a1", "t1"))), draft=True, reviewers=("bob",))
    assert drift(plan) == {cid("A"): ("draft", "people")}
    assert drift(submitted(stack(new("a1", "t1"))))[cid("A")] == ("commit", "pull request")
