"""Opening, editing, closing, merging pull requests.

Source: https://docs.github.com/en/graphql/reference/mutations; refusals from public threads, named beside them.
"""

from __future__ import annotations

from typing import Any

from stackr.sandbox import merging, pulls
from stackr.sandbox.errors import ApiError
from stackr.sandbox.graphql.context import Context
from stackr.sandbox.graphql.mutations.entry import (
    Json,
    change_triage,
    mutation,
    needed,
    the_pull,
    the_repository,
)
from stackr.sandbox.model import PullRequest, Repository


@mutation("createPullRequest")
def create_pull_request(context: Context, given: Json) -> Json:
    """Open a pull request; ``headRefName`` may be ``owner:branch``."""
    head_repo = given.get("headRepositoryId")
    pull = pulls.create_pull(
        context.engine,
        context.viewer,
        the_repository(context, given),
        title=given["title"],
        head=given["headRefName"],
        base=given["baseRefName"],
        body=given.get("body"),
        draft=given.get("draft", False),
        maintainer_can_modify=given.get("maintainerCanModify", True),
        head_repo=needed(context, head_repo, Repository) if head_repo else None,
    )
    return {"pullRequest": pull}


@mutation("updatePullRequest")
def update_pull_request(context: Context, given: Json) -> Json:
    """Edit what is given; lists of labels and assignees replace those that are there."""
    pull = the_pull(context, given)
    state = given.get("state")
    pulls.update_pull(
        context.engine,
        context.viewer,
        pull,
        title=given.get("title"),
        body=given.get("body", pulls.UNSET),
        base=given.get("baseRefName"),
        state=state.lower() if state else None,
        maintainer_can_modify=given.get("maintainerCanModify"),
    )
    change_triage(context, pull, given)
    return {"pullRequest": pull}


def changing(name: str, change: Any) -> None:
    """A mutation that takes a pull request, calls one function of the engine, and returns it."""

    @mutation(name)
    def body(context: Context, given: Json) -> Json:
        pull = the_pull(context, given)
        change(context.engine, context.viewer, pull)
        return {"pullRequest": pull}


changing("closePullRequest", pulls.close_pull)
changing("reopenPullRequest", pulls.reopen_pull)
changing("convertPullRequestToDraft", pulls.convert_to_draft)
changing("markPullRequestReadyForReview", pulls.ready_for_review)


@mutation("mergePullRequest")
def merge_pull_request(context: Context, given: Json) -> Json:
    """Merge now, by one of the three methods, if the head is still the expected one."""
    pull = the_pull(context, given)
    merging.merge_pull(
        context.engine,
        context.viewer,
        pull,
        method=given.get("mergeMethod", "MERGE").lower(),
        sha=given.get("expectedHeadOid"),
        title=given.get("commitHeadline"),
        message=given.get("commitBody"),
    )
    return {"pullRequest": pull, "actor": context.viewer}


@mutation("updatePullRequestBranch")
def update_pull_request_branch(context: Context, given: Json) -> Json:
    """Bring the base into the head branch, by merge or rebase."""
    pull = the_pull(context, given)
    merging.update_branch(
        context.engine,
        context.viewer,
        pull,
        expected_head=given.get("expectedHeadOid"),
        method=given.get("updateMethod", "MERGE").lower(),
    )
    return {"pullRequest": pull}


# -- auto-merge and the queue ------------------------------------------------------------------------------


def refuse(pull: PullRequest, text: str) -> ApiError:
    """A refusal of this pull request."""
    return ApiError(422, text, graphql_type="UNPROCESSABLE")


@mutation("enablePullRequestAutoMerge")
def enable_auto_merge(context: Context, given: Json) -> Json:
    """Refusals: peter-evans/enable-pull-request-automerge#343, cli/cli#3858. The sandbox waits for nothing yet."""
    pull = the_pull(context, given)
    if not context.repository(pull).allow_auto_merge:
        raise refuse(pull, "Auto merge is not allowed for this repository")
    if pull.state != "open":
        raise refuse(pull, "Pull request is not in the correct state to enable auto-merge")
    state = merging.merge_state(context.engine, pull)
    if state != "blocked":
        raise refuse(pull, f"Pull request Pull request is in {state} status")
    raise refuse(pull, "Can't enable auto-merge for this pull request")


@mutation("disablePullRequestAutoMerge")
def disable_auto_merge(context: Context, given: Json) -> Json:
    """Nothing to disable, as long as nothing enables it."""
    raise refuse(the_pull(context, given), "Can't disable auto-merge for this pull request")


@mutation("enqueuePullRequest")
def enqueue(context: Context, given: Json) -> Json:
    """No branch of the sandbox has a queue."""
    raise refuse(the_pull(context, given), "Merge queue is not enabled for this branch")


@mutation("dequeuePullRequest")
def dequeue(context: Context, given: Json) -> Json:
    """Nothing is ever in a queue."""
    raise refuse(needed(context, given["id"], PullRequest), "Pull request is not in the merge queue")
