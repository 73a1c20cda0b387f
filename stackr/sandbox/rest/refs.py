"""Git refs and git objects."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import accounts, refs
from stackr.sandbox.errors import ApiError, not_found
from stackr.sandbox.model import ZERO_OID, Json
from stackr.sandbox.rest import git_shapes
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page


def register(api: Api) -> None:
    """https://docs.github.com/rest/git/refs, .../git/commits."""
    engine = api.engine

    @api.get(f"{REPO}/git/ref/<path:ref>")
    def one(owner: str, name: str, ref: str) -> Json:
        repo = api.repo(owner, name)
        oid = refs.get_ref(engine, repo, f"refs/{ref}")
        if oid is None:
            raise not_found()
        return git_shapes.ref(engine, repo, f"refs/{ref}", oid)

    @api.get(f"{REPO}/git/matching-refs/<path:ref>", *PAGING)
    def matching(owner: str, name: str, ref: str, params: dict[str, str]) -> Page:
        repo = api.repo(owner, name)
        found = refs.list_refs(engine, repo, f"refs/{ref}")
        return Page(found, lambda pair: git_shapes.ref(engine, repo, *pair))

    @api.write("POST", f"{REPO}/git/refs", {"ref": "string!", "sha": "string!"})
    def create(owner: str, name: str, body: dict[str, Any]) -> tuple[Json, int]:
        repo = api.repo(owner, name)
        change = refs.RefChange(body["ref"], body["sha"], ZERO_OID)
        refs.update_refs(engine, api.me(), repo, [change])
        return git_shapes.ref(engine, repo, body["ref"], body["sha"]), 201

    @api.write("PATCH", f"{REPO}/git/refs/<path:ref>", {"sha": "string!", "force": "boolean"})
    def update(owner: str, name: str, ref: str, body: dict[str, Any]) -> Json:
        repo, full = api.repo(owner, name), f"refs/{ref}"
        if refs.get_ref(engine, repo, full) is None:
            raise ApiError(422, "Reference does not exist")
        change = refs.RefChange(full, body["sha"], force=body.get("force", False))
        refs.update_refs(engine, api.me(), repo, [change])
        return git_shapes.ref(engine, repo, full, body["sha"])

    @api.write("DELETE", f"{REPO}/git/refs/<path:ref>")
    def delete(owner: str, name: str, ref: str) -> None:
        repo = api.repo(owner, name)
        refs.update_refs(engine, api.me(), repo, [refs.RefChange(f"refs/{ref}", ZERO_OID)])

    @api.get(f"{REPO}/git/commits/<oid>")
    def commit(owner: str, name: str, oid: str) -> Json:
        repo = api.repo(owner, name)
        info = engine.git(repo).commit(oid)
        if info is None:
            raise not_found()
        return git_shapes.git_commit(engine, repo, info)

    @api.write(
        "POST",
        f"{REPO}/git/commits",
        {"message": "string!", "tree": "string!", "parents": "array", "author": "object", "committer": "object"},
    )
    def write_commit(owner: str, name: str, body: dict[str, Any]) -> tuple[Json, int]:
        repo, me = api.repo(owner, name), api.me()
        accounts.require(engine, me, repo, "write")
        return git_shapes.git_commit(engine, repo, refs.write_commit(engine, me, repo, body)), 201
