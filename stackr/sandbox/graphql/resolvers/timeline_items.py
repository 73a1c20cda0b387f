"""The timeline of a pull request: events, comments, reviews and commits in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stackr.sandbox import accounts, issues, reviews, timeline
from stackr.sandbox.graphql.binding import Fields, names, type_name
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.conversation import subject_of
from stackr.sandbox.graphql.resolvers.git_objects import find_commit, find_ref
from stackr.sandbox.graphql.resolvers.merge_queue import queue_of
from stackr.sandbox.graphql.resolvers.pull_requests import commits_of, head_repository
from stackr.sandbox.graphql.values import Commit, PullCommit, Queue, Ref
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Event, Label, PullRequest, Review, User

# The engine's kinds are REST's event names; what GraphQL calls them. Others (``pushed``) it does not show.
TYPES = {
    "added_to_merge_queue": "AddedToMergeQueueEvent",
    "assigned": "AssignedEvent",
    "auto_merge_disabled": "AutoMergeDisabledEvent",
    "auto_merge_enabled": "AutoMergeEnabledEvent",
    "auto_rebase_enabled": "AutoRebaseEnabledEvent",
    "auto_squash_enabled": "AutoSquashEnabledEvent",
    "automatic_base_change_succeeded": "AutomaticBaseChangeSucceededEvent",
    "base_ref_changed": "BaseRefChangedEvent",
    "base_ref_deleted": "BaseRefDeletedEvent",
    "base_ref_force_pushed": "BaseRefForcePushedEvent",
    "closed": "ClosedEvent",
    "convert_to_draft": "ConvertToDraftEvent",
    "head_ref_deleted": "HeadRefDeletedEvent",
    "head_ref_force_pushed": "HeadRefForcePushedEvent",
    "head_ref_restored": "HeadRefRestoredEvent",
    "labeled": "LabeledEvent",
    "merged": "MergedEvent",
    "ready_for_review": "ReadyForReviewEvent",
    "removed_from_merge_queue": "RemovedFromMergeQueueEvent",
    "renamed": "RenamedTitleEvent",
    "reopened": "ReopenedEvent",
    "review_dismissed": "ReviewDismissedEvent",
    "review_request_removed": "ReviewRequestRemovedEvent",
    "review_requested": "ReviewRequestedEvent",
    "unassigned": "UnassignedEvent",
    "unlabeled": "UnlabeledEvent",
}
names(Event, lambda event: TYPES[event.kind])

pull = Fields("PullRequest")


def moment(item: Any) -> str:
    """When an item entered the timeline."""
    if isinstance(item, PullCommit):
        return item.commit.info.committer.date_iso
    return str(item.submitted_at if isinstance(item, Review) else item.created_at)


def items_of(context: Context, row: PullRequest) -> list[Any]:
    """Everything that GitHub shows on the page, oldest first."""
    engine = context.engine
    found: list[Any] = [*commits_of(context, row)]
    found += [event for event in timeline.events_of(engine, row) if event.kind in TYPES]
    found += issues.comments_of(engine, row)
    found += reviews.list_reviews(engine, row)
    return sorted(found, key=moment)


def item_type(item: Any) -> str:
    """The PullRequestTimelineItemsItemType of an item."""
    name = type_name(item)
    return "".join(f"_{c}" if c.isupper() and i else c for i, c in enumerate(name)).upper()


@pull
def timeline_items(
    row: PullRequest,
    info: Info,
    *,
    item_types: list[str] | None = None,
    since: str | None = None,
    skip: int | None = None,
    **arguments: Any,
) -> Connection:
    """A page of the timeline, narrowed to some types of items."""
    everything = items_of(ctx(info), row)
    found = [item for item in everything if not item_types or item_type(item) in item_types]
    found = [item for item in found if not since or moment(item) >= since]
    return page(info, found[skip or 0 :], arguments, owner=(row, len(everything)))


connection = Fields("PullRequestTimelineItemsConnection")
connection.add("filteredCount", lambda c, _info: len(c.items))
connection.add("pageCount", lambda c, _info: c.stop - c.start)
connection.add("totalCount", lambda c, _info: c.owner[1])
connection.add("updatedAt", lambda c, _info: c.owner[0].updated_at)

# -- what all events have ----------------------------------------------------------------------------------

event = Fields(*TYPES.values())
event.attributes("created_at", databaseId="id")
event.add("id", lambda row, _info: node_id("Event", row.id))
event.add("actor", lambda row, info: ctx(info).user(row.actor_id))
for field in ("pullRequest", "closable", "labelable", "assignable", "subject"):
    event.add(field, lambda row, info: subject_of(ctx(info), row))
event.add("url", lambda row, info: event_url(ctx(info), row))
event.add("resourcePath", lambda row, info: ctx(info).path(event_url(ctx(info), row)))


def event_url(context: Context, row: Event) -> str:
    """The event's place on the page."""
    return f"{context.issue_url(subject_of(context, row))}#event-{row.id}"


def told(field: str, key: str, *types: str) -> None:
    """A field of some events that is what the engine wrote down under ``key``."""
    Fields(*types).add(field, lambda row, _info: row.data.get(key))


told("currentTitle", "after", "RenamedTitleEvent")
told("previousTitle", "before", "RenamedTitleEvent")
told("currentRefName", "new_base", "BaseRefChangedEvent")
told("previousRefName", "old_base", "BaseRefChangedEvent")
told("newBase", "new_base", "AutomaticBaseChangeSucceededEvent")
told("oldBase", "old_base", "AutomaticBaseChangeSucceededEvent")
told("baseRefName", "ref", "BaseRefDeletedEvent")
told("headRefName", "ref", "HeadRefDeletedEvent")
told("mergeRefName", "ref", "MergedEvent")
told("dismissalMessage", "message", "ReviewDismissedEvent")
told("reason", "reason", "AutoMergeDisabledEvent", "RemovedFromMergeQueueEvent")
told("stateReason", "state_reason", "ClosedEvent", "ReopenedEvent")

# -- commits and refs in events ----------------------------------------------------------------------------

pushed = Fields("HeadRefForcePushedEvent", "BaseRefForcePushedEvent")
pushed.add("beforeCommit", lambda row, info: commit_at(ctx(info), row, "before"))
pushed.add("afterCommit", lambda row, info: commit_at(ctx(info), row, "after"))
Fields("MergedEvent").add("commit", lambda row, info: commit_at(ctx(info), row, "commit_id"))
Fields("MergedEvent").add("mergeRef", lambda row, info: ref_of(ctx(info), row))
Fields("BaseRefForcePushedEvent").add("ref", lambda row, info: ref_of(ctx(info), row))


def commit_at(context: Context, row: Event, key: str) -> Commit | None:
    """A commit that the engine wrote down."""
    return find_commit(context, context.repository(row), row.data.get(key))


def ref_of(context: Context, row: Event) -> Ref | None:
    """The base branch that the engine wrote down, if it still exists."""
    return find_ref(context, context.repository(row), f"refs/heads/{row.data['ref']}")


def head_ref(row: Event, info: Info) -> Ref | None:
    """The head branch, if it still exists (or does again)."""
    subject = subject_of(ctx(info), row)
    repo = head_repository(ctx(info), subject) if isinstance(subject, PullRequest) else None
    return find_ref(ctx(info), repo, f"refs/heads/{row.data['ref']}") if repo else None


Fields("HeadRefForcePushedEvent").add("ref", head_ref)
Fields("HeadRefDeletedEvent").add("headRef", head_ref)


@Fields("ClosedEvent")
def closer(row: Event, info: Info) -> Commit | None:
    """The commit that closed it by merging; None when a person did."""
    events = timeline.events_of(ctx(info).engine, subject_of(ctx(info), row))
    merged = [e for e in events if e.kind == "merged" and e.created_at == row.created_at]
    return commit_at(ctx(info), merged[0], "commit_id") if merged else None


# -- people and labels in events ---------------------------------------------------------------------------


@Fields("LabeledEvent", "UnlabeledEvent")
def label(row: Event, info: Info) -> Label:
    """The label; one that was deleted since is remembered by its name and colour."""
    name, color = row.data["label"], row.data["color"]
    found = issues.find_label(ctx(info).engine, ctx(info).repository(row), name)
    return found or Label(repo_id=row.repo_id, name=name, color=color)


def person(key: str) -> Callable[[Event, Info], User | None]:
    """A field that is the account whose login the engine wrote down."""
    return lambda row, info: accounts.user_by_login(ctx(info).engine, row.data[key])


Fields("ReviewRequestedEvent", "ReviewRequestRemovedEvent").add("requestedReviewer", person("reviewer"))
Fields("AssignedEvent", "UnassignedEvent").add("assignee", person("assignee"))
Fields("AssignedEvent", "UnassignedEvent").add("user", person("assignee"))

dismissed = Fields("ReviewDismissedEvent")
dismissed.constants(pullRequestCommit=None)
dismissed.add("review", lambda row, info: ctx(info).engine.store.reviews.get(row.data.get("review_id")))
dismissed.add("previousReviewState", lambda row, _info: str(row.data.get("state")).upper())

# -- auto-merge and the queue ------------------------------------------------------------------------------

switched_on = Fields("AutoMergeEnabledEvent", "AutoRebaseEnabledEvent", "AutoSquashEnabledEvent")
switched_on.add("enabler", lambda row, info: ctx(info).user(row.actor_id))
Fields("AutoMergeDisabledEvent").constants(reasonCode=None)
Fields("AutoMergeDisabledEvent").add("disabler", lambda row, info: ctx(info).user(row.actor_id))
Fields("AddedToMergeQueueEvent").add("enqueuer", lambda row, info: ctx(info).user(row.actor_id))
Fields("RemovedFromMergeQueueEvent").add("enqueuer", lambda row, info: ctx(info).user(row.data["enqueuer_id"]))
Fields("RemovedFromMergeQueueEvent").add("beforeCommit", lambda row, info: commit_at(ctx(info), row, "before"))


@Fields("AddedToMergeQueueEvent", "RemovedFromMergeQueueEvent")
def merge_queue(row: Event, info: Info) -> Queue | None:
    """The queue of the base that the pull request has now."""
    subject = subject_of(ctx(info), row)
    return queue_of(subject, info) if isinstance(subject, PullRequest) else None
