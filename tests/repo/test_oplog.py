"""The log of operations: written before refs move, true after any crash, bounded, and old commits are safe from gc."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from stackr.core.plan import RefMove
from stackr.core.undo import Operation, Part
from stackr.errors import GitError, Refused, StackrError
from stackr.repo import oplog, refs
from stackr.repo.oplog import DAYS, KEPT
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import GitRepo, Workspace

MAIN = "refs/heads/main"
NOW = 1_700_000_000
DAY = 24 * 3600


class Clock:
    """Time that stands still until it is told."""

    def __init__(self) -> None:
        self.now = float(NOW)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(repo: Repository) -> Clock:
    repo.oplog.clock = Clock()
    return repo.oplog.clock


def operations(repo: Repository) -> tuple[Operation, ...]:
    return repo.list_operations(repo.local_state(""))


def kept(clone: GitRepo) -> dict[str, str]:
    return clone.refs(KEPT)


def log(clone: GitRepo) -> Path:
    return clone.path / ".git" / "stackr" / "operations"


def lines(clone: GitRepo) -> list[str]:
    return log(clone).read_text().splitlines()


def back_and_forth(repo: Repository, clone: GitRepo, count: int) -> None:
    """Move main down and up again, a command for each move."""
    for _ in range(count):
        old = clone.oid("main")
        new = clone.oid("origin/main~1") if old == clone.oid("origin/main") else clone.oid("origin/main")
        with repo.lock("test"):
            repo.move_refs([RefMove(MAIN, old, new)], "test")


def test_a_move_of_a_branch_is_written_down(workspace: Workspace, repo: Repository, clock: Clock) -> None:
    clone = workspace.clone
    tip, below = clone.oid(), clone.oid("HEAD~1")
    pushing = RefMove("refs/stackr/pushing/I1", None, tip)
    accepted = RefMove("refs/stackr/heads/I1", None, tip)
    with repo.lock("submit", "stackr submit -m 'two words'"):
        repo.move_refs([RefMove(MAIN, tip, below), pushing, accepted], "submit: add change ids")
    assert operations(repo) == (
        Operation(
            NOW,
            "stackr submit -m 'two words'",
            "submit: add change ids",
            (RefMove(MAIN, tip, below), accepted),
            "main",
            parts=(Part((RefMove(MAIN, tip, below), accepted)),),
        ),
    )
    assert kept(clone) == {f"{KEPT}1/0": tip}


def test_it_costs_no_process_of_its_own(workspace: Workspace, repo: Repository) -> None:
    before = repo.process_count
    repo.move_refs([RefMove(MAIN, workspace.clone.oid(), workspace.clone.oid("HEAD~1"))], "test")
    assert repo.process_count - before == 1


def test_bookkeeping_alone_is_not_written_down(workspace: Workspace, repo: Repository) -> None:
    repo.move_refs([RefMove("refs/stackr/heads/I1", None, workspace.clone.oid())], "submit: pushed")
    assert not log(workspace.clone).exists()
    assert operations(repo) == ()


def test_all_moves_of_one_command_are_one_operation(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    top, middle, bottom = (clone.oid(name) for name in ("HEAD", "HEAD~1", "HEAD~2"))
    with repo.lock("land"):
        repo.move_refs([RefMove(MAIN, top, middle)], "land: one")
        repo.move_refs([RefMove(MAIN, middle, bottom)], "land: two")
    with repo.lock("sync"):
        repo.move_refs([RefMove(MAIN, bottom, top)], "sync")
    sync, land = operations(repo)
    assert (land.command, land.reason, land.moves) == (
        "stackr land",
        "land: one; land: two",
        (RefMove(MAIN, top, bottom),),
    )
    assert (sync.command, sync.moves) == ("stackr sync", (RefMove(MAIN, bottom, top),))


def test_a_new_branch_keeps_its_own_commit(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    repo.move_refs([RefMove("refs/heads/new", None, clone.oid("HEAD~1"))], "test")
    assert kept(clone) == {f"{KEPT}1/0": clone.oid("HEAD~1")}
    assert operations(repo)[0].moves == (RefMove("refs/heads/new", None, clone.oid("HEAD~1")),)


def test_a_linked_worktree_writes_into_the_same_log(
    workspace: Workspace, repo: Repository, open_repo: Opener, tmp_path: Path
) -> None:
    clone = workspace.clone
    clone.git("worktree", "add", "-q", "--detach", str(tmp_path / "side"))
    side = open_repo(tmp_path / "side")
    side.move_refs([RefMove("HEAD", clone.oid(), clone.oid("HEAD~1"))], "test")
    (found,) = operations(repo)
    assert (found.branch, found.worktree) == (None, "side")
    assert (repo.oplog.worktree, side.oplog.worktree) == ("", "side")
    assert kept(clone) == {f"{KEPT}1/0": clone.oid()}


def test_gc_cannot_take_the_old_commits(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    base = clone.oid()
    lost = clone.commit("Lost")
    repo.move_refs([RefMove(MAIN, lost, base)], "test")
    clone.git("reflog", "expire", "--expire=now", "--all")
    clone.git("gc", "-q", "--prune=now")
    assert clone.git("cat-file", "-t", lost) == "commit"
    assert len(operations(repo)) == 1


def test_only_the_newest_are_kept(
    workspace: Workspace, repo: Repository, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert oplog.LIMIT == 100
    monkeypatch.setattr(oplog, "LIMIT", 6)
    clone = workspace.clone
    back_and_forth(repo, clone, 8)
    assert len(lines(clone)) == len(operations(repo)) == 6
    assert set(kept(clone)) == {f"{KEPT}{number}/0" for number in range(3, 9)}


def test_what_is_older_than_ninety_days_goes_with_the_next_entry(
    workspace: Workspace, repo: Repository, clock: Clock
) -> None:
    clone = workspace.clone
    back_and_forth(repo, clone, 2)
    clock.now += DAYS * DAY
    assert len(operations(repo)) == 2
    clock.now += 1
    assert operations(repo) == ()
    assert len(kept(clone)) == 2
    back_and_forth(repo, clone, 1)
    assert len(lines(clone)) == len(operations(repo)) == 1
    assert set(kept(clone)) == {f"{KEPT}3/0"}


def test_the_lines_of_one_command_go_together(workspace: Workspace, repo: Repository, clock: Clock) -> None:
    clone = workspace.clone
    top, below = clone.oid(), clone.oid("HEAD~1")
    with repo.lock("land"):
        repo.move_refs([RefMove(MAIN, top, below)], "land: one")
        clock.now += DAYS * DAY
        repo.move_refs([RefMove(MAIN, below, top)], "land: two")
    clock.now += DAY
    back_and_forth(repo, clone, 1)
    assert [each.command for each in operations(repo)] == ["stackr test", "stackr land"]


def test_killed_between_the_log_and_the_refs_it_never_happened(
    workspace: Workspace, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = workspace.clone
    back_and_forth(repo, clone, 1)
    before = operations(repo)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(refs, "move", die)
        with pytest.raises(KeyboardInterrupt):
            back_and_forth(repo, clone, 1)
    assert len(lines(clone)) == 2
    assert operations(repo) == before
    back_and_forth(repo, clone, 1)
    assert [each.moves[0].new for each in operations(repo)] == [clone.oid("origin/main"), before[0].moves[0].new]


def test_killed_right_after_the_refs_it_did_happen(
    workspace: Workspace, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = refs.move

    def move_and_die(*args: object) -> None:
        move(*args)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(refs, "move", move_and_die)
    with pytest.raises(KeyboardInterrupt):
        back_and_forth(repo, workspace.clone, 1)
    assert len(operations(repo)) == 1


def test_a_transaction_that_was_refused_leaves_no_line(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    back_and_forth(repo, clone, 1)
    with pytest.raises(Refused, match='"main" moved meanwhile'):
        repo.move_refs([RefMove(MAIN, clone.oid("HEAD~1"), clone.oid())], "test")
    assert len(lines(clone)) == len(operations(repo)) == 1


def test_a_transaction_that_failed_only_after_it_was_made_keeps_its_line(
    workspace: Workspace, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = refs.move

    def move_too_late(*args: object) -> None:
        move(*args)  # type: ignore[arg-type]
        raise StackrError("git did not end in time")

    monkeypatch.setattr(refs, "move", move_too_late)
    with pytest.raises(StackrError, match="in time"):
        back_and_forth(repo, workspace.clone, 1)
    assert len(operations(repo)) == 1


@pytest.mark.parametrize("tail", [b'{"line": 2, "ru', b"\x00\x00\x00\xff", b"[]\n", b"{}\n", b"7\n"])
def test_a_line_that_was_cut_or_makes_no_sense_is_passed_over(
    workspace: Workspace, repo: Repository, tail: bytes
) -> None:
    clone = workspace.clone
    back_and_forth(repo, clone, 1)
    with log(clone).open("ab") as file:
        file.write(tail)
    assert len(operations(repo)) == 1
    back_and_forth(repo, clone, 1)
    assert [int(ref.split("/")[3]) for ref in kept(clone)] == [1, 2]
    assert len(operations(repo)) == 2


@pytest.mark.parametrize("damage", [{"moves": [["a", "not a commit", None]]}, {"at": "x"}, {"moves": 3}])
def test_a_line_with_wrong_values_is_passed_over(
    workspace: Workspace, repo: Repository, damage: dict[str, object]
) -> None:
    clone = workspace.clone
    back_and_forth(repo, clone, 1)
    log(clone).write_text(json.dumps({**json.loads(lines(clone)[0]), **damage}) + "\n")
    assert operations(repo) == ()


def test_a_log_that_was_deleted_starts_anew(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    back_and_forth(repo, clone, 2)
    log(clone).unlink()
    assert operations(repo) == ()
    back_and_forth(repo, clone, 1)
    assert len(operations(repo)) == 1


def test_any_name_of_a_branch_survives(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    name = b"refs/heads/caf\xe9-\xc3\xa9".decode("utf-8", "surrogateescape")
    clone.git("update-ref", "--stdin", stdin=b"create " + os.fsencode(name) + f" {clone.oid()}\n".encode())
    repo.move_refs([RefMove(name, clone.oid(), clone.oid("HEAD~1"))], "test")
    assert operations(repo)[0].moves[0].ref == name


def test_nothing_moves_when_the_log_cannot_be_written(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    log(clone).mkdir(parents=True)
    tip = clone.oid()
    with pytest.raises(GitError, match=r"cannot (read|write) \".*operations\""):
        repo.move_refs([RefMove(MAIN, tip, clone.oid("HEAD~1"))], "test")
    assert clone.oid("main") == tip


@pytest.mark.parametrize("call", ["fsync", "open"])
def test_a_full_disk_stops_it_before_anything_moves(
    workspace: Workspace, repo: Repository, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    tip = workspace.clone.oid()
    below = workspace.clone.oid("HEAD~1")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        if call == "fsync":
            patch.setattr(os, "fsync", full)
        else:
            patch.setattr(Path, "open", full)
        with pytest.raises(GitError, match="no space left on device"):
            repo.move_refs([RefMove(MAIN, tip, below)], "test")
    assert workspace.clone.oid("main") == tip
    assert operations(repo) == ()


def test_that_the_log_cannot_be_shortened_is_no_failure(
    workspace: Workspace, repo: Repository, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = workspace.clone
    back_and_forth(repo, clone, 1)
    clock.now += (DAYS + 1) * DAY
    replace: Callable[..., Path] = Path.replace

    def refuse(path: Path, target: Path) -> Path:
        if path.name == "operations.new":
            raise OSError(13, "Permission denied")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refuse)
    back_and_forth(repo, clone, 1)
    assert len(lines(clone)) == 2
    assert len(operations(repo)) == len(kept(clone)) == 1
