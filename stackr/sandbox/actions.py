"""GitHub Actions, as far as a client reads it: runs of workflows, their jobs in several attempts, and logs.

A run is a check suite, a job is a check run under the same number. Nothing is ever executed: tests and people say how
jobs went. Sources: https://docs.github.com/rest/actions/workflow-runs, https://docs.github.com/rest/actions/workflow-jobs.
"""

from __future__ import annotations

from collections.abc import Sequence

from stackr.sandbox import accounts, checks
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, forbidden, not_found
from stackr.sandbox.model import CheckRun, CheckSuite, Json, Repository, Token, User

APP = "github-actions"
# A run and its check suite have different numbers on GitHub; here, too, so that nobody takes one for the other.
_RUNS = 9_000_000


def require_permission(token: Token | None) -> None:
    """Refuse a token without "Actions: read"."""
    if token is not None and not token.reads_actions:
        raise forbidden(
            "Resource not accessible by personal access token",
            headers={"X-Accepted-GitHub-Permissions": "actions=read"},
        )


def run_number(suite: CheckSuite) -> int:
    """The number of the workflow run behind a check suite."""
    return _RUNS + suite.id


def runs(engine: Engine, repo: Repository, oid: str | None = None) -> list[CheckSuite]:
    """The workflow runs of a repository, or of one commit, newest first."""
    rows = [suite for suite in engine.store.check_suites.all() if suite.repo_id == repo.id and suite.workflow]
    return [suite for suite in rows if oid in (None, suite.oid)][::-1]


def find_run(engine: Engine, repo: Repository, number: int) -> CheckSuite:
    """A run of this repository by its number; 404 without one."""
    suite = engine.store.check_suites.get(number - _RUNS)
    if suite is None or suite.repo_id != repo.id or suite.workflow is None:
        raise not_found()
    return suite


def find_job(engine: Engine, repo: Repository, number: int) -> CheckRun:
    """A job of this repository by its number; 404 without one, and for other apps' check runs."""
    job = engine.store.check_runs.get(number)
    if job is None or job.repo_id != repo.id or suite_of(engine, job).workflow is None:
        raise not_found()
    return job


def suite_of(engine: Engine, job: CheckRun) -> CheckSuite:
    """The run that a job belongs to."""
    return engine.store.check_suites.need(job.suite_id)


def jobs(engine: Engine, suite: CheckSuite, *, attempt: int | None = None, every: bool = False) -> list[CheckRun]:
    """The jobs of a run: of one attempt, of every attempt, or by default the latest of each name."""
    found = engine.store.check_runs.by(suite_id=suite.id)
    if attempt is not None:
        return [job for job in found if job.attempt == attempt]
    return found if every else list({job.name: job for job in found}.values())


def log_of(viewer: User | None, job: CheckRun) -> str:
    """A job's log, for those who are signed in; 404 while it runs or where it left none, 410 once it is gone."""
    if viewer is None:
        raise forbidden("Must have admin rights to Repository.")
    if job.log_expired:
        raise ApiError(410, "The logs for this run have expired and are no longer available.")
    if job.status != "completed" or not job.log:
        raise not_found()
    return job.log


# -- playing the CI ----------------------------------------------------------------------------------------


def put_job(
    engine: Engine,
    repo: Repository,
    *,
    oid: str,
    name: str,
    conclusion: str | None,
    log: str = "",
    annotations: Sequence[Json | str] = (),
    attempt: int = 1,
    workflow: str = "CI",
    steps: Sequence[Json] | None = None,
    runner: str | None = "GitHub Actions 1",
    expired: bool = False,
) -> CheckRun:
    """A job of a workflow on a commit, as it ended; ``conclusion`` None: it is in progress.

    All attempts of a workflow on a commit are one run. An annotation that is a text is a failure, at the place where
    GitHub puts those that name none. Without ``steps`` there are two, and the second ends as the job does.
    """
    with engine.transaction():
        suite = _run_of(engine, repo, oid, workflow)
        suite.attempt, suite.held, suite.updated_at = max(suite.attempt, attempt), "", engine.now()
        engine.store.check_suites.save(suite)
        job = CheckRun(
            repo_id=repo.id,
            suite_id=suite.id,
            oid=oid,
            name=name,
            status="in_progress" if conclusion is None else "completed",
            conclusion=conclusion,
            started_at=engine.now(),
            completed_at=None if conclusion is None else engine.now(),
            annotations=[_annotation(one) for one in annotations],
            log=log,
            log_expired=expired,
            attempt=attempt,
            steps=list(_steps(conclusion) if steps is None else steps),
            runner=runner,
        )
        engine.store.check_runs.add(job)
        job.details_url = page_of(engine, repo, job)
        return engine.store.check_runs.save(job)


def hold(engine: Engine, repo: Repository, *, oid: str, workflow: str, status: str = "action_required") -> CheckSuite:
    """A run that has not begun: somebody must approve it ("action_required"), or a deployment is ("waiting").

    https://docs.github.com/actions/how-tos/manage-workflow-runs/approve-runs-from-forks
    """
    with engine.transaction():
        suite = _run_of(engine, repo, oid, workflow)
        suite.held = status
        return engine.store.check_suites.save(suite)


def page_of(engine: Engine, repo: Repository, job: CheckRun) -> str:
    """The page of a job."""
    run = run_number(suite_of(engine, job))
    return f"{engine.url}/{accounts.full_name(engine, repo)}/actions/runs/{run}/job/{job.id}"


def _run_of(engine: Engine, repo: Repository, oid: str, workflow: str) -> CheckSuite:
    if engine.git(repo).commit(oid) is None:
        raise ApiError(422, f"No commit found for SHA: {oid}")
    known = [suite for suite in runs(engine, repo, oid) if suite.workflow == workflow]
    if known:
        return known[0]
    return engine.store.check_suites.add(
        CheckSuite(
            repo_id=repo.id,
            oid=oid,
            branch=checks.branch_at(engine, repo, oid),
            app=APP,
            workflow=workflow,
            created_at=engine.now(),
            updated_at=engine.now(),
        )
    )


def _annotation(given: Json | str) -> Json:
    if not isinstance(given, str):
        return given
    return {"path": ".github", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": given}


def _steps(conclusion: str | None) -> list[Json]:
    return [{"name": "Set up job", "conclusion": "success"}, {"name": "Run", "conclusion": conclusion}]
