"""GitHub Actions: runs of workflows, jobs, logs."""

from __future__ import annotations

from flask import Response

from stackr.sandbox import actions, checks
from stackr.sandbox.errors import not_found
from stackr.sandbox.model import CheckSuite, Json, Repository
from stackr.sandbox.request import current
from stackr.sandbox.rest import action_shapes, joblogs
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page
from stackr.sandbox.rest.inputs import one_of

_RUN = f"{REPO}/actions/runs/<int:number>"
_JOB = f"{REPO}/actions/jobs/<int:number>"


def register(api: Api) -> None:
    """https://docs.github.com/rest/actions/workflow-runs, .../workflow-jobs."""
    _runs(api)
    _jobs(api)


def _repo(api: Api, owner: str, name: str) -> Repository:
    actions.require_permission(current().token)
    return api.repo(owner, name)


def _runs(api: Api) -> None:
    engine = api.engine

    @api.get(f"{REPO}/actions/runs", "head_sha", "branch", "status", "check_suite_id", *PAGING)
    def list_runs(owner: str, name: str, params: dict[str, str]) -> Page:
        repo = _repo(api, owner, name)
        found = [row for row in actions.runs(engine, repo, params.get("head_sha")) if _wanted(api, row, params)]
        return Page(found, lambda row: action_shapes.run(engine, repo, row, row.attempt), wrap="workflow_runs")

    @api.get(_RUN)
    def one(owner: str, name: str, number: int) -> Json:
        repo = _repo(api, owner, name)
        row = actions.find_run(engine, repo, number)
        return action_shapes.run(engine, repo, row, row.attempt)

    @api.get(f"{_RUN}/attempts/<int:attempt>")
    def one_attempt(owner: str, name: str, number: int, attempt: int) -> Json:
        repo = _repo(api, owner, name)
        return action_shapes.run(engine, repo, _attempted(api, repo, number, attempt), attempt)


def _wanted(api: Api, row: CheckSuite, params: dict[str, str]) -> bool:
    state = checks.suite_state(api.engine, row)
    return (
        params.get("branch", row.branch) == row.branch
        and params.get("check_suite_id", str(row.id)) == str(row.id)
        and ("status" not in params or params["status"] in state)
    )


def _attempted(api: Api, repo: Repository, number: int, attempt: int) -> CheckSuite:
    """The run, if there was such an attempt of it."""
    row = actions.find_run(api.engine, repo, number)
    if not 1 <= attempt <= row.attempt:
        raise not_found()
    return row


def _jobs(api: Api) -> None:
    engine = api.engine

    @api.get(f"{_RUN}/jobs", "filter", *PAGING)
    def of_run(owner: str, name: str, number: int, params: dict[str, str]) -> Page:
        repo = _repo(api, owner, name)
        every = one_of("filter", params.get("filter", "latest"), "latest", "all") == "all"
        rows = actions.jobs(engine, actions.find_run(engine, repo, number), every=every)
        return Page(rows, lambda job: action_shapes.job(engine, repo, job), wrap="jobs")

    @api.get(f"{_RUN}/attempts/<int:attempt>/jobs", *PAGING)
    def of_attempt(owner: str, name: str, number: int, attempt: int, params: dict[str, str]) -> Page:
        repo = _repo(api, owner, name)
        rows = actions.jobs(engine, _attempted(api, repo, number, attempt), attempt=attempt)
        return Page(rows, lambda job: action_shapes.job(engine, repo, job), wrap="jobs")

    @api.get(_JOB)
    def one_job(owner: str, name: str, number: int) -> Json:
        repo = _repo(api, owner, name)
        return action_shapes.job(engine, repo, actions.find_job(engine, repo, number))

    @api.get(f"{_JOB}/logs")
    def log(owner: str, name: str, number: int) -> Response:
        repo = _repo(api, owner, name)
        job = actions.find_job(engine, repo, number)
        actions.log_of(api.viewer, job)
        return Response(status=302, headers={"Location": joblogs.address(engine, job)})
