"""The commit-msg hook: real commits get a name once, and other hooks keep working."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.git import GitRepo
from tests.support.world import Clone, World

ID = re.compile(r"^Change-Id: (I[0-9a-f]{40})$", re.MULTILINE)


@pytest.fixture
def clone(world: World) -> Clone:
    return world.clone()


@pytest.fixture
def hooked(clone: Clone) -> Clone:
    clone.stackr("hook", "install")
    return clone


def message(repo: GitRepo, revision: str = "HEAD") -> str:
    return repo.git("log", "-1", "--format=%B", revision)


def ids(repo: GitRepo, revision: str = "HEAD") -> list[str]:
    return ID.findall(message(repo, revision))


def write_hook(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def test_every_new_commit_gets_a_name_and_keeps_it_when_amended(hooked: Clone) -> None:
    hooked.commit("One", {"one": "1\n"})
    (first,) = ids(hooked)
    hooked.write("one", "changed\n")
    hooked.git("commit", "-q", "-a", "--amend", "--no-edit")
    assert ids(hooked) == [first]
    hooked.commit("Two", {"two": "2\n"})
    assert ids(hooked) != [first]


def test_the_trailer_joins_those_that_are_there(hooked: Clone) -> None:
    hooked.commit("One\n\nWhy.\n---\nNot a divider.\n\nSigned-off-by: A <a@e>\n", {"one": "1\n"})
    (name,) = ids(hooked)
    assert message(hooked).rstrip() == (
        f"One\n\nWhy.\n---\nNot a divider.\n\nSigned-off-by: A <a@e>\nChange-Id: {name}"
    )


def test_comments_and_the_diff_of_a_verbose_commit_are_no_message(hooked: Clone) -> None:
    hooked.write("one", "1\n")
    hooked.git("add", "one")
    editor = 'sh -c \'printf "One\\n" | cat - "$1" >"$1.new" && mv "$1.new" "$1"\' -'
    hooked.git("commit", "-q", "-v", env={"GIT_EDITOR": editor})
    (name,) = ids(hooked)
    assert message(hooked).rstrip() == f"One\n\nChange-Id: {name}"


def test_an_empty_message_still_ends_the_commit(hooked: Clone) -> None:
    before = hooked.oid()
    hooked.write("one", "1\n")
    hooked.git("add", "one")
    hooked.git("commit", "-q", "-v", env={"GIT_EDITOR": "true"}, check=False)
    assert hooked.oid() == before


@pytest.mark.parametrize("subject", ["fixup! One", "squash! One", "amend! One"])
def test_commits_that_will_disappear_get_no_name(hooked: Clone, subject: str) -> None:
    hooked.commit(subject, {"one": "1\n"})
    assert ids(hooked) == []


def test_merges_get_no_name(hooked: Clone) -> None:
    hooked.git("checkout", "-q", "-b", "side")
    hooked.commit("Side", {"side": "1\n"})
    hooked.git("checkout", "-q", "main")
    hooked.commit("Main", {"main": "1\n"})
    hooked.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert ids(hooked) == []


def test_a_hook_that_was_there_runs_first_and_can_still_refuse(clone: Clone) -> None:
    write_hook(clone.path / ".git" / "hooks", "commit-msg", 'grep -q "[A-Z]" "$1" || exit 3\necho "Seen: yes" >>"$1"\n')
    result = clone.stackr("hook", "install")
    assert result.out.endswith("the hook that was there is commit-msg.before-stackr now and runs first\n")
    clone.commit("One\n\nText.\n", {"one": "1\n"})
    assert "Seen: yes" in message(clone)
    assert len(ids(clone)) == 1
    before = clone.oid()
    clone.git("commit", "-q", "--allow-empty", "-m", "lower", check=False)
    assert clone.oid() == before


def test_installing_twice_changes_nothing_and_an_older_one_is_replaced(clone: Clone) -> None:
    hook = clone.path / ".git" / "hooks" / "commit-msg"
    assert clone.stackr("hook", "install").out == f"installed: {hook}\n"
    text = hook.read_text()
    assert clone.stackr("hook", "install").out == f"already there: {hook}\n"
    hook.write_text(text.replace("version 2", "version 1"))
    assert clone.stackr("hook", "install").out == f"replaced: {hook}\n"
    assert hook.read_text() == text
    hook.chmod(0o644)
    assert clone.stackr("hook", "install", "--json").json["done"] == "replaced"
    assert sorted(path.name for path in hook.parent.iterdir() if not path.name.endswith(".sample")) == ["commit-msg"]


def test_a_dry_run_installs_nothing(clone: Clone) -> None:
    document = clone.stackr("hook", "install", "--dry-run", "--json").json
    assert document["done"] == "installed"
    assert clone.stackr("hook", "install", "--dry-run").out == f"would be installed: {document['path']}\n"
    assert not Path(document["path"]).exists()


def test_two_foreign_hooks_are_not_joined_by_guessing(clone: Clone) -> None:
    hooks = clone.path / ".git" / "hooks"
    write_hook(hooks, "commit-msg", "exit 0\n")
    write_hook(hooks, "commit-msg.before-stackr", "exit 0\n")
    assert "join the two by hand" in clone.stackr("hook", "install", code=3).err


def test_core_hooks_path_is_honoured_also_from_a_linked_worktree(clone: Clone, tmp_path: Path) -> None:
    clone.git("config", "core.hooksPath", "tools/hooks")
    clone.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    linked = Clone(tmp_path / "other", clone.login, clone.token)
    result = linked.stackr("hook", "install")
    assert "whoever shares it gets the hook too" in result.err
    assert (linked.path / "tools" / "hooks" / "commit-msg").is_file()
    linked.commit("One", {"one": "1\n"})
    assert len(ids(linked)) == 1


def test_hooks_that_husky_runs_are_chained_by_the_name_husky_knows(clone: Clone) -> None:
    husky = clone.path / ".husky"
    # As husky 9 has it: git starts _/commit-msg, and that the file of the same name one folder above.
    write_hook(husky / "_", "h", 's="$(dirname "$(dirname "$0")")/$(basename "$0")"\nsh -e "$s" "$@"\n')
    write_hook(husky / "_", "commit-msg", '. "$(dirname "$0")/h"\n')
    write_hook(husky, "commit-msg", 'echo "Seen: yes" >>"$1"\n').chmod(0o644)
    clone.git("config", "core.hooksPath", ".husky/_")
    told = clone.stackr("hook", "install", "--json").json
    assert (told["path"], told["done"]) == (str(husky / "commit-msg"), "chained")
    assert clone.stackr("hook", "install", "--json").json["done"] == "already there"
    clone.git("checkout", "-q", "--orphan", "fresh")
    clone.commit("One\n\nText.\n", {"one": "1\n"})
    assert "Seen: yes" in message(clone)
    assert len(ids(clone)) == 1


def test_a_linked_worktree_shares_the_hook_of_its_repository(hooked: Clone, tmp_path: Path) -> None:
    hooked.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    linked = GitRepo(tmp_path / "other")
    linked.commit("One", {"one": "1\n"})
    assert len(ids(linked)) == 1
