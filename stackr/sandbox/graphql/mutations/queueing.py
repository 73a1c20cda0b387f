"""Auto-merge and merge queues; the rules are the engine's.

Source: https://docs.github.com/en/graphql/reference/mutations.
"""

from __future__ import annotations

from stackr.sandbox import automerge, mergequeue, queuegroups
from stackr.sandbox.graphql.context import Context
from stackr.sandbox.graphql.mutations.entry import Json, mutation, needed, the_pull
from stackr.sandbox.model import PullRequest


@mutation("enablePullRequestAutoMerge")
def enable_auto_merge(context: Context, given: Json) -> Json:
    """Merge, or queue, once everything that is required is there."""
    pull = the_pull(context, given)
    automerge.enable(
        context.engine,
        context.viewer,
        pull,
        method=given.get("mergeMethod", "MERGE").lower(),
        expected_head=given.get("expectedHeadOid"),
        headline=given.get("commitHeadline"),
        body=given.get("commitBody"),
        email=given.get("authorEmail"),
    )
    return {"pullRequest": pull, "actor": context.viewer}


@mutation("disablePullRequestAutoMerge")
def disable_auto_merge(context: Context, given: Json) -> Json:
    """Do not merge by itself any more."""
    pull = the_pull(context, given)
    automerge.disable(context.engine, context.viewer, pull)
    return {"pullRequest": pull, "actor": context.viewer}


@mutation("enqueuePullRequest")
def enqueue(context: Context, given: Json) -> Json:
    """Into the queue of its base, which begins with it at once."""
    pull = the_pull(context, given)
    engine, repo = context.engine, context.repository(pull)
    with engine.transaction():
        entry = mergequeue.enqueue(
            engine,
            context.viewer,
            pull,
            expected_head=given.get("expectedHeadOid"),
            jump=given.get("jump", False),
        )
        queuegroups.build(engine, repo, pull.base_ref)
    return {"mergeQueueEntry": entry}


@mutation("dequeuePullRequest")
def dequeue(context: Context, given: Json) -> Json:
    """Out of the queue."""
    pull: PullRequest = needed(context, given["id"], PullRequest)
    return {"mergeQueueEntry": mergequeue.dequeue(context.engine, context.viewer, pull)}
