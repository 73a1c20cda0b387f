"""Opening, editing, closing, merging pull requests.

Source: https://docs.github.com/en/graphql/reference/mutations; refusals from public threads, named beside them.
"""

from __future__ import annotations

from typing import Any

from stackr.sandbox import merging, pulls
from stackr.sandbox.graphql.context import Context
from stackr.sandbox.graphql.mutations.entry import (
    Json,
    change_triage,
    mutation,
    needed,
    the_pull,
    the_repository,
)
from stackr.sandbox.model import Repository


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
