"""What an error says is safe after a part of the plan was carried out."""

from __future__ import annotations

import pytest

from stackr.core.body import Description
from stackr.core.broken import pieces, safe_line
from stackr.core.model import NewCommit
from stackr.core.plan import (
    Action,
    ClosePull,
    CreatePull,
    MoveRefs,
    Park,
    Push,
    PushRefs,
    RefMove,
    Reopen,
    SetConfig,
    UnlinkStack,
    WriteCommit,
)

WRITE = WriteCommit(NewCommit(":local/a1", "tree", (), b"A\n"), "id", "I1")
RECORD = MoveRefs((RefMove("refs/stackr/pushing/I1", None, "a2"),), "submit: add change ids")
IDS = MoveRefs((RefMove("refs/heads/feature", "a1", "a2"), *RECORD.moves), "submit: add change ids")
DETACHED = MoveRefs((RefMove("HEAD", "a1", "a2"),), "submit: add change ids")
SYNCED = MoveRefs((RefMove("refs/heads/feature", "a1", "a2"),), "sync", ("a1", "a2"))
BASE = SetConfig("branch.feature.stackrBase", "next")
PARK = Park(3, "PR_3", "main")
ONE = PushRefs((Push("I1", "refs/heads/s/1", "a2", None),))
TWO = PushRefs((Push("I1", "refs/heads/s/1", "a2", None), Push("I2", "refs/heads/s/2", "b2", None)))
OPENED = Reopen(4, "PR_4")
CREATE = CreatePull("I1", "s/1", "main", "A", Description("I1", "A", ""), False)


@pytest.mark.parametrize(
    ("done", "told"),
    [
        ([IDS], "your commits have their change ids"),
        ([DETACHED], "your commits have their change ids"),
        ([SYNCED], "your branches are up to date here"),
        ([BASE], "the base is remembered"),
        ([UnlinkStack(7, (3, 4))], "GitHub's own stack 7 is dissolved"),
        ([UnlinkStack(7, (3, 4)), UnlinkStack(8, (5, 6))], "GitHub's own stacks 7, 8 are dissolved"),
        ([PARK], '#3 targets "main" for the time being'),
        ([PARK, Park(5, "PR_5", "main")], '#3, #5 target "main" for the time being'),
        ([ONE], "1 branch is pushed"),
        ([IDS, TWO], "your commits have their change ids, 2 branches are pushed"),
        ([OPENED], "#4 is open again"),
        ([OPENED, Reopen(5, "PR_5")], "#4, #5 are open again"),
        ([ClosePull("I1", 4, "PR_4")], "#4 is closed"),
        ([CREATE], "1 pull request is created"),
        ([CREATE, CREATE], "2 pull requests are created"),
    ],
)
def test_an_error_after_something_was_done_says_what(done: list[Action], told: str) -> None:
    assert safe_line(done, "nothing was changed") == f"{told}; the next run goes on from there"


@pytest.mark.parametrize("done", [[], [WRITE], [WRITE, RECORD]])
def test_objects_and_our_own_records_are_no_change_that_anybody_sees(done: list[Action]) -> None:
    assert safe_line(done, "nothing was changed") == "nothing was changed"


def test_what_the_error_itself_knows_is_kept() -> None:
    assert safe_line([PARK], "perhaps not updated: #3") == "perhaps not updated: #3"
    assert safe_line([PARK], "nothing was pushed") == (
        'nothing was pushed; before that: #3 targets "main" for the time being'
    )


def test_programs_are_told_what_was_carried_out_and_at_which_step_it_ended() -> None:
    oids, numbers = {":local/a1": "a2"}, {"I1": 7}
    found = pieces([WRITE, IDS, ONE], [CREATE], oids, numbers)
    assert [action["kind"] for action in found["actions"]] == ["rewrite", "move", "push"]
    assert [(action["kind"], action["number"]) for action in found["failed"]] == [("create", 7)]
    # A commit that no branch has come to is nothing that was done.
    early = pieces([WRITE], [IDS], oids, numbers)
    assert early["actions"] == []
    assert [(action["kind"], action["to"]) for action in early["failed"]] == [("rewrite", "a2"), ("move", "a2")]
