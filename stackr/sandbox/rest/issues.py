"""Issues, labels, milestones; pull requests seen as issues."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import accounts, issues, pulls
from stackr.sandbox.errors import ApiError, not_found
from stackr.sandbox.model import Issue, Json, Label, PullRequest
from stackr.sandbox.rest import threads
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page
from stackr.sandbox.rest.inputs import one_of, strings

_ISSUE = f"{REPO}/issues/<int:number>"
_TEXT = {"title": "string", "body": "string?", "state": "string", "state_reason": "string?"}
_LINKS = {"labels": "array", "assignees": "array", "assignee": "string?", "milestone": "integer?"}


def register(api: Api) -> None:
    """https://docs.github.com/rest/issues."""
    _issues(api)
    _labels(api)


def _issues(api: Api) -> None:
    engine = api.engine

    @api.get(f"{REPO}/issues", "state", "labels", "sort", "direction", *PAGING)
    def list_issues(owner: str, name: str, params: dict[str, str]) -> Page:
        repo = api.repo(owner, name)
        state = one_of("state", params.get("state", "open"), "open", "closed", "all")
        wanted = {label.lower() for label in params.get("labels", "").split(",") if label}
        found = [
            row
            for row in issues.list_issues(engine, repo)
            if state in ("all", row.state) and wanted <= {label.name.lower() for label in issues.labels_of(engine, row)}
        ]
        if params.get("direction", "desc") == "desc":
            found.reverse()
        return Page(found, lambda row: threads.issue(engine, row))

    @api.get(_ISSUE)
    def one(owner: str, name: str, number: int) -> Json:
        return threads.issue(engine, issues.find_issue(engine, api.repo(owner, name), number))

    @api.write(
        "POST", f"{REPO}/issues", {"title": "string!", "body": "string?", "labels": "array", "assignees": "array"}
    )
    def create(owner: str, name: str, body: dict[str, Any]) -> tuple[Json, int]:
        row = issues.create_issue(engine, api.me(), api.repo(owner, name), **body)
        return threads.issue(engine, row), 201

    @api.write("PATCH", _ISSUE, {**_TEXT, **_LINKS})
    def change(owner: str, name: str, number: int, body: dict[str, Any]) -> Json:
        row = issues.find_issue(engine, api.repo(owner, name), number)
        _change_links(api, row, body)
        text = {key: value for key, value in body.items() if key in _TEXT}
        if isinstance(row, PullRequest):
            text.pop("state_reason", None)
            pulls.update_pull(engine, api.me(), row, **text)
        else:
            issues.update_issue(engine, api.me(), row, **text)
        return threads.issue(engine, row)

    @api.write("POST", f"{_ISSUE}/assignees", {"assignees": "array!"})
    def assign(owner: str, name: str, number: int, body: dict[str, Any]) -> tuple[Json, int]:
        row = issues.find_issue(engine, api.repo(owner, name), number)
        issues.assign(engine, api.me(), row, strings("assignees", body["assignees"]))
        return threads.issue(engine, row), 201

    @api.write("DELETE", f"{_ISSUE}/assignees", {"assignees": "array!"})
    def unassign(owner: str, name: str, number: int, body: dict[str, Any]) -> Json:
        row = issues.find_issue(engine, api.repo(owner, name), number)
        issues.assign(engine, api.me(), row, strings("assignees", body["assignees"]), on=False)
        return threads.issue(engine, row)


def _change_links(api: Api, row: Issue, body: dict[str, Any]) -> None:
    me = api.me()
    if "labels" in body:
        issues.set_labels(api.engine, me, row, _names(body["labels"]))
    if "milestone" in body:
        issues.set_milestone(api.engine, me, row, body["milestone"])
    if "assignees" in body or body.get("assignee"):
        wanted = strings("assignees", body.get("assignees", [body.get("assignee")]))
        present = [accounts.user(api.engine, key).login for key in row.assignee_ids]
        issues.assign(api.engine, me, row, [login for login in present if login not in wanted], on=False)
        issues.assign(api.engine, me, row, wanted)


def _names(values: list[Any]) -> list[str]:
    """Labels may be given by name or as objects with a name."""
    return strings("labels", [value.get("name") if isinstance(value, dict) else value for value in values])


def _labels(api: Api) -> None:
    engine = api.engine

    @api.get(f"{REPO}/labels", *PAGING)
    def of_repository(owner: str, name: str, params: dict[str, str]) -> Page:
        repo = api.repo(owner, name)
        return Page(engine.store.labels.by(repo_id=repo.id), lambda row: threads.label(engine, repo, row))

    @api.get(f"{REPO}/labels/<label>")
    def one_label(owner: str, name: str, label: str) -> Json:
        repo = api.repo(owner, name)
        row = issues.find_label(engine, repo, label)
        if row is None:
            raise not_found()
        return threads.label(engine, repo, row)

    @api.write("POST", f"{REPO}/labels", {"name": "string!", "color": "string", "description": "string?"})
    def create_label(owner: str, name: str, body: dict[str, Any]) -> tuple[Json, int]:
        repo = api.repo(owner, name)
        accounts.require(engine, api.me(), repo, "triage")
        if issues.find_label(engine, repo, body["name"]):
            error = {"resource": "Label", "code": "already_exists", "field": "name"}
            raise ApiError(422, "Validation Failed", errors=[error])
        row = engine.store.labels.add(Label(repo_id=repo.id, **body))
        return threads.label(engine, repo, row), 201

    @api.get(f"{_ISSUE}/labels", *PAGING)
    def of_issue(owner: str, name: str, number: int, params: dict[str, str]) -> Page:
        repo = api.repo(owner, name)
        rows = issues.labels_of(engine, issues.find_issue(engine, repo, number))
        return Page(rows, lambda row: threads.label(engine, repo, row))

    @api.write("POST", f"{_ISSUE}/labels", {"labels": "array!"})
    def add(owner: str, name: str, number: int, body: dict[str, Any]) -> list[Json]:
        repo = api.repo(owner, name)
        row = issues.find_issue(engine, repo, number)
        found = issues.add_labels(engine, api.me(), row, _names(body["labels"]))
        return [threads.label(engine, repo, label) for label in found]

    @api.write("PUT", f"{_ISSUE}/labels", {"labels": "array!"})
    def replace(owner: str, name: str, number: int, body: dict[str, Any]) -> list[Json]:
        repo = api.repo(owner, name)
        row = issues.find_issue(engine, repo, number)
        found = issues.set_labels(engine, api.me(), row, _names(body["labels"]))
        return [threads.label(engine, repo, label) for label in found]

    @api.write("DELETE", f"{_ISSUE}/labels/<label>")
    def remove(owner: str, name: str, number: int, label: str) -> list[Json]:
        repo = api.repo(owner, name)
        row = issues.find_issue(engine, repo, number)
        found = issues.remove_labels(engine, api.me(), row, [label])
        return [threads.label(engine, repo, one) for one in found]
