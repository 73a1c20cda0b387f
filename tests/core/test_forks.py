"""What differs for a stack that is proposed from a fork."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core import body
from stackr.core.forks import Fork, choose_fork, no_write_access, refuse_landing, review_line
from stackr.core.options import SubmitOptions
from stackr.core.plan import CreatePull, SetConfig, UpdatePull
from stackr.core.pulls import describe
from stackr.core.submit import plan_submit
from stackr.errors import ConfigError, Refused
from tests.support.builders import cid, live, new, pull, ref, stack

FORK = Fork("fork", "carol", "https://github.com/carol/widgets")


def test_every_pull_request_of_a_fork_targets_trunk_and_the_choice_is_remembered():
    made = replace(stack(new("a1", "t1"), new("b1", "a1")), fork=FORK)
    actions = plan_submit(made, SubmitOptions(remember_fork="fork", remember_base="main")).actions
    assert [action.base_ref for action in actions if isinstance(action, CreatePull)] == ["main", "main"]
    assert [action for action in actions if isinstance(action, SetConfig)] == [
        SetConfig("branch.feature.stackrBase", "main"),
        SetConfig("branch.feature.stackrFork", "fork"),
    ]
    assert (made.head_remote, stack().head_remote) == ("fork", "origin")


def test_a_chain_that_becomes_a_forks_is_retargeted():
    made = replace(stack(live("a1", "t1"), live("b1", "a1", base=ref("A"))), fork=FORK)
    updates = [action for action in plan_submit(made, SubmitOptions()).actions if isinstance(action, UpdatePull)]
    assert [update.base_ref for update in updates] == [None, "main"]


def test_the_description_says_where_the_change_alone_is_seen_and_stays_as_it_is():
    line = review_line(FORK, "stackr/carol/#1", "stackr/carol/2")
    assert line == (
        "To review: [this change alone](https://github.com/carol/widgets/compare/stackr/carol/%231...stackr/carol/2). "
        "The diff of this page has those below it, too."
    )
    assert review_line(FORK, None, "x") == review_line(None, "y", "x") == ""
    made = replace(stack(live("a1", "t1"), live("b1", "a1")), fork=FORK)
    wanted = describe(made, 1, (0, 1), SubmitOptions())
    text = body.merge("Add B", pull("B").body, wanted, {cid("A"): 10, cid("B"): 11}).body
    assert text is not None
    assert text.split("-->\n", 1)[1] == (
        f"{review_line(FORK, ref('A'), ref('B'))}\n\n"
        "Stack from stackr (oldest at bottom):\n* __->__ #11\n* #10\n<!-- stackr:end -->"
    )
    assert body.merge("Add B", text, wanted, {cid("A"): 10, cid("B"): 11}) == body.Merged(None, None)


def test_the_line_is_part_of_a_block_whose_end_was_lost():
    wanted = body.Description(cid("B"), "Add B", "Text.", review=review_line(FORK, "a", "b"))
    whole = body.new_body(wanted, {})
    broken = whole.replace("<!-- stackr:end -->", "")
    assert body.merge("Add B", broken, wanted, {}).body == whole


def test_landing_is_upstreams():
    refuse_landing(None)
    with pytest.raises(Refused, match='from the fork "fork", and those who may write upstream land it'):
        refuse_landing(FORK)


@pytest.mark.parametrize(
    ("named", "candidates", "chosen"), [("b", ("a", "b"), "b"), ("", ("a",), "a")], ids=["named", "the only one"]
)
def test_the_fork_is_the_remote_named_or_the_only_one_that_may_be(named: str, candidates: tuple[str], chosen: str):
    assert choose_fork(named, candidates, "origin", "acme/widgets") == chosen


@pytest.mark.parametrize(
    ("named", "candidates", "words"),
    [
        ("origin", ("a",), 'the remote "origin" is no fork of "acme/widgets", which the remote "origin" leads to'),
        ("", ("a", "b"), 'several remotes may be your fork: "a", "b"'),
        ("", (), 'no remote leads to a fork of "acme/widgets"'),
    ],
)
def test_what_cannot_be_the_fork_is_said_plainly(named: str, candidates: tuple[str, ...], words: str):
    with pytest.raises(ConfigError) as caught:
        choose_fork(named, candidates, "origin", "acme/widgets")
    assert caught.value.message == words
    assert "--fork" in caught.value.next_step


def test_without_write_access_the_way_out_is_named():
    chain, fork = no_write_access("acme/widgets", None), no_write_access("acme/widgets", FORK)
    assert "stackr submit --fork proposes the stack from a fork" in chain.next_step
    assert fork.message == (
        'this token may not push to your fork, the remote "fork" (https://github.com/carol/widgets)'
    )
