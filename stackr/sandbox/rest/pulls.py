"""Pull requests."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import asyncmerge, merging, native, pulls
from stackr.sandbox.errors import not_found
from stackr.sandbox.model import Json, PullRequest
from stackr.sandbox.rest import git_shapes, threads
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page
from stackr.sandbox.rest.inputs import one_of

_PULL = f"{REPO}/pulls/<int:number>"


def register(api: Api) -> None:
    """https://docs.github.com/rest/pulls/pulls."""
    _reading(api)
    _writing(api)
    _merging(api)


def _find(api: Api, owner: str, name: str, number: int) -> PullRequest:
    return pulls.find(api.engine, api.repo(owner, name), number)


def _reading(api: Api) -> None:
    engine = api.engine

    @api.get(f"{REPO}/pulls", "state", "head", "base", "sort", "direction", *PAGING)
    def list_pulls(owner: str, name: str, params: dict[str, str]) -> Page:
        state = one_of("state", params.get("state", "open"), "open", "closed", "all")
        sort = params.get("sort", "created")
        direction = params.get("direction", "desc" if sort == "created" else "asc")
        head = params.get("head", "")
        found = pulls.list_pulls(
            engine,
            api.repo(owner, name),
            states={"open": {"open"}, "closed": {"closed", "merged"}, "all": None}[state],
            # GitHub ignores a head that does not have the form owner:branch.
            head=head if ":" in head else None,
            base=params.get("base"),
            sort=sort,
            descending=direction == "desc",
        )
        return Page(found, lambda pull: threads.pull_simple(engine, pull, api.viewer))

    @api.get(_PULL)
    def one(owner: str, name: str, number: int) -> Json:
        return threads.pull_full(engine, _find(api, owner, name, number), api.viewer)

    @api.get(f"{_PULL}/commits", *PAGING)
    def commits(owner: str, name: str, number: int, params: dict[str, str]) -> Page:
        pull = _find(api, owner, name, number)
        repo = pulls.repository_of(engine, pull)
        return Page(pulls.commits(engine, pull)[:250], lambda info: git_shapes.commit(engine, repo, info))

    @api.get(f"{_PULL}/files", *PAGING)
    def files(owner: str, name: str, number: int, params: dict[str, str]) -> Page:
        pull = _find(api, owner, name, number)
        repo = pulls.repository_of(engine, pull)
        return Page(
            pulls.files(engine, pull),
            lambda change: git_shapes.diff_entry(engine, repo, change, pull.head_oid),
        )


def _writing(api: Api) -> None:
    engine = api.engine
    fields = {
        "title": "string!",
        "head": "string!",
        "base": "string!",
        "head_repo": "string",
        "body": "string?",
        "maintainer_can_modify": "boolean",
        "draft": "boolean",
    }

    @api.write("POST", f"{REPO}/pulls", fields)
    def create(owner: str, name: str, body: dict[str, Any]) -> tuple[Json, int]:
        repo = api.repo(owner, name)
        if "head_repo" in body:
            body["head_repo"] = api.repo(*_split(body["head_repo"], owner))
        pull = pulls.create_pull(engine, api.me(), repo, **body)
        return threads.pull_full(engine, pull, api.viewer, look=False), 201

    # No "draft": REST cannot change it, GraphQL can.
    changes = {
        "title": "string",
        "body": "string?",
        "state": "string",
        "base": "string",
        "maintainer_can_modify": "boolean",
    }

    @api.write("PATCH", _PULL, changes)
    def change(owner: str, name: str, number: int, body: dict[str, Any]) -> Json:
        if "state" in body:
            one_of("state", body["state"], "open", "closed")
        pull = _find(api, owner, name, number)
        pulls.update_pull(engine, api.me(), pull, **body)
        return threads.pull_full(engine, pull, api.viewer, look=False)


def _split(text: str, owner: str) -> tuple[str, str]:
    first, slash, second = text.partition("/")
    return (first, second) if slash else (owner, first)


def _merging(api: Api) -> None:
    engine = api.engine
    fields = {
        "commit_title": "string",
        "commit_message": "string",
        "sha": "string",
        "merge_method": "string",
    }

    @api.get(f"{_PULL}/merge")
    def is_merged(owner: str, name: str, number: int) -> None:
        pull = _find(api, owner, name, number)
        if not pull.merged:
            raise not_found()

    @api.write("PUT", f"{_PULL}/merge", fields)
    def merge(owner: str, name: str, number: int, body: dict[str, Any]) -> Json:
        oid = merging.merge_pull(
            engine,
            api.me(),
            _find(api, owner, name, number),
            method=body.get("merge_method", "merge"),
            sha=body.get("sha"),
            title=body.get("commit_title"),
            message=body.get("commit_message"),
        )
        return {"sha": oid, "merged": True, "message": "Pull Request successfully merged"}

    @api.write("PUT", f"{_PULL}/merge-async", {**fields, "merge_action": "string"})
    def merge_async(owner: str, name: str, number: int, body: dict[str, Any]) -> tuple[Json, int]:
        pull = _find(api, owner, name, number)
        native.require_enabled(pulls.repository_of(engine, pull))
        return asyncmerge.request_merge(
            engine,
            api.me(),
            pull,
            method=one_of("merge_method", body.get("merge_method", "default"), "default", *merging.METHODS),
            action=one_of(
                "merge_action", body.get("merge_action", "default"), "default", "direct_merge", "merge_queue"
            ),
            sha=body.get("sha"),
            title=body.get("commit_title"),
            message=body.get("commit_message"),
        )

    @api.get(f"{_PULL}/merge-async/<key>")
    def merge_result(owner: str, name: str, number: int, key: str) -> Json:
        pull = _find(api, owner, name, number)
        native.require_enabled(pulls.repository_of(engine, pull))
        return asyncmerge.result(engine, pull, key)

    @api.write("PUT", f"{_PULL}/update-branch", {"expected_head_sha": "string"})
    def update_branch(owner: str, name: str, number: int, body: dict[str, Any]) -> tuple[Json, int]:
        pull = _find(api, owner, name, number)
        merging.update_branch(engine, api.me(), pull, expected_head=body.get("expected_head_sha"))
        return {
            "message": "Updating pull request branch.",
            "url": threads.pull_simple(engine, pull, api.viewer)["url"],
        }, 202
