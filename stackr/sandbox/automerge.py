"""Auto-merge: a pull request that merges, or is queued, by itself as soon as its requirements are met.

https://docs.github.com/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/automatically-merging-a-pull-request,
https://docs.github.com/graphql/reference/mutations#enablepullrequestautomerge; refusals are from public threads.
"""

from __future__ import annotations

from stackr.sandbox import accounts, mergequeue, merging, objections, protection, pulls, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import Json, PullRequest, Repository, User

# tokuhirom/mutsu#5583, coder/coder#16297
_METHODS = {
    "merge": "merge commits are",
    "squash": "squash merging is",
    "rebase": "rebase merging is",
}
_ENABLED = {"merge": "auto_merge_enabled", "squash": "auto_squash_enabled", "rebase": "auto_rebase_enabled"}


def enable(
    engine: Engine,
    viewer: User,
    pull: PullRequest,
    *,
    method: str = "merge",
    expected_head: str | None = None,
    headline: str | None = None,
    body: str | None = None,
    email: str | None = None,
) -> None:
    """Switch it on. Where there is a queue and nothing to wait for, this is a place in the queue at once.

    Refused where merging would be possible right now: GitHub then wants it merged
    (peter-evans/enable-pull-request-automerge#343, #355).
    """
    repo = pulls.repository_of(engine, pull)
    accounts.require(engine, viewer, repo, "write")
    queue = mergequeue.has_queue(engine, repo, pull.base_ref)
    _refuse(engine, repo, pull, method, expected_head, queue)
    with engine.transaction():
        pull.auto_merge = {
            "method": _queue_method(engine, repo, pull) if queue else method,
            "headline": headline,
            "body": body,
            "email": email or viewer.email,
            "enabled_at": engine.now(),
            "enabled_by_id": viewer.id,
        }
        if queue and not objections.against_enqueuing(engine, viewer, pull) and merging.merges_cleanly(engine, pull):
            mergequeue.enqueue(engine, viewer, pull)
        else:
            timeline.record(engine, pull, _ENABLED[pull.auto_merge["method"]], viewer)


def _queue_method(engine: Engine, repo: Repository, pull: PullRequest) -> str:
    """The method that the queue of a pull request's base merges by, whatever was asked for."""
    rule = mergequeue.rule(engine, repo, pull.base_ref) or {}
    return str(rule["merge_method"]).lower()


def _refuse(
    engine: Engine, repo: Repository, pull: PullRequest, method: str, expected_head: str | None, queue: bool
) -> None:
    if not repo.allow_auto_merge:  # also where there is a queue: cli/cli#13398
        raise ApiError(422, "Auto merge is not allowed for this repository")
    if pull.state != "open":
        raise ApiError(422, "Pull request is not in the correct state to enable auto-merge")
    if pulls.in_native_stack(engine, pull):
        raise ApiError(422, "Auto-merge is not supported for stacked pull requests")  # navikt/copilot#659
    if mergequeue.entry_of(engine, pull) is not None:
        raise ApiError(422, "Pull request is already in the queue")
    if expected_head is not None and expected_head != pull.head_oid:
        raise ApiError(409, "Head branch was modified. Review and try the merge again.")
    if queue and method != "merge":  # the default of the input, so that GitHub cannot tell it from none: cli/cli#5653
        raise ApiError(422, "merge method is not valid for merge queue")
    if not queue and not merging.allowed_methods(repo)[method]:
        raise ApiError(422, f"Merge method {_METHODS[method]} not allowed on this repository")
    if any(rule.type == "update" for rule in protection.rules_for(engine, repo, pull.base_ref)):
        # grafana/loki@f937d021
        raise ApiError(422, "Pull request User is not authorized for this protected branch")
    _refuse_what_need_not_wait(engine, pull, queue)


def _refuse_what_need_not_wait(engine: Engine, pull: PullRequest, queue: bool) -> None:
    """Without any rule for the base that is what GitHub says: hatena/Hatena-Blog-Workflows-Boilerplate#12."""
    state = merging.state_when_known(engine, pull, clean=merging.merges_cleanly(engine, pull))
    if state == "clean" and not protection.rules_for(engine, pulls.repository_of(engine, pull), pull.base_ref):
        raise ApiError(422, "Pull request Protected branch rules not configured for this branch")
    if state not in waiting_states(queue):
        raise ApiError(422, f"Pull request Pull request is in {state} status")


def waiting_states(queue: bool) -> tuple[str, ...]:
    """The states in which auto-merge has something to wait for; a queue is always worth waiting for."""
    return ("blocked", "behind", "clean", "unstable", "has_hooks") if queue else ("blocked", "behind")


def disable(engine: Engine, viewer: User, pull: PullRequest) -> None:
    """Switch it off; whoever may edit the pull request may."""
    pulls.require_edit(engine, viewer, pull)
    if pull.auto_merge is None:
        raise ApiError(422, "Can't disable auto-merge for this pull request")
    with engine.transaction():
        timeline.auto_merge_off(engine, pull, viewer, None)


def carry_out(engine: Engine) -> None:
    """Merge or queue every pull request whose requirements are met by now."""
    for pull in engine.store.pulls.all():
        if pull.auto_merge is not None and pull.state == "open":
            with engine.transaction():
                _carry_out(engine, pull, pull.auto_merge)


def _carry_out(engine: Engine, pull: PullRequest, asked: Json) -> None:
    repo = pulls.repository_of(engine, pull)
    enabler = accounts.user(engine, asked["enabled_by_id"])
    queue = mergequeue.has_queue(engine, repo, pull.base_ref)
    method = str(asked["method"])
    if pull.draft or objections.against_enqueuing(engine, None, pull, method):
        return
    if not merging.merges_cleanly(engine, pull):
        return
    try:
        if queue:
            mergequeue.enqueue(engine, enabler, pull)
        else:
            merging.merge_pull(engine, enabler, pull, method=method, title=asked["headline"], message=asked["body"])
    except ApiError as error:
        timeline.auto_merge_off(engine, pull, enabler, error.message)
