"""The JSON of commits, refs, branches and changed files."""

from __future__ import annotations

from urllib.parse import quote

from stackr.sandbox import protection
from stackr.sandbox.diffs import FileChange
from stackr.sandbox.engine import Engine
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Json, Repository, User
from stackr.sandbox.objects import CommitInfo, Person
from stackr.sandbox.rest.people import repo_api, repo_page, simple_user


def git_user(person: Person) -> Json:
    """Author or committer inside a commit."""
    return {"name": person.name, "email": person.email, "date": person.date_iso}


def verification(info: CommitInfo) -> Json:
    """No key is known here, so a signature is never "verified"."""
    reason = "unsigned" if info.signature is None else "unknown_key"
    return {
        "verified": False,
        "reason": reason,
        "signature": info.signature,
        "payload": None,
        "verified_at": None,
    }


def account_of(engine: Engine, person: Person) -> User | None:
    """The account with this address."""
    return next((user for user in engine.store.users.all() if user.email == person.email), None)


def commit(engine: Engine, repo: Repository, info: CommitInfo) -> Json:
    """Schema commit, without files."""
    url = repo_api(engine, repo, f"/commits/{info.oid}")
    author, committer = account_of(engine, info.author), account_of(engine, info.committer)
    return {
        "sha": info.oid,
        "node_id": node_id("Commit", repo.id, info.oid),
        "commit": {
            "author": git_user(info.author),
            "committer": git_user(info.committer),
            "message": info.message.rstrip("\n"),
            "tree": {"sha": info.tree, "url": repo_api(engine, repo, f"/git/trees/{info.tree}")},
            "url": repo_api(engine, repo, f"/git/commits/{info.oid}"),
            "comment_count": 0,
            "verification": verification(info),
        },
        "url": url,
        "html_url": repo_page(engine, repo, f"/commit/{info.oid}"),
        "comments_url": f"{url}/comments",
        "author": simple_user(engine, author) if author else None,
        "committer": simple_user(engine, committer) if committer else None,
        "parents": [_parent(engine, repo, oid, "commits") for oid in info.parents],
    }


def _parent(engine: Engine, repo: Repository, oid: str, kind: str) -> Json:
    return {
        "sha": oid,
        "url": repo_api(engine, repo, f"/{kind}/{oid}"),
        "html_url": repo_page(engine, repo, f"/commit/{oid}"),
    }


def git_commit(engine: Engine, repo: Repository, info: CommitInfo) -> Json:
    """Schema git-commit: the object itself."""
    return {
        "sha": info.oid,
        "node_id": node_id("Commit", repo.id, info.oid),
        "url": repo_api(engine, repo, f"/git/commits/{info.oid}"),
        "html_url": repo_page(engine, repo, f"/commit/{info.oid}"),
        "author": git_user(info.author),
        "committer": git_user(info.committer),
        "tree": {"url": repo_api(engine, repo, f"/git/trees/{info.tree}"), "sha": info.tree},
        "message": info.message.rstrip("\n"),
        "parents": [_parent(engine, repo, oid, "git/commits") for oid in info.parents],
        "verification": verification(info),
    }


def ref(engine: Engine, repo: Repository, name: str, oid: str) -> Json:
    """Schema git-ref."""
    found = engine.git(repo).object(oid)
    kind = found[1] if found else "commit"
    return {
        "ref": name,
        "node_id": node_id("Ref", repo.id, name),
        "url": repo_api(engine, repo, f"/git/{quote(name)}"),
        "object": {"sha": oid, "type": kind, "url": repo_api(engine, repo, f"/git/{kind}s/{oid}")},
    }


def short_branch(engine: Engine, repo: Repository, name: str, oid: str) -> Json:
    """Schema short-branch."""
    return {
        "name": name,
        "commit": {"sha": oid, "url": repo_api(engine, repo, f"/commits/{oid}")},
        "protected": protection.is_protected(engine, repo, name),
    }


def branch(engine: Engine, repo: Repository, name: str, info: CommitInfo) -> Json:
    """Schema branch-with-protection."""
    url = repo_api(engine, repo, f"/branches/{quote(name)}")
    required = protection.parameters(engine, repo, name, "required_status_checks") or {}
    contexts = [check["context"] for check in required.get("required_status_checks", [])]
    protected = protection.is_protected(engine, repo, name)
    return {
        "name": name,
        "commit": commit(engine, repo, info),
        "_links": {"self": url, "html": repo_page(engine, repo, f"/tree/{quote(name)}")},
        "protected": protected,
        "protection": {
            "enabled": protected,
            "required_status_checks": {
                "enforcement_level": "everyone" if contexts else "off",
                "contexts": contexts,
                "checks": [{"context": name, "app_id": None} for name in contexts],
            },
        },
        "protection_url": f"{url}/protection",
    }


def diff_entry(engine: Engine, repo: Repository, change: FileChange, oid: str) -> Json:
    """Schema diff-entry; ``oid`` is the commit the links show the file at."""
    path = quote(change.path)
    entry = {
        "sha": change.oid,
        "filename": change.path,
        "status": change.status,
        "additions": change.additions,
        "deletions": change.deletions,
        "changes": change.additions + change.deletions,
        "blob_url": repo_page(engine, repo, f"/blob/{oid}/{path}"),
        "raw_url": repo_page(engine, repo, f"/raw/{oid}/{path}"),
        "contents_url": repo_api(engine, repo, f"/contents/{path}?ref={oid}"),
    }
    if change.patch is not None:
        entry["patch"] = change.patch
    if change.old_path is not None:
        entry["previous_filename"] = change.old_path
    return entry
