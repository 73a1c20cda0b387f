"""Differences between trees: in numbers, as text, and brought to the terminal by git itself."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from stackr.core.versions import FileDiff
from stackr.errors import GitError
from stackr.repo import diffs
from stackr.repo.repository import Repository
from tests.support.git import GitRepo, git


@pytest.fixture
def work(tmp_path: Path) -> GitRepo:
    """An empty repository."""
    git(tmp_path, "init", "-q", "-b", "main", "work")
    return GitRepo(tmp_path / "work")


def test_every_file_that_differs_is_told_whatever_became_of_it(work: GitRepo) -> None:
    lines = "".join(f"line {n}\n" for n in range(20))
    work.commit("one", {"kept.txt": "same\n", "old name.txt": lines, "gone.txt": "a\nb\n", "edit.txt": "a\n"})
    (work.path / "bin").write_bytes(b"\0one")
    work.git("add", "-A")
    work.git("commit", "-q", "--amend", "-m", "one")
    work.git("mv", "old name.txt", "new\tname.txt")
    work.git("rm", "-q", "gone.txt")
    (work.path / "bin").write_bytes(b"\0two")
    work.git("add", "bin")
    work.commit("two", {"edit.txt": "a\nb\nc\n", "fresh.txt": "x\n"})
    with Repository.open(work.path) as opened:
        assert sorted(opened.diff_files(work.tree("HEAD~1"), work.tree("HEAD")), key=lambda each: each.path) == [
            FileDiff("bin", "modified", None, None),
            FileDiff("edit.txt", "modified", 2, 0),
            FileDiff("fresh.txt", "added", 1, 0),
            FileDiff("gone.txt", "deleted", 0, 2),
            FileDiff("new\tname.txt", "renamed", 0, 0, "old name.txt"),
        ]
        assert opened.diff_size(work.tree("HEAD~1"), work.tree("HEAD")) == 10
        assert opened.diff_files(work.tree("HEAD"), work.tree("HEAD")) == ()


def test_text_is_coloured_only_on_request(work: GitRepo) -> None:
    work.commit("one", {"a.txt": "a\n"})
    work.commit("two", {"a.txt": "b\n"})
    trees = work.tree("HEAD~1"), work.tree("HEAD")
    with Repository.open(work.path) as opened:
        plain = opened.show_diff(*trees, stat=False, color=False, terminal=False)
        assert plain.splitlines()[-2:] == [b"-a", b"+b"]
        assert b"\x1b[31m-a" in opened.show_diff(*trees, stat=False, color=True, terminal=False)


def test_on_a_terminal_git_brings_it_through_the_users_pager(work: GitRepo) -> None:
    work.commit("one", {"a.txt": "a\n"})
    work.commit("two", {"a.txt": "b\n"})
    trees = work.tree("HEAD~1"), work.tree("HEAD")
    program = (
        "from pathlib import Path\nfrom stackr.repo.repository import Repository\n"
        f"with Repository.open(Path({str(work.path)!r})) as opened:\n"
        f"    opened.show_diff(*{trees!r}, stat=False, color=False, terminal=True)\n"
    )
    ours, theirs = pty.openpty()
    env = {**os.environ, "GIT_PAGER": "sed s/^/paged:/", "TERM": "xterm"}
    done = subprocess.run([sys.executable, "-c", program], stdout=theirs, stderr=subprocess.PIPE, env=env, timeout=60)
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert b"paged:+b\r\n" in os.read(ours, 65536)
    os.close(ours)


def test_a_git_that_fails_is_told(work: GitRepo) -> None:
    work.commit("one", {"a.txt": "a\n"})
    with Repository.open(work.path) as opened, pytest.raises(GitError, match="git diff failed"):
        diffs.show(opened.runner, ["diff", "--no-such-option"], {}, color=True)
