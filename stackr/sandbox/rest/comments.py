"""Comments on issues and pull requests."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import issues
from stackr.sandbox.model import Json
from stackr.sandbox.rest import threads
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page


def register(api: Api) -> None:
    """https://docs.github.com/rest/issues/comments."""
    engine = api.engine

    @api.get(f"{REPO}/issues/<int:number>/comments", "since", *PAGING)
    def list_comments(owner: str, name: str, number: int, params: dict[str, str]) -> Page:
        issue = issues.find_issue(engine, api.repo(owner, name), number)
        since = params.get("since", "")
        found = [row for row in issues.comments_of(engine, issue) if row.updated_at >= since]
        return Page(found, lambda row: threads.comment(engine, row))

    @api.write("POST", f"{REPO}/issues/<int:number>/comments", {"body": "string!"})
    def create(owner: str, name: str, number: int, body: dict[str, Any]) -> tuple[Json, int]:
        issue = issues.find_issue(engine, api.repo(owner, name), number)
        return threads.comment(engine, issues.add_comment(engine, api.me(), issue, body["body"])), 201

    @api.get(f"{REPO}/issues/comments/<int:comment>")
    def one(owner: str, name: str, comment: int) -> Json:
        return threads.comment(engine, issues.find_comment(engine, api.repo(owner, name), comment))

    @api.write("PATCH", f"{REPO}/issues/comments/<int:comment>", {"body": "string!"})
    def change(owner: str, name: str, comment: int, body: dict[str, Any]) -> Json:
        row = issues.find_comment(engine, api.repo(owner, name), comment)
        return threads.comment(engine, issues.update_comment(engine, api.me(), row, body["body"]))

    @api.write("DELETE", f"{REPO}/issues/comments/<int:comment>")
    def delete(owner: str, name: str, comment: int) -> None:
        row = issues.find_comment(engine, api.repo(owner, name), comment)
        issues.delete_comment(engine, api.me(), row)
