"""What reshaping reads and writes: hunks and their origins, trees put together, the index as trees, messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackr.core.absorbing import TRUNK, Hunk, Origin
from stackr.errors import GitError, Refused, UsageError
from stackr.repo.repository import Repository
from tests.support.git import GitRepo, Workspace

ODD = 'quote" tab\there ü.txt'


@pytest.fixture
def clone(workspace: Workspace) -> GitRepo:
    return workspace.clone


def hunks(repo: Repository, clone: GitRepo) -> tuple[Hunk, ...]:
    """What is staged."""
    return repo.shaping.list_hunks(clone.oid(), clone.git("write-tree"))


def test_staged_files_are_told_hunk_by_hunk(clone: GitRepo, repo: Repository) -> None:
    texts = {ODD: "1\n2", "link": "x\n", "mode": "m\n", "bin": b"\0", "moved": "long enough\n" * 9, "old": "o\n"}
    clone.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    clone.commit("Add some", texts)
    code = (clone.path / "src/code.py").read_text()
    clone.write("src/code.py", "first\n" + code.replace("line 3\n", "").replace("line 5\n", "five\nsix\n"))
    clone.write(ODD, "1\ntwo")
    (clone.path / "link").unlink()
    (clone.path / "link").symlink_to("mode")
    (clone.path / "mode").chmod(0o755)
    clone.write("bin", b"\0\0")
    clone.git("mv", "moved", "there")
    clone.git("rm", "-q", "old")
    clone.write("new", "new\n")
    clone.git("add", ".")
    clone.git("update-index", "--add", "--cacheinfo", f"160000,{'2' * 40},sub")
    assert hunks(repo, clone) == (
        Hunk("bin", whole="the file is binary"),
        Hunk("link", whole="its mode changes"),
        Hunk("mode", whole="its mode changes"),
        Hunk("new", whole="the file is new"),
        Hunk("old", whole="the file is deleted"),
        Hunk(ODD, 2, 1, (b"two",)),
        Hunk("src/code.py", 0, 0, (b"first\n",)),
        Hunk("src/code.py", 4, 1),
        Hunk("src/code.py", 6, 1, (b"five\n", b"six\n")),
        Hunk("sub", whole="it is no plain file"),
        Hunk("there", whole="the file is renamed"),
    )


def test_lines_are_traced_through_the_stack_and_no_further(clone: GitRepo, repo: Repository) -> None:
    base = clone.oid()
    code = (clone.path / "src/code.py").read_text()
    first = clone.commit("One", {"src/code.py": "one\n" + code, "plain": "a\nb\n"})
    clone.git("mv", "plain", ODD)
    second = clone.commit("Two", {"src/code.py": "two\none\n" + code.replace("line 0\n", "zero\n"), ODD: "a\nb\nc\n"})
    third = clone.commit("Three", {"notes.txt": "other\n"})
    clone.write(".git/ignored", f"{first}\n{second}\n")
    clone.git("config", "blame.ignoreRevsFile", ".git/ignored")
    found = repo.shaping.read_origins(
        [Hunk("src/code.py"), Hunk(ODD), Hunk("x", whole="new")], [first, second, third], base
    )
    assert [found["src/code.py"][line] for line in (1, 2, 3, 4)] == [
        Origin(1, "src/code.py", 1),
        Origin(0, "src/code.py", 1),
        Origin(1, "src/code.py", 3),
        Origin(TRUNK, "src/code.py", 2),
    ]
    assert found[ODD] == {1: Origin(0, "plain", 1), 2: Origin(0, "plain", 2), 3: Origin(1, ODD, 3)}


def test_trees_get_other_bytes_and_keep_modes(clone: GitRepo, repo: Repository) -> None:
    clone.write("run", "x\n").chmod(0o755)
    clone.commit("Add run", {"run": "x\n"})
    tree = clone.tree()
    assert repo.shaping.read_files(tree, ["run", "src/code.py", "src", "none", "none/at/all"]).keys() == {
        "run",
        "src/code.py",
    }
    (made,) = repo.shaping.write_trees([(tree, {"run": b"y\n", "src/new.py": b"n\n"})])
    rows = clone.git("diff-tree", "-r", tree, made).splitlines()
    assert [row.split("\t")[1] for row in rows] == ["run", "src/new.py"]
    assert [row[:14] for row in rows] == [":100755 100755", ":000000 100644"]
    assert repo.shaping.read_files(made, ["run"]) == {"run": b"y\n"}


def test_files_and_folders_are_taken_from_another_tree(clone: GitRepo, repo: Repository) -> None:
    old = clone.tree()
    clone.git("rm", "-q", "notes.txt")
    clone.commit("Change", {"src/code.py": "c\n", "src/deep/new.py": "n\n", "README": "r\n"})
    new = clone.tree()

    def taken(*paths: str) -> list[str]:
        made = repo.shaping.take_paths(old, new, paths)
        return clone.git("diff-tree", "-r", "--name-only", old, made).splitlines()

    assert taken("src/") == ["src/code.py", "src/deep/new.py"]
    assert taken("src/deep", "notes.txt") == ["notes.txt", "src/deep/new.py"]
    assert taken(".") == ["README", "notes.txt", "src/code.py", "src/deep/new.py"]
    with pytest.raises(UsageError) as problem:
        taken("src/missing")
    assert problem.value.next_step == 'it touches "README", "notes.txt", "src/code.py", "src/deep/new.py"'


def test_the_index_is_read_and_stays_as_it_is(clone: GitRepo, repo: Repository) -> None:
    clone.write("README", "staged\n")
    clone.git("add", "README")
    clone.write("notes.txt", "modified\n")
    before = (clone.path / ".git" / "index").read_bytes()
    staged, everything = repo.shaping.staging.read(everything=True)
    assert clone.git("diff-tree", "--name-only", clone.tree(), staged) == "README"
    assert clone.git("diff-tree", "--name-only", clone.tree(), everything) == "README\nnotes.txt"
    assert repo.shaping.staging.read() == (staged, staged)
    assert (clone.path / ".git" / "index").read_bytes() == before


@pytest.mark.parametrize("where", ["usual", "core.hooksPath", "hook.mine.command"])
def test_a_hook_is_looked_for_where_git_looks_and_nothing_is_asked_where_there_is_none(
    clone: GitRepo, repo: Repository, where: str
) -> None:
    repo.config  # noqa: B018 - read before the count begins
    before = repo.process_count
    repo.shaping.staging.read(hooks=True)
    assert repo.process_count - before == 1  # git write-tree
    hook(clone, "pre-commit", "echo hooked > README; git add README")
    if where == "core.hooksPath":
        (clone.path / ".git" / "hooks").rename(clone.path / ".git" / "my-hooks")
        repo.set_config("core.hooksPath", ".git/my-hooks")
    if where == "hook.mine.command":  # what a git before 2.54 does not know, it ignores
        repo.set_config("hook.mine.command", "true")
    staged, hooked = repo.shaping.staging.read(hooks=True)
    assert clone.git("diff-tree", "--name-only", staged, hooked) == "README"


def test_an_index_with_conflicts_is_refused(clone: GitRepo, repo: Repository) -> None:
    clone.git("checkout", "-q", "-b", "other", "HEAD~1")
    clone.commit("Other", {"notes.txt": "other\n"})
    clone.write("notes.txt", "x\n")
    clone.git("stash", "-q")
    clone.git("checkout", "-q", "main")
    clone.git("stash", "pop", "-q", check=False)
    with pytest.raises(Refused, match="the index has conflicts"):
        repo.shaping.staging.read()


def test_the_index_goes_from_tree_to_tree_with_refs_or_not_at_all(clone: GitRepo, repo: Repository) -> None:
    clone.write("README", "staged\n")
    old, new = repo.shaping.staging.read(everything=True)
    worktree = repo._worktree
    with pytest.raises(RuntimeError), worktree.restaging(old, new):
        assert clone.git("status", "--porcelain") == "M  README"
        raise RuntimeError
    assert clone.git("status", "--porcelain") == " M README"
    with worktree.restaging(old, new):
        pass
    assert clone.git("status", "--porcelain") == "M  README"
    clone.write("README", "staged again\n")
    clone.git("add", "README")
    with pytest.raises(Refused, match="what you have staged since would be lost"), worktree.restaging(new, old):
        raise AssertionError
    assert clone.git("status", "--porcelain") == "M  README"


def test_messages_pass_the_hooks_and_are_cleaned_up(
    clone: GitRepo, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_EDITOR", "true")
    hook(clone, "prepare-commit-msg", 'echo "prepared as $2" >> "$1"')
    hook(clone, "commit-msg", 'echo "# kept" >> "$1"; echo >> "$1"')
    message = repo.shaping.message
    assert message.of_text("\n\nTitle  \n\n\nText") == b"Title\n\nText\nprepared as message\n# kept\n"
    hook(clone, "prepare-commit-msg", 'echo "for $2 $3" > "$1"')
    assert message.edited(b"Title\n", "help", "1234") == b"for commit 1234\n# kept\n"
    hook(clone, "commit-msg", "echo no >&2; exit 1")
    with pytest.raises(GitError, match="the commit-msg hook declined"):
        message.of_text("Title")


def test_the_editor_is_gits_own_choice(
    clone: GitRepo, repo: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("GIT_EDITOR")
    monkeypatch.delenv("GIT_SEQUENCE_EDITOR")
    message = repo.shaping.message
    monkeypatch.setenv("EDITOR", "sed -i 1s/^/Edited:/")
    assert message.edited(b"Title\n", "help") == b"Edited:Title\n"
    assert message.edited_list("one\ntwo\n", "help") == "Edited:one\ntwo\n"
    repo.set_config("core.editor", "sed -i 1s/^/core:/")
    repo.set_config("sequence.editor", "sed -i 1s/^/sequence:/")
    assert message.edited(b"Title\n", "help") == b"core:Title\n"
    assert message.edited_list("one\n", "help") == "sequence:one\n"
    monkeypatch.setenv("GIT_SEQUENCE_EDITOR", "sed -i 1s/^/env:/")
    assert message.edited_list("one\n", "help") == "env:one\n"
    monkeypatch.setenv("GIT_EDITOR", "false")
    with pytest.raises(GitError, match='the editor "false" failed'):
        message.edited(b"Title\n", "help")
    for ending in ("kill -INT $$", "exit 130"):
        monkeypatch.setenv("GIT_EDITOR", f"{ending};")
        with pytest.raises(KeyboardInterrupt):
            message.edited(b"Title\n", "help")
    monkeypatch.setenv("GIT_EDITOR", "truncate -s 0")
    with pytest.raises(Refused, match="the message is empty"):
        message.edited(b"Title\n", "help")


def hook(clone: GitRepo, name: str, text: str) -> None:
    path = clone.write(f".git/hooks/{name}", f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
