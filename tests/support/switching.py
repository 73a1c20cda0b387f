"""Helpers for tests that bring a work tree from one commit to another."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from stackr.core.plan import RefMove
from stackr.repo.repository import Repository
from tests.support.git import GitRepo, git

Files = Mapping[str, str | None]
OLD_TIME = 1_600_000_000


def commit(repo: GitRepo, files: Files, message: str = "change") -> str:
    """A commit on HEAD that has these files; ``None`` deletes one."""
    for name, text in files.items():
        if text is None:
            repo.git("rm", "-q", name)
        else:
            repo.write(name, text)
            repo.git("add", "-f", "--", name)
    repo.git("commit", "-q", "-m", message)
    return repo.oid()


def two_commits(repo: GitRepo, files: Files) -> tuple[str, str]:
    """HEAD as it is, checked out, and a commit on top of it."""
    old = repo.oid()
    new = commit(repo, files)
    repo.git("reset", "-q", "--hard", old)
    return old, new


def move(repo: Repository, old: str, new: str) -> None:
    repo.move_refs([RefMove("refs/heads/main", old, new)], "test")


def switch(repo: Repository, old: str, new: str) -> None:
    repo.check_switch(old, new)
    with repo.switching(old, new):
        move(repo, old, new)


def age(folder: Path) -> None:
    """Give every file an old time that the index knows."""
    for path in folder.rglob("*"):
        if ".git" not in path.parts and not path.is_symlink() and path.is_file():
            os.utime(path, (OLD_TIME, OLD_TIME))
    git(folder, "update-index", "-q", "--refresh")


def is_tidy(repo: GitRepo) -> bool:
    """Nothing of ours is left behind."""
    left = {path.name for path in (repo.path / ".git" / "stackr").glob("*")} - {"lock", "operations"}
    return not left and not (repo.path / ".git" / "index.lock").exists()
