"""What Tab reads of a repository without git, against what git itself says; and that nothing makes it fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackr.repo import plainly
from tests.support.git import GitRepo, Workspace, git


def by_git(repo: GitRepo, kind: str) -> tuple[str, ...]:
    names = repo.git("for-each-ref", "--format=%(refname)", f"refs/{kind}").splitlines()
    return tuple(sorted(name.removeprefix(f"refs/{kind}/") for name in names if not name.endswith("/HEAD")))


def test_branches_are_those_git_names_packed_or_not_and_from_a_worktree(workspace: Workspace, tmp_path: Path) -> None:
    repo = workspace.clone
    for name in ("deep/er/one", "two"):
        repo.git("branch", name)
    repo.git("pack-refs", "--all")
    repo.git("branch", "three")
    repo.git("tag", "-a", "-m", "a tag", "v1")
    repo.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    (repo.path / "sub" / "folder").mkdir(parents=True)
    for place in (repo.path, repo.path / "sub" / "folder", repo.path / ".git", tmp_path / "linked"):
        common = plainly.find_common_dir(place)
        assert common == repo.path / ".git"
        for kind in ("heads", "remotes"):
            assert plainly.list_branches(common, kind) == by_git(repo, kind)
    assert "linked" in by_git(repo, "heads")


@pytest.mark.parametrize("git_file", [b"gitdir: /nowhere\n", b"nonsense", b"gitdir: \0", b"\xff"])
def test_where_there_is_no_repository_nothing_is_found(tmp_path: Path, git_file: bytes) -> None:
    assert plainly.find_common_dir(tmp_path) is None
    (tmp_path / ".git").write_bytes(git_file)
    assert plainly.find_common_dir(tmp_path) is None


def test_refs_of_another_format_are_not_understood_and_do_no_harm(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "repo")
    common = plainly.find_common_dir(tmp_path / "repo")
    assert common is not None
    heads = common / "refs" / "heads"
    heads.rmdir()
    heads.write_text("this repository uses the reftable format\n")  # as git leaves it there
    assert plainly.list_branches(common, "heads") == ()
    (common / "packed-refs").mkdir()
    assert plainly.list_branches(common, "heads") == ()
