"""Pull requests, but for what they share with issues (``conversation``), reviews, checks and timeline."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import accounts, automerge, issues, mergequeue, merging, pulls
from stackr.sandbox.diffs import FileChange
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.conversation import may_touch
from stackr.sandbox.graphql.resolvers.git_objects import find_commit, find_ref
from stackr.sandbox.graphql.resolvers.lists import pull_state
from stackr.sandbox.graphql.values import Commit, PullCommit, Ref
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import PullRequest, Repository, User

names(PullCommit, "PullRequestCommit")
names(FileChange, "PullRequestChangedFile")

pull = Fields("PullRequest")
pull.attributes(
    "merged merged_at maintainer_can_modify",
    isDraft="draft",
    headRefName="head_ref",
    headRefOid="head_oid",
    baseRefName="base_ref",
    baseRefOid="base_oid",
)
pull.add("state", lambda row, _info: pull_state(row))
pull.add("permalink", lambda row, info: ctx(info).issue_url(row))
pull.add("checksUrl", lambda row, info: f"{ctx(info).issue_url(row)}/checks")
pull.add("checksResourcePath", lambda row, info: f"{ctx(info).path(ctx(info).issue_url(row))}/checks")
pull.add("isCrossRepository", lambda row, _info: row.head_repo_id != row.repo_id)
pull.add("mergedBy", lambda row, info: ctx(info).user(row.merged_by_id))
pull.add("mergeCommit", lambda row, info: find_commit(ctx(info), ctx(info).repository(row), row.merge_oid))

# -- its branches ------------------------------------------------------------------------------------------


def head_repository(context: Context, row: PullRequest) -> Repository | None:
    """Where the head branch lives; None if that fork is gone or hidden."""
    found = context.engine.store.repositories.get(row.head_repo_id)
    return found if found and context.sees(found) else None


@pull
def head_ref(row: PullRequest, info: Info) -> Ref | None:
    """The head branch as it is now; None once it is deleted."""
    repo = head_repository(ctx(info), row)
    return find_ref(ctx(info), repo, f"refs/heads/{row.head_ref}") if repo else None


@pull
def base_ref(row: PullRequest, info: Info) -> Ref | None:
    """The base branch as it is now; None once it is deleted."""
    return find_ref(ctx(info), ctx(info).repository(row), f"refs/heads/{row.base_ref}")


@pull
def head_repository_owner(row: PullRequest, info: Info) -> User | None:
    """Whose repository the head branch lives in."""
    repo = head_repository(ctx(info), row)
    return accounts.owner(ctx(info).engine, repo) if repo else None


pull.add("headRepository", lambda row, info: head_repository(ctx(info), row))
pull.add("baseRepository", lambda row, info: ctx(info).repository(row))

# -- what it holds -----------------------------------------------------------------------------------------

pull.add("changedFiles", lambda row, info: len(pulls.files(ctx(info).engine, row)))
pull.add("additions", lambda row, info: sum(f.additions for f in pulls.files(ctx(info).engine, row)))
pull.add("deletions", lambda row, info: sum(f.deletions for f in pulls.files(ctx(info).engine, row)))
pull.add("files", lambda row, info, **a: page(info, pulls.files(ctx(info).engine, row), a))

changed_file = Fields("PullRequestChangedFile")
changed_file.attributes("path additions deletions")
changed_file.add("changeType", lambda f, _info: "DELETED" if f.status == "removed" else f.status.upper())


def commits_of(context: Context, row: PullRequest) -> list[PullCommit]:
    """Its commits, oldest first."""
    repo = context.repository(row)
    return [PullCommit(row, Commit(repo, found)) for found in pulls.commits(context.engine, row)]


pull.add("commits", lambda row, info, **a: page(info, commits_of(ctx(info), row), a))

pull_commit = Fields("PullRequestCommit")
pull_commit.attributes("commit", pullRequest="pull")
pull_commit.add("id", lambda c, _info: node_id("PullRequestCommit", c.pull.id, c.commit.info.oid))


def commit_page(context: Context, value: PullCommit) -> str:
    """The commit, shown within its pull request."""
    return f"{context.issue_url(value.pull)}/commits/{value.commit.info.oid}"


pull_commit.add("url", lambda c, info: commit_page(ctx(info), c))
pull_commit.add("resourcePath", lambda c, info: ctx(info).path(commit_page(ctx(info), c)))

# -- may it be merged --------------------------------------------------------------------------------------

_MERGEABLE = {True: "MERGEABLE", False: "CONFLICTING", None: "UNKNOWN"}

pull.add("mergeable", lambda row, info: _MERGEABLE[merging.mergeable(ctx(info).engine, row)])
pull.add("mergeStateStatus", lambda row, info: merging.merge_state(ctx(info).engine, row).upper())


@pull
def can_be_rebased(row: PullRequest, info: Info) -> bool:
    """Whether "rebase and merge" would work: no conflict, and no merge commits that it would have to drop."""
    engine = ctx(info).engine
    return merging.mergeable(engine, row) is True and all(
        len(found.parents) == 1 for found in pulls.commits(engine, row)
    )


@pull
def viewer_merge_headline_text(row: PullRequest, info: Info, merge_type: str | None = None) -> str:
    """The first line that a merge by this method would get."""
    return merging.default_message(ctx(info).engine, row, (merge_type or "MERGE").lower())[0]


@pull
def viewer_merge_body_text(row: PullRequest, info: Info, merge_type: str | None = None) -> str:
    """The rest of the message that a merge by this method would get."""
    return merging.default_message(ctx(info).engine, row, (merge_type or "MERGE").lower())[1]


@pull
def auto_merge_request(row: PullRequest, _info: Info) -> PullRequest | None:
    """The pull request itself stands for its auto-merge request."""
    return row if row.auto_merge else None


auto_merge = Fields("AutoMergeRequest")
auto_merge.add("pullRequest", lambda row, _info: row)
for field, key in (("authorEmail", "email"), ("commitBody", "body"), ("commitHeadline", "headline")):
    auto_merge.add(field, lambda row, _info, key=key: row.auto_merge.get(key))
auto_merge.add("enabledAt", lambda row, _info: row.auto_merge.get("enabled_at"))
auto_merge.add("enabledBy", lambda row, info: ctx(info).user(row.auto_merge.get("enabled_by_id")))
auto_merge.add("mergeMethod", lambda row, _info: row.auto_merge.get("method", "merge").upper())

# -- who takes part, and what the viewer may do ------------------------------------------------------------


@pull
def participants(row: PullRequest, info: Info, **arguments: Any) -> Connection:
    """The author, and everybody who commented or reviewed, in order of appearance."""
    engine = ctx(info).engine
    spoke = [row.author_id, *(comment.author_id for comment in issues.comments_of(engine, row))]
    spoke += [review.author_id for review in engine.store.reviews.by(repo_id=row.repo_id, number=row.number)]
    return page(info, [ctx(info).user(user_id) for user_id in dict.fromkeys(spoke)], arguments)


@pull
def total_comments_count(row: PullRequest, info: Info) -> int:
    """Comments of the conversation, and the texts of reviews."""
    engine = ctx(info).engine
    reviews = engine.store.reviews.by(repo_id=row.repo_id, number=row.number)
    return len(issues.comments_of(engine, row)) + sum(bool(review.body) for review in reviews)


def may_write(row: PullRequest, info: Info) -> bool:
    """Whether the viewer may push to the repository."""
    return ctx(info).writes(ctx(info).repository(row))


pull.add("viewerCanEditFiles", lambda row, info: row.state == "open" and may_touch(ctx(info), row))
pull.add("viewerCanUpdateBranch", lambda row, info: row.state == "open" and may_write(row, info))
pull.add("viewerCanMergeAsAdmin", lambda row, info: ctx(info).level(ctx(info).repository(row)) == "admin")
pull.add("viewerCanDisableAutoMerge", lambda row, info: bool(row.auto_merge) and may_touch(ctx(info), row))


@pull
def viewer_can_enable_auto_merge(row: PullRequest, info: Info) -> bool:
    """Whether there is something to wait for, and the repository allows it."""
    engine, repo = ctx(info).engine, ctx(info).repository(row)
    if not repo.allow_auto_merge or row.auto_merge or not may_write(row, info):
        return False
    queue = mergequeue.has_queue(engine, repo, row.base_ref)
    return merging.merge_state(engine, row) in automerge.waiting_states(queue)


@pull
def viewer_can_delete_head_ref(row: PullRequest, info: Info) -> bool:
    """Whether the head branch is still there, done with, and the viewer's to delete."""
    repo = head_repository(ctx(info), row)
    return row.state == "closed" and repo is not None and ctx(info).writes(repo) and head_ref(row, info) is not None
