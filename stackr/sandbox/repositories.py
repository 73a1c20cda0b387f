"""Making repositories and turning their settings."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from stackr.sandbox import accounts
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.gitrun import GitFailed, environment
from stackr.sandbox.model import Label, Repository, User

SETTINGS = (
    "private",
    "archived",
    "default_branch",
    "description",
    "allow_merge_commit",
    "allow_squash_merge",
    "allow_rebase_merge",
    "allow_auto_merge",
    "allow_update_branch",
    "delete_branch_on_merge",
    "squash_merge_commit_title",
    "squash_merge_commit_message",
    "merge_commit_title",
    "merge_commit_message",
    "stacks_enabled",
    "ci",
    "declined_message",
)
_GIT_CONFIG = """[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[receive]
\tautogc = false
\thideRefs = refs/pull
\tadvertisePushOptions = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[http]
\treceivepack = true
"""
LABELS = (
    ("bug", "d73a4a", "Something isn't working"),
    ("documentation", "0075ca", "Improvements or additions to documentation"),
    ("enhancement", "a2eeef", "New feature or request"),
)


def add_repository(
    engine: Engine,
    full_name: str,
    *,
    source: Path | None = None,
    default_branch: str = "main",
    private: bool = False,
    parent: Repository | None = None,
) -> Repository:
    """Create ``owner/name``, empty or as a copy of another repository's branches and tags.

    The owner becomes an organization if there is no such account.
    """
    owner_login, _, name = full_name.partition("/")
    with engine.transaction():
        if accounts.find_repository(engine, owner_login, name):
            raise ApiError(422, "Repository creation failed.", errors=["name already exists on this account"])
        owner = accounts.user_by_login(engine, owner_login) or accounts.add_user(
            engine, owner_login, kind="Organization"
        )
        now = engine.now()
        repo = Repository(
            owner_id=owner.id,
            name=name,
            private=private,
            default_branch=default_branch,
            created_at=now,
            updated_at=now,
            pushed_at=now,
            parent_id=parent.id if parent else None,
        )
        directory = engine.directory(repo)
        # A row is only written for a directory that is complete; half a copy is thrown away here.
        shutil.rmtree(directory, ignore_errors=True)
        make_bare(directory, source, default_branch)
        engine.store.repositories.add(repo)
        _add_labels(engine, repo)
        return repo


def _add_labels(engine: Engine, repo: Repository) -> None:
    for name, color, description in LABELS:
        engine.store.labels.add(Label(repo_id=repo.id, name=name, color=color, description=description))


def make_bare(directory: Path, source: Path | None, default_branch: str) -> None:
    """A bare repository with our configuration and no hooks; made by hand where no process is needed."""
    for part in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        (directory / part).mkdir(parents=True, exist_ok=True)
    (directory / "HEAD").write_text(f"ref: refs/heads/{default_branch}\n")
    (directory / "config").write_text(_GIT_CONFIG)
    if source is None:
        return
    args = ["git", "fetch", "-q", "--no-write-fetch-head", str(source), "+refs/heads/*:refs/heads/*"]
    done = subprocess.run(
        [*args, "+refs/tags/*:refs/tags/*"],
        cwd=directory,
        env=environment({"GIT_DIR": str(directory)}),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise GitFailed(args, done.returncode, done.stderr.decode(errors="replace"))


def change(engine: Engine, repo: Repository, **settings: Any) -> None:
    """Turn settings, by the names in SETTINGS."""
    unknown = sorted(set(settings) - set(SETTINGS))
    if unknown:
        raise ApiError(422, f"unknown settings: {', '.join(unknown)}")
    with engine.transaction():
        for name, value in settings.items():
            setattr(repo, name, value)
        if "default_branch" in settings:
            (engine.directory(repo) / "HEAD").write_text(f"ref: refs/heads/{repo.default_branch}\n")
        repo.updated_at = engine.now()
        engine.store.repositories.save(repo)


def fork(engine: Engine, repo: Repository, owner: User) -> Repository:
    """A fork of a repository in somebody's account."""
    full_name = f"{owner.login}/{repo.name}"
    return add_repository(
        engine,
        full_name,
        source=engine.directory(repo),
        default_branch=repo.default_branch,
        private=repo.private,
        parent=repo,
    )
