"""``update_pulls``: many edits, few requests, only what is set."""

from __future__ import annotations

import pytest

from stackr.core.ports import PullEdit
from stackr.errors import ConfigError, GitHubError, Refused
from stackr.github.api import GitHub
from stackr.github.failures import Limited, Lost
from tests.support.canned_github import CannedGitHub, Json, Said
from tests.support.canned_http import Canned, CannedServer

GATEWAY = Canned(502, "<html>502</html>")
TOO_QUICKLY = Said("UNPROCESSABLE", "was submitted too quickly")


def stack(forge: CannedGitHub, count: int) -> list[PullEdit]:
    for i in range(count):
        forge.add(f"s/{i}")
    return [PullEdit(i + 1, f"PR_{i + 1}", body=f"new {i + 1}") for i in range(count)]


def steps_per_request(forge: CannedGitHub) -> list[int]:
    return sorted(len(asked["variables"]) for asked in forge.asked if "StackrUpdate" in asked["query"])


def test_only_what_is_set_is_sent(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/0")
    github.update_pulls([PullEdit(1, "PR_1", base="dev")])
    assert forge.mutations == [("updatePullRequest", {"pullRequestId": "PR_1", "baseRefName": "dev"})]
    forge.mutations.clear()
    github.update_pulls([PullEdit(1, "PR_1", title="", body="")])
    assert forge.mutations == [("updatePullRequest", {"pullRequestId": "PR_1", "title": "", "body": ""})]


def test_no_edits_need_no_request(github: GitHub, forge: CannedGitHub) -> None:
    github.update_pulls([])
    github.update_pulls([PullEdit(1, "PR_1")])
    assert forge.asked == []


def test_the_steps_of_an_edit_run_in_the_order_that_github_accepts(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/0", state="CLOSED")
    edit = PullEdit(
        1, "PR_1", title="t", base="main", draft=True, reopen=True, reviewers=("bob", "Acme/Core"), labels=("bug",)
    )
    github.update_pulls([edit])
    assert forge.mutations == [
        ("reopenPullRequest", {"pullRequestId": "PR_1"}),
        ("updatePullRequest", {"pullRequestId": "PR_1", "title": "t", "baseRefName": "main"}),
        ("convertPullRequestToDraft", {"pullRequestId": "PR_1"}),
        ("requestReviews", {"pullRequestId": "PR_1", "userIds": ["U_bob"], "teamIds": ["T_core"], "union": True}),
        ("addLabelsToLabelable", {"labelableId": "PR_1", "labelIds": ["L_bug"]}),
    ]
    assert forge.operations() == ["StackrPeople", "StackrBases", "StackrUpdate"]


def test_a_base_that_is_gone_is_back_for_as_long_as_it_takes_to_reopen(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/1", state="CLOSED", baseRefName="s/0")
    forge.add("s/2", state="CLOSED", baseRefName="s/x")
    github.update_pulls([PullEdit(1, "PR_1", base="main", reopen=True), PullEdit(2, "PR_2", reopen=True)])
    moves = [(n, given["refUpdates"][0] if n == "updateRefs" else None) for n, given in forge.mutations]
    gone = {"beforeOid": "b" * 40, "afterOid": "0" * 40, "force": False}
    back = {"afterOid": "b" * 40, "force": False}
    assert moves == [
        ("updateRefs", {"name": "refs/heads/s/0", **back}),
        ("reopenPullRequest", None),
        ("updatePullRequest", None),
        ("updateRefs", {"name": "refs/heads/s/0", **gone}),
        ("updateRefs", {"name": "refs/heads/s/x", **back}),
        ("reopenPullRequest", None),
    ], "what keeps its base keeps the branch"
    assert set(forge.branches) == {"main", "s/x"}


def test_a_draft_is_made_ready(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/0", isDraft=True)
    github.update_pulls([PullEdit(1, "PR_1", draft=False)])
    assert forge.mutations == [("markPullRequestReadyForReview", {"pullRequestId": "PR_1"})]


@pytest.mark.parametrize("count", [1, 5, 20, 100])
def test_requests_do_not_grow_faster_than_a_tenth_of_the_edits(github: GitHub, forge: CannedGitHub, count: int) -> None:
    github.update_pulls(stack(forge, count))
    assert [pull["body"] for pull in forge.pulls] == [f"new {i + 1}" for i in range(count)]
    assert len(forge.asked) <= -(-count // 10)


def test_a_slow_github_gets_smaller_requests(github: GitHub, forge: CannedGitHub) -> None:
    edits = stack(forge, 40)
    forge.seconds_a_mutation = 2.0
    github.update_pulls(edits[:1])
    forge.asked.clear()
    github.update_pulls(edits)
    assert steps_per_request(forge) == [4] * 10


def test_several_requests_run_at_once(github: GitHub, forge: CannedGitHub, server: CannedServer) -> None:
    edits = stack(forge, 40)
    github.update_pulls(edits)
    assert 1 < server.connections <= 4


def test_the_steps_of_one_pull_request_stay_in_one_request(github: GitHub, forge: CannedGitHub) -> None:
    edits = [PullEdit(edit.number, edit.node_id, body="b", draft=True, labels=("bug",)) for edit in stack(forge, 9)]
    github.update_pulls(edits)
    assert steps_per_request(forge) == [9, 9, 9]


def test_a_refusal_names_the_pull_request_and_the_others_are_updated(github: GitHub, forge: CannedGitHub) -> None:
    edits = stack(forge, 4)

    def refuse(mutation: str, given: Json) -> Said | None:
        broken = {"PR_2": "body is too long", "PR_3": "also"}
        return Said("UNPROCESSABLE", broken[given["pullRequestId"]]) if given["pullRequestId"] in broken else None

    forge.refuse = refuse
    with pytest.raises(GitHubError) as caught:
        github.update_pulls(edits)
    assert caught.value.message == "github refused to update #2: body is too long"
    assert caught.value.safe == "not updated: #2, #3; the other pull requests were updated; nothing is lost"
    assert [pull["body"] for pull in forge.pulls] == ["new 1", "body 2", "body 3", "new 4"]
    assert len(forge.asked) == 1


def test_no_permission_is_a_matter_of_the_token(github: GitHub, forge: CannedGitHub) -> None:
    edits = stack(forge, 1)
    forge.refuse = lambda mutation, given: Said("FORBIDDEN", "not you")
    with pytest.raises(ConfigError, match="not you"):
        github.update_pulls(edits)


def test_a_refused_token_is_told_once(github: GitHub, forge: CannedGitHub) -> None:
    edits = stack(forge, 2)
    forge.fail(1, Canned(401, {"message": "Bad credentials"}))
    with pytest.raises(ConfigError, match="refused the token") as caught:
        github.update_pulls(edits)
    assert caught.value.safe.startswith("not updated: #1, #2;")
    assert len(forge.asked) == 1


def test_only_what_came_too_quickly_is_repeated(github: GitHub, forge: CannedGitHub) -> None:
    edits = stack(forge, 6)
    trips = iter([False, False, True, False, True, False])
    forge.refuse = lambda mutation, given: TOO_QUICKLY if next(trips, False) else None
    github.update_pulls(edits)
    assert [pull["body"] for pull in forge.pulls] == [f"new {i + 1}" for i in range(6)]
    assert steps_per_request(forge) == [2, 6]
    assert [seconds for seconds, _ in forge.clock.waits] == [60]


def test_a_part_that_github_failed_on_is_repeated(github: GitHub, forge: CannedGitHub) -> None:
    edits = stack(forge, 2)
    troubles = iter([Said("", "Something went wrong while executing your query.")])
    forge.refuse = lambda mutation, given: next(troubles, None)
    github.update_pulls(edits)
    assert [pull["body"] for pull in forge.pulls] == ["new 1", "new 2"]
    assert steps_per_request(forge) == [1, 2]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    "canned", [GATEWAY, Canned(drop=True), Canned(500, {}), Canned(body={"data": 1}, cut=True), Canned(body="<html>")]
)
def test_a_lost_answer_is_asked_again_in_smaller_requests(
    github: GitHub, forge: CannedGitHub, canned: Canned, after: bool
) -> None:
    edits = stack(forge, 8)
    forge.fail(1, canned, after=after)
    github.update_pulls(edits)
    assert [pull["body"] for pull in forge.pulls] == [f"new {i + 1}" for i in range(8)]
    assert steps_per_request(forge) == [2, 2, 2, 2, 8]


def test_three_lost_answers_are_enough(github: GitHub, forge: CannedGitHub, server: CannedServer) -> None:
    edits = stack(forge, 1)
    server.answer = lambda asked: GATEWAY
    with pytest.raises(Lost, match="answered with 502") as caught:
        github.update_pulls(edits)
    assert caught.value.safe.startswith("perhaps not updated: #1;")
    assert len(server.requests) == 3


def test_a_limit_that_never_ends_is_told(github: GitHub, forge: CannedGitHub) -> None:
    edits = stack(forge, 2)
    forge.fail(1, Canned(429, {}, {"Retry-After": "5000"}))
    with pytest.raises(Limited, match="rate limit is used up") as caught:
        github.update_pulls(edits)
    assert caught.value.next_step.startswith("try again in 83 min, at ")


@pytest.mark.parametrize(
    ("given", "edit"),
    [
        ({"state": "CLOSED"}, PullEdit(1, "PR_1", reopen=True)),
        ({"state": "OPEN"}, PullEdit(1, "PR_1", close=True)),
        ({"isDraft": False}, PullEdit(1, "PR_1", draft=True)),
        ({"isDraft": True}, PullEdit(1, "PR_1", draft=False)),
    ],
)
@pytest.mark.parametrize("after", [False, True])
def test_what_github_would_refuse_a_second_time_is_looked_at_first(
    github: GitHub, forge: CannedGitHub, given: Json, edit: PullEdit, after: bool
) -> None:
    forge.add("s/0", **given)
    forge.fail(2 if edit.reopen else 1, GATEWAY, after=after)
    github.update_pulls([edit])
    expected = ["StackrUpdate", "StackrStates"] + ([] if after else ["StackrUpdate"])
    assert [name for name in forge.operations() if name != "StackrBases"] == expected


def test_an_unknown_reviewer_or_label_is_refused_before_anything_is_written(
    github: GitHub, forge: CannedGitHub
) -> None:
    forge.add("s/0")
    with pytest.raises(Refused, match='github knows no reviewer "mallory", "other/team"') as caught:
        github.update_pulls([PullEdit(1, "PR_1", title="t", reviewers=("bob", "mallory", "other/team"))])
    assert caught.value.exit_code == 3
    with pytest.raises(Refused, match='github knows no label "nice"'):
        github.update_pulls([PullEdit(1, "PR_1", title="t", labels=("bug", "nice"))])
    assert forge.mutations == []


def test_names_resolved_before_are_not_asked_for_again(github: GitHub, forge: CannedGitHub) -> None:
    forge.add("s/0")
    people = github.resolve_people(["@Bob", "bob", "acme/core"], ["Bug"])
    assert (people.user_ids(["bob"]), people.team_ids(["bob", "acme/core"]), people.label_ids(["BUG"])) == (
        ["U_bob"],
        ["T_core"],
        ["L_bug"],
    )
    github.update_pulls([PullEdit(1, "PR_1", reviewers=("bob",), labels=("bug",))])
    github.resolve_people([], [])
    assert forge.operations() == ["StackrPeople", "StackrUpdate"]


def test_a_team_that_the_token_may_not_see_is_a_matter_of_the_token(github: GitHub, forge: CannedGitHub) -> None:
    forge.fail(
        1,
        Canned(
            body={
                "data": {"t0": None},
                "errors": [{"type": "INSUFFICIENT_SCOPES", "message": "needs read:org", "path": ["t0"]}],
            }
        ),
    )
    with pytest.raises(ConfigError, match="needs read:org"):
        github.resolve_people(["acme/core"], [])
