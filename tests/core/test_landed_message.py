"""With what message a change lands: GitHub's words as they stand, without stackr's block, with the trailers."""

from __future__ import annotations

from stackr.core import body
from stackr.core.landed_message import landed_message, whole_message
from tests.support.builders import cid, number, pull

N = number("A")


def test_a_change_lands_with_the_title_and_text_that_stand_on_github() -> None:
    text = body.new_body(body.Description(cid("A"), "Add A", "Why.", (body.Row(cid("A"), N), body.Row(number=9))), {})
    late = pull("A", title="Add  A, rightly", body=text.replace("Why.", "Why, says Bob.\r\n\r\nSigned-off-by: B <b@x>"))
    title, message = landed_message(cid("A"), late)
    assert title == f"Add A, rightly (#{N})"
    assert message == f"Why, says Bob.\n\nSigned-off-by: B <b@x>\nChange-Id: {cid('A')}"


def test_a_change_without_a_text_lands_with_its_id_alone() -> None:
    bare = pull("A", body="")
    assert landed_message(cid("A"), bare) == (f"Add A (#{N})", f"Change-Id: {cid('A')}")
    assert whole_message(cid("A"), bare) == f"Add A (#{N})\n\nChange-Id: {cid('A')}\n".encode()


def test_an_id_of_another_change_in_the_text_is_replaced() -> None:
    strange = pull("A", body=f"See\n\nChange-Id: {cid('B')}")
    assert landed_message(cid("A"), strange)[1] == f"See\n\nChange-Id: {cid('A')}"
