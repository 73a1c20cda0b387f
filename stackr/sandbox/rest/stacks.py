"""Native stacks."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import accounts, native
from stackr.sandbox.errors import ApiError
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Json, NativeStack, PullRequest
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page
from stackr.sandbox.rest.people import repo_api, repo_page, simple_user

_STACK = f"{REPO}/stacks/<int:number>"


def register(api: Api) -> None:
    """https://docs.github.com/rest/pulls/stacks."""
    engine = api.engine

    @api.get(f"{REPO}/stacks", "pull_request", *PAGING)
    def list_stacks(owner: str, name: str, params: dict[str, str]) -> Page:
        wanted = params.get("pull_request")
        found = native.list_stacks(engine, api.repo(owner, name), int(wanted) if wanted else None)
        return Page(found, lambda stack: _minimal(api, stack))

    @api.write("POST", f"{REPO}/stacks", {"pull_requests": "array!"})
    def create(owner: str, name: str, body: dict[str, Any]) -> tuple[Json, int]:
        repo = api.repo(owner, name)
        native.require_enabled(repo)
        return _full(api, native.create_stack(engine, api.me(), repo, _numbers(body))), 201

    @api.get(_STACK)
    def one(owner: str, name: str, number: int) -> Json:
        return _full(api, native.find_stack(engine, api.repo(owner, name), number))

    @api.write("POST", f"{_STACK}/add", {"pull_requests": "array!"})
    def add(owner: str, name: str, number: int, body: dict[str, Any]) -> Json:
        repo = api.repo(owner, name)
        stack = native.find_stack(engine, repo, number)
        return _full(api, native.add_on_top(engine, api.me(), repo, stack, _numbers(body)))

    @api.write("POST", f"{_STACK}/unstack")
    def unstack(owner: str, name: str, number: int) -> Json | None:
        repo = api.repo(owner, name)
        left = native.unstack(engine, api.me(), repo, native.find_stack(engine, repo, number))
        return _full(api, left) if left else None


def _numbers(body: dict[str, Any]) -> list[int]:
    values = body["pull_requests"]
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        raise ApiError(422, "Invalid request.\n\nFor 'properties/pull_requests', not all of it are integers.")
    return list(values)


def _minimal(api: Api, stack: NativeStack) -> Json:
    """Schema pull-request-stack-minimal."""
    engine = api.engine
    repo = engine.store.repositories.need(stack.repo_id)
    chain = native.members(engine, stack)
    return {
        "id": stack.id,
        "number": stack.number,
        "node_id": node_id("Stack", stack.id),
        "url": repo_api(engine, repo, f"/stacks/{stack.number}"),
        "base": {"ref": stack.base_ref},
        "pull_requests": [
            {
                "number": pull.number,
                "state": pull.state,
                "draft": pull.draft,
                "merged_at": pull.merged_at,
                "head": {"ref": pull.head_ref, "sha": pull.head_oid},
            }
            for pull in chain
        ],
        "open": any(pull.state == "open" for pull in chain),
        "created_at": stack.created_at,
    }


def _full(api: Api, stack: NativeStack) -> Json:
    chain = native.members(api.engine, stack)
    return {**_minimal(api, stack), "pull_requests": [_member(api, pull) for pull in chain]}


def _member(api: Api, pull: PullRequest) -> Json:
    """Schema pull-request-stack-pull-request."""
    engine = api.engine
    repo = engine.store.repositories.need(pull.repo_id)
    small = {"id": repo.id, "url": repo_api(engine, repo), "name": repo.name}
    return {
        "id": pull.id,
        "number": pull.number,
        "url": repo_api(engine, repo, f"/pulls/{pull.number}"),
        "head": {"ref": pull.head_ref, "sha": pull.head_oid, "repo": small},
        "base": {"ref": pull.base_ref, "sha": pull.base_oid, "repo": small},
        "node_id": node_id("PullRequest", pull.id),
        "title": pull.title,
        "state": pull.state,
        "merged_at": pull.merged_at,
        "draft": pull.draft,
        "html_url": repo_page(engine, repo, f"/pull/{pull.number}"),
        "user": simple_user(engine, accounts.user(engine, pull.author_id)),
    }
