"""The JSON of statuses, check runs and check suites."""

from __future__ import annotations

from stackr.sandbox import accounts, actions, checks
from stackr.sandbox.engine import Engine
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import CheckRun, CheckSuite, Json, Repository, Status, User
from stackr.sandbox.objects import CommitInfo
from stackr.sandbox.rest.people import minimal_repository, repo_api, repo_page, simple_user

APPS = ("stackr-sandbox", actions.APP)
APP_OWNER = User(id=1, login="stackr-sandbox", type="Organization")


def app(engine: Engine, slug: str) -> Json:
    """Schema integration: an app that writes checks."""
    return {
        "id": APPS.index(slug) + 1,
        "slug": slug,
        "node_id": node_id("App", slug),
        "owner": simple_user(engine, APP_OWNER),
        "name": slug.replace("-", " "),
        "description": None,
        "external_url": engine.url,
        "html_url": f"{engine.url}/apps/{slug}",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "permissions": {"checks": "write"},
        "events": [],
    }


def _simple_status(engine: Engine, repo: Repository, row: Status) -> Json:
    creator = accounts.user(engine, row.creator_id)
    return {
        "url": repo_api(engine, repo, f"/statuses/{row.oid}"),
        "avatar_url": simple_user(engine, creator)["avatar_url"],
        "id": row.id,
        "node_id": node_id("StatusContext", row.id),
        "state": row.state,
        "description": row.description,
        "target_url": row.target_url,
        "context": row.context,
        "created_at": row.created_at,
        "updated_at": row.created_at,
    }


def status(engine: Engine, repo: Repository, row: Status) -> Json:
    """Schema status."""
    creator = accounts.user(engine, row.creator_id)
    return {**_simple_status(engine, repo, row), "creator": simple_user(engine, creator)}


def combined_status(engine: Engine, repo: Repository, oid: str) -> Json:
    """Schema combined-commit-status."""
    rows = checks.latest_statuses(engine, repo, oid)
    url = repo_api(engine, repo, f"/commits/{oid}")
    return {
        "state": checks.combined([row.state for row in rows]),
        "statuses": [_simple_status(engine, repo, row) for row in rows],
        "sha": oid,
        "total_count": len(rows),
        "repository": minimal_repository(engine, repo),
        "commit_url": url,
        "url": f"{url}/status",
    }


def pulls_with(engine: Engine, repo: Repository, oid: str) -> list[Json]:
    """Schema pull-request-minimal, of the open pull requests with this head."""
    small = {"id": repo.id, "url": repo_api(engine, repo), "name": repo.name}
    return [
        {
            "id": pull.id,
            "number": pull.number,
            "url": repo_api(engine, repo, f"/pulls/{pull.number}"),
            "head": {"ref": pull.head_ref, "sha": pull.head_oid, "repo": small},
            "base": {"ref": pull.base_ref, "sha": pull.base_oid, "repo": small},
        }
        for pull in engine.store.pulls.by(repo_id=repo.id)
        if pull.head_oid == oid and pull.state == "open"
    ]


def check_run(engine: Engine, repo: Repository, run: CheckRun) -> Json:
    """Schema check-run."""
    url = repo_api(engine, repo, f"/check-runs/{run.id}")
    page = repo_page(engine, repo, f"/runs/{run.id}")
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("CheckRun", run.id),
        "head_sha": run.oid,
        "external_id": run.external_id,
        "url": url,
        "html_url": page,
        "details_url": run.details_url or page,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": run.started_at,
        "completed_at": run.completed_at,
        "output": {
            "title": run.output.get("title"),
            "summary": run.output.get("summary"),
            "text": run.output.get("text"),
            "annotations_count": len(run.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": run.suite_id},
        "app": app(engine, engine.store.check_suites.need(run.suite_id).app),
        "pull_requests": pulls_with(engine, repo, run.oid),
    }


def check_suite(engine: Engine, repo: Repository, row: CheckSuite) -> Json:
    """Schema check-suite."""
    url = repo_api(engine, repo, f"/check-suites/{row.id}")
    info = engine.git(repo).need(row.oid)
    state, conclusion = checks.suite_state(engine, row)
    return {
        "id": row.id,
        "node_id": node_id("CheckSuite", row.id),
        "head_branch": row.branch,
        "head_sha": row.oid,
        "status": state,
        "conclusion": conclusion,
        "url": url,
        "before": info.parents[0] if info.parents else None,
        "after": row.oid,
        "pull_requests": pulls_with(engine, repo, row.oid),
        "app": app(engine, row.app),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "repository": minimal_repository(engine, repo),
        "head_commit": head_commit(info),
        "latest_check_runs_count": len({run.name for run in engine.store.check_runs.by(suite_id=row.id)}),
        "check_runs_url": f"{url}/check-runs",
    }


def head_commit(info: CommitInfo) -> Json:
    """Schema simple-commit."""
    return {
        "id": info.oid,
        "tree_id": info.tree,
        "message": info.message,
        "timestamp": info.committer.date_iso,
        "author": {"name": info.author.name, "email": info.author.email},
        "committer": {"name": info.committer.name, "email": info.committer.email},
    }


def annotation(engine: Engine, repo: Repository, run: CheckRun, note: Json) -> Json:
    """Schema check-annotation, from what was sent with the run."""
    optional = ("start_column", "end_column", "annotation_level", "title", "message", "raw_details")
    return {
        "path": note["path"],
        "blob_href": repo_api(engine, repo, f"/git/blobs/{run.oid}"),
        "start_line": note["start_line"],
        "end_line": note["end_line"],
        **{name: note.get(name) for name in optional},
    }
