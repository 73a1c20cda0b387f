"""Bad input that lies in the repository or its stack: each has its exit code and its words, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.git import make_repo
from tests.support.laws import check_laws, error_of, refuses, untouched
from tests.support.world import Clone, World


def elsewhere(world: World, path: Path) -> Clone:
    """A place that is no clone of the world's repository, with alice's token."""
    return Clone(path, "alice", world.server.add_user("alice"))


def test_outside_of_a_repository(world: World, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    place = elsewhere(world, tmp_path / "empty")
    refuses(
        world,
        place,
        "submit",
        code=3,
        kind="refused",
        message=f'"{place.path}" is not in a git repository',
        next_step="cd into a clone, or use stackr -C DIR",
    )


def test_in_a_bare_repository(world: World, tmp_path: Path) -> None:
    place = elsewhere(world, make_repo(tmp_path / "bare.git", bare=True).path)
    refuses(
        world,
        place,
        "submit",
        code=3,
        kind="refused",
        message=f'"{place.path}" is a bare repository',
        next_step="run stackr in a clone with files",
    )


def test_without_a_remote(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("remote", "remove", "origin")
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message="this repository has no remote",
        next_step="git remote add origin https://github.com/OWNER/REPO",
    )


def test_with_a_setting_that_names_no_remote(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("config", "stackr.remote", "gone")
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message='there is no remote "gone" (from the setting "remote")',
        next_step="stackr config shows where that stands, or git remote add gone URL",
    )


def test_with_several_remotes_and_none_chosen(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("remote", "rename", "origin", "one")
    clone.git("remote", "add", "two", "https://github.com/acme/two")
    clone.git("branch", "--unset-upstream", "feature", check=False)
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message='there are several remotes ("one", "two") and none is chosen',
        next_step="git config remote.pushDefault one",
    )


def test_before_the_first_commit(world: World) -> None:
    clone = world.clone()
    clone.git("checkout", "-q", "--orphan", "fresh")
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message="the current branch has no commit yet",
        next_step="commit something, then run stackr again",
    )


def test_a_trunk_that_does_not_exist(world: World) -> None:
    clone = world.stacked("A", submit=False)
    refuses(
        world,
        clone,
        "submit",
        "--base",
        "nowhere",
        code=3,
        kind="refused",
        message='the branch "nowhere" does not exist on GitHub',
        next_step='name the branch your stack should land on with --base BRANCH (the default branch is "main")',
    )


def test_an_empty_stack(world: World) -> None:
    refuses(
        world,
        world.clone(),
        "submit",
        code=3,
        kind="refused",
        message='there is no commit between "main" and HEAD',
        next_step="commit something, or name another trunk with --base BRANCH",
    )


def test_a_history_without_any_commit_of_trunk(world: World) -> None:
    clone = world.clone()
    clone.git("checkout", "-q", "--orphan", "fresh")
    clone.change("A")
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message='the branch and "main" have no commit in common',
        next_step="rebase your commits onto origin/main, or name another trunk with --base BRANCH",
    )


def test_a_merge_commit_in_the_stack(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("checkout", "-q", "-b", "side", "origin/main")
    clone.change("B")
    clone.git("checkout", "-q", "feature")
    clone.git("merge", "-q", "--no-ff", "-m", "Join them", "side")
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message=f'"Join them" ({clone.oid()[:7]}) is a merge commit, and a stack is a line of single commits',
        next_step="git rebase origin/main makes a line of it; then run stackr again",
    )


def test_two_commits_with_the_same_id(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    change = "I" + "7" * 40
    clone.reword("A", f"A\n\nChange-Id: {change}")
    clone.reword("B", f"B\n\nChange-Id: {change}")
    one, two = (oid[:7] for oid in clone.stack())
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message=f'"A" ({one}) and "B" ({two}) have the same Change-Id I7777777777',
        next_step=f"give one of them a new one: stackr id --new {two}",
    )
    clone.stackr("id", "--new", two)
    clone.stackr("submit")
    check_laws(world, clone)


def test_an_empty_commit(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.commit("Nothing in it", {})
    short = clone.oid()[:7]
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message=f'"Nothing in it" ({short}) is empty, and GitHub refuses a pull request without changes',
        next_step=f"drop it (stackr drop {short}) or amend it",
    )


def test_an_empty_message(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("commit", "-q", "--amend", "--allow-empty-message", "-m", "")
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message=f"commit {clone.oid()[:7]} has an empty message, and a pull request needs a title",
        next_step=f"give it one: stackr reword {clone.oid()[:7]}",
    )


def test_a_title_of_300_characters(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.change("B", message="é" * 300)
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message=f"the title of {clone.oid()[:7]} has 300 characters; GitHub takes 256",
        next_step=f"shorten the first line of its message: stackr reword {clone.oid()[:7]}",
    )


def test_a_title_of_256_characters_is_taken(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.change("B", message="é" * 256)
    clone.stackr("submit")
    check_laws(world, clone)


def test_a_body_of_70000_characters(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.change("B", message="B\n\n" + "x" * 70_000)
    with untouched(world, clone):
        _, error = error_of(clone, "submit", code=3)
    assert error["message"].startswith(f'the description of "B" ({clone.oid()[:7]}) would have 70')
    assert error["message"].endswith("; GitHub takes 65536")
    assert error["safe"] == "nothing was changed"
    assert error["next"]


@pytest.mark.parametrize(
    ("start", "operation", "way_out"),
    [
        (["rebase", "-i", "HEAD~1"], "rebase", "git rebase --abort"),
        (["bisect", "start"], "bisect", "git bisect reset"),
        (["merge", "--no-commit", "--no-ff", "side"], "merge", "git merge --abort"),
        (["cherry-pick", "clash"], "cherry-pick", "git cherry-pick --abort"),
    ],
    ids=["rebase", "bisect", "merge", "cherry-pick"],
)
def test_in_the_middle_of_something(world: World, start: list[str], operation: str, way_out: str) -> None:
    clone = world.stacked("A", submit=False)
    for branch, text in (("side", "side"), ("clash", "A")):
        clone.git("checkout", "-q", "-b", branch, "origin/main")
        clone.commit(branch, {f"{text}.txt": "other\n"})
    clone.git("checkout", "-q", "feature")
    clone.git(*start, check=False, env={"GIT_SEQUENCE_EDITOR": "sed -i -e s/^pick/edit/"})
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message=f"a {operation} is in progress",
        next_step=f"finish it or run {way_out}, then repeat the command",
    )
    assert f"note: a {operation} is in progress" in clone.stackr("status").out


def test_while_another_stackr_is_running(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.amend("A")
    held = world.server.faults.add("hold", selector="push")
    running = clone.start("submit")
    assert held.reached.wait(20)
    text, error = error_of(clone, "submit", code=3)
    held.release()
    running.communicate(timeout=20)
    assert text.splitlines()[0] == f'error: "stackr submit" (process {running.pid}) is running in this repository'
    assert error["next"] == "wait for it to end, or stop it, and try again"
    assert running.returncode == 0
    check_laws(world, clone)


def test_a_merged_pull_request_in_the_stack(world: World) -> None:
    clone = world.stacked("A", "B")
    world.merge(1, method="squash")
    message = f'pull request #1 of "A" ({clone.stack()[0][:7]}) is merged into "main"'
    with untouched(world, clone):
        _, error = error_of(clone, "submit", code=3)
    assert error["message"] == message
    assert error["next"].startswith("stackr sync drops what landed")


def test_a_backport_of_what_was_merged_elsewhere(world: World) -> None:
    world.branch("release", "main~1")
    clone = world.stacked("A", "B")
    world.merge(1, method="squash")
    clone.git("fetch", "-q", str(world.bare.path), "release:refs/remotes/origin/release")
    clone.git("checkout", "-q", "--no-track", "-b", "backport", "origin/release")
    clone.git("cherry-pick", "feature~1")
    short = clone.oid()[:7]
    refuses(
        world,
        clone,
        "submit",
        "--base",
        "release",
        code=3,
        kind="refused",
        message=f'pull request #1 of "A" ({short}) is merged into "main"',
        next_step=f'stackr id --new {short} makes it a new change, for "release"',
    )
    clone.stackr("id", "--new", short)
    clone.stackr("submit", "--base", "release")
    check_laws(world, clone, "release", gone=[1])


def test_a_closed_pull_request_in_the_stack(world: World) -> None:
    clone = world.stacked("A", "B")
    world.edit(2, state="closed")
    short = clone.oid()[:7]
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message=f'pull request #2 of "B" ({short}) is closed',
        next_step=f"stackr submit --reopen opens it again; stackr drop {short} takes it out; "
        f"stackr id --new {short} makes it a new change",
    )


def test_a_stack_that_went_back_to_an_older_trunk(world: World) -> None:
    clone = world.stacked("A", submit=False)
    old = clone.oid("origin/main")
    trunk = world.advance()
    clone.git("fetch", "-q", str(world.bare.path), "main:refs/remotes/origin/main")
    clone.git("rebase", "-q", "origin/main")
    clone.stackr("submit")
    clone.git("rebase", "-q", "--onto", old, "origin/main")
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message=f'the branch of "A" ({clone.oid()[:7]}) already contains "main" at {trunk[:7]}, '
        "which is newer than the commit your stack stands on",
        next_step="stackr sync, or git rebase origin/main and then stackr submit",
    )


def test_a_current_directory_that_is_gone(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    result = Clone(Path(), "alice", "x").stackr("submit", code=3)
    assert result.err == (
        "error: the current directory no longer exists\n"
        "safe:  nothing was changed\n"
        "next:  cd to a directory that does\n"
    )
    del world
