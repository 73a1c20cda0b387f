"""Refs move together or not at all, from where they were seen to be, and say why in the reflog."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stackr.core.plan import RefMove
from stackr.errors import GitError, Refused, StackrError
from stackr.repo.repository import Repository
from tests.support.git import Workspace

MAIN = "refs/heads/main"
OURS = "refs/stackr/heads/I1"


def test_branches_and_our_own_refs_move_in_one_transaction(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    tip, below = clone.oid(), clone.oid("HEAD~1")
    clone.git("branch", "old", tip)
    before = repo.process_count
    repo.move_refs(
        [RefMove(MAIN, tip, below), RefMove(OURS, None, tip), RefMove("refs/heads/old", tip, None)], "add ids\nto two"
    )
    assert repo.process_count - before == 1
    assert clone.refs("refs/heads", "refs/stackr/heads") == {MAIN: below, OURS: tip}
    assert clone.git("reflog", "-1", "--format=%gs", "main") == "stackr: add ids to two"
    assert clone.git("reflog", "-1", "--format=%gs", "HEAD") == "stackr: add ids to two"


def test_nothing_to_move_starts_nothing(repo: Repository) -> None:
    before = repo.process_count
    repo.move_refs([], "nothing")
    assert repo.process_count == before


def test_a_detached_head_moves_by_itself(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    clone.git("checkout", "-q", "--detach")
    tip, below = clone.oid(), clone.oid("HEAD~1")
    repo.move_refs([RefMove("HEAD", tip, below)], "move")
    assert (clone.oid("HEAD"), clone.oid("main")) == (below, tip)
    assert clone.git("symbolic-ref", "-q", "HEAD", check=False) == ""


def test_a_symbolic_branch_moves_its_target(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    clone.git("symbolic-ref", "refs/heads/alias", MAIN)
    repo.move_refs([RefMove("refs/heads/alias", clone.oid(), clone.oid("HEAD~1"))], "move")
    assert clone.git("symbolic-ref", "refs/heads/alias") == MAIN
    assert clone.oid("main") == clone.oid("alias")


def test_a_ref_may_be_held_in_place(workspace: Workspace, repo: Repository) -> None:
    tip = workspace.clone.oid()
    repo.move_refs([RefMove("refs/heads/none", None, None), RefMove(OURS, None, tip)], "verify")
    with pytest.raises(Refused, match='"main" moved meanwhile'):
        repo.move_refs([RefMove(MAIN, None, None), RefMove(OURS, tip, None)], "verify")


Moves = Callable[[str, str], list[RefMove]]


@pytest.mark.parametrize(
    "moves",
    [
        lambda tip, below: [RefMove(MAIN, below, tip)],
        lambda tip, below: [RefMove(MAIN, None, below)],
        lambda tip, below: [RefMove(MAIN, below, None)],
        lambda tip, below: [RefMove("refs/heads/gone", tip, below)],
        lambda tip, below: [RefMove("refs/heads/gone", tip, None)],
        lambda tip, below: [RefMove(OURS, None, tip), RefMove(MAIN, below, tip)],
    ],
)
def test_a_ref_that_moved_meanwhile_stops_all(workspace: Workspace, repo: Repository, moves: Moves) -> None:
    clone = workspace.clone
    before = clone.refs()
    with pytest.raises(Refused, match=r'"(main|gone)" moved meanwhile') as refused:
        repo.move_refs(moves(clone.oid(), clone.oid("HEAD~1")), "move")
    assert refused.value.safe == "nothing was changed"
    assert "run the same command again" in refused.value.next_step
    assert clone.refs() == before


@pytest.mark.parametrize("names", [["refs/heads/main/x"], ["refs/heads/a", "refs/heads/a/b"]])
def test_names_that_are_folders_of_one_another_are_refused(
    workspace: Workspace, repo: Repository, names: list[str]
) -> None:
    with pytest.raises(Refused, match="one name is a folder of the other"):
        repo.move_refs([RefMove(name, None, workspace.clone.oid()) for name in names], "create")


def test_a_name_git_does_not_take_is_refused(workspace: Workspace, repo: Repository) -> None:
    with pytest.raises(Refused, match=r'"a\.\.b" is no name git takes'):
        repo.move_refs([RefMove("refs/heads/a..b", None, workspace.clone.oid())], "create")


@pytest.mark.parametrize("lock", ["refs/heads/main.lock", "packed-refs.lock"])
def test_another_gits_lock_is_named(workspace: Workspace, repo: Repository, lock: str) -> None:
    clone = workspace.clone
    clone.git("pack-refs", "--all")
    (clone.path / ".git" / lock).touch()
    with pytest.raises(Refused, match=f'another git process holds ".*{lock}"'):
        repo.move_refs([RefMove(MAIN, clone.oid(), None)], "delete")


def test_a_declining_hook_is_quoted(workspace: Workspace, repo: Repository) -> None:
    hook = workspace.clone.write(".git/hooks/reference-transaction", "#!/bin/sh\necho 'not today' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitError, match=r"hook declined: not today$"):
        repo.move_refs([RefMove(OURS, None, workspace.clone.oid())], "create")


def test_an_object_that_is_not_here_is_an_error(repo: Repository) -> None:
    with pytest.raises(StackrError, match="nonexistent object"):
        repo.move_refs([RefMove(OURS, None, "1" * 40)], "create")
