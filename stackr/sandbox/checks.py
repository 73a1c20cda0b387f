"""Commit statuses and check runs, and what they amount to.

Sources: https://docs.github.com/rest/commits/statuses, https://docs.github.com/rest/checks/runs. On GitHub only apps
may write check runs; here everybody with write access may, so that people and tests can play the CI.
"""

from __future__ import annotations

from collections.abc import Sequence

from stackr.sandbox import accounts
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, forbidden, not_found
from stackr.sandbox.git import HEADS
from stackr.sandbox.model import CheckRun, CheckSuite, Json, Repository, Status, Token, User

STATES = ("error", "failure", "pending", "success")
CONCLUSIONS = (
    "action_required",
    "cancelled",
    "failure",
    "neutral",
    "success",
    "skipped",
    "stale",
    "timed_out",
    "startup_failure",
)
RUN_STATUSES = ("queued", "in_progress", "completed", "waiting", "requested", "pending")
_PASSING = {"success", "neutral", "skipped"}


def require_checks_permission(engine: Engine, token: Token | None) -> None:
    """Fine-grained tokens cannot read checks (cli/cli#12597)."""
    if token is not None and not token.reads_checks:
        raise forbidden(
            "Resource not accessible by personal access token",
            headers={"X-Accepted-GitHub-Permissions": "checks=read"},
        )


def set_status(
    engine: Engine,
    viewer: User | None,
    repo: Repository,
    oid: str,
    *,
    context: str = "default",
    state: str,
    description: str | None = None,
    target_url: str | None = None,
) -> Status:
    """Put a status on a commit."""
    accounts.require(engine, viewer, repo, "write")
    if state not in STATES or viewer is None:
        raise ApiError(422, "Validation Failed", errors=[{"resource": "Status", "code": "custom", "field": "state"}])
    if engine.git(repo).commit(oid) is None:
        raise ApiError(422, f"No commit found for SHA: {oid}")
    with engine.transaction():
        row = Status(
            repo_id=repo.id,
            oid=oid,
            context=context,
            state=state,
            description=description,
            target_url=target_url,
            creator_id=viewer.id,
            created_at=engine.now(),
        )
        return engine.store.statuses.add(row)


def latest_statuses(engine: Engine, repo: Repository, oid: str) -> list[Status]:
    """The newest status of each context, in the order contexts appeared."""
    newest = {status.context: status for status in engine.store.statuses.by(repo_id=repo.id, oid=oid)}
    return list(newest.values())


def combined(states: Sequence[str]) -> str:
    """The combined state of statuses: failure if any failed, pending without any.

    https://docs.github.com/rest/commits/statuses#get-the-combined-status-for-a-specific-reference
    """
    if any(state in {"error", "failure"} for state in states):
        return "failure"
    return "success" if states and all(state == "success" for state in states) else "pending"


def add_check_run(
    engine: Engine,
    viewer: User | None,
    repo: Repository,
    *,
    oid: str,
    name: str,
    status: str = "queued",
    conclusion: str | None = None,
    external_id: str = "",
    details_url: str | None = None,
    started_at: str | None = None,
    completed_at: str | None = None,
    output: Json | None = None,
) -> CheckRun:
    """Start a check run on a commit."""
    accounts.require(engine, viewer, repo, "write")
    if engine.git(repo).commit(oid) is None:
        raise ApiError(422, f"No commit found for SHA: {oid}")
    with engine.transaction():
        run = CheckRun(
            repo_id=repo.id,
            suite_id=_suite(engine, repo, oid).id,
            oid=oid,
            name=name,
            external_id=external_id,
            details_url=details_url,
            started_at=started_at or engine.now(),
        )
        _change(engine, run, status, conclusion, completed_at, output)
        return engine.store.check_runs.add(run)


def update_check_run(
    engine: Engine,
    viewer: User | None,
    repo: Repository,
    run: CheckRun,
    *,
    status: str | None = None,
    conclusion: str | None = None,
    completed_at: str | None = None,
    output: Json | None = None,
    name: str | None = None,
    details_url: str | None = None,
) -> CheckRun:
    """Go on with a check run."""
    accounts.require(engine, viewer, repo, "write")
    with engine.transaction():
        run.name = name or run.name
        run.details_url = details_url or run.details_url
        _change(engine, run, status or run.status, conclusion, completed_at, output)
        return engine.store.check_runs.save(run)


def _change(
    engine: Engine,
    run: CheckRun,
    status: str,
    conclusion: str | None,
    completed_at: str | None,
    output: Json | None,
) -> None:
    if (conclusion is not None and conclusion not in CONCLUSIONS) or status not in RUN_STATUSES:
        raise ApiError(422, "Invalid request.", errors=[f"{conclusion or status} is not possible here"])
    if status == "completed" and conclusion is None and run.conclusion is None:
        raise ApiError(422, "Invalid request.", errors=["conclusion is required when status is completed"])
    if conclusion is not None:  # https://docs.github.com/rest/checks/runs: a conclusion completes it
        run.conclusion, run.status = conclusion, "completed"
        run.completed_at = completed_at or engine.now()
    elif status != "completed":
        run.status, run.conclusion, run.completed_at = status, None, None
    if output is not None:
        run.annotations.extend(output.get("annotations", []))
        run.output = {key: value for key, value in output.items() if key != "annotations"}


def put_check(
    engine: Engine, repo: Repository, *, oid: str, name: str, conclusion: str | None, log: str = ""
) -> CheckRun:
    """Play the CI in one call: a run of this name on this commit, with a conclusion or (None) in progress."""
    owner = accounts.owner(engine, repo)
    status = "in_progress" if conclusion is None else "completed"
    with engine.transaction():
        run = add_check_run(engine, owner, repo, oid=oid, name=name, status=status, conclusion=conclusion)
        run.log = log
        return engine.store.check_runs.save(run)


def _suite(engine: Engine, repo: Repository, oid: str) -> CheckSuite:
    suites_of_apps = engine.store.check_suites.by(repo_id=repo.id, oid=oid)
    known = [suite for suite in suites_of_apps if suite.workflow is None]
    if known:
        known[0].updated_at = engine.now()
        return engine.store.check_suites.save(known[0])
    row = CheckSuite(
        repo_id=repo.id,
        oid=oid,
        branch=branch_at(engine, repo, oid),
        created_at=engine.now(),
        updated_at=engine.now(),
    )
    return engine.store.check_suites.add(row)


def branch_at(engine: Engine, repo: Repository, oid: str) -> str | None:
    """A branch that points to a commit: the one that its checks ran for, as far as anybody can tell."""
    tips = engine.git(repo).refs.items()
    return next((name[len(HEADS) :] for name, tip in tips if tip == oid and name.startswith(HEADS)), None)


def find_check_run(engine: Engine, repo: Repository, run_id: int) -> CheckRun:
    """A check run of this repository by id; 404 without one."""
    run = engine.store.check_runs.get(run_id)
    if run is None or run.repo_id != repo.id:
        raise not_found()
    return run


def check_runs(engine: Engine, repo: Repository, oid: str, *, latest: bool = True) -> list[CheckRun]:
    """The check runs on a commit; of several with one name in a suite only the newest, unless all are wanted."""
    runs = engine.store.check_runs.by(repo_id=repo.id, oid=oid)
    return list({(run.suite_id, run.name): run for run in runs}.values()) if latest else runs


def suites(engine: Engine, repo: Repository, oid: str) -> list[CheckSuite]:
    """The check suites on a commit."""
    return engine.store.check_suites.by(repo_id=repo.id, oid=oid)


def suite_state(engine: Engine, suite: CheckSuite) -> tuple[str, str | None]:
    """Status and conclusion of a suite, from the newest runs in it."""
    runs = list({run.name: run for run in engine.store.check_runs.by(suite_id=suite.id)}.values())
    if suite.held:
        return ("completed", suite.held) if suite.held == "action_required" else (suite.held, None)
    if not runs:
        return "queued", None
    if any(run.status != "completed" for run in runs):
        return "in_progress", None
    bad = [run.conclusion for run in runs if run.conclusion not in _PASSING]
    return "completed", ("failure" if "failure" in bad else bad[0]) if bad else "success"


def rollup(engine: Engine, repo: Repository, oid: str) -> str | None:
    """ERROR, FAILURE, PENDING or SUCCESS over statuses and newest check runs; None where there is none.

    https://docs.github.com/graphql/reference/objects#statuscheckrollup
    """
    states = [_status_state(status) for status in latest_statuses(engine, repo, oid)]
    states += [_run_state(run) for run in check_runs(engine, repo, oid)]
    for state in ("FAILURE", "ERROR", "PENDING", "SUCCESS"):
        if state in states:
            return state
    return None


def _status_state(status: Status) -> str:
    return status.state.upper()


def _run_state(run: CheckRun) -> str:
    if run.status != "completed":
        return "PENDING"
    return "SUCCESS" if run.conclusion in _PASSING else "FAILURE"
