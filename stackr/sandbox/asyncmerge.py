"""Merging in the background: one pull request, or in a native stack it and everything below, all or nothing.

A request stays pending for some looks at it, or a second, whichever is first, and is then carried out.
Source: https://docs.github.com/rest/pulls/pulls#merge-a-pull-request-asynchronously. A stack must be linear to be
merged, from the tip of its base up (https://docs.github.com/pull-requests/reference/stacked-pull-requests#linear-history);
whether branches with merge commits in them pass is not documented, so here they do not.
"""

from __future__ import annotations

import uuid
from datetime import datetime

from stackr.sandbox import accounts, landing, mergequeue, merging, native, objections, pulls
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, not_found
from stackr.sandbox.git import GitRepo
from stackr.sandbox.landing import Landed
from stackr.sandbox.model import AsyncMerge, Json, NativeStack, PullRequest, Repository, User

DELAY_S = 1.0


def request_merge(
    engine: Engine,
    viewer: User,
    pull: PullRequest,
    *,
    method: str = "default",
    action: str = "default",
    sha: str | None = None,
    title: str | None = None,
    message: str | None = None,
) -> tuple[Json, int]:
    """Ask for a merge; the answer and its status: 200 merged or queued, 202 accepted, 400 not ready, 409 running."""
    repo = pulls.repository_of(engine, pull)
    accounts.require(engine, viewer, repo, "write")
    if pull.merged:
        return _answer("merged", message="Pull request is already merged.", sha=pull.merge_oid), 200
    if mergequeue.entry_of(engine, pull) is not None:
        return _answer("enqueued", message="Pull request is already in the merge queue."), 200
    running = next((m for m in _merges(engine, pull) if m.state == "pending"), None)
    if running is not None:
        return _pending(running, "A merge request already exists for this pull request."), 409
    reason = _not_ready(pull, sha)
    if reason:
        return _answer("failed", message=reason), 400
    custom = method != "default" or title is not None or message is not None
    if action == "merge_queue" and custom:
        # erwins-enkel/shepherd#2062
        names = "merge_method, commit_title, commit_message"
        raise ApiError(422, f"Custom merge params ({names}) are not supported with the merge_queue merge action.")
    if action == "merge_queue" and not mergequeue.has_queue(engine, repo, pulls.target_branch(engine, pull)):
        return _answer("failed", message="The merge queue is not enabled for this branch."), 400
    with engine.transaction():
        row = AsyncMerge(
            repo_id=repo.id,
            number=pull.number,
            uuid=str(uuid.uuid4()),
            user_id=viewer.id,
            method=method,
            action=action,
            title=title,
            text=message,
            oid=sha or pull.head_oid,
            created_at=engine.now(),
        )
        return _pending(engine.store.async_merges.add(row), "Merge request enqueued."), 202


def result(engine: Engine, pull: PullRequest, key: str) -> Json:
    """How a merge that was asked for stands; each look counts towards its being carried out."""
    row = next((m for m in _merges(engine, pull) if m.uuid == key), None)
    if row is None:
        raise not_found()
    row.looks += 1
    if row.state == "pending" and row.looks >= engine.settings.async_merge_after:
        _carry_out(engine, row)
    if row.state == "pending":
        return _pending(row, "Merge request is in progress.")
    if row.state == "merged":
        return _answer("merged", message="Pull request successfully merged.", sha=pull.merge_oid)
    return _answer(row.state, message=row.message)


def run_due(engine: Engine) -> None:
    """Carry out what has been pending for a second: GitHub does not wait for anybody to look."""
    for row in engine.store.async_merges.all():
        if row.state == "pending" and engine.clock.time() - _seconds(row.created_at) >= DELAY_S + 1:
            _carry_out(engine, row)


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def _merges(engine: Engine, pull: PullRequest) -> list[AsyncMerge]:
    return engine.store.async_merges.by(repo_id=pull.repo_id, number=pull.number)


def _answer(status: str, **details: str | None) -> Json:
    return {"status": status, "details": details}


def _pending(row: AsyncMerge, message: str) -> Json:
    return _answer(
        "pending",
        message=message,
        uuid=row.uuid,
        merge_method=row.method,
        merge_action=row.action,
        expected_head_sha=row.oid,
    )


def _not_ready(pull: PullRequest, sha: str | None) -> str | None:
    if pull.state == "closed":
        return "Pull request is closed."
    if pull.draft:
        return "Pull request is in draft state."
    if sha is not None and sha != pull.head_oid:
        return "Head branch was modified. Review and try the merge again."
    return None


def _carry_out(engine: Engine, row: AsyncMerge) -> None:
    repo = engine.store.repositories.need(row.repo_id)
    pull = pulls.find(engine, repo, row.number)
    viewer = engine.store.users.need(row.user_id)
    with engine.transaction():
        try:
            if pull.merged:  # by another way meanwhile, or before a restart
                row.state = "merged"
            elif pull.head_oid != row.oid:
                raise ApiError(409, "Head branch was modified. Review and try the merge again.")
            else:
                row.state = _merge(engine, viewer, repo, pull, row)
        except ApiError as error:
            row.state, row.message = "failed", error.message
        engine.store.async_merges.save(row)


def _merge(engine: Engine, viewer: User, repo: Repository, pull: PullRequest, row: AsyncMerge) -> str:
    """Merge or enqueue, and say which. "default" takes the queue where there is one."""
    stack = native.stack_of(engine, pull)
    base_ref = pulls.target_branch(engine, pull)
    chain = [pull] if stack is None else _up_to(engine, stack, pull)
    if row.action != "direct_merge" and mergequeue.has_queue(engine, repo, base_ref):
        return _enqueue(engine, viewer, repo, chain, base_ref, row)
    method = "merge" if row.method == "default" else row.method
    if stack is None:
        merging.merge_pull(engine, viewer, pull, method=method, title=row.title, message=row.text)
    else:
        _merge_chain(engine, viewer, repo, chain, method, base_ref)
    return "merged"


def _enqueue(
    engine: Engine, viewer: User, repo: Repository, chain: list[PullRequest], base_ref: str, row: AsyncMerge
) -> str:
    if row.method != "default" or row.title is not None or row.text is not None:
        # Only found out now, not when it was asked for: lararosekelley/git-stk#333, navikt/copilot#659.
        raise ApiError(405, "Custom merge params are not supported when merging via a merge queue")
    mergequeue.enqueue_chain(engine, viewer, repo, chain, base_ref)
    row.message = "Pull request was added to the merge queue."
    return "enqueued"


def _up_to(engine: Engine, stack: NativeStack, pull: PullRequest) -> list[PullRequest]:
    """The unmerged members up to this one, bottom first."""
    chain = [member for member in native.members(engine, stack) if not member.merged]
    return chain[: chain.index(pull) + 1]


def _merge_chain(
    engine: Engine, viewer: User, repo: Repository, chain: list[PullRequest], method: str, base_ref: str
) -> None:
    git = engine.git(repo)
    start = git.branch(base_ref)
    if start is None:
        raise ApiError(405, "The base branch was deleted.")
    _refuse(engine, viewer, git, chain, method, start)
    landed: list[Landed] = []
    tip, below = start, chain[0].base_oid
    for member in chain:
        oid = landing.commit_onto(engine, viewer, repo, member, method, tip, below)
        assert oid is not None, "from the tip of the base up, nothing conflicts"
        landed.append(Landed(member, oid, viewer))
        tip, below = oid, member.head_oid
    move = landing.move_base(engine, repo, base_ref, start, landed)
    landing.settle(engine, repo, move, landed)


def _refuse(engine: Engine, viewer: User, git: GitRepo, chain: list[PullRequest], method: str, start: str) -> None:
    for member in chain:
        reason = _not_ready(member, None)
        if reason:
            raise ApiError(405, f"#{member.number}: {reason}")
        found = objections.against_merging(engine, viewer, member, method)
        if found:
            raise objections.refusal(found)
    if not git.graph.is_ancestor(start, chain[0].head_oid):
        raise ApiError(405, "The stack is not based on the latest commit of its base branch; rebase the stack.")
    below = None
    for member in chain:
        if below is not None and not git.graph.is_ancestor(below.head_oid, member.head_oid):
            raise ApiError(405, f"#{member.number} is not based on the head of #{below.number}; rebase the stack.")
        below = member
    fresh = git.graph.ahead(start, chain[-1].head_oid)
    if any(len(git.graph.parents[oid]) > 1 for oid in fresh):
        raise ApiError(405, "The stack must have a linear history to be merged.")
