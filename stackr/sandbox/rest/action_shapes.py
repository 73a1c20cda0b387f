"""The JSON of workflow runs and jobs."""

from __future__ import annotations

from stackr.sandbox import accounts, actions, checks
from stackr.sandbox.engine import Engine
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import CheckRun, CheckSuite, Json, Repository
from stackr.sandbox.rest import check_shapes
from stackr.sandbox.rest.people import minimal_repository, repo_api, repo_page


def run(engine: Engine, repo: Repository, suite: CheckSuite, attempt: int) -> Json:
    """Schema workflow-run, of one attempt."""
    number = actions.run_number(suite)
    url = repo_api(engine, repo, f"/actions/runs/{number}")
    state, conclusion = checks.suite_state(engine, suite)
    info = engine.git(repo).need(suite.oid)
    earlier = f"{url}/attempts/{attempt - 1}" if attempt > 1 else None
    return {
        "id": number,
        "name": suite.workflow,
        "node_id": node_id("WorkflowRun", suite.id),
        "check_suite_id": suite.id,
        "check_suite_node_id": node_id("CheckSuite", suite.id),
        "head_branch": suite.branch,
        "head_sha": suite.oid,
        "path": f".github/workflows/{suite.workflow}",
        "run_number": suite.id,
        "run_attempt": attempt,
        "event": "pull_request",
        "display_title": info.headline,
        "status": state,
        "conclusion": conclusion,
        "workflow_id": suite.id,
        "url": url,
        "html_url": repo_page(engine, repo, f"/actions/runs/{number}"),
        "pull_requests": check_shapes.pulls_with(engine, repo, suite.oid),
        "created_at": suite.created_at,
        "updated_at": suite.updated_at,
        "run_started_at": suite.created_at,
        **{f"{name}_url": f"{url}/{name}" for name in ("jobs", "logs", "artifacts", "cancel", "rerun")},
        "check_suite_url": repo_api(engine, repo, f"/check-suites/{suite.id}"),
        "previous_attempt_url": earlier,
        "workflow_url": repo_api(engine, repo, f"/actions/workflows/{suite.id}"),
        "head_commit": check_shapes.head_commit(info),
        "repository": minimal_repository(engine, repo),
        "head_repository": minimal_repository(engine, repo),
    }


def job(engine: Engine, repo: Repository, row: CheckRun) -> Json:
    """Schema job: a check run as Actions sees it, under the same number."""
    suite = actions.suite_of(engine, row)
    run_url = repo_api(engine, repo, f"/actions/runs/{actions.run_number(suite)}")
    return {
        "id": row.id,
        "run_id": actions.run_number(suite),
        "run_url": run_url,
        "run_attempt": row.attempt,
        "node_id": node_id("CheckRun", row.id),
        "head_sha": row.oid,
        "head_branch": suite.branch,
        "workflow_name": suite.workflow,
        "url": repo_api(engine, repo, f"/actions/jobs/{row.id}"),
        "html_url": actions.page_of(engine, repo, row),
        "status": row.status,
        "conclusion": row.conclusion,
        "created_at": row.started_at,
        "started_at": row.started_at,
        "completed_at": row.completed_at,
        "name": row.name,
        "steps": [_step(row, number, step) for number, step in enumerate(row.steps, 1)],
        "check_run_url": repo_api(engine, repo, f"/check-runs/{row.id}"),
        "labels": ["ubuntu-latest"],
        "runner_id": 1 if row.runner else None,
        "runner_name": row.runner,
        "runner_group_id": 1 if row.runner else None,
        "runner_group_name": accounts.owner(engine, repo).login if row.runner else None,
    }


def _step(row: CheckRun, number: int, step: Json) -> Json:
    done = step.get("conclusion") is not None
    return {
        "name": step["name"],
        "status": "completed" if done else "in_progress",
        "conclusion": step.get("conclusion"),
        "number": number,
        "started_at": row.started_at,
        "completed_at": row.completed_at,
    }
