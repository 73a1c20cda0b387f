"""The actions of a plan in JSON; most kinds stand beside what people see of them, in tests/ui/test_plan_view.py."""

from __future__ import annotations

from stackr.core.plan import Comment, MoveRefs, RefMove
from stackr.core.steps import actions_json


def test_a_comment_is_told_by_its_pull_request_and_bookkeeping_not_at_all() -> None:
    kept = MoveRefs((RefMove("refs/stackr/heads/I1", None, "1" * 40),), "submit")
    assert actions_json([kept, Comment(7, "landed by force")]) == [{"kind": "comment", "number": 7}]
