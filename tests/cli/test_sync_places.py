"""Where and on what ``stackr sync`` works: odd clones, shared stacks, other trunks, odd files."""

from __future__ import annotations

import pytest

from tests.support.git import git
from tests.support.laws import check_laws
from tests.support.synced import check_settled, land
from tests.support.world import Clone, World


def http_clone(world: World, *options: str, login: str = "alice") -> Clone:
    """A clone over HTTP, for what a copy of the directory cannot give; two commits are submitted."""
    token = world.server.add_user(login)
    path = world.root / "odd"
    git(world.root, "clone", "-q", *options, world.server.clone_url(world.name, token), str(path))
    git(path, "remote", "set-url", "origin", world.server.clone_url(world.name))
    clone = Clone(path, login, token)
    clone.git("checkout", "-q", "-b", "feature")
    clone.commit("A", {"src/app.py": (path / "src/app.py").read_text() + "alice\n"})
    clone.change("B")
    clone.stackr("submit")
    return clone


@pytest.mark.parametrize("options", [("--depth=1",), ("--filter=blob:none",), ("--single-branch",)], ids=str)
def test_in_shallow_blobless_and_narrow_clones(world: World, options: tuple[str, ...]) -> None:
    world.bare.git("config", "uploadpack.allowFilter", "true")
    clone = http_clone(world, *options)
    world.advance("src/util.py", "trunk\n")
    land(world, 1)
    world.advance("src/app.py", "bob\n" + world.bare.git("show", "main:src/app.py") + "\n")
    clone.stackr("sync")
    assert clone.subjects() == ["B"]
    assert (clone.path / "src/app.py").read_text().startswith("bob\n")
    assert clone.git("status", "--porcelain") == ""
    check_laws(world, clone, landed=[1], gone=[1])
    check_settled(world, clone)


def test_two_branches_that_share_a_landed_change_are_synced_one_after_the_other(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.git("checkout", "-q", "-b", "fork", "HEAD~1")
    clone.change("X")
    clone.stackr("submit")
    land(world, 1)
    clone.stackr("sync")
    assert world.state(2) == world.state(3) == "open"
    assert clone.subjects() == ["X"]
    clone.git("checkout", "-q", "feature")
    clone.stackr("sync")
    assert clone.subjects() == ["B"]
    assert [world.pull(number).base_ref for number in (2, 3)] == ["main", "main"]
    assert f"refs/heads/{world.pull(1).head_ref}" not in world.bare.refs("refs/heads")
    check_settled(world, clone)


def test_a_branch_that_shares_a_change_and_is_left_behind_is_named_with_what_to_do(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.git("checkout", "-q", "-b", "fork", "HEAD~1")
    clone.change("X")
    clone.stackr("submit")
    world.suggest(world.pull(1).head_ref, "A.txt", (clone.path / "A.txt").read_text() + "bob\n")
    old = clone.oid("HEAD~1")
    told = clone.stackr("sync").err
    command = f"git rebase --onto {clone.oid('HEAD~1')[:10]} {old[:10]} feature"
    words = f'"feature" still holds "A" without what others pushed; before you submit it: {command}'
    assert f"warning: {words}\n" in told
    clone.git(*command.split()[1:])
    clone.stackr("submit")
    assert (clone.path / "A.txt").read_text().endswith("bob\n")
    assert [world.state(number) for number in (1, 2, 3)] == ["open"] * 3
    check_settled(world, clone)


def test_onto_a_trunk_that_is_not_the_default_branch(world: World) -> None:
    world.branch("next")
    clone = world.clone()
    clone.git("fetch", "-q", str(world.bare.path), "+refs/heads/*:refs/remotes/origin/*")
    clone.grow("A", "B")
    clone.stackr("submit", "--base", "next")
    world.advance("trunk.txt", "next\n", branch="next")
    world.merge(1, method="squash")
    clone.stackr("sync")
    assert clone.subjects("origin/next") == ["B"]
    check_laws(world, clone, "next", landed=[1], gone=[1])
    check_settled(world, clone)


def test_no_hook_runs_in_between(world: World) -> None:
    clone = world.stacked("A", "B")
    for name in ("pre-commit", "post-checkout", "post-commit", "prepare-commit-msg", "commit-msg", "post-rewrite"):
        clone.write(f".git/hooks/{name}", f"#!/bin/sh\necho {name} >> {world.root}/hooked\n").chmod(0o755)
    land(world, 1)
    clone.stackr("sync")
    assert not (world.root / "hooked").exists()


def test_only_files_that_differ_are_written(world: World) -> None:
    clone = world.stacked("A", "B")
    world.advance("src/app.py", "trunk\n")
    files = ("README.md", "src/util.py", "A.txt", "B.txt")
    before = [(clone.path / name).stat().st_mtime_ns for name in files]
    clone.stackr("sync")
    assert [(clone.path / name).stat().st_mtime_ns for name in files] == before
    assert (clone.path / "src/app.py").read_text() == "trunk\n"


def test_an_ignored_file_in_the_way_is_not_given_up(world: World) -> None:
    clone = world.stacked("A")
    clone.write(".git/info/exclude", "secret.env\n")
    clone.write("secret.env", "mine\n")
    world.advance("secret.env", "trunk\n")
    assert '"secret.env"' in clone.stackr("sync", code=3).err
    assert (clone.path / "secret.env").read_text() == "mine\n"


def test_in_a_sparse_checkout(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/")
    world.advance("src/app.py", "trunk\n")
    clone.stackr("sync")
    assert not (clone.path / "src").exists()
    assert clone.git("status", "--porcelain") == ""
    check_laws(world, clone)


def test_an_empty_commit_of_the_users_stops_a_sync_that_would_push_it_before_anything_moves(world: World) -> None:
    clone = world.stacked("A")
    change = clone.git("log", "-1", "--format=%B").strip()
    clone.git("reset", "-q", "--hard", "origin/main")
    clone.git("commit", "-q", "--allow-empty", "-m", change)
    before = clone.refs()
    world.advance()
    assert "is empty" in clone.stackr("sync", code=3).err
    assert {ref: oid for ref, oid in clone.refs().items() if "remotes" not in ref} == {
        ref: oid for ref, oid in before.items() if "remotes" not in ref
    }
