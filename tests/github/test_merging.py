"""``merge_pull``: merged now, queued, or on auto-merge; after whatever went wrong, looked at before asked again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from stackr.core.ports import Merge
from stackr.core.rules import Method
from stackr.errors import ConfigError, Refused
from stackr.github.api import GitHub
from stackr.github.auth import Token
from stackr.github.failures import Lost
from stackr.github.hosts import parse_remote
from tests.support.canned_github import CannedGitHub, Json, Said
from tests.support.canned_http import Asked, Canned, CannedServer

HEAD = "a" * 40
OTHER = "b" * 40
SHA = "c" * 40
DONE = Canned(body={"sha": SHA, "merged": True, "message": "Pull Request successfully merged"})
SQUASH = Merge(1, "PR_1", HEAD, Method.SQUASH, "title (#1)", "text")
QUEUE = replace(SQUASH, method=Method.QUEUE)
AUTO = replace(SQUASH, method=Method.AUTO)
TRANSIENT = "Something went wrong while executing your query"


def no(status: int, words: str) -> Canned:
    return Canned(status, {"message": words})


class Merges:
    """The REST route for merging: one scripted answer after the other; ``asked`` are the bodies that came."""

    def __init__(self, server: CannedServer, forge: CannedGitHub) -> None:
        self.asked: list[Json] = []
        self.answers: list[Canned | Callable[[], Canned]] = []
        self.pull = forge.add("s/one", mergeable="MERGEABLE", headRef=None)
        self._forge = forge
        server.answer = self._answer

    def _answer(self, asked: Asked) -> Canned:
        if asked.path.endswith("/graphql"):
            return self._forge.answer(asked)
        assert (asked.method, asked.path) == ("PUT", "/api/v3/repos/acme/widgets/pulls/1/merge")
        self.asked.append(asked.json)
        answer = self.answers.pop(0) if self.answers else DONE
        return answer if isinstance(answer, Canned) else answer()

    def land(self, head: str = HEAD) -> None:
        """It is merged."""
        self.pull.update(state="MERGED", headRefOid=head, mergeCommit={"oid": SHA})


@pytest.fixture
def merges(server: CannedServer, forge: CannedGitHub) -> Merges:
    """One open pull request, #1, and the route that merges it."""
    return Merges(server, forge)


def refused(github: GitHub, merge: Merge) -> tuple[str, str, str]:
    with pytest.raises(Refused) as caught:
        github.merge_pull(merge)
    return caught.value.message, caught.value.safe, caught.value.next_step


# Now


@pytest.mark.parametrize("method", [Method.SQUASH, Method.MERGE])
def test_a_merge_carries_the_expected_head_and_the_message(github: GitHub, merges: Merges, method: Method) -> None:
    assert github.merge_pull(replace(SQUASH, method=method)) == SHA
    message = {"commit_title": "title (#1)", "commit_message": "text"}
    assert merges.asked == [{"merge_method": method.value, "sha": HEAD, **message}]


def test_a_rebase_keeps_the_messages_of_its_commits(
    github: GitHub, merges: Merges, forge: CannedGitHub, server: CannedServer
) -> None:
    assert github.merge_pull(replace(SQUASH, method=Method.REBASE)) == SHA
    assert github.merge_pull(replace(SQUASH, title="")) == SHA
    assert merges.asked == [{"merge_method": "rebase", "sha": HEAD}, {"merge_method": "squash", "sha": HEAD}]
    assert len(server.requests) == 2


def test_a_rule_in_the_way_is_told_in_githubs_words(github: GitHub, merges: Merges, forge: CannedGitHub) -> None:
    words = "Repository rule violations found\n\nAt least 1 approving review is required.\n\n"
    merges.answers = [no(405, words)]
    assert refused(github, SQUASH) == (
        "github refused to merge #1: Repository rule violations found At least 1 approving review is required.",
        "#1 was not merged",
        "stackr land --dry-run tells what is in the way",
    )
    assert (len(merges.asked), forge.operations()) == (1, ["StackrOutcome"])
    merges.answers = [no(403, "Merging stacked PRs via this endpoint is not supported.")]
    assert refused(github, SQUASH)[::2] == (
        "github refused to merge #1: Merging stacked PRs via this endpoint is not supported.",
        "somebody registered it as a stack of GitHub's own; git config stackr.native auto, then land again",
    )
    merges.answers = [Canned(422, {})]
    assert refused(github, SQUASH)[0] == "github refused to merge #1: status 422"


def test_a_head_that_moved_is_never_merged(github: GitHub, merges: Merges) -> None:
    merges.pull["headRefOid"] = OTHER
    merges.answers = [no(409, "Head branch was modified. Review and try the merge again.")]
    assert refused(github, SQUASH) == (
        "somebody pushed to #1 meanwhile: its head is bbbbbbb, not aaaaaaa",
        "#1 was not merged",
        "stackr sync takes that in; then stackr land again",
    )
    assert len(merges.asked) == 1


def test_a_push_that_the_pull_request_does_not_show_yet_is_waited_for(
    github: GitHub, merges: Merges, forge: CannedGitHub
) -> None:
    merges.pull.update(headRefOid=OTHER, headRef={"target": {"__typename": "Commit", "oid": HEAD}})
    modified = no(409, "Head branch was modified. Review and try the merge again.")
    merges.answers = [modified, modified]
    assert github.merge_pull(SQUASH) == SHA
    assert [seconds for seconds, _ in forge.clock.waits] == [0.5, 1.0]
    merges.answers = [modified] * 9
    assert refused(github, SQUASH)[0].startswith("github refused to merge #1: Head branch was modified.")


def test_one_that_was_closed_meanwhile_is_named(github: GitHub, merges: Merges) -> None:
    merges.pull["state"] = "CLOSED"
    merges.answers = [no(405, "Pull Request is not mergeable")]
    assert refused(github, SQUASH) == ("#1 was closed meanwhile", "#1 was not merged", "stackr status")


def test_one_that_somebody_merged_meanwhile_counts_if_it_is_the_same(github: GitHub, merges: Merges) -> None:
    merges.land()
    merges.answers = [no(405, "Pull Request is not mergeable"), no(405, "Pull Request is not mergeable")]
    assert github.merge_pull(SQUASH) == SHA
    merges.pull["headRefOid"] = OTHER
    assert refused(github, SQUASH)[0] == (
        "#1 was merged meanwhile, at another commit (bbbbbbb) than the one that was to land"
    )


def test_a_base_that_moves_is_given_some_seconds(github: GitHub, merges: Merges, forge: CannedGitHub) -> None:
    moved = no(405, "Base branch was modified. Review and try the merge again.")
    merges.answers = [moved, moved]
    assert github.merge_pull(SQUASH) == SHA
    reason = "github finds out whether #1 can be merged"
    assert forge.clock.waits == [(0.5, reason), (1.0, reason)]
    forge.clock.waits.clear()
    merges.answers = [moved] * 9
    assert refused(github, SQUASH)[0] == (
        "github refused to merge #1: Base branch was modified. Review and try the merge again."
    )
    assert [seconds for seconds, _ in forge.clock.waits] == [0.5, 1.0, 2.0, 4.0]


def test_a_merge_is_asked_for_again_while_github_still_computes(github: GitHub, merges: Merges) -> None:
    merges.pull["mergeable"] = "UNKNOWN"
    not_mergeable = no(405, "Pull Request is not mergeable")

    def found_out() -> Canned:
        merges.pull["mergeable"] = "CONFLICTING"
        return not_mergeable

    merges.answers = [not_mergeable, found_out]
    assert refused(github, SQUASH)[0] == "github refused to merge #1: Pull Request is not mergeable"
    assert len(merges.asked) == 2


@pytest.mark.parametrize("lost", [Canned(502, "<html>"), Canned(drop=True), Canned(500, {}), Canned(body={"odd": 1})])
def test_a_lost_answer_is_looked_up_before_it_is_asked_again(
    github: GitHub, merges: Merges, forge: CannedGitHub, lost: Canned
) -> None:
    merges.answers = [lost]
    assert github.merge_pull(SQUASH) == SHA
    assert (len(merges.asked), forge.operations()) == (2, ["StackrOutcome"])

    def happened() -> Canned:
        merges.land()
        return lost

    merges.answers = [happened]
    assert github.merge_pull(SQUASH) == SHA
    assert len(merges.asked) == 3


def test_a_head_that_moved_while_an_answer_was_lost_is_not_merged(github: GitHub, merges: Merges) -> None:
    merges.pull["headRefOid"] = OTHER
    merges.answers = [Canned(502, "<html>")]
    assert refused(github, SQUASH)[0] == "somebody pushed to #1 meanwhile: its head is bbbbbbb, not aaaaaaa"


def test_answers_that_stay_lost_are_told_with_what_is_known(
    github: GitHub, merges: Merges, forge: CannedGitHub
) -> None:
    merges.answers = [Canned(502, "<html>")] * 3
    with pytest.raises(Lost) as caught:
        github.merge_pull(SQUASH)
    assert caught.value.safe == "#1 was not merged when it was last looked at; the next run looks again"
    merges.answers = [Canned(502, "<html>")]
    for call in range(4, 7):
        forge.fail(call, Canned(drop=True))
    with pytest.raises(Lost) as caught:
        github.merge_pull(SQUASH)
    assert caught.value.safe == "whether #1 is merged is not known; the next run looks before it merges"


def test_a_request_that_never_left_needs_no_look(forge: CannedGitHub) -> None:
    with CannedServer(forge.answer) as gone:
        url = gone.url
    clock = forge.clock
    host = parse_remote(f"{url}/acme/widgets.git")
    github = GitHub(host, Token("ghp_x", "STACKR_TOKEN"), sleep=clock.sleep, clock=clock, now=clock)
    with pytest.raises(Lost):
        github.merge_pull(SQUASH)
    assert [seconds for seconds, _ in clock.waits] == [0.5, 1.5]


def test_a_limit_is_waited_for(github: GitHub, merges: Merges, forge: CannedGitHub) -> None:
    merges.answers = [Canned(403, {"message": "secondary rate limit"}, {"Retry-After": "7"})]
    assert github.merge_pull(SQUASH) == SHA
    assert [seconds for seconds, _ in forge.clock.waits] == [7.0]
    assert forge.asked == []


def test_a_token_without_the_permission_is_a_matter_of_configuration(github: GitHub, merges: Merges) -> None:
    merges.answers = [no(403, "Resource not accessible by personal access token")]
    with pytest.raises(ConfigError, match="may not do this"):
        github.merge_pull(SQUASH)
    merges.answers = [no(404, "Not Found")]
    with pytest.raises(Exception, match="may not see it"):
        github.merge_pull(SQUASH)


# Later


def test_the_queue_gets_the_expected_head(github: GitHub, merges: Merges, forge: CannedGitHub) -> None:
    assert github.merge_pull(QUEUE) is None
    assert forge.mutations == [("enqueuePullRequest", {"pullRequestId": "PR_1", "expectedHeadOid": HEAD})]
    assert forge.operations() == ["StackrEnqueue"]


def refuse_with(forge: CannedGitHub, *words: str, kind: str = "UNPROCESSABLE") -> list[str]:
    """The next mutations are refused in these words, one each; the list of those still to come."""
    left = list(words)
    forge.refuse = lambda mutation, given: Said(kind, left.pop(0)) if left else None
    return left


def test_what_is_in_the_queue_already_counts_as_queued(github: GitHub, merges: Merges, forge: CannedGitHub) -> None:
    merges.pull["mergeQueueEntry"] = {"state": "AWAITING_CHECKS"}
    refuse_with(forge, "Pull request is already in the queue")
    assert github.merge_pull(QUEUE) is None
    assert forge.operations() == ["StackrEnqueue", "StackrOutcome"]


def test_a_queue_that_says_no_is_told_in_its_words(github: GitHub, merges: Merges, forge: CannedGitHub) -> None:
    refuse_with(forge, "Pull request is in draft state")
    assert refused(github, QUEUE) == (
        "github refused to queue #1: Pull request is in draft state",
        "#1 was not merged",
        "stackr land --dry-run tells what is in the way",
    )
    merges.pull["headRefOid"] = OTHER
    refuse_with(forge, "Head branch was modified. Review and try the merge again.")
    assert refused(github, QUEUE)[0] == "somebody pushed to #1 meanwhile: its head is bbbbbbb, not aaaaaaa"


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("merge", [QUEUE, AUTO])
def test_a_lost_answer_of_a_queue_or_of_auto_merge_is_looked_up(
    github: GitHub, merges: Merges, forge: CannedGitHub, merge: Merge, after: bool
) -> None:
    forge.fail(1, Canned(502, "<html>"), after=after)
    assert github.merge_pull(merge) is None
    assert len(forge.mutations) == 1
    assert forge.operations().count("StackrOutcome") == 1
    merges.land()
    forge.fail(len(forge.asked) + 1, Canned(502, "<html>"))
    assert github.merge_pull(merge) == SHA


def test_a_mutation_that_fails_or_is_limited_is_tried_again(
    github: GitHub, merges: Merges, forge: CannedGitHub
) -> None:
    refuse_with(forge, TRANSIENT, "was submitted too quickly")
    assert github.merge_pull(QUEUE) is None
    assert [seconds for seconds, _ in forge.clock.waits] == [0.5, 60.0]
    refuse_with(forge, "you may not", kind="FORBIDDEN")
    with pytest.raises(ConfigError, match="you may not"):
        github.merge_pull(QUEUE)


@pytest.mark.parametrize("how", [Method.SQUASH, Method.MERGE, Method.REBASE])
def test_auto_merge_gets_the_method_the_message_and_the_expected_head(
    github: GitHub, merges: Merges, forge: CannedGitHub, how: Method
) -> None:
    assert github.merge_pull(replace(AUTO, how=how)) is None
    ((name, given),) = forge.mutations
    message = {} if how is Method.REBASE else {"commitHeadline": "title (#1)", "commitBody": "text"}
    assert name == "enablePullRequestAutoMerge"
    assert given == {"pullRequestId": "PR_1", "expectedHeadOid": HEAD, "mergeMethod": how.name, **message}


@pytest.mark.parametrize(
    "words",
    [
        "Pull request Pull request is in clean status",
        "Pull request Pull request is in unstable status",
        "Pull request Protected branch rules not configured for this branch",
    ],
)
def test_what_needs_not_wait_is_merged_at_once(github: GitHub, merges: Merges, forge: CannedGitHub, words: str) -> None:
    refuse_with(forge, words)
    assert github.merge_pull(replace(AUTO, how=Method.MERGE)) == SHA
    assert [asked["merge_method"] for asked in merges.asked] == ["merge"]
    refuse_with(forge, words)
    merges.answers = [Canned(502, "<html>"), no(405, "Merge commits are not allowed on this repository.")]
    merges.pull["autoMergeRequest"] = {"mergeMethod": "SQUASH", "commitHeadline": "title (#1)", "commitBody": "text"}
    assert refused(github, AUTO)[0] == ("github refused to merge #1: Merge commits are not allowed on this repository.")


def test_auto_merge_that_is_off_in_the_settings_is_refused_by_name(
    github: GitHub, merges: Merges, forge: CannedGitHub
) -> None:
    refuse_with(forge, "Pull request Auto merge is not allowed for this repository")
    assert refused(github, AUTO) == (
        "github refused to put #1 on auto-merge: Pull request Auto merge is not allowed for this repository",
        "#1 was not merged",
        "switch it on in the settings, or land by another --method",
    )
    assert forge.operations() == ["StackrAutoMerge"]


def test_auto_merge_that_is_on_already_counts_if_it_is_the_same(
    github: GitHub, merges: Merges, forge: CannedGitHub
) -> None:
    present = {"mergeMethod": "SQUASH", "commitHeadline": "title (#1)", "commitBody": "text"}
    merges.pull["autoMergeRequest"] = present
    refuse_with(forge, "Can't enable auto-merge for this pull request.")
    assert github.merge_pull(AUTO) is None
    merges.pull["autoMergeRequest"] = {**present, "commitBody": "other"}
    refuse_with(forge, "Can't enable auto-merge for this pull request.")
    assert refused(github, AUTO)[0] == (
        "github refused to put #1 on auto-merge: Can't enable auto-merge for this pull request."
    )


def test_onto_a_branch_with_a_queue_auto_merge_names_no_method(
    github: GitHub, merges: Merges, forge: CannedGitHub
) -> None:
    refuse_with(forge, "merge method is not valid for merge queue")
    assert github.merge_pull(AUTO) is None
    assert forge.mutations == [
        ("enablePullRequestAutoMerge", {"pullRequestId": "PR_1", "expectedHeadOid": HEAD, "mergeMethod": "MERGE"})
    ]
    refuse_with(forge, *["merge method is not valid for merge queue"] * 2)
    merges.pull["autoMergeRequest"] = None
    assert refused(github, AUTO)[0].endswith("merge method is not valid for merge queue")
