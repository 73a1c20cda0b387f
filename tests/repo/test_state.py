"""One look at the repository: HEAD, refs, what is unfinished, who has what checked out."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackr.core.model import Head
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import GitRepo, Workspace, make_repo


def test_a_clone_on_a_branch(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    base = clone.oid()
    clone.git("update-ref", "refs/stackr/heads/I1", base)
    clone.git("update-ref", "refs/other/x", base)
    clone.git("tag", "v1")
    clone.git("branch", "topic")
    head = clone.commit("Mine")
    state = repo.local_state("origin")
    assert state.head == Head("refs/heads/main", head)
    assert state.refs == {
        "refs/heads/main": head,
        "refs/heads/topic": base,
        "refs/remotes/origin/main": base,
        "refs/stackr/heads/I1": base,
    }
    assert (state.remote_head, state.busy, state.other_worktrees) == ("main", "", {})


def test_refs_of_other_remotes_are_not_read(workspace: Workspace, repo: Repository) -> None:
    oid = workspace.clone.oid()
    workspace.clone.git("update-ref", "refs/remotes/origin2/main", oid)
    assert set(repo.local_state("origin2").refs) == {"refs/heads/main", "refs/remotes/origin2/main"}
    assert repo.local_state("origin2").remote_head is None
    assert "refs/remotes/origin2/main" not in repo.local_state("origin").refs


def test_a_detached_head_has_no_branch(workspace: Workspace, repo: Repository) -> None:
    workspace.clone.git("checkout", "-q", "--detach", "HEAD~1")
    assert repo.local_state("origin").head == Head(None, workspace.clone.oid("main~1"))


def test_before_the_first_commit_there_is_no_head(tmp_path: Path, open_repo: Opener) -> None:
    make_repo(tmp_path / "new")
    assert open_repo(tmp_path / "new").local_state("origin").head is None


def test_an_orphan_branch_without_a_commit_is_no_head_either(workspace: Workspace, repo: Repository) -> None:
    workspace.clone.git("checkout", "-q", "--orphan", "fresh")
    assert repo.local_state("origin").head is None


def test_a_branch_that_is_a_symbolic_ref_stands_for_its_target(workspace: Workspace, repo: Repository) -> None:
    workspace.clone.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    workspace.clone.git("checkout", "-q", "alias")
    state = repo.local_state("origin")
    assert state.head == Head("refs/heads/main", workspace.clone.oid())
    assert "refs/heads/alias" not in state.refs


def test_branch_names_with_any_bytes_are_read(workspace: Workspace, repo: Repository) -> None:
    workspace.clone.git("branch", "gr\u00fc\u00df/\U0001f600")
    assert "refs/heads/gr\u00fc\u00df/\U0001f600" in repo.local_state("origin").refs


def stop_in_the_middle(clone: GitRepo, operation: str) -> None:
    """Bring about the operation for real, by a conflict."""
    clone.git("checkout", "-q", "-b", "side", "HEAD~1")
    side = clone.commit("Side", {"notes.txt": "side\n"})
    other = clone.commit("Other", {"other.txt": "x\n"})
    patch = clone.git("format-patch", "--stdout", "HEAD~2")
    clone.git("checkout", "-q", "main")
    commands = {
        "merge": ["merge", "side"],
        "rebase": ["rebase", "side"],
        "rebase --apply": ["rebase", "--apply", "side"],
        "cherry-pick": ["cherry-pick", side, other],
        "revert": ["revert", "--no-edit", "HEAD~1", side],
        "bisect": ["bisect", "start"],
        "am": ["am", "-q"],
    }
    clone.git(*commands[operation], stdin=patch.encode(), check=False)


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        ("merge", "merge"),
        ("rebase", "rebase"),
        ("rebase --apply", "rebase"),
        ("cherry-pick", "cherry-pick"),
        ("bisect", "bisect"),
        ("am", "am"),
    ],
)
def test_an_unfinished_operation_is_named(workspace: Workspace, repo: Repository, operation: str, name: str) -> None:
    stop_in_the_middle(workspace.clone, operation)
    assert repo.local_state("origin").busy == name


def test_a_revert_in_progress_is_named(workspace: Workspace, repo: Repository) -> None:
    workspace.clone.commit("Change notes", {"notes.txt": "changed\n"})
    workspace.clone.git("revert", "--no-edit", "HEAD~1", check=False)
    assert repo.local_state("origin").busy == "revert"


def test_between_two_picks_the_cherry_pick_is_still_named(workspace: Workspace, repo: Repository) -> None:
    stop_in_the_middle(workspace.clone, "cherry-pick")
    workspace.clone.write("notes.txt", "settled\n")
    workspace.clone.git("add", "-A")
    workspace.clone.git("commit", "-q", "-m", "Picked by hand")
    assert not (workspace.clone.path / ".git" / "CHERRY_PICK_HEAD").exists()
    assert repo.local_state("origin").busy == "cherry-pick"


def test_a_branch_being_rebased_in_another_worktree_is_taken(
    workspace: Workspace, tmp_path: Path, open_repo: Opener
) -> None:
    workspace.clone.git("worktree", "add", "-q", "-b", "free", str(tmp_path / "linked"))
    stop_in_the_middle(workspace.clone, "rebase")
    assert open_repo(tmp_path / "linked").local_state("origin").other_worktrees == {
        "refs/heads/main": str(workspace.clone.path)
    }


def test_a_branch_being_rebased_in_a_linked_worktree_is_taken(
    workspace: Workspace, tmp_path: Path, repo: Repository
) -> None:
    workspace.clone.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    linked = GitRepo(tmp_path / "linked")
    workspace.clone.commit("Change notes", {"notes.txt": "main\n"})
    linked.commit("Change notes too", {"notes.txt": "topic\n"})
    linked.git("rebase", "main", check=False)
    assert repo.local_state("origin").other_worktrees == {"refs/heads/topic": str(linked.path)}


def test_one_look_is_one_process_on_a_branch_and_two_when_detached(workspace: Workspace, open_repo: Opener) -> None:
    for n in range(50):
        workspace.clone.git("branch", f"topic-{n}")
    repo = open_repo(workspace.clone.path)
    repo.config.get("core.bare")
    before = repo.process_count
    repo.local_state("origin")
    assert repo.process_count - before == 1
    workspace.clone.git("checkout", "-q", "--detach")
    repo.local_state("origin")
    assert repo.process_count - before == 3


def test_the_branch_is_known_without_a_process(workspace: Workspace, repo: Repository) -> None:
    before = repo.process_count
    assert repo.branch == "main"
    workspace.clone.git("checkout", "-q", "--orphan", "fresh/one")
    assert repo.branch == "fresh/one"
    workspace.clone.git("checkout", "-q", "-f", "--detach", "main")
    assert repo.branch is None
    assert repo.process_count == before


def test_the_branch_is_asked_for_where_refs_are_kept_elsewhere(
    workspace: Workspace, repo: Repository, tmp_path: Path
) -> None:
    """With reftable the file HEAD holds a placeholder (git's reftable documentation); it needs git 2.45 to be real."""
    git = tmp_path / "git"
    git.write_text('#!/bin/sh\ntest "$*" = "symbolic-ref -q HEAD" && echo refs/heads/topic\n')
    git.chmod(0o755)
    repo.runner.git_program = str(git)
    (workspace.clone.path / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
    assert repo.branch == "topic"
