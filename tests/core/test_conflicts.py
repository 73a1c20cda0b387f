"""The sentences of a conflict and of its ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core import conflicts
from stackr.core.model import Head
from stackr.core.resolving import Resolution
from stackr.errors import StackrError
from tests.support.builders import BOB, cid, commit, live, stack

STACK = stack(live("a123456789", "t1"))
RESOLUTION = Resolution("sync", True, "main", Head("refs/heads/feature", "a1"), {})


def lines(error: StackrError) -> tuple[str, str, str]:
    return error.message, error.safe, error.next_step


def test_a_conflict_with_trunk_names_change_files_and_commits():
    theirs = [commit("t234567890", "t1", "Other cache", author=BOB)]
    assert lines(conflicts.with_trunk(STACK, STACK.changes[0], ["src/cache.py"], theirs)) == (
        '"Add A" no longer applies on main (conflict in src/cache.py)\n'
        "main changed it in\n"
        "    t234567 Other cache (Bob)",
        "nothing was moved; your branch is still at a123456",
        "stackr sync --resolve, or git rebase origin/main and then stackr submit",
    )


def test_of_many_commits_the_newest_five_are_named():
    theirs = [commit(f"t{n}34567890", "t1", f"Number {n}", author=BOB) for n in range(7)]
    told = conflicts.with_trunk(STACK, STACK.changes[0], ["f"], theirs).message.splitlines()
    assert told[2:] == [*(f"    t{n}34567 Number {n} (Bob)" for n in range(5)), "    and 2 more"]


def test_without_a_commit_only_change_and_files_are_named():
    told = conflicts.with_trunk(STACK, STACK.changes[0], ["f"], [])
    assert told.message == '"Add A" no longer applies on main (conflict in f)'


def test_a_conflict_with_others_names_their_commits():
    made = replace(STACK, foreign={cid("A"): (commit("x234567890", "a1", "Fix it", author=BOB),)})
    assert lines(conflicts.with_others(made, made.changes[0], ["a", "b"])) == (
        '"Add A" was changed here and on its branch (conflict in a, b)\n    x234567 Fix it (Bob)',
        "nothing was moved; your branch is still at a123456",
        "stackr sync --resolve, or amend the commit with what you want of theirs and then stackr submit --overwrite",
    )


@pytest.mark.parametrize(
    ("paths", "told"), [(["a"], "a"), (["a", "b", "c"], "a, b, c"), (["a", "b", "c", "d", "e"], "a, b, c and 2 more")]
)
def test_three_files_are_named_and_the_rest_counted(paths: list[str], told: str):
    assert conflicts.files(paths) == told


def test_without_a_branch_it_is_head_that_has_not_moved():
    made = replace(STACK, head=Head(None, "a123456789"))
    assert conflicts.still_there(made) == "nothing was moved; HEAD is still at a123456"


def test_where_git_stopped_is_told_with_commit_and_files_as_far_as_they_are_known():
    safe = "stackr abort puts everything back to before the rebase"
    assert lines(conflicts.stopped(commit("a1", "t1"), ["f"])) == (
        'git rebase stopped at "Add A" (conflict in f)',
        safe,
        "mend the files, git add them, then stackr continue",
    )
    assert lines(conflicts.stopped(None, [])) == (
        "git rebase stopped at a commit (git says above why)",
        safe,
        "mend that, then stackr continue",
    )


@pytest.mark.parametrize(
    ("busy", "next_step"),
    [
        ("", "stackr sync --resolve starts a rebase when it has to"),
        ("rebase", "git rebase --abort"),
        ("bisect", "git bisect reset ends it"),
    ],
)
def test_with_nothing_of_stackrs_begun_there_is_nothing_to_end(busy: str, next_step: str):
    error = conflicts.nothing_to("abort", busy)
    assert error.next_step == next_step
    assert error.message.startswith("there is nothing ")


def test_the_ends_of_a_rebase_are_told():
    assert conflicts.was_aborted().safe == "everything is as it was before the rebase"
    assert conflicts.was_finished().next_step == "stackr sync goes on from here; stackr undo takes the rebase back"
    assert conflicts.still_under_way(RESOLUTION).message == "the rebase that stackr sync started is in progress"
