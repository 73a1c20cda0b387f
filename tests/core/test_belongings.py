"""Other people's changes: pushed only if that is asked for, their texts left alone, and shared from then on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core import belongings, body
from stackr.core.model import Stack
from stackr.core.options import SubmitOptions
from stackr.core.ownership import TAKEN
from stackr.core.plan import CreatePull, MoveRefs, UpdatePull
from stackr.core.status import report
from stackr.core.submit import plan_submit
from stackr.errors import Refused
from tests.support.builders import change, cid, live, new, number, pull, ref, stack

OTHERS = SubmitOptions(others=True)


def listed(letters: str, letter: str, title: str = "") -> str:
    """The description of one change of a stack, with its list."""
    rows = tuple(body.Row(cid(each), number(each)) for each in letters) if len(letters) > 1 else ()
    return body.new_body(body.Description(cid(letter), title or f"Add {letter}", "", rows), {})


def taken(*letters: str, **oids: str) -> Stack:
    """A and B of somebody else, as they are on GitHub; ``oids`` are other local commits for them."""
    a, b = oids.get("a", "a1"), oids.get("b", "b1")
    low = live(a, "t1", remote="a1", pull=pull("A", body=listed("AB", "A")))
    high = live(b, a, ref("A"), remote="b1", pull=pull("B", ref("A"), "b1", body=listed("AB", "B")))
    made = stack(low, high, history={"a1": ("t1",), "b1": ("a1",)})
    return replace(
        made, own_refs={**made.own_refs, **{TAKEN + cid(letter): f"{letter.lower()}1" for letter in letters}}
    )


def test_unchanged_changes_of_others_are_left_alone_whatever_their_pages_say() -> None:
    facts = taken("A", "B")
    edited = replace(facts.changes[0], pull=replace(pull("A", head_oid="a1"), title="By bob", body="by hand"))
    facts = replace(facts, changes=(edited, facts.changes[1]))
    assert plan_submit(facts, SubmitOptions()).is_empty
    assert not plan_submit(facts, OTHERS).is_empty


def test_a_change_of_mine_on_top_changes_nothing_of_theirs() -> None:
    facts = taken("A", "B")
    facts = replace(facts, changes=(*facts.changes, new("c1", "b1")))
    plan = plan_submit(facts, SubmitOptions())
    belongings.refuse_others(facts, plan, SubmitOptions())
    updates = [action for action in plan.actions if isinstance(action, UpdatePull)]
    assert [update.change_id for update in updates] == [cid("C")]
    assert [action.base_ref for action in plan.actions if isinstance(action, CreatePull)] == [ref("B")]


def test_pushing_what_is_not_mine_is_refused_by_name_unless_asked_for() -> None:
    facts = taken("A", "B", a="a2")
    plan = plan_submit(facts, SubmitOptions())
    assert [each.id for each in belongings.pushed_of_others(facts, plan)] == [cid("A"), cid("B")]
    with pytest.raises(Refused) as refusal:
        belongings.refuse_others(facts, plan, SubmitOptions())
    assert refusal.value.message == 'this would push what is not yours: #10 "Add A" of alice, #11 "Add B" of alice'
    belongings.refuse_others(facts, plan, OTHERS)


def test_what_was_pushed_is_shared_from_then_on_a_push_whose_end_was_lost_included() -> None:
    facts = taken("A", "B", b="b2")
    (pushed,) = [a for a in plan_submit(facts, OTHERS).actions if isinstance(a, MoveRefs) and "pushed" in a.reason]
    assert [(move.ref, move.new) for move in pushed.moves if move.ref.startswith(TAKEN)] == [(TAKEN + cid("B"), None)]
    lost = replace(facts.changes[1], remote_head="b2", pushing="b2", pull=pull("B", ref("A"), "b2"))
    again = replace(facts, changes=(facts.changes[0], lost), trees={**facts.trees, "b2": "tree of b2"})
    (found,) = [a for a in plan_submit(again, OTHERS).actions if isinstance(a, MoveRefs)]
    assert TAKEN + cid("B") in {move.ref for move in found.moves}


def test_a_change_without_a_pull_request_is_named_by_its_title() -> None:
    assert belongings.name(change("a1", "t1")) == '"Add A"'


def test_the_words_of_github_are_left_alone_until_the_commit_is_another_one() -> None:
    mine = live("a1", "t1", pull=pull("A", head_oid="a1", title="Better A", body=listed("A", "A")))
    mine = replace(mine, commit=replace(mine.commit, message=mine.commit.message.replace(b"Add A", b"Better A")))
    facts = stack(mine)
    assert plan_submit(facts, SubmitOptions()).is_empty
    (adopted,) = plan_submit(replace(facts, said={cid("A"): ("Add A", "")}), SubmitOptions()).actions
    assert isinstance(adopted, UpdatePull)


def test_what_is_modified_says_how_it_would_be_pushed() -> None:
    facts = taken("B", a="a2", b="b2")
    assert [row.next for row in report("status", facts, {cid("A"), cid("B")}).rows] == ["submit", "submit --others"]
