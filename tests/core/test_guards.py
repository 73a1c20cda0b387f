"""Refusals: what happened, what is safe, what next, word for word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from stackr.core import guards
from stackr.core.body import BODY_LIMIT
from stackr.core.model import PullState, Style
from stackr.core.options import SubmitOptions
from stackr.errors import Refused
from tests.support.builders import BOB, cid, commit, live, message, new, number, pull, ref, stack

NOTHING = "safe: nothing was changed"


def words(guard: Callable[..., None], *args: object) -> str:
    """The refusal as the terminal shows it."""
    with pytest.raises(Refused) as caught:
        guard(*args)
    error = caught.value
    assert (error.exit_code, error.kind) == (3, "refused")
    return f"error: {error.message}\nsafe: {error.safe}\nnext: {error.next_step}"


def submit(made, **options: object) -> str:
    return words(guards.refuse_submit, made, SubmitOptions(**options))


def test_a_healthy_stack_passes_every_guard():
    guards.refuse_submit(stack(live("a2", "t1", remote="a1"), new("b1", "a2")), SubmitOptions())
    guards.refuse_busy("")
    guards.refuse_long_bodies([(live("a1", "t1"), BODY_LIMIT)])


@pytest.mark.parametrize(
    ("operation", "way_out"),
    [("rebase", "git rebase --abort"), ("cherry-pick", "git cherry-pick --abort"), ("bisect", "git bisect reset")],
)
def test_an_unfinished_operation(operation: str, way_out: str):
    assert words(guards.refuse_busy, operation) == (
        f"error: a {operation} is in progress\n{NOTHING}\nnext: finish it or run {way_out}, then repeat the command"
    )


@pytest.mark.parametrize("options", [{}, {"only": True}])
def test_an_empty_stack(options: dict[str, bool]):
    assert submit(stack(), **options) == (
        f'error: there is no commit between "main" and HEAD\n{NOTHING}\n'
        "next: commit something, or name another trunk with --base BRANCH"
    )


def test_a_branch_that_shares_nothing_with_trunk():
    made = stack(new("a1", "t1", commit=replace(commit("a1", "t1"), parents=())))
    assert submit(made) == (
        f'error: the branch and "main" have no commit in common\n{NOTHING}\n'
        "next: rebase your commits onto origin/main, or name another trunk with --base BRANCH"
    )


def test_a_merge_commit_in_the_stack():
    made = stack(new("a1", "t1"), new("b1", "a1", commit=replace(commit("b1", "a1"), parents=("a1", "x1"))))
    assert submit(made) == (
        f'error: "Add B" (b1) is a merge commit, and a stack is a line of single commits\n{NOTHING}\n'
        "next: git rebase origin/main makes a line of it; then run stackr again"
    )


@pytest.mark.parametrize("position", [0, 1])
def test_an_empty_commit(position: int):
    changes = [new("a1", "t1"), new("b1", "a1")]
    lower = ["tree of t1", "tree of a1"][position]
    changes[position] = replace(changes[position], commit=replace(changes[position].commit, tree=lower))
    name, letter = [("a1", "A"), ("b1", "B")][position]
    assert submit(stack(*changes)) == (
        f'error: "Add {letter}" ({name}) is empty, and GitHub refuses a pull request without changes\n{NOTHING}\n'
        f"next: drop it (stackr drop {name}) or amend it"
    )


def test_an_empty_commit_above_the_submitted_part_is_nobodys_business():
    empty = replace(commit("b1", "a1"), tree="tree of a1")
    guards.refuse_submit(stack(new("a1", "t1"), new("b1", "a1", commit=empty)), SubmitOptions(upto="a1"))


@pytest.mark.parametrize("raw", ["", "\n \n", f"Change-Id: {cid('A')}\n"])
def test_an_empty_message(raw: str):
    made = stack(new("a1", "t1", commit=replace(commit("a1", "t1"), message=raw.encode())))
    assert submit(made) == (
        f"error: commit a1 has an empty message, and a pull request needs a title\n{NOTHING}\n"
        "next: give it one: stackr reword a1"
    )


def test_a_title_of_300_characters():
    made = stack(new("a1", "t1", commit=commit("a1", "t1", "x" * 300)))
    assert submit(made) == (
        f"error: the title of a1 has 300 characters; GitHub takes 256\n{NOTHING}\n"
        "next: shorten the first line of its message: stackr reword a1"
    )
    guards.refuse_submit(stack(new("a1", "t1", commit=commit("a1", "t1", "é" * 256))), SubmitOptions())


def test_a_description_of_70000_characters():
    made = stack(new("a1", "t1", commit=commit("a1", "t1", message("A", "x" * 70_000))))
    with_block = 70_000 + len(f'<!-- stackr:begin v1 id="{cid("A")}" digest="{"0" * 25}" -->\n<!-- stackr:end -->\n\n')
    assert submit(made) == (
        f'error: the description of "Add A" (a1) would have {with_block} characters; GitHub takes 65536\n{NOTHING}\n'
        "next: shorten its commit message: stackr reword a1"
    )


def test_a_description_that_fits_only_without_its_list_is_refused_before_anything_is_written():
    text = message("A", "x" * 65_400)
    alone = new("a1", "t1", commit=commit("a1", "t1", text))
    guards.refuse_submit(stack(alone), SubmitOptions())
    assert "would have" in submit(stack(alone, new("b1", "a1")))


def test_two_commits_with_one_id():
    twin = replace(new("b1", "a1"), id=cid("A"))
    assert submit(stack(new("a1", "t1"), twin)) == (
        f'error: "Add A" (a1) and "Add B" (b1) have the same Change-Id {cid("A")[:11]}\n{NOTHING}\n'
        "next: give one of them a new one: stackr id --new b1"
    )


def ended(state: PullState):
    return stack(live("a1", "t1", pull=pull("A", state=state)))


def test_a_merged_pull_request():
    assert submit(ended(PullState.MERGED), reopen=True) == (
        f'error: pull request #{number("A")} of "Add A" (a1) is merged into "main"\n{NOTHING}\n'
        "next: stackr sync drops what landed (or git rebase origin/main)"
    )


def test_a_pull_request_that_was_merged_into_the_branch_below():
    merged = live("b1", "a1", pull=pull("B", base=ref("A"), state=PullState.MERGED))
    made = stack(live("a1", "t1"), merged, own_refs={f"refs/stackr/branches/{ref('A')}": "a1"})
    assert submit(made) == (
        f'error: pull request #{number("B")} of "Add B" (b1) is merged into "{ref("A")}"\n{NOTHING}\n'
        'next: stackr sync sees whether it came to "main" all the same, and keeps it if it did not'
    )


def test_a_pull_request_that_was_merged_into_another_trunk():
    assert submit(stack(live("a1", "t1", pull=pull("A", base="release", state=PullState.MERGED)))) == (
        f'error: pull request #{number("A")} of "Add A" (a1) is merged into "release"\n{NOTHING}\n'
        'next: stackr id --new a1 makes it a new change, for "main"'
    )


def test_a_closed_pull_request():
    assert submit(ended(PullState.CLOSED)) == (
        f'error: pull request #{number("A")} of "Add A" (a1) is closed\n{NOTHING}\n'
        "next: stackr submit --reopen opens it again; stackr drop a1 takes it out; "
        "stackr id --new a1 makes it a new change"
    )
    guards.refuse_submit(ended(PullState.CLOSED), SubmitOptions(reopen=True))


def test_what_ghstack_has_submitted_gets_no_second_pull_request():
    marked = "Add A\n\nghstack-source-id: " + "a" * 40 + "\nPull-Request: https://github.com/acme/widgets/pull/10\n"
    made = stack(new("a1", "t1", commit=commit("a1", "t1", marked)))
    assert submit(made) == (
        f'error: "Add A" (a1) was submitted with ghstack, as #10\n{NOTHING}\n'
        "next: stackr adopt takes the stack over; to make a new change of it, take ghstack's lines out of its message "
        "(git commit --amend, or git rebase -i with reword)"
    )


def test_a_colleagues_commit_on_the_branch():
    made = stack(
        live("a1", "t1", remote="x9", accepted="a1"),
        history={"x9": ["a1"]},
        foreign={
            cid("A"): (commit("x8", "a1", "Fix typo\n", author=BOB), commit("x9", "x8", "More\n", author=b"<> 0"))
        },
    )
    assert submit(made) == (
        'error: somebody else pushed to the branch of "Add A" (a1)\n'
        "    x8 Fix typo (Bob)\n    x9 More (no author name)\n"
        "safe: nothing was changed; their commits are on the branch and stay there\n"
        "next: stackr sync takes them in; stackr submit --overwrite puts your version on top of them"
    )
    guards.refuse_submit(made, SubmitOptions(overwrite=True))


def test_foreign_heads_that_cannot_be_read_are_named_by_their_tips():
    foreign = {"accepted": "old", "remote": "x123456789"}
    made = stack(live("a1", "t1", **foreign), live("b1", "a1", **foreign))
    assert submit(made).startswith(
        'error: somebody else pushed to the branch of "Add A" (a1) and of "Add B" (b1)\n'
        f"    {made.changes[0].head_ref} is at x123456, which is not what this clone last pushed\n"
        f"    {made.changes[1].head_ref} is at x123456, which is not what this clone last pushed\n"
    )
    gone = replace(made.changes[0], remote_head=None)
    assert guards._describe_foreign(replace(made, changes=(gone,)), gone) == [
        f"{gone.head_ref} is at , which is not what this clone last pushed"
    ]


def test_a_foreign_head_above_the_submitted_part_is_left_alone():
    made = stack(live("a1", "t1"), live("b1", "a1", remote="x9", accepted="b1"))
    guards.refuse_submit(made, SubmitOptions(upto="a1"))


def test_a_stack_on_an_older_trunk_than_its_branch():
    made = stack(live("a2", "t1", remote="a1"), newer_trunk={cid("A"): "t2345678"}, history={"a1": ["t2345678"]})
    assert submit(made) == (
        'error: the branch of "Add A" (a2) already contains "main" at t234567, '
        f"which is newer than the commit your stack stands on\n{NOTHING}\n"
        "next: stackr sync, or git rebase origin/main and then stackr submit"
    )
    guards.refuse_submit(made, SubmitOptions(style=Style.REWRITE))


def test_only_with_a_lower_change_that_is_not_on_github():
    assert submit(stack(new("a1", "t1"), new("b1", "a1")), only=True) == (
        f'error: "Add A" (a1) below has no open pull request\n{NOTHING}\n'
        "next: submit it first: stackr submit without --only does the lower ones too"
    )


def test_only_with_a_lower_change_that_was_amended():
    made = stack(live("a2", "t1", remote="a1"), new("b1", "a2"), history={"a1": ["t1"]})
    assert submit(made, only=True) == (
        f'error: "Add A" (a2) below is not on GitHub as it is here\n{NOTHING}\n'
        "next: submit it first: stackr submit without --only does the lower ones too"
    )


def test_only_in_style_rewrite_wants_the_very_commit_below():
    made = stack(live("a2", "t1", remote="a1"), new("b1", "a2"), history={"a1": ["t1"]}, trees={"a1": "tree of a2"})
    guards.refuse_submit(made, SubmitOptions(only=True))
    assert "below is not on GitHub as it is here" in submit(made, only=True, style=Style.REWRITE)
    same = stack(live("a1", "t1"), new("b1", "a1"))
    guards.refuse_submit(same, SubmitOptions(only=True, style=Style.REWRITE))
