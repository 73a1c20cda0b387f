"""Index and files brought from one commit to another: only what differs is written, and the user's work stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stackr.core.plan import RefMove
from stackr.errors import GitError, Refused
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import Workspace, git, make_repo
from tests.support.switching import OLD_TIME, Files, age, commit, is_tidy, move, switch, two_commits


def test_only_files_that_differ_are_written(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n", "added.txt": "added\n", "README": None})
    age(clone.path)
    switch(repo, old, new)
    assert clone.git("status", "--porcelain") == ""
    assert (clone.path / "notes.txt").read_text() == "new\n"
    assert (clone.path / "added.txt").exists()
    assert not (clone.path / "README").exists()
    assert (clone.path / "src/code.py").stat().st_mtime == OLD_TIME
    assert is_tidy(clone)


def test_nothing_at_all_is_touched_when_the_trees_are_equal(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old = clone.oid()
    clone.git("commit", "-q", "--allow-empty", "-m", "same")
    new = clone.oid()
    clone.git("reset", "-q", "--soft", old)
    age(clone.path)
    index = (clone.path / ".git" / "index").stat()
    before = repo.process_count
    switch(repo, old, new)
    after = (clone.path / ".git" / "index").stat()
    assert (after.st_mtime_ns, after.st_ino) == (index.st_mtime_ns, index.st_ino)
    assert repo.process_count - before <= 2
    assert is_tidy(clone)


def test_dirty_untracked_and_staged_work_in_other_files_survives(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n"})
    clone.write("README", "dirty\n")
    clone.write("src/code.py", "staged\n")
    clone.git("add", "src/code.py")
    clone.write("src/code.py", "staged and dirty\n")
    clone.write("untracked.txt", "mine\n")
    switch(repo, old, new)
    assert clone.git("status", "--porcelain") == " M README\nMM src/code.py\n?? untracked.txt"
    assert clone.git("show", ":src/code.py") == "staged"
    assert (clone.path / "src/code.py").read_text() == "staged and dirty\n"
    assert (clone.path / "notes.txt").read_text() == "new\n"


IN_THE_WAY = {
    "a dirty file": ({"notes.txt": "new\n"}, {"notes.txt": "mine\n"}, "notes.txt"),
    "a dirty file that the update deletes": ({"notes.txt": None}, {"notes.txt": "mine\n"}, "notes.txt"),
    "an untracked file that the update adds": ({"new.txt": "new\n"}, {"new.txt": "mine\n"}, "new.txt"),
    "an ignored file that the update adds": ({"new.log": "new\n"}, {"new.log": "mine\n"}, "new.log"),
    "a file where the update needs a folder": ({"new/a.txt": "new\n"}, {"new": "mine\n"}, "new"),
    "a folder where the update has a file": ({"new": "new\n"}, {"new/mine.log": "mine\n"}, "new/mine.log"),
}


@pytest.mark.parametrize("case", IN_THE_WAY.values(), ids=IN_THE_WAY.keys())
def test_what_both_touched_is_named_before_anything_moves(
    workspace: Workspace, repo: Repository, case: tuple[Files, dict[str, str], str]
) -> None:
    update, mine, named = case
    clone = workspace.clone
    old, new = two_commits(clone, update)
    clone.write(".git/info/exclude", "*.log\n")
    for name, text in mine.items():
        clone.write(name, text)
    before = clone.git("status", "--porcelain", "--ignored")
    for attempt in (lambda: repo.check_switch(old, new), lambda: switch(repo, old, new)):
        with pytest.raises(Refused) as refusal:
            attempt()
        assert refusal.value.message == f'files you have changed would be overwritten: "{named}"'
    assert clone.git("status", "--porcelain", "--ignored") == before
    assert {name: (clone.path / name).read_text() for name in mine} == mine
    assert clone.oid() == old
    assert is_tidy(clone)


def test_a_staged_change_of_a_file_that_the_update_changes_is_named(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n"})
    clone.write("notes.txt", "mine\n")
    clone.git("add", "notes.txt")
    with pytest.raises(Refused, match=r'overwritten: "notes\.txt"$'):
        repo.check_switch(old, new)


def test_many_files_in_the_way_are_named_up_to_ten(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    names = [f"n{n:02}.txt" for n in range(12)]
    old, new = two_commits(clone, dict.fromkeys(names, "new\n"))
    for name in names:
        clone.write(name, "mine\n")
    with pytest.raises(Refused, match=r'"n00\.txt", .*"n09\.txt" and 2 more$'):
        repo.check_switch(old, new)


def test_a_file_staged_just_as_the_update_has_it_is_no_obstacle(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"added.txt": "added\n"})
    clone.write("added.txt", "added\n")
    clone.git("add", "added.txt")
    switch(repo, old, new)
    assert clone.git("status", "--porcelain") == ""


def test_a_file_that_was_only_touched_is_no_obstacle(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n"})
    age(clone.path)
    os.utime(clone.path / "notes.txt")
    switch(repo, old, new)
    assert clone.git("status", "--porcelain") == ""


def test_a_file_becomes_a_folder_and_a_folder_a_file(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old = commit(clone, {"thing": "file\n", "box/a": "a\n", "box/b": "b\n"})
    clone.git("rm", "-qr", "thing", "box")
    new = commit(clone, {"thing/inside": "in\n", "box": "file\n"})
    clone.git("reset", "-q", "--hard", old)
    switch(repo, old, new)
    assert clone.git("status", "--porcelain", "--ignored") == ""
    assert (clone.path / "box").read_text() == "file\n"


def test_modes_and_links_follow(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old = clone.oid()
    (clone.path / "notes.txt").chmod(0o755)
    (clone.path / "README").unlink()
    (clone.path / "README").symlink_to("notes.txt")
    clone.git("commit", "-qam", "modes")
    new = clone.oid()
    clone.git("reset", "-q", "--hard", old)
    switch(repo, old, new)
    assert clone.git("status", "--porcelain") == ""
    assert os.access(clone.path / "notes.txt", os.X_OK)
    assert (clone.path / "README").is_symlink()


def test_a_sparse_checkout_stays_sparse(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"src/code.py": "new\n", "docs/a.txt": "new\n", "notes.txt": "new\n"})
    clone.git("sparse-checkout", "set", "--cone", "src")
    switch(repo, old, new)
    assert clone.git("status", "--porcelain") == ""
    assert (clone.path / "src/code.py").read_text() == "new\n"
    assert not (clone.path / "docs").exists()


def test_a_linked_worktree_moves_alone(workspace: Workspace, open_repo: Opener, tmp_path: Path) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n"})
    clone.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"), old)
    side = open_repo(tmp_path / "side")
    side.check_switch(old, new)
    with side.switching(old, new):
        assert (clone.path / ".git/worktrees/side/stackr/pending-switch").exists()
        side.move_refs([RefMove("refs/heads/side", old, new)], "test")
    assert git(tmp_path / "side", "status", "--porcelain") == ""
    assert (tmp_path / "side" / "notes.txt").read_text() == "new\n"
    assert (clone.path / "notes.txt").read_text() == "notes\n"
    assert clone.git("status", "--porcelain") == ""


def test_submodules_move_in_the_index_and_keep_their_files(
    workspace: Workspace, repo: Repository, tmp_path: Path
) -> None:
    module = make_repo(tmp_path / "module")
    first, second = module.commit("one"), module.commit("two")
    clone = workspace.clone
    clone.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(module.path), "module")
    git(clone.path / "module", "checkout", "-q", first)
    clone.git("commit", "-qam", "with module")
    old = clone.oid()
    clone.git("update-index", "--cacheinfo", f"160000,{second},module")
    clone.git("commit", "-qm", "module moves")
    new = clone.oid()
    clone.git("reset", "-q", "--soft", old)
    clone.git("reset", "-q")
    clone.write("module/mine.txt", "mine\n")
    clone.git("config", "submodule.recurse", "true")
    switch(repo, old, new)
    assert clone.git("ls-files", "-s", "module").split()[1] == second
    assert git(clone.path / "module", "rev-parse", "HEAD") == first
    assert (clone.path / "module/mine.txt").read_text() == "mine\n"


def test_a_submodule_goes_and_comes_again_with_its_files_where_they_are(
    workspace: Workspace, repo: Repository, tmp_path: Path
) -> None:
    module = make_repo(tmp_path / "module")
    module.commit("one", {"license.txt": "free\n"})
    clone = workspace.clone
    old = clone.oid()
    clone.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(module.path), "module")
    clone.git("commit", "-qam", "with module")
    new = clone.oid()
    switch(repo, new, old)
    assert (clone.path / "module/license.txt").read_text() == "free\n"
    switch(repo, old, new)
    assert clone.git("status", "--porcelain") == ""
    switch(repo, new, old)
    (clone.path / "module").rename(clone.path / "aside")
    clone.write("module", "a file of mine\n")
    with pytest.raises(Refused, match='would be overwritten: "module"'):
        switch(repo, old, new)


def test_filters_run_as_in_a_checkout(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    clone.git("config", "filter.shout.smudge", "tr a-z A-Z")
    clone.git("config", "filter.shout.clean", "tr A-Z a-z")
    old = commit(clone, {".gitattributes": "*.loud filter=shout\n*.dos text eol=crlf\n"})
    new = commit(clone, {"x.loud": "words\n", "y.dos": "one\ntwo\n"})
    clone.git("reset", "-q", "--hard", old)
    switch(repo, old, new)
    assert (clone.path / "x.loud").read_bytes() == b"WORDS\n"
    assert (clone.path / "y.dos").read_bytes() == b"one\r\ntwo\r\n"
    assert clone.git("status", "--porcelain") == ""


@pytest.mark.parametrize("flag", ["skip-worktree", "assume-unchanged"])
def test_files_git_was_told_not_to_look_at_are_not_overwritten(
    workspace: Workspace, repo: Repository, flag: str
) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n"})
    clone.git("update-index", f"--{flag}", "notes.txt")
    clone.write("notes.txt", "my local settings\n")
    with pytest.raises(Refused):
        repo.check_switch(old, new)
    assert (clone.path / "notes.txt").read_text() == "my local settings\n"


@pytest.mark.parametrize("flag", ["skip-worktree", "assume-unchanged"])
def test_such_flags_survive_an_update_of_other_files(workspace: Workspace, repo: Repository, flag: str) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n"})
    clone.git("update-index", f"--{flag}", "README")
    clone.write("README", "my local settings\n")
    before = clone.git("ls-files", "-v", "README")
    switch(repo, old, new)
    assert clone.git("ls-files", "-v", "README") == before != "H README"
    assert (clone.path / "README").read_text() == "my local settings\n"


def test_a_rename_by_case_only_works_where_case_is_ignored(workspace: Workspace, open_repo: Opener) -> None:
    clone = workspace.clone
    clone.git("config", "core.ignorecase", "true")
    old = clone.oid()
    clone.git("mv", "-f", "README", "Readme")
    clone.git("commit", "-qm", "case")
    new = clone.oid()
    clone.git("reset", "-q", "--hard", old)
    # Such a file system has the old file under the new name, too.
    os.link(clone.path / "README", clone.path / "Readme")
    repo = open_repo(clone.path)
    repo.check_switch(old, new)


def test_an_index_in_use_by_another_git_is_a_refusal(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n"})
    lock = clone.write(".git/index.lock", "")
    with pytest.raises(Refused, match="another git process holds"):
        switch(repo, old, new)
    assert lock.exists()
    assert clone.oid() == old


def test_other_git_processes_are_kept_out_while_refs_and_files_differ(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n"})
    with repo.switching(old, new):
        with pytest.raises(AssertionError, match=r"index\.lock"):
            clone.git("commit", "-q", "--allow-empty", "-m", "meanwhile")
        move(repo, old, new)
    assert clone.git("status", "--porcelain") == ""


def test_nothing_happens_when_the_refs_do_not_move(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n"})
    with pytest.raises(Refused, match="moved meanwhile"), repo.switching(old, new):
        repo.move_refs([RefMove("refs/heads/main", new, old)], "test")
    assert (clone.path / "notes.txt").read_text() == "notes\n"
    assert is_tidy(clone)


def test_an_unmerged_index_is_refused_in_gits_words(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    old, new = two_commits(clone, {"notes.txt": "new\n"})
    blob = clone.git("rev-parse", "HEAD:README")
    rows = f"0 {'0' * 40}\tREADME\n100644 {blob} 1\tREADME\n100644 {blob} 2\tREADME\n"
    clone.git("update-index", "--index-info", stdin=rows.encode())
    with pytest.raises((GitError, Refused)):
        repo.check_switch(old, new)


def test_names_that_are_no_text_work(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    name = os.fsdecode(b'caf\xe9 \n"x".txt')
    old, new = two_commits(clone, {name: "new\n"})
    switch(repo, old, new)
    assert (clone.path / name).read_text() == "new\n"
    assert clone.git("status", "--porcelain") == ""
