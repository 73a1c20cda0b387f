"""Finding the repository: subdirectories, worktrees, submodules, git's environment variables, and what is refused."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from stackr.errors import ConfigError, GitError, Refused
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import GitRepo, Workspace, git, make_repo


def test_a_subdirectory_is_in_its_repository(workspace: Workspace, open_repo: Opener) -> None:
    repo = open_repo(workspace.clone.path / "src")
    top = workspace.clone.path
    assert (repo.work_tree, repo.git_dir, repo.common_dir) == (top, top / ".git", top / ".git")
    assert repo.resolve("HEAD") == workspace.clone.oid()


def test_a_linked_worktree_has_its_own_head_and_shares_the_rest(
    workspace: Workspace, tmp_path: Path, open_repo: Opener
) -> None:
    linked = tmp_path / "linked"
    workspace.clone.git("worktree", "add", "-q", "-b", "topic", str(linked))
    commit = GitRepo(linked).commit("On topic")
    (linked / "deep").mkdir()
    repo = open_repo(linked / "deep")
    assert repo.work_tree == linked
    assert repo.git_dir == workspace.clone.path / ".git" / "worktrees" / "linked"
    assert repo.common_dir == workspace.clone.path / ".git"
    state = repo.local_state("origin")
    assert state.head is not None
    assert (state.head.branch, state.head.oid) == ("refs/heads/topic", commit)
    assert state.other_worktrees == {"refs/heads/main": str(workspace.clone.path)}


def test_a_submodule_is_a_repository_of_its_own(workspace: Workspace, open_repo: Opener) -> None:
    clone = workspace.clone
    clone.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(workspace.origin.path), "sub")
    repo = open_repo(clone.path / "sub" / "src")
    assert (repo.work_tree, repo.git_dir) == (clone.path / "sub", clone.path / ".git" / "modules" / "sub")


def test_core_worktree_moves_the_top(workspace: Workspace, tmp_path: Path, open_repo: Opener) -> None:
    (tmp_path / "elsewhere").mkdir()
    workspace.clone.git("config", "core.worktree", "../../elsewhere")
    assert open_repo(workspace.clone.path).work_tree == tmp_path / "elsewhere"


@pytest.mark.parametrize("relative", [True, False])
def test_git_dir_and_work_tree_from_the_environment_win(
    workspace: Workspace, tmp_path: Path, open_repo: Opener, monkeypatch: pytest.MonkeyPatch, relative: bool
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)
    clone = workspace.clone.path
    oid = workspace.clone.oid()
    monkeypatch.setenv("GIT_DIR", "../clone/.git" if relative else str(clone / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", os.path.relpath(clone) if relative else str(clone))
    repo = open_repo(outside)
    assert (repo.git_dir, repo.work_tree) == (clone / ".git", clone)
    state = repo.local_state("origin")
    assert state.head is not None
    assert state.head.oid == repo.resolve("HEAD") == oid


def test_git_dir_alone_makes_the_current_directory_the_top(
    workspace: Workspace, tmp_path: Path, open_repo: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(workspace.clone.path / ".git"))
    assert open_repo(tmp_path).work_tree == tmp_path


def test_a_git_dir_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nothing"))
    with pytest.raises(Refused, match="which is no git directory"):
        Repository.open(tmp_path)


def test_outside_of_any_repository_three_lines_say_so(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        Repository.open(tmp_path)
    error = refused.value
    assert (error.message, error.safe, error.next_step) == (
        f'"{tmp_path}" is not in a git repository',
        "nothing was changed",
        "cd into a clone, or use stackr -C DIR",
    )
    assert error.exit_code == 3


def test_a_bare_repository_is_refused(workspace: Workspace) -> None:
    with pytest.raises(Refused, match="is a bare repository"):
        Repository.open(workspace.origin.path)


def test_a_worktree_of_a_bare_repository_works(workspace: Workspace, tmp_path: Path, open_repo: Opener) -> None:
    workspace.origin.git("worktree", "add", "-q", str(tmp_path / "linked"), "main")
    repo = open_repo(tmp_path / "linked")
    assert (repo.work_tree, repo.common_dir) == (tmp_path / "linked", workspace.origin.path)


def test_sha256_objects_are_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    with pytest.raises(Refused, match="has sha256 objects, which GitHub does not take"):
        Repository.open(tmp_path)


def test_a_broken_configuration_is_named(workspace: Workspace) -> None:
    config = workspace.clone.path / ".git" / "config"
    config.write_text(config.read_text() + "[user\n")
    with pytest.raises(ConfigError, match="git cannot read its configuration"):
        Repository.open(workspace.clone.path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_somebody_else_is_refused_as_git_refuses_it(workspace: Workspace, open_repo: Opener) -> None:
    for path in (workspace.clone.path, workspace.clone.path / ".git"):
        os.chown(path, 12345, 12345)
    with pytest.raises(Refused, match="git does not trust the repository") as refused:
        open_repo(workspace.clone.path).local_state("origin")
    assert "safe.directory" in refused.value.next_step


def test_a_repository_that_vanishes_is_an_error_of_git(tmp_path: Path, open_repo: Opener) -> None:
    clone = make_repo(tmp_path / "gone")
    clone.commit("One")
    repo = open_repo(clone.path)
    shutil.rmtree(clone.path / ".git" / "objects")
    with pytest.raises((GitError, Refused)):
        repo.resolve("HEAD")


def test_the_version_of_git_is_known(repo: Repository) -> None:
    assert repo.git_version >= (2, 38)


def test_a_repository_can_be_used_as_a_context(workspace: Workspace) -> None:
    with Repository.open(workspace.clone.path) as repo:
        oid = repo.resolve("HEAD")
    assert oid == repo.resolve("HEAD")  # another reading process is started when it is needed
    repo.close()


def test_a_broken_repository_is_an_error_whatever_is_asked(workspace: Workspace, repo: Repository) -> None:
    """The folder of objects vanishes while stackr runs: every question ends in an error with three lines."""
    oid = workspace.clone.oid()
    shutil.move(workspace.clone.path / ".git", workspace.clone.path / "gone")
    with pytest.raises(Refused, match="not in a git repository"):
        repo.read_graph([oid], [])
    with pytest.raises(Refused, match="not in a git repository"):
        repo.local_state("origin")


def test_a_reading_process_that_dies_is_an_error_and_the_next_read_works(
    workspace: Workspace, repo: Repository
) -> None:
    oid = repo.resolve("HEAD")
    process = repo._objects._git.cat_file_all
    assert process is not None
    process.proc.kill()
    process.proc.wait()
    with pytest.raises(GitError, match="git cat-file ended"):
        repo.resolve("HEAD")
    assert repo.resolve("HEAD") == oid


def test_a_reading_process_that_does_not_answer_is_an_error_and_no_absent_object(
    workspace: Workspace, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(name: str) -> None:
        raise ValueError("SHA is empty, possible dubious ownership")

    monkeypatch.setattr(repo._objects._git, "get_object_data", ended)
    with pytest.raises(GitError, match="git cat-file ended without an answer"):
        repo.read_commits([workspace.clone.oid()])
