"""What an error says of a landing that it ended half-way."""

from __future__ import annotations

import pytest

from stackr.core.plan import Action, Park, UpdatePull
from stackr.errors import Interrupted, Refused, StackrError
from stackr.stories.progress import Progress
from tests.support.builders import live, number

UPDATE = UpdatePull("I1", 7, "PR_7", "main")
AGAIN = "stackr land again goes on from there"


def told(progress: Progress, error: BaseException) -> StackrError:
    with pytest.raises(StackrError) as caught, progress.told():
        raise error
    return caught.value


@pytest.mark.parametrize(
    ("done", "safe", "expected"),
    [
        ([], "nothing was changed", "nothing was changed"),
        ([UPDATE], "nothing was changed", f"nothing has landed; what was prepared stays, and {AGAIN}"),
        (
            [Park(7, "PR_7", "main")],
            "nothing was pushed",
            'nothing was pushed; before that: #7 targets "main" for the time being',
        ),
        ([UPDATE], "#7 was not merged", "#7 was not merged"),
    ],
)
def test_before_anything_landed_an_error_says_what_was_prepared(done: list[Action], safe: str, expected: str) -> None:
    assert told(Progress(done), Refused("no", safe=safe)).safe == expected


def test_what_landed_comes_first_and_programs_get_what_was_done() -> None:
    progress = Progress([UPDATE], landed=[live("a1", "t1")])
    landed = f'#{number("A")} "Add A" landed before'
    error = told(progress, Refused("no"))
    assert error.safe == f"{landed}; {AGAIN}"
    assert [action["kind"] for action in error.details["actions"]] == ["update"]
    # A plan that broke off has told itself what it did.
    late = Refused("no")
    late.details = {"actions": [{"kind": "push"}], "failed": [{"kind": "merge"}]}
    assert told(progress, late) is late
    assert [action["kind"] for action in late.details["actions"]] == ["update", "push"]
    assert late.details["failed"] == [{"kind": "merge"}]
    assert told(progress, Refused("no", safe="#8 was not merged")).safe == f"{landed}; #8 was not merged"
    stopped = told(progress, KeyboardInterrupt())
    assert isinstance(stopped, Interrupted) and stopped.safe == f"{landed}; every step is safe to stop after"
    assert stopped.next_step == AGAIN
