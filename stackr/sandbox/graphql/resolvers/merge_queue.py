"""Merge queues and what waits in them."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import mergequeue, queuegroups
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.git_objects import find_commit
from stackr.sandbox.graphql.values import Queue
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import PullRequest, QueueEntry, Repository

names(Queue, "MergeQueue")
names(QueueEntry, "MergeQueueEntry")


def find_queue(context: Context, repo: Repository, branch: str) -> Queue | None:
    """The queue of a branch; None for a branch without."""
    return Queue(repo, branch) if mergequeue.has_queue(context.engine, repo, branch) else None


@Fields("Repository")
def merge_queue(row: Repository, info: Info, branch: str | None = None) -> Queue | None:
    """The queue of a branch, by default of the default branch."""
    return find_queue(ctx(info), row, branch or row.default_branch)


# -- on pull requests --------------------------------------------------------------------------------------

pull = Fields("PullRequest")


def queue_of(row: PullRequest, info: Info) -> Queue | None:
    """The queue of its base."""
    return find_queue(ctx(info), ctx(info).repository(row), row.base_ref)


pull.add("mergeQueue", queue_of)
pull.add("isMergeQueueEnabled", lambda row, info: queue_of(row, info) is not None)
pull.add("mergeQueueEntry", lambda row, info: mergequeue.entry_of(ctx(info).engine, row))
pull.add("isInMergeQueue", lambda row, info: mergequeue.entry_of(ctx(info).engine, row) is not None)

# -- queues ------------------------------------------------------------------------------------------------

queue = Fields("MergeQueue")
queue.attributes(repository="repo")
queue.constants(nextEntryEstimatedTimeToMerge=None)
queue.add("id", lambda value, _info: node_id("MergeQueue", value.repo.id, value.branch))
queue.add("url", lambda value, info: queue_url(ctx(info), value))
queue.add("resourcePath", lambda value, info: ctx(info).path(queue_url(ctx(info), value)))


@queue
def configuration(value: Queue, info: Info) -> dict[str, Any] | None:
    """How the queue works: the parameters of its rule."""
    return mergequeue.rule(ctx(info).engine, value.repo, value.branch)


settings = Fields("MergeQueueConfiguration")
for field, key in (
    ("checkResponseTimeout", "check_response_timeout_minutes"),
    ("maximumEntriesToBuild", "max_entries_to_build"),
    ("maximumEntriesToMerge", "max_entries_to_merge"),
    ("mergeMethod", "merge_method"),
    ("mergingStrategy", "grouping_strategy"),
    ("minimumEntriesToMerge", "min_entries_to_merge"),
    ("minimumEntriesToMergeWaitTime", "min_entries_to_merge_wait_minutes"),
):
    settings.add(field, lambda rule, _info, key=key: rule[key])


def queue_url(context: Context, value: Queue) -> str:
    """The page of a queue."""
    return f"{context.repository_url(value.repo)}/queue/{value.branch}"


@queue
def entries(value: Queue, info: Info, **arguments: Any) -> Connection:
    """What waits, first in line first."""
    return page(info, mergequeue.entries(ctx(info).engine, value.repo, value.branch), arguments)


# -- entries -----------------------------------------------------------------------------------------------

entry = Fields("MergeQueueEntry")
entry.attributes("jump", enqueuedAt="created_at")
# GitHub estimates from earlier merges; at first it has no estimate, and says null.
entry.constants(estimatedTimeToMerge=None, solo=False)
entry.add("id", lambda row, _info: node_id("MergeQueueEntry", row.id))
entry.add("position", lambda row, info: mergequeue.position(ctx(info).engine, row))
entry.add("state", lambda row, info: queuegroups.state(ctx(info).engine, row))
entry.add("enqueuer", lambda row, info: ctx(info).user(row.enqueuer_id))
entry.add("pullRequest", lambda row, info: mergequeue.pull_of(ctx(info).engine, row))
entry.add("mergeQueue", lambda row, info: find_queue(ctx(info), ctx(info).repository(row), row.base_ref))
entry.add("baseCommit", lambda row, info: find_commit(ctx(info), ctx(info).repository(row), row.base_oid))
entry.add("headCommit", lambda row, info: find_commit(ctx(info), ctx(info).repository(row), row.oid))
