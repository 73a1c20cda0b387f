"""The pull requests from trunk up to one of them: by their bases, in whatever order they were read."""

from __future__ import annotations

import pytest

from stackr.core import body
from stackr.core.chain import is_part, listed_below, of_heads, walk
from stackr.core.identity import DEFAULT_TEMPLATE
from stackr.core.model import PullState
from stackr.errors import Refused
from tests.support.builders import cid, pull, ref

A, B, C = pull("A"), pull("B", ref("A")), pull("C", ref("B"))


def test_bases_lead_down_to_trunk() -> None:
    assert walk(C, [B, C, A], "main") == (A, B, C)
    assert walk(A, [B, C], "main") == (A,)
    assert walk(C, [B], "main") == (B, C)


def test_trunk_ends_a_chain_even_where_it_is_a_head_itself() -> None:
    release = pull("Z", "production", head_ref="main")
    assert walk(B, [release, A], "main") == (A, B)
    assert walk(B, [release, A], "production") == (release, A, B)


def test_of_several_with_one_branch_the_open_one_counts_else_the_newest() -> None:
    closed, merged = pull("A", state=PullState.CLOSED, number=90), pull("A", state=PullState.MERGED, number=91)
    assert walk(B, [merged, A, closed], "main") == (A, B)
    assert walk(B, [merged, closed], "main") == (merged, B)


def test_a_circle_is_refused() -> None:
    low, high = pull("A", ref("B")), pull("B", ref("A"))
    with pytest.raises(Refused) as refusal:
        walk(pull("C", ref("B")), [low, high], "main")
    assert refusal.value.message == "#11 and #10 stand on each other"


def test_the_stack_list_names_the_others_that_are_alive() -> None:
    rows = (body.Row(number=7, landed=True), body.Row(number=10), body.Row(number=11), body.Row(number=12))
    text = body.new_body(body.Description(cid("B"), "Add B", "", rows), {})
    assert listed_below(pull("B", body=text)) == (10, 12)
    assert listed_below(pull("B", body="by hand")) == ()


def test_a_long_lived_branch_that_was_merged_before_is_no_part_of_a_stack() -> None:
    develop = pull("Z", head_ref="develop", body="", state=PullState.MERGED)
    assert not is_part(develop, DEFAULT_TEMPLATE)
    assert is_part(pull("Z", head_ref="develop", body=""), DEFAULT_TEMPLATE)
    assert is_part(pull("A", body="", state=PullState.CLOSED), DEFAULT_TEMPLATE)
    marked = pull("Z", head_ref="mine", state=PullState.MERGED)
    assert of_heads({"develop": [develop], "mine": [marked]}, DEFAULT_TEMPLATE) == [marked]
