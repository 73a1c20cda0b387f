"""How a merge queue moves on: entries are built, wait for their checks, and land in groups, or are thrown out.

Every entry's commit stands on that of the entry before it, so whatever leaves the line has those behind it built again.
Driven by requests (``background``): no thread, no timer.
https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue,
parameters: https://docs.github.com/rest/repos/rules (merge_queue).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from stackr.sandbox import accounts, landing, mergequeue, objections, protection
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.git import HEADS, RefMove
from stackr.sandbox.landing import Landed
from stackr.sandbox.model import ZERO_OID, Json, QueueEntry, Repository


def advance(engine: Engine) -> None:
    """Move every queue on as far as it goes now."""
    waiting = {(entry.repo_id, entry.base_ref) for entry in engine.store.queue_entries.all()}
    for repo_id, base_ref in sorted(waiting):
        advance_one(engine, engine.store.repositories.need(repo_id), base_ref)


def advance_one(engine: Engine, repo: Repository, base_ref: str) -> None:
    """Throw out, build, land; and once more, as long as something left the line."""
    with engine.transaction():
        while True:
            before = len(mergequeue.entries(engine, repo, base_ref))
            parameters = _throw_out(engine, repo, base_ref)
            if parameters is None:
                return
            _build(engine, repo, base_ref, parameters)
            _land(engine, repo, base_ref, parameters)
            if len(mergequeue.entries(engine, repo, base_ref)) == before:
                return


def state(engine: Engine, entry: QueueEntry) -> str:
    """QUEUED, AWAITING_CHECKS, MERGEABLE or UNMERGEABLE.

    https://docs.github.com/graphql/reference/enums#mergequeueentrystate
    """
    repo = engine.store.repositories.need(entry.repo_id)
    return {"waiting": "QUEUED", "pending": "AWAITING_CHECKS", "passed": "MERGEABLE"}.get(
        verdict(engine, repo, entry), "UNMERGEABLE"
    )


def verdict(engine: Engine, repo: Repository, entry: QueueEntry) -> str:
    """waiting (not built), or pending, passed or failed by the checks that the base requires, on the built commit."""
    if entry.oid is None:
        return "waiting"
    states = [protection.check_state(engine, repo, entry.oid, name) for name in required(engine, repo, entry.base_ref)]
    if "failure" in states:
        return "failed"
    return "passed" if all(found == "success" for found in states) else "pending"


def required(engine: Engine, repo: Repository, branch: str) -> list[str]:
    """The names of the checks that a branch requires."""
    rule = protection.parameters(engine, repo, branch, "required_status_checks") or {}
    return [wanted["context"] for wanted in rule.get("required_status_checks", [])]


# -- throwing out ------------------------------------------------------------------------------------------


def _throw_out(engine: Engine, repo: Repository, base_ref: str) -> Json | None:
    """Remove what may not be here any more; the queue's parameters, None for a queue that was switched off."""
    parameters = mergequeue.rule(engine, repo, base_ref)
    ahead: list[QueueEntry] = []
    for entry in mergequeue.entries(engine, repo, base_ref):
        reason = "queue_cleared" if parameters is None else _unfit(engine, entry, ahead)
        if reason is None:
            ahead.append(entry)
        else:
            mergequeue.remove(engine, entry, reason)
    if parameters is None:
        return None
    for entry in _failed(engine, repo, ahead, parameters):
        mergequeue.remove(engine, entry, "failed_checks")
    for entry in ahead:
        if _overdue(engine, repo, entry, parameters):
            mergequeue.remove(engine, entry, "ci_timeout")
    return parameters


def _unfit(engine: Engine, entry: QueueEntry, ahead: Sequence[QueueEntry]) -> str | None:
    """Why a pull request has lost its place: closed, made a draft, pushed to, retargeted, or no longer approved."""
    pull = mergequeue.pull_of(engine, entry)
    below = {mergequeue.pull_of(engine, one).head_ref for one in ahead}  # of a native stack
    if pull.merged:
        return "already_merged"
    if pull.state != "open" or pull.draft or pull.head_oid != entry.pull_oid:
        return "manual"
    if pull.base_ref != entry.base_ref and pull.base_ref not in below:
        return "branch_protections"
    enqueuer = accounts.user(engine, entry.enqueuer_id)
    return "branch_protections" if objections.against_enqueuing(engine, enqueuer, pull) else None


def _failed(engine: Engine, repo: Repository, line: Sequence[QueueEntry], parameters: Json) -> Iterable[QueueEntry]:
    """Whose checks failed. HEADGREEN forgives that as long as the last of the group may still pass for all."""
    verdicts = [verdict(engine, repo, entry) for entry in line]
    forgiving = parameters["grouping_strategy"] == "HEADGREEN"
    size = int(parameters["max_entries_to_merge"])
    for number, entry in enumerate(line):
        later = verdicts[number + 1 : max(size, number + 1)]
        if verdicts[number] == "failed" and not (forgiving and {"passed", "pending"} & set(later)):
            yield entry


def _overdue(engine: Engine, repo: Repository, entry: QueueEntry, parameters: Json) -> bool:
    """Whether its checks have not been reported within the time that the rule gives them."""
    if entry.built_at is None or verdict(engine, repo, entry) != "pending":
        return False
    return minutes_since(engine, entry.built_at) >= int(parameters["check_response_timeout_minutes"])


def minutes_since(engine: Engine, stamp: str) -> float:
    """How long ago that was, by the engine's clock."""
    then = datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()
    return (engine.clock.time() - then) / 60


# -- building ----------------------------------------------------------------------------------------------


def build(engine: Engine, repo: Repository, base_ref: str) -> None:
    """Begin with what was just put in line, as far as the queue builds at a time."""
    parameters = mergequeue.rule(engine, repo, base_ref)
    assert parameters is not None, "what was put in line is in a queue"
    _build(engine, repo, base_ref, parameters)


def _build(engine: Engine, repo: Repository, base_ref: str, parameters: Json) -> None:
    """Give the first entries their commits, each on the one before; what was built on something else is built anew."""
    git = engine.git(repo)
    tip = git.branch(base_ref)
    number = 0
    for entry in mergequeue.entries(engine, repo, base_ref):
        assert tip is not None, "without their base they are closed, and out"
        if number >= max(1, int(parameters["max_entries_to_build"])):
            mergequeue.unbuild(engine, entry)
            continue
        if entry.oid is None or entry.base_oid != tip:
            _build_one(engine, repo, entry, tip, parameters["merge_method"].lower())
        if entry.oid is None:
            mergequeue.remove(engine, entry, "merge_conflict")
            continue
        tip, number = entry.oid, number + 1


def _build_one(engine: Engine, repo: Repository, entry: QueueEntry, tip: str, method: str) -> None:
    mergequeue.unbuild(engine, entry)
    pull, enqueuer = mergequeue.pull_of(engine, entry), accounts.user(engine, entry.enqueuer_id)
    oid = landing.commit_onto(engine, enqueuer, repo, pull, method, tip, pull.base_oid)
    if oid is None or oid == tip:
        return
    entry.base_oid, entry.oid, entry.built_at = tip, oid, engine.now()
    engine.store.queue_entries.save(entry)
    git = engine.git(repo)
    name = HEADS + mergequeue.branch_of(entry)
    git.update([RefMove(name, git.refs.get(name, ZERO_OID), oid)])


# -- landing -----------------------------------------------------------------------------------------------


def _land(engine: Engine, repo: Repository, base_ref: str, parameters: Json) -> None:
    """Fast-forward the base over the group that may land now, if there is one."""
    line = mergequeue.entries(engine, repo, base_ref)
    group = line[: _group(engine, repo, line, parameters)]
    if not group:
        return
    landed = [_landed(engine, entry) for entry in group]
    try:
        move = landing.move_base(engine, repo, base_ref, engine.git(repo).refs[HEADS + base_ref], landed)
    except ApiError:
        return  # a push to the base is under way; once it is through, all is built again on that
    for entry in group:
        mergequeue.remove(engine, entry, "merged")
    landing.settle(engine, repo, move, landed)


def _landed(engine: Engine, entry: QueueEntry) -> Landed:
    assert entry.oid is not None, "a group is built"
    return Landed(mergequeue.pull_of(engine, entry), entry.oid, accounts.user(engine, entry.enqueuer_id))


def _group(engine: Engine, repo: Repository, line: Sequence[QueueEntry], parameters: Json) -> int:
    """How many from the front land together: all of them green, or for HEADGREEN the last of them."""
    most = max(1, int(parameters["max_entries_to_merge"]))
    passed = [verdict(engine, repo, entry) == "passed" for entry in line[:most]]
    if parameters["grouping_strategy"] == "HEADGREEN":
        size = len(passed) - passed[::-1].index(True) if True in passed else 0
    else:
        size = passed.index(False) if False in passed else len(passed)
    if size == 0 or size >= int(parameters["min_entries_to_merge"]):
        return size
    waited = minutes_since(engine, line[0].created_at)
    return size if waited >= int(parameters["min_entries_to_merge_wait_minutes"]) else 0
