"""The tests' own reader of refs says what git says, or leaves it to git."""

from __future__ import annotations

import pytest

from tests.support import reffiles
from tests.support.git import Workspace

ASKED = ("HEAD", "main", "side", "both", "noted", "origin/main", "refs/heads/side", "refs/remotes/origin/HEAD", "gone")


def test_refs_and_names_are_those_of_git(workspace: Workspace) -> None:
    clone = workspace.clone
    for name in ("side", "both", "a/b.c"):
        clone.git("branch", name)
    clone.git("pack-refs", "--all")
    clone.commit("above")
    clone.git("branch", "-f", "side")
    clone.git("tag", "-a", "-m", "note", "noted")
    clone.git("tag", "both", "HEAD~1")
    for patterns in ((), ("refs/heads",), ("refs/heads/",), ("refs/tags", "refs/remotes/origin"), ("refs/heads/si",)):
        listed = clone.git("for-each-ref", "--format=%(refname) %(objectname)", *patterns).splitlines()
        assert reffiles.list_refs(clone.path, patterns) == dict(line.split(" ") for line in listed)
    for name in ASKED:
        found = reffiles.find_oid(clone.path, name)
        assert found in (None, clone.git("rev-parse", "--verify", name, check=False))
    assert [name for name in ASKED if reffiles.find_oid(clone.path, name) is None] == ["both", ASKED[-2], "gone"]
    clone.git("checkout", "-q", "--detach", "side")
    assert reffiles.find_oid(clone.path, "HEAD") == clone.git("rev-parse", "HEAD")


@pytest.mark.parametrize("what", ["worktree", "pattern", "broken", "nothing"])
def test_what_is_not_plain_is_left_to_git(workspace: Workspace, what: str) -> None:
    clone = workspace.clone
    patterns: tuple[str, ...] = ()
    if what == "worktree":
        clone.git("worktree", "add", "-q", "--detach", "../other")
    elif what == "pattern":
        patterns = ("refs/heads/*",)
    elif what == "broken":
        clone.write(".git/refs/heads/broken", "ref: refs/heads/nowhere\n")
    path = clone.path if what in ("pattern", "broken") else clone.path.parent / "other"
    assert reffiles.list_refs(path, patterns) is None
