"""Commits, comparisons, file contents."""

from __future__ import annotations

import base64
from urllib.parse import quote

from stackr.sandbox import pulls
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, not_found
from stackr.sandbox.model import Json, Repository
from stackr.sandbox.objects import CommitInfo
from stackr.sandbox.rest import git_shapes, threads
from stackr.sandbox.rest.api import PAGING, REPO, Api, Page
from stackr.sandbox.rest.people import repo_api, repo_page


def find_commit(engine: Engine, repo: Repository, expression: str) -> CommitInfo:
    """The commit that a branch, tag or (short) oid names; 422 without one, as GitHub's commit routes do."""
    oid = engine.git(repo).resolve(expression)
    if oid is None:
        raise ApiError(422, f"No commit found for SHA: {expression}")
    return engine.git(repo).need(oid)


def register(api: Api) -> None:
    """https://docs.github.com/rest/commits/commits, .../repos/contents."""
    engine = api.engine

    @api.get(f"{REPO}/commits", "sha", *PAGING)
    def commits(owner: str, name: str, params: dict[str, str]) -> Page:
        repo = api.repo(owner, name)
        git = engine.git(repo)
        tip = find_commit(engine, repo, params.get("sha", repo.default_branch))
        return Page(git.graph.history(tip.oid), lambda oid: git_shapes.commit(engine, repo, git.need(oid)))

    @api.get(f"{REPO}/commits/<path:ref>/pulls", *PAGING)
    def of_commit(owner: str, name: str, ref: str, params: dict[str, str]) -> Page:
        repo = api.repo(owner, name)
        oid = find_commit(engine, repo, ref).oid
        found = pulls.with_commit(engine, repo, oid)
        return Page(found, lambda pull: threads.pull_simple(engine, pull, api.viewer))

    @api.get(f"{REPO}/commits/<path:ref>", *PAGING)
    def one(owner: str, name: str, ref: str, params: dict[str, str]) -> Json:
        repo = api.repo(owner, name)
        git = engine.git(repo)
        info = find_commit(engine, repo, ref)
        changed = git.changes_of(info)
        added, removed = (sum(getattr(c, n) for c in changed) for n in ("additions", "deletions"))
        return {
            **git_shapes.commit(engine, repo, info),
            "stats": {"additions": added, "deletions": removed, "total": added + removed},
            "files": [git_shapes.diff_entry(engine, repo, change, info.oid) for change in changed],
        }

    @api.get(f"{REPO}/compare/<path:spec>", *PAGING)
    def compare(owner: str, name: str, spec: str, params: dict[str, str]) -> Json:
        repo = api.repo(owner, name)
        base, dots, head = spec.partition("...")
        oids = [engine.git(repo).resolve(side) for side in (base, head)]
        if not dots or oids[0] is None or oids[1] is None:
            raise not_found()
        return comparison(engine, repo, spec, oids[0], oids[1])

    @api.get(f"{REPO}/contents/<path:path>", "ref")
    def contents(owner: str, name: str, path: str, params: dict[str, str]) -> Json:
        repo = api.repo(owner, name)
        ref = params.get("ref", repo.default_branch)
        oid = engine.git(repo).resolve(ref)
        found = engine.git(repo).object(f"{oid}:{path}") if oid else None
        if found is None or found[1] != "blob":
            raise not_found()
        return content_file(engine, repo, path, ref, found[0], found[2])


def comparison(engine: Engine, repo: Repository, spec: str, base: str, head: str) -> Json:
    """Schema commit-comparison: three dots, that is, since the merge base."""
    git = engine.git(repo)
    bases = git.graph.merge_bases(base, head)
    if not bases:
        raise not_found("No common ancestor between the two.")
    ahead, behind = git.graph.ahead(base, head), git.graph.ahead(head, base)
    names = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}
    page = repo_page(engine, repo, f"/compare/{quote(spec)}")
    return {
        "url": repo_api(engine, repo, f"/compare/{quote(spec)}"),
        "html_url": page,
        "permalink_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": git_shapes.commit(engine, repo, git.need(base)),
        "merge_base_commit": git_shapes.commit(engine, repo, git.need(bases[0])),
        "status": names.get((bool(ahead), bool(behind)), "identical"),
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": [git_shapes.commit(engine, repo, git.need(oid)) for oid in ahead[:250]],
        "files": [git_shapes.diff_entry(engine, repo, c, head) for c in git.diff(bases[0], head)[:300]],
    }


def content_file(engine: Engine, repo: Repository, path: str, ref: str, oid: str, data: bytes) -> Json:
    """Schema content-file."""
    url = repo_api(engine, repo, f"/contents/{quote(path)}?ref={quote(ref)}")
    git_url = repo_api(engine, repo, f"/git/blobs/{oid}")
    page = repo_page(engine, repo, f"/blob/{quote(ref)}/{quote(path)}")
    return {
        "type": "file",
        "encoding": "base64",
        "size": len(data),
        "name": path.rpartition("/")[2],
        "path": path,
        "content": base64.encodebytes(data).decode(),
        "sha": oid,
        "url": url,
        "git_url": git_url,
        "html_url": page,
        "download_url": repo_page(engine, repo, f"/raw/{quote(ref)}/{quote(path)}"),
        "_links": {"git": git_url, "self": url, "html": page},
    }
