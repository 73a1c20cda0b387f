"""Power loss between the refs and the files: the next command finishes, and what the user did since stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stackr.errors import GitError, Refused
from stackr.repo.mend import Mended
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import GitRepo, Workspace
from tests.support.switching import commit, is_tidy, move

BEFORE = {"changed.txt": "old\n", "deleted.txt": "old\n", "kept.txt": "kept\n", "box/a": "a\n", "thing": "file\n"}
AFTER = {"changed.txt": "new, and longer\n", "deleted.txt": None, "added.txt": "added\n"}
AFTER_SHAPES = {"box": "file\n", "thing/inside": "in\n"}


class PowerLoss(BaseException):
    """Not an error that anything handles."""


@pytest.fixture
def cut(workspace: Workspace, open_repo: Opener) -> tuple[GitRepo, str, str]:
    """A clone whose branch has moved, while index and files are still as before."""
    clone = workspace.clone
    old = commit(clone, BEFORE)
    clone.git("rm", "-qr", "thing", "box")
    new = commit(clone, {**AFTER, **AFTER_SHAPES})
    clone.git("reset", "-q", "--hard", old)
    dying = open_repo(clone.path)
    with pytest.raises(PowerLoss), dying.switching(old, new):
        move(dying, old, new)
        raise PowerLoss
    dying.close()
    return clone, old, new


def mended(clone: GitRepo, opener: Opener) -> Mended | None:
    return opener(clone.path).mend()


def content(clone: GitRepo) -> dict[str, str]:
    """Every file of the work tree but the template's."""
    files = (path for path in clone.path.rglob("*") if path.is_file() and ".git" not in path.parts)
    named = {str(path.relative_to(clone.path)): path.read_text() for path in files}
    return {name: text for name, text in named.items() if name not in ("README", "notes.txt", "src/code.py")}


WHOLE = {"changed.txt": "new, and longer\n", "kept.txt": "kept\n", "added.txt": "added\n"}
WHOLE |= {"box": "file\n", "thing/inside": "in\n"}


def test_nothing_pending_costs_nothing_and_says_nothing(repo: Repository) -> None:
    before = repo.process_count
    assert repo.mend() is None
    assert repo.process_count - before <= 1


def test_until_then_git_itself_refuses_to_commit_the_old_files(cut: tuple[GitRepo, str, str]) -> None:
    clone, _, _ = cut
    with pytest.raises(AssertionError, match=r"index\.lock"):
        clone.git("commit", "-qam", "would undo the trunk")


def test_cut_before_any_file_was_written(cut: tuple[GitRepo, str, str], open_repo: Opener) -> None:
    clone, old, new = cut
    assert mended(clone, open_repo) == Mended(old, new, files=7)
    assert content(clone) == WHOLE
    assert clone.git("status", "--porcelain", "--ignored") == ""
    assert is_tidy(clone)
    assert mended(clone, open_repo) is None


def half(clone: GitRepo) -> None:
    clone.write("changed.txt", "new, and longer\n")
    (clone.path / "deleted.txt").unlink()


def torn(clone: GitRepo) -> None:
    clone.write("changed.txt", "new, a")
    clone.write("added.txt", "")


def missing(clone: GitRepo) -> None:
    (clone.path / "changed.txt").unlink()


def shapes(clone: GitRepo) -> None:
    (clone.path / "box/a").unlink()
    (clone.path / "box").rmdir()
    clone.write("box", "file\n")
    (clone.path / "thing").unlink()


def all_files(clone: GitRepo) -> None:
    half(clone)
    shapes(clone)
    clone.write("added.txt", "added\n")
    clone.write("thing/inside", "in\n")


@pytest.mark.parametrize("until", [half, torn, missing, shapes, all_files], ids=lambda f: f.__name__)
def test_cut_while_files_were_written(
    cut: tuple[GitRepo, str, str], open_repo: Opener, until: Callable[[GitRepo], None]
) -> None:
    clone, old, new = cut
    until(clone)
    assert mended(clone, open_repo) == Mended(old, new, files=7)
    assert content(clone) == WHOLE
    assert clone.git("status", "--porcelain", "--ignored") == ""
    assert is_tidy(clone)


def test_cut_after_the_index_was_written(cut: tuple[GitRepo, str, str], open_repo: Opener) -> None:
    clone, old, new = cut
    (clone.path / ".git/index.lock").rename(clone.path / ".git/aside")
    clone.git("reset", "-q", "--hard", new)
    (clone.path / ".git/aside").rename(clone.path / ".git/index.lock")
    assert mended(clone, open_repo) == Mended(old, new, files=7)
    assert clone.git("status", "--porcelain") == ""
    assert is_tidy(clone)


def test_what_the_user_did_since_is_kept_and_named(cut: tuple[GitRepo, str, str], open_repo: Opener) -> None:
    clone, old, new = cut
    mine = {"changed.txt": "mine\n", "deleted.txt": "mine too\n", "added.txt": "and mine\n", "kept.txt": "dirty\n"}
    for name, text in {**mine, "untracked.txt": "untracked\n"}.items():
        clone.write(name, text)
    assert mended(clone, open_repo) == Mended(old, new, 7, kept=("added.txt", "changed.txt", "deleted.txt"))
    assert content(clone) == {**WHOLE, **mine, "untracked.txt": "untracked\n"}
    status = clone.git("status", "--porcelain").splitlines()
    assert status == [" M added.txt", " M changed.txt", " M kept.txt", "?? deleted.txt", "?? untracked.txt"]


def test_what_the_user_put_where_the_update_needs_room_is_kept(
    cut: tuple[GitRepo, str, str], open_repo: Opener
) -> None:
    clone, old, new = cut
    clone.write("thing", "mine\n")
    clone.write("box/mine.txt", "mine\n")
    assert mended(clone, open_repo) == Mended(old, new, 7, kept=("box", "box/a", "thing", "thing/inside"))
    assert content(clone)["thing"] == "mine\n"
    assert content(clone)["box/mine.txt"] == "mine\n"


def test_what_the_user_staged_since_stays_staged(cut: tuple[GitRepo, str, str], open_repo: Opener) -> None:
    clone, old, new = cut
    (clone.path / ".git/index.lock").unlink()
    clone.write("changed.txt", "staged\n")
    clone.git("add", "changed.txt")
    assert mended(clone, open_repo) == Mended(old, new, 7, kept=("changed.txt",))
    assert clone.git("show", ":changed.txt") == "staged"
    assert content(clone) == {**WHOLE, "changed.txt": "staged\n"}


def test_files_that_a_filter_changes_are_known_again(workspace: Workspace, open_repo: Opener) -> None:
    clone = workspace.clone
    old = commit(clone, {".gitattributes": "*.dos text eol=crlf\n", "done.dos": "old\n", "cut.dos": "old\n"})
    new = commit(clone, {"done.dos": "new\n", "cut.dos": "one\ntwo\n", "todo.dos": "new\n"})
    clone.git("reset", "-q", "--hard", old)
    dying = open_repo(clone.path)
    with pytest.raises(PowerLoss), dying.switching(old, new):
        move(dying, old, new)
        raise PowerLoss
    clone.write("done.dos", b"new\r\n")
    clone.write("cut.dos", b"one\r\nt")
    assert mended(clone, open_repo) == Mended(old, new, 3)
    assert (clone.path / "cut.dos").read_bytes() == b"one\r\ntwo\r\n"
    assert clone.git("status", "--porcelain") == ""


def test_noted_but_no_ref_moved_is_no_news(workspace: Workspace, repo: Repository, open_repo: Opener) -> None:
    clone = workspace.clone
    old = clone.oid()
    new = commit(clone, {"notes.txt": "new\n"})
    clone.git("reset", "-q", "--hard", old)
    begun = repo.switching(old, new)
    begun.__enter__()
    assert not is_tidy(clone)
    assert mended(clone, open_repo) is None
    assert is_tidy(clone)


def test_a_head_that_has_moved_on_is_left_alone_and_said(cut: tuple[GitRepo, str, str], open_repo: Opener) -> None:
    clone, old, new = cut
    (clone.path / ".git/index.lock").unlink()
    clone.git("reset", "-q", "--hard", "HEAD~2")
    assert mended(clone, open_repo) == Mended(old, new, moved_on=True)
    assert clone.git("status", "--porcelain") == ""
    assert is_tidy(clone)


def test_a_lock_of_another_git_is_respected(cut: tuple[GitRepo, str, str], open_repo: Opener) -> None:
    clone, _, _ = cut
    clone.write(".git/index.lock", "another git's half-written index")
    with pytest.raises(Refused, match="another git process holds"):
        mended(clone, open_repo)
    assert content(clone)["changed.txt"] == "old\n"


def test_a_damaged_journal_is_said(cut: tuple[GitRepo, str, str], open_repo: Opener) -> None:
    clone, _, _ = cut
    clone.write(".git/stackr/pending-switch", "{")
    with pytest.raises(GitError, match="is damaged"):
        mended(clone, open_repo)


def test_a_disk_that_is_full_leaves_it_to_the_next_command(workspace: Workspace, open_repo: Opener) -> None:
    clone = workspace.clone
    clone.git("config", "filter.broken.smudge", "false")
    clone.git("config", "filter.broken.required", "true")
    old = commit(clone, {".gitattributes": "*.x filter=broken\n", "a.txt": "old\n"})
    clone.git("config", "filter.broken.clean", "cat")
    new = commit(clone, {"a.txt": "new\n", "b.x": "b\n"})
    clone.git("-c", "filter.broken.smudge=cat", "reset", "-q", "--hard", old)
    repo = open_repo(clone.path)
    with pytest.raises(GitError, match="could not be brought up to date"), repo.switching(old, new):
        move(repo, old, new)
    with pytest.raises(GitError, match="could not be brought up to date"):
        mended(clone, open_repo)
    clone.git("config", "filter.broken.smudge", "cat")
    assert mended(clone, open_repo) == Mended(old, new, 2)
    assert clone.git("status", "--porcelain") == ""
    assert Path(clone.path / "b.x").read_text() == "b\n"
