"""``stackr undo`` and ``stackr log``: whole commands taken back, and nothing of the user's lost."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from stackr.repo.worktree import WorkTree
from tests.support.git import GitRepo
from tests.support.world import Clone, Result, World

WHEN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")


def local(clone: Clone) -> dict[str, Any]:
    """All of the clone that is the user's: branches, HEAD, files, what is staged and what is not."""
    tops = [path for path in clone.path.iterdir() if path.name != ".git"]
    files = {
        str(path.relative_to(clone.path)): path.read_text()
        for top in tops
        for path in (top.rglob("*") if top.is_dir() else [top])
        if path.is_file()
    }
    return {
        "branches": clone.refs("refs/heads"),
        "head": (clone.git("symbolic-ref", "-q", "HEAD", check=False), clone.oid()),
        "files": files,
        "status": clone.git("status", "--porcelain"),
    }


def everything(world: World, clone: Clone) -> dict[str, Any]:
    """The same, and all refs and the whole server: what a refusal or a dry run must not change."""
    return {**local(clone), "refs": clone.refs(), "server": world.facts()}


def synced(world: World, *titles: str) -> Clone:
    """A submitted stack, and trunk has moved on."""
    clone = world.stacked(*titles)
    world.advance("trunk.txt", "trunk\n")
    return clone


def undone(clone: Clone, *args: str) -> Result:
    return clone.stackr("undo", *args)


def test_a_submit_is_taken_back_with_the_ids_it_gave(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.git("branch", "lower", "HEAD~1")
    before = local(clone)
    clone.stackr("submit")
    ids = clone.ids()
    assert local(clone) != before
    result = undone(clone)
    assert local(clone) == before
    feature, lower = clone.oid()[:7], clone.oid("lower")[:7]
    assert re.fullmatch(
        rf"move     feature  [0-9a-f]{{7}}\.\.{feature}\nmove     lower  [0-9a-f]{{7}}\.\.{lower}\n", result.out
    )
    assert WHEN.sub("WHEN", result.err) == (
        "GitHub is as it was: the next stackr submit brings it to where you are now\n"
        'took back "stackr submit" (WHEN); stackr undo brings it back\n'
    )
    pushed = world.bare.refs("refs/heads")
    clone.stackr("submit")
    assert clone.ids() == ids
    assert world.bare.refs("refs/heads") == pushed
    assert [pull.state for pull in world.pulls()] == ["open", "open"]


def test_an_undo_is_taken_back_by_another(world: World) -> None:
    clone = world.stacked("A", submit=False)
    before = local(clone)
    clone.stackr("submit")
    after = local(clone)
    undone(clone)
    undone(clone)
    assert local(clone) == after
    undone(clone)
    assert local(clone) == before
    assert undone(clone, "2").err == "everything is as it was before\n"
    assert local(clone) == before


def test_a_sync_is_taken_back_with_its_files(world: World) -> None:
    clone = synced(world, "A", "B")
    before = local(clone)
    clone.stackr("sync")
    after = local(clone)
    assert "trunk.txt" in after["files"]
    undone(clone)
    assert local(clone) == before
    undone(clone)
    assert local(clone) == after


def test_several_operations_are_taken_back_at_once(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    before = local(clone)
    clone.stackr("submit")
    clone.stackr("id", "--new")
    clone.stackr("id", "--new", "HEAD~1")
    after = local(clone)
    result = undone(clone, "3")
    assert local(clone) == before
    assert result.err.endswith("took back 3 operations; stackr undo brings it back\n")
    undone(clone)
    assert local(clone) == after


def test_going_back_past_what_git_did_in_between_is_said(world: World) -> None:
    clone = world.stacked("A", submit=False)
    before = local(clone)
    clone.stackr("submit")
    clone.amend("A")
    clone.stackr("id", "--new")
    after = local(clone)
    assert undone(clone, "2").err.startswith('"feature" was also moved in between, by other means than stackr; ')
    assert local(clone) == {**before, "files": before["files"]}
    undone(clone)
    assert local(clone) == after


def test_uncommitted_work_stays(world: World) -> None:
    clone = synced(world, "A", "B")
    clone.stackr("sync")
    clone.write("README.md", "not committed\n")
    clone.write("src/app.py", "staged\n")
    clone.git("add", "src/app.py")
    clone.write("untracked.txt", "untracked\n")
    before = local(clone)
    undone(clone)
    now = local(clone)
    assert now["status"] == before["status"] == " M README.md\nM  src/app.py\n?? untracked.txt"
    assert now["files"] == {name: text for name, text in before["files"].items() if name != "trunk.txt"}


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_uncommitted_work_in_the_way_is_named_and_nothing_moves(world: World, options: tuple[str, ...]) -> None:
    clone = synced(world, "A", "B")
    clone.stackr("sync")
    clone.write("trunk.txt", "mine\n")
    before = everything(world, clone)
    result = clone.stackr("undo", *options, code=3)
    assert result.err.startswith('error: files you have changed would be overwritten: "trunk.txt"\nsafe:  nothing was ')
    assert everything(world, clone) == before
    assert len(clone.stackr("log").out.splitlines()) == 2


def test_an_untracked_file_in_the_way_of_one_that_comes_back_is_kept(world: World) -> None:
    clone = synced(world, "A", "B")
    clone.stackr("sync")
    undone(clone)
    clone.write("trunk.txt", "mine\n")
    before = everything(world, clone)
    assert '"trunk.txt"' in clone.stackr("undo", code=3).err
    assert everything(world, clone) == before


def test_a_commit_made_since_is_not_lost(world: World) -> None:
    clone = world.stacked("A")
    left = clone.oid()[:7]
    now = clone.change("B")[:7]
    before = everything(world, clone)
    assert clone.stackr("undo", code=3).err == (
        f'error: "feature" has moved on: it is at {now} and not where "stackr submit" left it ({left})\n'
        "safe:  nothing was changed\n"
        f"next:  git branch NEW feature keeps what is there now; git reset --keep {left}; then run stackr undo again\n"
    )
    assert everything(world, clone) == before
    clone.git("branch", "NEW", "feature")
    clone.git("reset", "-q", "--keep", left)
    undone(clone)
    assert clone.ids() == {"A": ""}


def test_a_branch_deleted_since_is_named(world: World) -> None:
    clone = world.stacked("A")
    left = clone.oid()
    clone.git("switch", "-q", "main")
    clone.git("branch", "-q", "-D", "feature")
    result = clone.stackr("undo", code=3)
    assert result.err.startswith('error: "feature" was deleted since\n')
    clone.git("branch", "feature", left)
    undone(clone)
    assert clone.oid("feature") != left


def test_a_branch_one_has_left_goes_back_and_the_files_stay(world: World) -> None:
    clone = synced(world, "A")
    old = clone.oid("feature")
    clone.stackr("sync")
    clone.git("switch", "-q", "-c", "other", "origin/main~1")
    before = local(clone)
    undone(clone)
    assert local(clone) == {**before, "branches": {**before["branches"], "refs/heads/feature": old}}


def test_a_detached_head_goes_back(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.git("switch", "-q", "--detach")
    clone.git("branch", "-q", "-D", "feature")
    before = local(clone)
    clone.stackr("submit")
    world.advance()
    clone.stackr("sync")
    assert local(clone)["head"] != before["head"]
    undone(clone, "2")
    assert local(clone) == before


def test_a_detached_head_that_went_to_a_branch_is_left_there(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("switch", "-q", "--detach")
    clone.stackr("submit")
    clone.git("switch", "-q", "feature")
    before = everything(world, clone)
    assert 'HEAD is not where "stackr submit" left it' in clone.stackr("undo", code=3).err
    assert everything(world, clone) == before


def test_a_branch_in_another_worktree_goes_back_when_no_file_there_changes(world: World, tmp_path: Path) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.git("worktree", "add", "-q", "-b", "lower", str(tmp_path / "side"), "HEAD~1")
    before = local(clone)
    clone.stackr("submit")
    assert clone.oid("lower") != before["branches"]["refs/heads/lower"]
    undone(clone)
    assert local(clone) == before
    assert GitRepo(tmp_path / "side").git("status", "--porcelain") == ""


def test_a_branch_in_another_worktree_whose_files_would_change_is_left(world: World, tmp_path: Path) -> None:
    clone = synced(world, "A")
    clone.stackr("sync")
    clone.git("switch", "-q", "main")
    clone.git("worktree", "add", "-q", str(tmp_path / "side"), "feature")
    before = everything(world, clone)
    result = clone.stackr("undo", code=3)
    assert f'"feature" is checked out in "{tmp_path / "side"}", and its files would have to change' in result.err
    assert everything(world, clone) == before
    side = Clone(tmp_path / "side", clone.login, clone.token)
    side.stackr("undo")
    assert not (side.path / "trunk.txt").exists()
    assert side.git("status", "--porcelain") == ""


def test_the_head_of_another_worktree_is_moved_only_there(world: World, tmp_path: Path) -> None:
    clone = world.clone()
    clone.git("worktree", "add", "-q", "--detach", str(tmp_path / "side"))
    side = Clone(tmp_path / "side", clone.login, clone.token)
    old = side.change("A")
    side.stackr("submit")
    assert 'moved the HEAD of the worktree "side"' in clone.stackr("undo", code=3).err
    side.stackr("undo")
    assert side.oid() == old


def test_gc_takes_nothing_that_can_be_taken_back(world: World) -> None:
    clone = synced(world, "A", "B")
    before = local(clone)
    clone.stackr("sync")
    clone.stackr("id", "--new")
    clone.git("reflog", "expire", "--expire=now", "--all")
    clone.git("gc", "-q", "--prune=now")
    undone(clone, "2")
    assert local(clone) == before
    clone.git("fsck", "--strict")


def test_a_rebase_under_way_comes_first(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.git("rebase", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": "sed -i s/^pick/break\\\\npick/"})
    before = everything(world, clone)
    assert clone.stackr("undo", code=3).err.startswith("error: a rebase is in progress\n")
    assert everything(world, clone) == before


def test_a_dry_run_shows_what_would_move_and_writes_nothing(world: World) -> None:
    clone = synced(world, "A")
    old = clone.oid()
    clone.stackr("sync")
    before = everything(world, clone)
    assert undone(clone, "--dry-run").out == f"move     feature  {clone.oid()[:7]}..{old[:7]}\n"
    document = undone(clone, "--dry-run", "--json").json
    assert document["actions"] == [{"kind": "move", "ref": "refs/heads/feature", "from": clone.oid(), "to": old}]
    assert everything(world, clone) == before
    assert len(clone.stackr("undo", "--list").out.splitlines()) == 2


def test_json_has_what_was_taken_back(world: World) -> None:
    clone = world.stacked("A")
    new = clone.oid()
    document = undone(clone, "--json").json
    (operation,) = document.pop("undone")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", operation.pop("at"))
    assert operation == {
        "number": 1,
        "command": "stackr submit",
        "reason": "submit: add change ids",
        "branch": "feature",
        "worktree": None,
        "moves": [{"ref": "refs/heads/feature", "from": clone.oid(), "to": new}],
    }
    assert document == {
        "schema": 1,
        "command": "undo",
        "ok": True,
        "actions": [{"kind": "move", "ref": "refs/heads/feature", "from": new, "to": clone.oid()}],
    }


def test_the_log_lists_commands_and_what_they_moved_newest_on_top(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.git("branch", "lower", "HEAD~1")
    one = clone.oid()[:7], clone.oid("lower")[:7]
    clone.stackr("submit", "-m", "two words")
    two = clone.oid()[:7], clone.oid("lower")[:7]
    clone.stackr("id", "--new")
    three = clone.oid()[:7]
    result = clone.stackr("log")
    assert WHEN.sub("WHEN", result.out) == (
        f"1  WHEN  stackr id --new               moved feature {two[0]}..{three}\n"
        f"2  WHEN  stackr submit -m 'two words'  moved feature {one[0]}..{two[0]}, moved lower {one[1]}..{two[1]}\n"
    )
    assert clone.stackr("undo", "--list").out == result.out
    document = clone.stackr("log", "--json").json
    assert [each["command"] for each in document["operations"]] == ["stackr id --new", "stackr submit -m 'two words'"]
    assert clone.stackr("undo", "--list", "--json").json == {**document, "command": "undo"}


def test_a_command_that_moved_nothing_is_not_in_the_log(world: World) -> None:
    clone = world.stacked("A")
    clone.stackr("submit")
    clone.stackr("sync")
    clone.amend("A")
    clone.stackr("submit")
    assert len(clone.stackr("log").out.splitlines()) == 1


def test_with_nothing_to_take_back_it_says_so(world: World) -> None:
    clone = world.clone()
    assert clone.stackr("undo", code=3).err.startswith("error: there is nothing to take back: ")
    assert clone.stackr("log").err == "stackr has moved no branch here lately\n"
    assert clone.stackr("log", "--json").json["operations"] == []


@pytest.mark.parametrize("args", [["0"], ["-1"], ["x"], ["--list", "1"], ["--list", "--dry-run"], ["2"]])
def test_numbers_and_options_that_make_no_sense_are_usage_errors(world: World, args: list[str]) -> None:
    clone = world.stacked("A")
    before = everything(world, clone)
    clone.stackr("undo", *args, code=2)
    assert everything(world, clone) == before


def test_neither_a_remote_nor_a_token_is_needed(world: World) -> None:
    clone = world.stacked("A")
    new = clone.oid()
    clone.git("remote", "remove", "origin")
    world.forget()
    clone.stackr("undo", env={"STACKR_TOKEN": ""})
    assert clone.oid() != new
    assert world.server.log.counts()["api"] == 0


def test_what_others_pushed_and_a_sync_took_in_is_theirs_again(world: World) -> None:
    clone = world.stacked("A", "B")
    world.suggest(clone.head_ref("A"), "A.txt", "bob's\n")
    before = local(clone)
    clone.stackr("sync")
    assert (clone.path / "A.txt").read_text() == "bob's\n"
    after = local(clone)
    undone(clone)
    assert local(clone) == before
    server = world.facts()
    refused = clone.stackr("submit", code=3)
    assert "Apply suggestion to A.txt (Bob Author)" in refused.err
    assert world.facts() == server
    undone(clone)
    assert local(clone) == after
    assert clone.stackr("submit", "--json").json["actions"] == []


def test_a_change_amended_after_an_undo_is_pushed_on_top(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.amend("A")
    clone.stackr("submit")
    clone.stackr("id", "--new")
    undone(clone)
    clone.amend("B")
    tip = world.titled("B").head_oid
    clone.stackr("submit")
    assert world.bare.git("rev-list", "--count", f"{tip}..{world.titled('B').head_oid}") == "1"
    assert [pull.state for pull in world.pulls()] == ["open", "open"]


def test_stopped_between_refs_and_files_the_next_command_finishes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = synced(world, "A", "B")
    before = local(clone)
    clone.stackr("sync")
    after = local(clone)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(WorkTree, "apply", die)
        clone.stackr("undo", code=130)
    assert local(clone)["branches"] == before["branches"]
    assert "an earlier run was stopped while it switched files" in undone(clone).err
    assert local(clone) == after
    undone(clone)
    assert local(clone) == before
