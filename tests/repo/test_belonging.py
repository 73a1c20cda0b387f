"""The note of whose HEAD it is: it follows from how HEAD moves, and holds at the commits it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackr.core.plan import RefMove
from stackr.repo.belonging import Note, note_moves, read_note
from stackr.repo.repository import Repository
from tests.support.git import Workspace

FEATURE, OTHER = "refs/heads/feature", "refs/heads/other"


def test_the_note_follows_head(tmp_path: Path) -> None:
    note_moves(tmp_path, [RefMove(FEATURE, "c1", "c2"), RefMove("HEAD", "a1", "b1")])
    assert read_note(tmp_path) == Note()
    note_moves(tmp_path, [RefMove("HEAD", FEATURE, "b1")])
    assert [read_note(tmp_path).branch_of(at) for at in ("b1", "a1", None)] == [FEATURE, None, None]
    note_moves(tmp_path, [RefMove("HEAD", "b1", "a1")])
    assert read_note(tmp_path) == Note(FEATURE, ("b1", "a1"))
    note_moves(tmp_path, [RefMove("HEAD", "a1", FEATURE), RefMove("HEAD", "x1", "x2"), RefMove("HEAD", "a1", None)])
    assert read_note(tmp_path) == Note(FEATURE, ("b1", "a1"))
    note_moves(tmp_path, [RefMove("HEAD", OTHER, "o1")])
    assert read_note(tmp_path) == Note(OTHER, ("o1",))


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"branch": "b", "commits": 1}'])
def test_a_note_that_cannot_be_read_is_none(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "stackr" / "head-of"
    path.parent.mkdir()
    path.write_text(damage)
    assert read_note(tmp_path) == Note()


def test_head_leaves_a_branch_and_comes_back_with_files_and_log(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    tip, below = clone.oid(), clone.oid("HEAD~1")
    repo.move_refs([RefMove("HEAD", "refs/heads/main", below)], "down", (tip, below))
    state = repo.local_state("origin")
    assert state.head is not None
    assert (state.head.branch, state.head.oid, state.head.top) == (None, below, "refs/heads/main")
    assert (repo.branch, clone.git("status", "--porcelain")) == ("main", "")
    repo.move_refs([RefMove("HEAD", below, "refs/heads/main")], "top", (below, tip))
    assert (clone.git("symbolic-ref", "HEAD"), clone.oid()) == ("refs/heads/main", tip)
    assert clone.git("status", "--porcelain") == ""
    assert [operation.moves for operation in repo.list_operations(repo.local_state(""))] == [
        (RefMove("HEAD", below, "refs/heads/main"),),
        (RefMove("HEAD", "refs/heads/main", below),),
    ]
    assert clone.git("reflog", "-2", "--format=%gs") == "stackr: top\nstackr: down"
