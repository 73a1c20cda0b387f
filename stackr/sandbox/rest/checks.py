"""Statuses and check runs."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import checks
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import CheckRun, Json
from stackr.sandbox.request import current
from stackr.sandbox.rest import check_shapes
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page
from stackr.sandbox.rest.commits import find_commit

_RUN = f"{REPO}/check-runs/<int:run>"
_COMMIT = f"{REPO}/commits/<path:ref>"
_STATUS = {"state": "string!", "context": "string", "description": "string?", "target_url": "string?"}
_FIELDS = {
    "name": "string",
    "status": "string",
    "conclusion": "string",
    "external_id": "string",
    "details_url": "string",
    "started_at": "string",
    "completed_at": "string",
    "output": "object",
}


def register(api: Api) -> None:
    """https://docs.github.com/rest/commits/statuses, .../checks/runs."""
    _statuses(api)
    _runs(api)


def _statuses(api: Api) -> None:
    engine = api.engine

    @api.get(f"{_COMMIT}/status", *PAGING)
    def combined(owner: str, name: str, ref: str, params: dict[str, str]) -> Json:
        repo = api.repo(owner, name)
        return check_shapes.combined_status(engine, repo, find_commit(engine, repo, ref).oid)

    @api.get(f"{_COMMIT}/statuses", *PAGING)
    def list_statuses(owner: str, name: str, ref: str, params: dict[str, str]) -> Page:
        repo = api.repo(owner, name)
        oid = find_commit(engine, repo, ref).oid
        rows = engine.store.statuses.by(repo_id=repo.id, oid=oid)[::-1]
        return Page(rows, lambda row: check_shapes.status(engine, repo, row))

    @api.write("POST", f"{REPO}/statuses/<oid>", _STATUS)
    def create_status(owner: str, name: str, oid: str, body: dict[str, Any]) -> tuple[Json, int]:
        repo = api.repo(owner, name)
        row = checks.set_status(engine, api.me(), repo, oid, **body)
        return check_shapes.status(engine, repo, row), 201


def _runs(api: Api) -> None:
    engine = api.engine

    @api.get(f"{_COMMIT}/check-runs", "check_name", "status", "filter", *PAGING)
    def of_commit(owner: str, name: str, ref: str, params: dict[str, str]) -> Page:
        checks.require_checks_permission(engine, current().token)
        repo = api.repo(owner, name)
        latest = params.get("filter", "latest") == "latest"
        found = checks.check_runs(engine, repo, find_commit(engine, repo, ref).oid, latest=latest)
        rows = [run for run in found if _wanted(run, params)]
        return Page(rows, lambda run: check_shapes.check_run(engine, repo, run), wrap="check_runs")

    @api.get(f"{_COMMIT}/check-suites", *PAGING)
    def suites(owner: str, name: str, ref: str, params: dict[str, str]) -> Page:
        checks.require_checks_permission(engine, current().token)
        repo = api.repo(owner, name)
        rows = checks.suites(engine, repo, find_commit(engine, repo, ref).oid)
        return Page(rows, lambda row: check_shapes.check_suite(engine, repo, row), wrap="check_suites")

    @api.write("POST", f"{REPO}/check-runs", {**_FIELDS, "name": "string!", "head_sha": "string!"})
    def create(owner: str, name: str, body: dict[str, Any]) -> tuple[Json, int]:
        repo = api.repo(owner, name)
        body["oid"] = body.pop("head_sha")
        return check_shapes.check_run(engine, repo, checks.add_check_run(engine, api.me(), repo, **body)), 201

    @api.get(_RUN)
    def one(owner: str, name: str, run: int) -> Json:
        checks.require_checks_permission(engine, current().token)
        repo = api.repo(owner, name)
        return check_shapes.check_run(engine, repo, checks.find_check_run(engine, repo, run))

    @api.write("PATCH", _RUN, _FIELDS)
    def change(owner: str, name: str, run: int, body: dict[str, Any]) -> Json:
        repo = api.repo(owner, name)
        fixed = {"external_id", "started_at"} & set(body)
        if fixed:
            raise ApiError(422, "Invalid request.", errors=[f"{', '.join(sorted(fixed))} cannot change here"])
        row = checks.update_check_run(engine, api.me(), repo, checks.find_check_run(engine, repo, run), **body)
        return check_shapes.check_run(engine, repo, row)

    @api.get(f"{_RUN}/annotations", *PAGING)
    def annotations(owner: str, name: str, run: int, params: dict[str, str]) -> Page:
        checks.require_checks_permission(engine, current().token)
        repo = api.repo(owner, name)
        row = checks.find_check_run(engine, repo, run)
        return Page(row.annotations, lambda note: check_shapes.annotation(engine, repo, row, note))


def _wanted(run: CheckRun, params: dict[str, str]) -> bool:
    return params.get("check_name", run.name) == run.name and params.get("status", run.status) == run.status
