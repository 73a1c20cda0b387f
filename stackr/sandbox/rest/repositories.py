"""A repository and its settings, forks, who may do what."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import accounts, repositories
from stackr.sandbox.errors import not_found
from stackr.sandbox.model import Json
from stackr.sandbox.rest import people
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page

_SETTINGS = {
    "private": "boolean",
    "archived": "boolean",
    "default_branch": "string",
    "description": "string?",
    "allow_merge_commit": "boolean",
    "allow_squash_merge": "boolean",
    "allow_rebase_merge": "boolean",
    "allow_auto_merge": "boolean",
    "allow_update_branch": "boolean",
    "delete_branch_on_merge": "boolean",
    "squash_merge_commit_title": "string",
    "squash_merge_commit_message": "string",
    "merge_commit_title": "string",
    "merge_commit_message": "string",
}


def register(api: Api) -> None:
    """https://docs.github.com/rest/repos/repos."""
    engine = api.engine

    @api.get(REPO)
    def read(owner: str, name: str) -> Json:
        return people.full_repository(engine, api.repo(owner, name), api.viewer)

    @api.write("PATCH", REPO, _SETTINGS)
    def change(owner: str, name: str, body: dict[str, Any]) -> Json:
        repo = api.repo(owner, name)
        accounts.require(engine, api.viewer, repo, "admin")
        repositories.change(engine, repo, **body)
        return people.full_repository(engine, repo, api.viewer)

    @api.write("POST", f"{REPO}/forks", {"name": "string", "default_branch_only": "boolean"})
    def fork(owner: str, name: str, body: dict[str, Any]) -> tuple[Json, int]:
        made = repositories.fork(engine, api.repo(owner, name), api.me())
        return people.full_repository(engine, made, api.viewer), 202

    @api.get(f"{REPO}/assignees", *PAGING)
    def assignees(owner: str, name: str, params: dict[str, str]) -> Page:
        found = accounts.assignable(engine, api.repo(owner, name))
        return Page(found, lambda user: people.simple_user(engine, user))

    @api.get(f"{REPO}/collaborators/<login>/permission")
    def permission(owner: str, name: str, login: str) -> Json:
        repo, user = api.repo(owner, name), accounts.user_by_login(engine, login)
        if user is None:
            raise not_found()
        level = accounts.permission(engine, user, repo)
        old_name = {"triage": "read", "maintain": "write"}.get(level, level)
        shown = {
            **people.simple_user(engine, user),
            "permissions": people.permissions(engine, repo, user),
            "role_name": level,
        }
        return {"permission": old_name, "role_name": level, "user": shown}
