"""One stackr at a time in a repository, and a dead one holds nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stackr.errors import GitError, Refused
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import Workspace

HOLDER = """
import sys
from pathlib import Path
from stackr.repo import lock
with lock.hold(Path(sys.argv[1]), "submit --only"):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(workspace: Workspace) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", HOLDER, str(workspace.clone.path / ".git")]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_another_stackr_is_named(workspace: Workspace, repo: Repository) -> None:
    with holder(workspace) as other:
        with pytest.raises(Refused) as refused, repo.lock("sync"):
            pass
        assert refused.value.message == f'"stackr submit --only" (process {other.pid}) is running in this repository'
        other.communicate()
    with repo.lock("sync"):
        pass


def test_a_process_that_was_killed_holds_nothing(workspace: Workspace, repo: Repository) -> None:
    with holder(workspace) as other:
        other.kill()
    with repo.lock("sync"):
        assert (repo.common_dir / "stackr" / "lock").read_text() == f"{os.getpid()} sync\n"


def test_all_worktrees_share_the_lock(
    workspace: Workspace, tmp_path: Path, open_repo: Opener, repo: Repository
) -> None:
    workspace.clone.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    linked = open_repo(tmp_path / "linked")
    with repo.lock("submit"), pytest.raises(Refused, match="is running in this repository"), linked.lock("status"):
        pass


def test_a_holder_that_has_not_written_its_name_is_refused_all_the_same(workspace: Workspace, repo: Repository) -> None:
    with repo.lock("submit"):
        (repo.common_dir / "stackr" / "lock").write_text("")
        with pytest.raises(Refused, match="another stackr is running"), repo.lock("sync"):
            pass


def test_the_lock_is_let_go_after_an_error(repo: Repository) -> None:
    with pytest.raises(KeyError), repo.lock("submit"):
        raise KeyError
    with repo.lock("submit"):
        pass


def test_a_git_directory_that_cannot_be_written_is_named(workspace: Workspace, repo: Repository) -> None:
    (workspace.clone.path / ".git" / "stackr").write_text("in the way")
    with pytest.raises(GitError, match=r'cannot write ".*stackr": file exists'), repo.lock("submit"):
        pass
