"""How a pull request stands: its stack, its checks, who reviewed it, and what is in the way of a merge."""

from __future__ import annotations

from dataclasses import dataclass

from stackr.sandbox import (
    accounts,
    checks,
    mergequeue,
    merging,
    native,
    objections,
    protection,
    pulls,
    queuegroups,
    reviews,
)
from stackr.sandbox.engine import Engine
from stackr.sandbox.model import CheckRun, PullRequest, Repository, User
from stackr.sandbox.web import links
from stackr.sandbox.web.markdown import Reference

METHOD_NAMES = {"squash": "Squash and merge", "rebase": "Rebase and merge", "merge": "Create a merge commit"}


@dataclass(frozen=True, slots=True)
class Check:
    """One check on the head: ``state`` is success, failure, pending, skipped or expected."""

    name: str
    state: str
    text: str
    required: bool


@dataclass(frozen=True, slots=True)
class Opinion:
    """What somebody thinks of it, or that they were asked; ``stale`` if it was given on an older head."""

    login: str
    state: str
    stale: bool


@dataclass(frozen=True, slots=True)
class MergeBox:
    """Whether and how it can be merged now; ``reasons`` is empty if nothing is in the way.

    ``waiting`` says what GitHub will do by itself. ``queue`` is the button of a base with a merge queue: enqueue or
    dequeue.
    """

    reasons: tuple[str, ...]
    waiting: str
    queue: str
    methods: tuple[tuple[str, str], ...]
    onto: Reference | None  # the open pull request whose branch the base is
    stack_size: int  # how many a merge of the native stack would take; 0 outside of one


def stack(engine: Engine, pull: PullRequest) -> list[tuple[Reference, bool]]:
    """The pull requests of the chain of bases through this one, newest on top; the flag marks this one.

    Upwards it goes on as long as there is exactly one open pull request on the head. Empty for a single one.
    """
    registered = native.stack_of(engine, pull)
    chain = native.members(engine, registered) if registered else _chain(engine, pull)
    return [(links.reference(engine, each), each is pull) for each in reversed(chain)] if len(chain) > 1 else []


def _chain(engine: Engine, pull: PullRequest) -> list[PullRequest]:
    known = [*_below(engine, pull), pull]
    return [*known, *_above(engine, pull, known)]


def _below(engine: Engine, pull: PullRequest) -> list[PullRequest]:
    found: list[PullRequest] = []
    while True:
        bases = engine.store.pulls.by(head_repo_id=pull.repo_id, head_ref=(found or [pull])[0].base_ref)
        bases = [p for p in bases if p.repo_id == pull.repo_id and p.state == "open" and p not in [*found, pull]]
        if not bases:
            return found
        found.insert(0, bases[-1])


def _above(engine: Engine, pull: PullRequest, known: list[PullRequest]) -> list[PullRequest]:
    found: list[PullRequest] = []
    every = engine.store.pulls.by(repo_id=pull.repo_id)
    while True:
        top = (found or [pull])[-1]
        heads = [p for p in every if p.state == "open" and p.base_ref == top.head_ref and p not in [*found, *known]]
        if len(heads) != 1 or top.head_repo_id != pull.repo_id:
            return found
        found.append(heads[0])


def all_checks(engine: Engine, pull: PullRequest) -> list[Check]:
    """Check runs, then statuses, then those that a rule waits for and nobody has reported."""
    repo = pulls.repository_of(engine, pull)
    rule = protection.parameters(engine, repo, pulls.target_branch(engine, pull), "required_status_checks") or {}
    required = [wanted["context"] for wanted in rule.get("required_status_checks", [])]
    found = [_run(run, run.name in required) for run in checks.check_runs(engine, repo, pull.head_oid)]
    for status in checks.latest_statuses(engine, repo, pull.head_oid):
        state = "failure" if status.state == "error" else status.state
        found.append(Check(status.context, state, status.description or status.state, status.context in required))
    reported = {check.name for check in found}
    found += [
        Check(name, "expected", "waiting for it to be reported", True) for name in required if name not in reported
    ]
    return found


def _run(run: CheckRun, required: bool) -> Check:
    if run.status != "completed":
        return Check(run.name, "pending", run.status.replace("_", " "), required)
    state = {"success": "success", "neutral": "skipped", "skipped": "skipped"}.get(run.conclusion or "", "failure")
    return Check(run.name, state, (run.conclusion or "").replace("_", " "), required)


def opinions(engine: Engine, pull: PullRequest) -> list[Opinion]:
    """The opinion of each reviewer that counts, else their last comment; then who was asked and has not answered."""
    newest = {r.author_id: r for r in reviews.latest_reviews(engine, pull)}
    newest.update({r.author_id: r for r in reviews.latest_opinionated(engine, pull)})
    given = [
        Opinion(accounts.user(engine, r.author_id).login, r.state.lower(), r.oid != pull.head_oid)
        for r in sorted(newest.values(), key=lambda review: review.id)
    ]
    return given + [Opinion(accounts.user(engine, key).login, "requested", False) for key in pull.reviewer_ids]


def merge_box(engine: Engine, viewer: User | None, pull: PullRequest) -> MergeBox:
    """What the merge box says to this viewer, for the method that the page offers first."""
    repo = pulls.repository_of(engine, pull)
    registered = native.stack_of(engine, pull)
    methods = _methods(repo)
    reasons = tuple(_reasons(engine, viewer, repo, pull, methods[0][0] if methods else "squash"))
    size = registered.pulls.index(pull.number) + 1 if registered else 0
    below = [] if registered else _below(engine, pull)[-1:]
    queue = ""
    if mergequeue.has_queue(engine, repo, pulls.target_branch(engine, pull)) and not registered:
        queue = "enqueue" if mergequeue.entry_of(engine, pull) is None else "dequeue"
    return MergeBox(
        reasons, _waiting(engine, pull), queue, methods, links.reference(engine, below[0]) if below else None, size
    )


def _waiting(engine: Engine, pull: PullRequest) -> str:
    entry = mergequeue.entry_of(engine, pull)
    if entry is not None:
        state = queuegroups.state(engine, entry).replace("_", " ").lower()
        return f"It is number {mergequeue.position(engine, entry)} in the merge queue of {entry.base_ref}: {state}."
    if pull.auto_merge is not None:
        who = accounts.user(engine, pull.auto_merge["enabled_by_id"]).login
        return f"It merges by itself once nothing is in the way: {who} switched on auto-merge."
    return ""


def _methods(repo: Repository) -> tuple[tuple[str, str], ...]:
    allowed = {
        "squash": repo.allow_squash_merge,
        "rebase": repo.allow_rebase_merge,
        "merge": repo.allow_merge_commit,
    }
    return tuple((method, METHOD_NAMES[method]) for method, on in allowed.items() if on)


def _reasons(engine: Engine, viewer: User | None, repo: Repository, pull: PullRequest, method: str) -> list[str]:
    reasons = []
    if pull.draft:
        reasons.append("It is still a draft.")
    if not computed_mergeable(engine, pull):
        reasons.append(f"It has conflicts with {pull.base_ref} that must be resolved.")
    queue = mergequeue.has_queue(engine, repo, pulls.target_branch(engine, pull))
    against = objections.against_enqueuing if queue else objections.against_merging
    reasons += [objection.text for objection in against(engine, viewer, pull, method)]
    if not accounts.may(engine, viewer, repo, "write"):
        who = viewer.login if viewer else "Somebody signed out"
        reasons.append(f"{who} has no write access to this repository.")
    if not _methods(repo):
        reasons.append("The settings of this repository allow no way of merging.")
    return reasons


def computed_mergeable(engine: Engine, pull: PullRequest) -> bool:
    """Whether it merges without conflict, waited for: GitHub's page shows a spinner until it is known."""
    for _ in range(engine.settings.mergeable_after):
        merging.mergeable(engine, pull)
    return bool(merging.mergeable(engine, pull))
