"""``create_pulls``: in order, in few requests, and never twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from stackr.core.ports import Created, NewPull, PullText
from stackr.errors import ConfigError, GitHubError
from stackr.github.api import GitHub
from stackr.github.auth import Token
from stackr.github.failures import Limited, Lost
from stackr.github.hosts import parse_remote
from tests.support.canned_github import CannedGitHub, Json, Said
from tests.support.canned_http import Canned, CannedServer

TOO_QUICKLY = Said("UNPROCESSABLE", "was submitted too quickly")
GATEWAY = Canned(502, "<html>502</html>")


def stack(count: int) -> list[NewPull]:
    bases = ["main", *(f"s/{i}" for i in range(count))]
    return [NewPull(f"s/{i}", bases[i], f"t{i}", f"b{i}", draft=i == 1) for i in range(count)]


def create(github: GitHub, pulls: Sequence[NewPull], reread: Sequence[int] = ()) -> Created:
    return github.create_pulls("R_1", pulls, reread)


def heads(forge: CannedGitHub) -> list[str]:
    return [pull["headRefName"] for pull in forge.pulls]


def creates_per_request(forge: CannedGitHub) -> list[int]:
    return [
        sum(name.startswith("p") for name in asked["variables"])
        for asked in forge.asked
        if "StackrCreate" in asked["query"]
    ]


def test_a_stack_is_created_bottom_first_with_what_was_asked(github: GitHub, forge: CannedGitHub) -> None:
    created = create(github, stack(3))
    assert heads(forge) == ["s/0", "s/1", "s/2"]
    assert [(p["baseRefName"], p["title"], p["body"], p["isDraft"]) for p in forge.pulls] == [
        ("main", "t0", "b0", False),
        ("s/0", "t1", "b1", True),
        ("s/1", "t2", "b2", False),
    ]
    assert {head: pull.number for head, pull in created.pulls.items()} == {"s/0": 1, "s/1": 2, "s/2": 3}
    assert created.texts == {i + 1: PullText(f"t{i}", f"b{i}") for i in range(3)}


@pytest.mark.parametrize(
    ("count", "seconds", "sizes"),
    [
        (1, 0.0, [1]),
        (5, 0.0, [5]),
        (20, 0.0, [5, 15]),
        (100, 0.0, [5, 20, 20, 20, 20, 15]),
        (20, 0.7, [5, 5, 5, 5]),
        (7, 1.0, [5, 2]),
        (12, 1.0, [5, 3, 3, 1]),
        (7, 4.0, [5, 1, 1]),
    ],
)
def test_requests_hold_as_many_creates_as_github_has_time_for(
    github: GitHub, forge: CannedGitHub, count: int, seconds: float, sizes: list[int]
) -> None:
    forge.seconds_a_mutation = seconds
    created = create(github, stack(count))
    assert creates_per_request(forge) == sizes
    assert len(forge.asked) == len(sizes)
    assert len(created.texts) == count


def test_an_edit_made_meanwhile_is_in_the_texts_without_a_further_request(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("old/one")
    forge.add("old/two")

    def edit(mutation: str, given: Json) -> Said | None:
        if given["headRefName"] == "s/6":
            forge.pulls[1]["title"] = "edited on the page"
            forge.pulls[2]["body"] = "edited too"
        return None

    forge.refuse = edit
    created = create(github, stack(7), reread=[2])
    assert len(forge.asked) == 2
    assert created.texts[2] == PullText("edited on the page", "body 2")
    assert created.texts[3] == PullText("t0", "edited too")
    assert sorted(created.texts) == [2, 3, 4, 5, 6, 7, 8, 9]


def test_nothing_to_create_needs_no_request_unless_texts_are_wanted(github: GitHub, forge: CannedGitHub) -> None:
    assert create(github, []) == Created({}, {})
    assert forge.asked == []
    forge.add("s/one")
    assert create(github, [], reread=[1]).texts == {1: PullText("title 1", "body 1")}


def test_a_reread_number_that_is_gone_does_not_disturb(github: GitHub, forge: CannedGitHub) -> None:
    created = create(github, stack(1), reread=[99])
    assert list(created.texts) == [1]


def test_what_exists_already_is_taken(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/1", title="mine")
    created = create(github, stack(3))
    assert {head: pull.number for head, pull in created.pulls.items()} == {"s/0": 2, "s/1": 1, "s/2": 3}
    assert created.texts[1] == PullText("mine", "body 1")
    assert sorted(heads(forge)) == ["s/0", "s/1", "s/2"]


def test_what_exists_but_cannot_be_found_is_refused(github: GitHub, forge: CannedGitHub) -> None:
    forge.refuse = lambda mutation, given: Said("UNPROCESSABLE", "A pull request already exists for acme:s/0.")
    with pytest.raises(GitHubError, match=r'for "s/0": A pull request already exists for acme:s/0\.'):
        create(github, stack(1))


LOST = {
    "dropped": Canned(drop=True),
    "502": GATEWAY,
    "500": Canned(500, {"message": "oops"}),
    "cut": Canned(body={"data": {"p0": None}}, cut=True),
    "half a json": Canned(body='{"data": '),
    "html": Canned(body="<html>"),
}


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("name", LOST)
def test_a_lost_answer_is_looked_up_before_anything_is_created_again(
    github: GitHub, forge: CannedGitHub, name: str, after: bool
) -> None:
    forge.fail(1, LOST[name], after=after)
    created = create(github, stack(5))
    assert sorted(heads(forge)) == [f"s/{i}" for i in range(5)]
    assert forge.operations()[:2] == ["StackrCreate", "StackrLookUp"]
    assert sorted(created.texts) == [1, 2, 3, 4, 5]
    assert creates_per_request(forge) == ([5] if after else [5, 1, 4])


def test_a_request_that_never_left_needs_no_look_up(forge: CannedGitHub) -> None:
    clock = forge.clock
    with CannedServer(forge.answer) as closed:
        host = parse_remote(f"{closed.url}/acme/widgets")
    client = GitHub(host, Token("t", "STACKR_TOKEN"), sleep=clock.sleep, clock=clock, now=clock)
    with pytest.raises(Lost, match="connection refused"):
        create(client, stack(2))
    assert [seconds for seconds, _ in clock.waits] == [0.5, 1.5]


def test_three_lost_answers_without_progress_are_enough(github: GitHub, forge: CannedGitHub) -> None:
    for call in (1, 3, 5):
        forge.fail(call, GATEWAY)
    with pytest.raises(Lost, match="github answered with 502") as caught:
        create(github, stack(5))
    assert caught.value.safe == 'no pull request was created, of: "s/0", "s/1", "s/2", "s/3", "s/4"'
    assert forge.operations() == ["StackrCreate", "StackrLookUp"] * 3


def test_an_interruption_in_the_middle_keeps_what_was_created(github: GitHub, forge: CannedGitHub) -> None:
    for call in (2, 4, 6):
        forge.fail(call, GATEWAY)
    with pytest.raises(Lost) as caught:
        create(github, stack(7))
    assert caught.value.safe == (
        'what was created (#1, #2, #3, #4, #5) stays and is adopted by the next run; not created: "s/5", "s/6"'
    )


def test_a_create_that_could_not_be_looked_up_is_called_doubtful(github: GitHub, forge: CannedGitHub) -> None:
    forge.fail(2, GATEWAY, after=True)
    for call in (3, 4, 5):
        forge.fail(call, GATEWAY)
    with pytest.raises(Lost) as caught:
        create(github, stack(7))
    assert len(heads(forge)) == 7
    assert caught.value.safe == (
        "what was created (#1, #2, #3, #4, #5) stays and is adopted by the next run; "
        'perhaps created, which the next run finds out: "s/5", "s/6"'
    )


def test_the_first_create_that_could_not_be_looked_up_is_called_doubtful(github: GitHub, forge: CannedGitHub) -> None:
    for call in (1, 2, 3, 4):
        forge.fail(call, GATEWAY)
    with pytest.raises(Lost) as caught:
        create(github, stack(6))
    assert caught.value.safe == (
        'perhaps created, which the next run finds out: "s/0", "s/1", "s/2", "s/3", "s/4"; not created: "s/5"'
    )


def test_only_what_came_too_quickly_is_repeated_after_a_wait(github: GitHub, forge: CannedGitHub) -> None:
    trips = iter([False] * 9 + [True] * 3)
    forge.refuse = lambda mutation, given: TOO_QUICKLY if next(trips, False) else None
    created = create(github, stack(12))
    assert heads(forge) == [f"s/{i}" for i in range(12)]
    assert creates_per_request(forge) == [5, 7, 3]
    assert [seconds for seconds, _ in forge.clock.waits] == [60]
    assert forge.clock.waits[0][1] == "github asks to slow down (was submitted too quickly)"
    assert len(created.texts) == 12


def test_a_hundred_creates_outlast_a_limit_that_trips_again_and_again(github: GitHub, forge: CannedGitHub) -> None:
    made: list[float] = []

    def ten_a_minute(mutation: str, given: Json) -> Said | None:
        recent = [moment for moment in made if moment > forge.clock() - 60]
        if len(recent) >= 10:
            return TOO_QUICKLY
        made.append(forge.clock())
        return None

    forge.refuse = ten_a_minute
    forge.seconds_a_mutation = 1.0
    assert len(create(github, stack(100)).pulls) == 100
    assert heads(forge) == [f"s/{i}" for i in range(100)]


def test_a_limit_that_never_ends_is_told(github: GitHub, forge: CannedGitHub) -> None:
    forge.refuse = lambda mutation, given: TOO_QUICKLY
    with pytest.raises(Limited) as caught:
        create(github, stack(2))
    assert caught.value.next_step == "try again in a few minutes"
    assert caught.value.safe == 'no pull request was created, of: "s/0", "s/1"'
    assert sum(seconds for seconds, _ in forge.clock.waits) == 900


@pytest.mark.parametrize("after", [False, True])
def test_a_limit_on_the_whole_request_is_waited_for(github: GitHub, forge: CannedGitHub, after: bool) -> None:
    forge.fail(1, Canned(429, {"message": "slow"}, {"Retry-After": "9"}), after=after)
    assert len(create(github, stack(3)).pulls) == 3
    assert sorted(heads(forge)) == ["s/0", "s/1", "s/2"]
    assert [seconds for seconds, _ in forge.clock.waits] == [9]


def refusing(head: str, message: str, type_: str = "UNPROCESSABLE") -> Any:
    return lambda mutation, given: Said(type_, message) if given["headRefName"] == head else None


def test_a_refusal_stops_and_says_what_was_created_and_what_not(github: GitHub, forge: CannedGitHub) -> None:
    forge.refuse = refusing("s/2", "No commits between s/1 and s/2")
    with pytest.raises(GitHubError) as caught:
        create(github, stack(7))
    error = caught.value
    assert error.message == 'github refused a pull request for "s/2": No commits between s/1 and s/2'
    assert error.safe == (
        'what was created (#1, #2, #3, #4) stays and is adopted by the next run; not created: "s/2", "s/5", "s/6"'
    )
    assert (error.next_step, error.exit_code) == ("stackr submit", 5)
    assert heads(forge) == ["s/0", "s/1", "s/3", "s/4"]


NO_BRANCH = "Head sha can't be blank, No commits between s/0 and s/1, Head ref must be a branch"


def test_a_branch_that_github_does_not_know_yet_is_given_some_seconds(github: GitHub, forge: CannedGitHub) -> None:
    """kdlbs/kandev#3134: what was pushed a moment ago may not be there for a pull request."""
    early = iter([Said("UNPROCESSABLE", NO_BRANCH)] * 2)
    forge.refuse = lambda mutation, given: next(early, None) if given["headRefName"] == "s/1" else None
    created = create(github, stack(3))
    assert (sorted(created.pulls), sorted(created.texts)) == (["s/0", "s/1", "s/2"], [1, 2, 3])
    assert forge.operations() == ["StackrCreate"] * 3
    assert forge.clock.waits == [(s, "github does not know yet what was just pushed") for s in (0.5, 1.0)]


def test_a_branch_that_never_appears_is_refused_with_githubs_words(github: GitHub, forge: CannedGitHub) -> None:
    forge.refuse = refusing("s/1", NO_BRANCH)
    with pytest.raises(GitHubError) as caught:
        create(github, stack(2))
    assert caught.value.message == f'github refused a pull request for "s/1": {NO_BRANCH}'
    assert caught.value.safe == 'what was created (#1) stays and is adopted by the next run; not created: "s/1"'
    assert sum(seconds for seconds, _ in forge.clock.waits) == 7.5


def test_no_permission_is_a_matter_of_the_token(github: GitHub, forge: CannedGitHub) -> None:
    forge.refuse = refusing(
        "s/0", "alice does not have the correct permissions to execute `CreatePullRequest`", "FORBIDDEN"
    )
    with pytest.raises(ConfigError, match="does not have the correct permissions") as caught:
        create(github, stack(1))
    assert caught.value.exit_code == 7


def test_a_create_that_github_failed_on_is_looked_up_and_repeated(github: GitHub, forge: CannedGitHub) -> None:
    troubles = iter([Said("", "Something went wrong while executing your query.")])
    forge.refuse = lambda mutation, given: next(troubles, None) if given["headRefName"] == "s/1" else None
    created = create(github, stack(3))
    assert sorted(heads(forge)) == ["s/0", "s/1", "s/2"]
    assert forge.operations() == ["StackrCreate", "StackrLookUp", "StackrCreate"]
    assert sorted(created.texts) == [1, 2, 3]


def test_a_create_whose_answer_broke_inside_is_found_again(github: GitHub, forge: CannedGitHub) -> None:
    broken = Canned(
        body={
            "data": {"p0": {"pullRequest": None}, "p1": None},
            "errors": [{"message": "odd", "path": ["p0", "pullRequest", "title"]}],
        }
    )
    forge.fail(1, broken, after=True)
    created = create(github, stack(2))
    assert {head: pull.number for head, pull in created.pulls.items()} == {"s/0": 1, "s/1": 2}
    assert forge.operations() == ["StackrCreate", "StackrLookUp", "StackrTexts"]
