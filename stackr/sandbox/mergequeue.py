"""The merge queue of a branch: who is in it, and getting in and out. How it moves on is ``queuegroups``.

A branch has a queue where a rule says so. https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue,
https://docs.github.com/graphql/reference/mutations#enqueuepullrequest; words and reasons are from public threads, named
beside them.
"""

from __future__ import annotations

from collections.abc import Sequence

from stackr.sandbox import accounts, merging, objections, protection, pulls, pushrules, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.git import HEADS, RefMove
from stackr.sandbox.model import ZERO_OID, Json, PullRequest, QueueEntry, Repository, User

BOT = "github-merge-queue"  # REST adds "[bot]" to the login


def rule(engine: Engine, repo: Repository, branch: str) -> Json | None:
    """The queue's parameters, as in GET /rules/branches/BRANCH; None for a branch without a queue."""
    return protection.parameters(engine, repo, branch, "merge_queue")


def has_queue(engine: Engine, repo: Repository, branch: str) -> bool:
    """Whether pull requests get into this branch through a queue only."""
    return rule(engine, repo, branch) is not None


def entries(engine: Engine, repo: Repository, branch: str) -> list[QueueEntry]:
    """What waits for a branch, first in line first."""
    return sorted(engine.store.queue_entries.by(repo_id=repo.id, base_ref=branch), key=lambda entry: entry.rank)


def entry_of(engine: Engine, pull: PullRequest) -> QueueEntry | None:
    """The place of a pull request in a queue; None outside of any."""
    return engine.store.queue_entries.one(repo_id=pull.repo_id, number=pull.number)


def position(engine: Engine, entry: QueueEntry) -> int:
    """Its place in line, from 1; 0 once it is out."""
    line = entries(engine, engine.store.repositories.need(entry.repo_id), entry.base_ref)
    return line.index(entry) + 1 if entry in line else 0


def pull_of(engine: Engine, entry: QueueEntry) -> PullRequest:
    """The pull request of an entry."""
    return pulls.find(engine, engine.store.repositories.need(entry.repo_id), entry.number)


def branch_of(entry: QueueEntry) -> str:
    """The temporary branch that its checks run on, named after the commit it was built on.

    As seen in nexu-io/open-design#7907: gh-readonly-queue/main/pr-7907-53a47bf910b2...
    """
    return f"{pushrules.QUEUE_PREFIX}{entry.base_ref}/pr-{entry.number}-{entry.base_oid}"


# -- getting in --------------------------------------------------------------------------------------------


def enqueue(
    engine: Engine, viewer: User, pull: PullRequest, *, expected_head: str | None = None, jump: bool = False
) -> QueueEntry:
    """Put a pull request in line, or, with ``jump``, before everybody else. Its requirements must be met by now.

    ``jump`` takes an administrator. To wait for requirements is auto-merge's (``automerge``).
    """
    repo = pulls.repository_of(engine, pull)
    accounts.require(engine, viewer, repo, "admin" if jump else "write")
    if expected_head is not None and expected_head != pull.head_oid:
        raise ApiError(409, "Head branch was modified. Review and try the merge again.")
    if pulls.in_native_stack(engine, pull):
        raise refusal("Pull requests that are part of a stack must be merged with the stack.")
    with engine.transaction():
        return enqueue_chain(engine, viewer, repo, [pull], pull.base_ref, jump=jump)[0]


def enqueue_chain(
    engine: Engine,
    viewer: User,
    repo: Repository,
    chain: Sequence[PullRequest],
    base_ref: str,
    *,
    jump: bool = False,
) -> list[QueueEntry]:
    """Put a native stack in line, bottom first, all or nothing; a chain of one is any pull request."""
    if not has_queue(engine, repo, base_ref):
        raise refusal("Merge queue is not enabled for this branch")
    for pull in chain:
        _refuse(engine, viewer, pull)
    present = entries(engine, repo, base_ref)
    first = present[0].rank - len(chain) if jump and present else present[-1].rank + 1 if present else 1
    return [_add(engine, viewer, pull, base_ref, rank, jump) for rank, pull in enumerate(chain, first)]


def _add(engine: Engine, viewer: User, pull: PullRequest, base_ref: str, rank: int, jump: bool) -> QueueEntry:
    # A pull request that is in the queue has no auto-merge request any more
    # (peter-evans/enable-pull-request-automerge#785).
    pull.auto_merge = None
    timeline.record(engine, pull, "added_to_merge_queue", viewer)
    entry = QueueEntry(
        repo_id=pull.repo_id,
        number=pull.number,
        base_ref=base_ref,
        rank=rank,
        pull_oid=pull.head_oid,
        enqueuer_id=viewer.id,
        jump=jump,
        created_at=engine.now(),
    )
    return engine.store.queue_entries.add(entry)


def refusal(text: str) -> ApiError:
    """A refusal of a place in the queue, under the name of what was refused, as GitHub words it.

    devantler-tech/platform#3138: "Pull request Required workflow ... is not satisfied"; ClickHouse/ClickHouse#109183:
    "Pull request is already in the queue".
    """
    return ApiError(422, text)


def _refuse(engine: Engine, viewer: User, pull: PullRequest) -> None:
    if entry_of(engine, pull) is not None:
        raise refusal("Pull request is already in the queue")
    if pull.state != "open":
        raise refusal("Pull request is closed")
    if pull.draft:
        raise refusal("Pull request is in draft state")
    if not merging.merges_cleanly(engine, pull):
        raise refusal("Pull request has merge conflicts")
    found = objections.against_enqueuing(engine, viewer, pull)
    if found:
        raise ApiError(422, f"Pull request {found[0].text}", texts=[f"Pull request {each.text}" for each in found])


# -- getting out -------------------------------------------------------------------------------------------


def dequeue(engine: Engine, viewer: User, pull: PullRequest) -> QueueEntry:
    """Take a pull request out of the queue; what stands behind it is built again."""
    accounts.require(engine, viewer, pulls.repository_of(engine, pull), "write")
    entry = entry_of(engine, pull)
    if entry is None:
        raise refusal("Pull request is not in the merge queue")
    with engine.transaction():
        remove(engine, entry, "manual", viewer)
    return entry


def remove(engine: Engine, entry: QueueEntry, reason: str, actor: User | None = None) -> None:
    """Take an entry out, for a reason of the timeline; the actor is GitHub's own bot unless a person did it.

    ``merged`` is a reason like any other (objectstack-ai/objectstack#19343). failed_checks, manual and merged were seen
    in open-metadata/OpenMetadata#30752; the others are the webhook's words in the same spelling:
    https://docs.github.com/webhooks/webhook-events-and-payloads?actionType=dequeued#pull_request.
    """
    who = actor or accounts.add_user(engine, BOT, kind="Bot")
    timeline.record(
        engine,
        pull_of(engine, entry),
        "removed_from_merge_queue",
        who,
        reason=reason,
        enqueuer_id=entry.enqueuer_id,
        before=entry.oid,
    )
    unbuild(engine, entry)
    engine.store.queue_entries.delete(entry)


def unbuild(engine: Engine, entry: QueueEntry) -> None:
    """Forget the commit of an entry and delete its temporary branch; the checks of that commit count no more."""
    git = engine.git(engine.store.repositories.need(entry.repo_id))
    name = HEADS + branch_of(entry)
    if name in git.refs:
        git.update([RefMove(name, git.refs[name], ZERO_OID)])
    entry.base_oid = entry.oid = entry.built_at = None
    engine.store.queue_entries.save(entry)
