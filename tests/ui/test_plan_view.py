"""A plan as people and programs see it."""

from __future__ import annotations

from stackr.core.body import Description
from stackr.core.model import Change, Head, NewCommit, Stack
from stackr.core.plan import (
    ClosePull,
    CreatePull,
    DeleteRefs,
    LinkStack,
    MoveRefs,
    Park,
    Plan,
    Push,
    PushRefs,
    RefMove,
    Reopen,
    SetConfig,
    UnlinkStack,
    UpdatePull,
    WriteCommit,
)
from stackr.core.steps import actions_json
from stackr.ui import plan_view
from stackr.ui.line import plain
from tests.ui.builders import TRUNK, commit

ONE, TWO = "I" + "1" * 40, "I" + "2" * 40
STACK = Stack(
    TRUNK,
    Head("refs/heads/feature", "2" * 40),
    (
        Change(ONE, commit("1", "Add cache"), "stackr/alice/1111111111"),
        Change(TWO, commit("2", "Read it"), "stackr/alice/2222222222"),
    ),
)


def local(digit: str) -> NewCommit:
    return NewCommit(f":local/{digit * 40}", "t" * 40, ("0" * 40,), b"m")


PLAN = Plan(
    "submit",
    (
        WriteCommit(local("1"), "id", ONE),
        WriteCommit(NewCommit(f":head/{TWO}", "t" * 40, ("0" * 40,), b"m"), "head", TWO),
        MoveRefs(
            (
                RefMove("refs/heads/feature", "2" * 40, f":local/{'2' * 40}"),
                RefMove("HEAD", "2" * 40, "3" * 40),
                RefMove(f"refs/stackr/pushing/{ONE}", None, f":local/{'1' * 40}"),
            ),
            "submit: add change ids",
        ),
        SetConfig("branch.feature.stackrBase", "dev"),
        UnlinkStack(4, (12, 14), (14,)),
        Park(12, "PR_12", "main"),
        PushRefs(
            (
                Push(ONE, "refs/heads/stackr/alice/1111111111", f":local/{'1' * 40}", None),
                Push(TWO, "refs/heads/stackr/alice/2222222222", "4" * 40, "5" * 40),
            )
        ),
        Reopen(13, "PR_13"),
        ClosePull(TWO, 16, "PR_16"),
        CreatePull(ONE, "stackr/alice/1111111111", "main", "Add cache", Description(ONE, "Add cache", ""), True),
        UpdatePull(TWO, 14, "PR_14", "stackr/alice/1111111111", Description(TWO, "x", ""), False, ("bob",), ("x", "y")),
        UpdatePull(ONE, None, None, draft=True),
        LinkStack((ONE, TWO)),
        LinkStack((TWO,), 5),
        DeleteRefs((("refs/heads/stackr/alice/9", "6" * 40),)),
    ),
)


def test_people_see_one_line_a_step_in_order_and_no_bookkeeping() -> None:
    assert [plain(line) for line in plan_view.lines(PLAN, STACK)] == [
        'rewrite  1111111..(new)  "Add cache"',
        "move     feature  2222222..(new)",
        "move     HEAD  2222222..3333333",
        "set      branch.feature.stackrBase = dev",
        "unlink   GitHub's own stack 4  #12, #14",
        "park     #12  onto main while branches move",
        'push     stackr/alice/1111111111  (none)..(new)  "Add cache"',
        'push     stackr/alice/2222222222  5555555..4444444  "Read it"',
        "reopen   #13",
        'close    #16  "Read it"',
        'create   draft "Add cache"  stackr/alice/1111111111 onto main',
        "update   #14  base stackr/alice/1111111111, description, ready for review, reviewers bob, labels x, y",
        'update   "Add cache"  draft',
        "link     2 pull requests  as GitHub's own stack",
        "link     1 pull request  on top of GitHub's own stack 5",
        "delete   stackr/alice/9  6666666",
    ]


def test_programs_see_the_same_with_what_became_of_it() -> None:
    numbers = {ONE: 15}
    resolved = {f":local/{'1' * 40}": "7" * 40}
    assert actions_json(PLAN.actions, resolved, numbers) == [
        {"kind": "rewrite", "id": ONE, "from": "1" * 40, "to": "7" * 40},
        {"kind": "move", "ref": "refs/heads/feature", "from": "2" * 40, "to": None},
        {"kind": "move", "ref": "HEAD", "from": "2" * 40, "to": "3" * 40},
        {"kind": "unlink", "stack": 4, "numbers": [12, 14]},
        {"kind": "park", "number": 12, "base_ref": "main"},
        {"kind": "push", "id": ONE, "ref": "refs/heads/stackr/alice/1111111111", "from": None, "to": "7" * 40},
        {"kind": "push", "id": TWO, "ref": "refs/heads/stackr/alice/2222222222", "from": "5" * 40, "to": "4" * 40},
        {"kind": "update", "number": 13, "fields": ["state"]},
        {"kind": "close", "id": TWO, "number": 16},
        {
            "kind": "create",
            "id": ONE,
            "number": 15,
            "head_ref": "stackr/alice/1111111111",
            "base_ref": "main",
            "title": "Add cache",
            "draft": True,
        },
        {
            "kind": "update",
            "id": TWO,
            "number": 14,
            "fields": ["base_ref", "description", "draft", "reviewers", "labels"],
        },
        {"kind": "update", "id": ONE, "number": 15, "fields": ["draft"]},
        {"kind": "link", "ids": [ONE, TWO], "numbers": [15, None], "onto": None},
        {"kind": "link", "ids": [TWO], "numbers": [None], "onto": 5},
        {"kind": "delete", "ref": "refs/heads/stackr/alice/9", "from": "6" * 40},
    ]


def test_an_empty_plan_says_so() -> None:
    assert [plain(line) for line in plan_view.lines(Plan("submit"), STACK)] == ["nothing to do"]
    assert actions_json(()) == []


def test_a_change_that_left_the_stack_is_named_by_its_id() -> None:
    gone = Plan("submit", (UpdatePull("I" + "8" * 40, None, None, labels=("x",)),))
    assert [plain(line) for line in plan_view.lines(gone, STACK)] == ["update   I8888888888  labels x"]
