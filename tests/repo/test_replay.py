"""Commits replayed in memory: the trees and the people a rebase would leave, and nothing else touched."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from stackr.core.replaying import MergedTree, Pick, ReplayConflict, Replayed
from stackr.errors import GitError
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support import histories, newer_git
from tests.support.git import WHEN, GitRepo, Workspace, git, make_repo
from tests.support.histories import History, Rebased
from tests.support.switching import Files, commit

ALICE = b"Alice Author <alice@example.com> " + WHEN.encode()
BOB = {"GIT_AUTHOR_NAME": "Bob", "GIT_AUTHOR_EMAIL": "bob@example.com", "GIT_AUTHOR_DATE": "1500000000 +0200"}


def parted(clone: GitRepo, trunk: Files, stack: Sequence[Files]) -> History:
    """A trunk commit and a stack on the same base; the stack is checked out on ``main``."""
    base = clone.oid()
    tip = commit(clone, trunk, "trunk")
    clone.git("reset", "-q", "--hard", base)
    return History(base, tip, tuple(commit(clone, files, f"pick {n}") for n, files in enumerate(stack)))


def picks(repo: Repository, history: History) -> list[Pick]:
    """The stack's commits, labelled by subject."""
    commits = repo.read_commits([history.base, *history.stack])
    pairs = zip([history.base, *history.stack], history.stack, strict=False)
    return [Pick.of(commits[oid], commits[below].tree, commits[oid].subject) for below, oid in pairs]


def replayed(repo: Repository, history: History) -> Rebased:
    """A replay in the words of a rebase."""
    outcome = repo.replay(picks(repo, history), history.trunk)
    if outcome.conflict is not None:
        return Rebased(stopped=outcome.conflict.label, paths=frozenset(os.fsencode(p) for p in outcome.conflict.paths))
    return Rebased(tuple((picked.label, picked.tree) for picked in outcome.picks if not picked.became_empty))


def same_as_a_rebase(clone: GitRepo, repo: Repository, history: History) -> Rebased:
    """Assert it, and return what both came to."""
    ours = replayed(repo, history)
    clone.git("checkout", "-q", "--detach")
    assert ours == histories.rebase(clone.path, history)
    return ours


def objects(clone: GitRepo) -> set[str]:
    """Every object of the repository."""
    return set(clone.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


def test_author_and_message_are_kept_and_the_committer_is_who_replays(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    base = clone.oid()
    stack = [clone.commit("One\n\nBody.\n", env=BOB), clone.commit("Two", env=BOB)]
    clone.git("reset", "-q", "--hard", base)
    trunk = clone.commit("trunk")
    outcome = repo.replay(picks(repo, History(base, trunk, tuple(stack))), trunk)
    new = repo.read_commits(outcome.oids.values())
    first, second = (new[outcome.oids[label]] for label in ("One", "Two"))
    assert (first.parents, second.parents) == ((trunk,), (first.oid,))
    assert first.message == b"One\n\nBody.\n"
    assert (first.author, first.committer) == (b"Bob <bob@example.com> 1500000000 +0200", ALICE)
    clone.git("fsck", "--strict")


def test_encoding_and_foreign_headers_go_with_the_commit(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    base, trunk = clone.oid("HEAD~1"), clone.oid()
    raw = f"tree {clone.tree()}\nparent {base}\n".encode()
    raw += b"author Ren\xe9 <r@e> 1 +0000\ncommitter R <r@e> 1 +0000\nencoding ISO-8859-1\nHG:x y\n\ncaf\xe9\n"
    stack = (clone.store(raw),)
    tree = repo.read_commits([base])[base].tree
    pick = replace(Pick.of(repo.read_commits(stack)[stack[0]], tree), theirs_tree=clone.tree("HEAD~2"))
    new = clone.raw_commit(repo.replay([pick], trunk).picks[0].oid)
    assert b"\nauthor Ren\xe9 <r@e> 1 +0000\n" in new
    assert new.endswith(b"\nencoding ISO-8859-1\nHG:x y\n\ncaf\xe9\n")


def test_nothing_but_objects_is_touched(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    history = parted(clone, {"README": "trunk\n"}, [{"notes.txt": "one\n"}, {"new.txt": "two\n"}])
    clone.write("notes.txt", "dirty\n")
    before = (clone.refs(), clone.git("status", "--porcelain"))
    index = (clone.path / ".git/index").stat()
    repo.replay(picks(repo, history), history.trunk)
    after = (clone.path / ".git/index").stat()
    assert (after.st_ino, after.st_mtime_ns) == (index.st_ino, index.st_mtime_ns)
    assert (clone.refs(), clone.git("status", "--porcelain")) == before
    assert not list((clone.path / ".git/objects").glob("tmp_*"))


def test_on_the_same_tree_only_commits_are_written(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    base = clone.oid()
    stack = (commit(clone, {"notes.txt": "one\n"}), commit(clone, {"notes.txt": "two\n"}))
    other = clone.git("commit-tree", clone.tree(base), "-m", "same tree", "-p", base)
    before = objects(clone)
    outcome = repo.replay(picks(repo, History(base, other, stack)), other)
    assert objects(clone) - before == {picked.oid for picked in outcome.picks}


def test_a_stack_that_stands_right_already_is_left_as_it_is(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    base = clone.oid()
    stack = (commit(clone, {"notes.txt": "one\n"}, "one"), commit(clone, {"notes.txt": "two\n"}, "two"))
    before = objects(clone)
    outcome = repo.replay(picks(repo, History(base, base, stack)), base)
    assert tuple(outcome.oids.values()) == stack
    assert objects(clone) == before


def test_no_picks_are_no_work(workspace: Workspace, repo: Repository) -> None:
    before = repo.process_count
    assert repo.replay([], workspace.clone.oid()) == Replayed()
    assert repo.process_count - before <= 1


def test_what_the_trunk_has_already_is_dropped_and_an_empty_commit_kept(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    base = clone.oid()
    stack = [commit(clone, {"notes.txt": "landed\n"}, "landed")]
    clone.git("commit", "-q", "--allow-empty", "-m", "empty")
    stack += [clone.oid(), commit(clone, {"README": "mine\n"}, "mine")]
    clone.git("reset", "-q", "--hard", base)
    trunk = commit(clone, {"notes.txt": "landed\n", "src/code.py": "trunk\n"}, "trunk")
    history = History(base, trunk, tuple(stack))
    outcome = repo.replay(picks(repo, history), trunk)
    assert [(picked.label, picked.became_empty) for picked in outcome.picks] == [
        ("landed", True),
        ("empty", False),
        ("mine", False),
    ]
    assert outcome.picks[0].oid == trunk
    assert [subject for subject, _ in same_as_a_rebase(clone, repo, history).commits] == ["empty", "mine"]


def test_a_conflict_is_data_and_leaves_nothing_behind(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    trunk = {"notes.txt": "trunk\n", "README": None, "src/code.py": "trunk\n"}
    mine = [{"new.txt": "fine\n"}, {"notes.txt": "mine\n", "README": "mine\n"}]
    history = parted(clone, trunk, mine)
    before = objects(clone)
    outcome = repo.replay(picks(repo, history), history.trunk)
    assert outcome == Replayed(conflict=ReplayConflict("pick 1", ("README", "notes.txt")))
    assert outcome.oids == {}
    assert objects(clone) == before
    assert not list((clone.path / ".git/objects").glob("tmp_*"))
    same_as_a_rebase(clone, repo, history)


def test_a_file_where_the_trunk_has_a_folder_is_named_as_it_is_called(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    history = parted(clone, {"thing/inside": "in\n"}, [{"thing": "file\n"}])
    conflict = repo.replay(picks(repo, history), history.trunk).conflict
    assert conflict == ReplayConflict("pick 0", ("thing",))


def test_edits_of_one_file_apart_from_each_other_are_merged_by_git(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    lines = [f"line {n}\n" for n in range(10)]

    def edited(*numbers: int) -> str:
        return "".join(f"edited {n}\n" if n in numbers else line for n, line in enumerate(lines))

    history = parted(clone, {"src/code.py": edited(0)}, [{"src/code.py": edited(*range(9, n, -1))} for n in (8, 7, 6)])
    assert len(same_as_a_rebase(clone, repo, history).commits) == 3
    clone.git("fsck", "--strict", "--connectivity-only")


def folders(count: int) -> dict[str, str]:
    return {f"dir/file{n}.txt": f"unlike any other, number {n}\n" * 5 for n in range(count)}


@pytest.mark.parametrize("setting", ["true", "false", "conflict"])
def test_a_file_added_to_a_folder_that_the_trunk_renamed(workspace: Workspace, open_repo: Opener, setting: str) -> None:
    clone = workspace.clone
    clone.git("config", "merge.directoryRenames", setting)
    commit(clone, folders(4))
    base = clone.oid()
    clone.git("mv", "dir", "renamed")
    trunk = commit(clone, {"README": "trunk\n"})
    clone.git("reset", "-q", "--hard", base)
    history = History(base, trunk, (commit(clone, {"dir/new.txt": "new\n"}, "pick 0"),))
    result = same_as_a_rebase(clone, open_repo(clone.path), history)
    assert bool(result.stopped) == (setting == "conflict")


def test_modes_of_gits_first_years_become_what_git_makes_of_them(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    blob = clone.git("rev-parse", "HEAD:README")
    row = b"100664 old\0" + bytes.fromhex(blob)
    tree = clone.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=row)
    base = clone.git("commit-tree", tree, "-m", "base")
    with_more = [row + b"100644 %s\0" % name + bytes.fromhex(blob) for name in (b"p1", b"p2")]
    more = [clone.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=raw) for raw in with_more]
    trunk, mine = (clone.git("commit-tree", each, "-p", base, "-m", "pick 0") for each in more)
    same_as_a_rebase(clone, repo, History(base, trunk, (mine,)))


def test_the_processes_do_not_grow_with_the_stack(workspace: Workspace, open_repo: Opener) -> None:
    clone = workspace.clone
    counts = []
    for number in (2, 120):
        clone.git("reset", "-q", "--hard", "origin/main")
        state = {"start": (histories.PLAIN, b"")}
        states = [{**state, f"f{n % 7}": (histories.PLAIN, b"%d\n" % n)} for n in range(number)]
        history = histories.write(clone.path, state, {**state, "trunk": (histories.PLAIN, b"t\n")}, states)
        with open_repo(clone.path) as repo:
            wanted = picks(repo, history)
            before = repo.process_count
            repo.replay(wanted, history.trunk)
            counts.append(repo.process_count - before)
    assert counts[0] == counts[1] <= 3  # who commits, as author and as committer, and the objects


def shared(trunk: str, count: int) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Edits of one long file by the trunk (its top) and by a stack (its end)."""
    lines = [f"line {n}\n" for n in range(40 + count * 4)]
    top = [trunk, *lines[1:]]
    states = []
    for n in range(count):
        lines[30 + n * 4] = f"pick {n}\n"
        states.append({"shared.txt": "".join(lines)})
    return {"shared.txt": "".join(top)}, states


def test_many_merges_of_one_file_take_few_processes(workspace: Workspace, open_repo: Opener) -> None:
    clone = workspace.clone
    trunk, stack = shared("trunk\n", 40)
    commit(clone, {"shared.txt": "".join(f"line {n}\n" for n in range(200))})
    history = parted(clone, trunk, stack)
    repo = open_repo(clone.path)
    wanted = picks(repo, history)
    before = repo.process_count
    outcome = repo.replay(wanted, history.trunk)
    assert len(outcome.picks) == 40
    assert repo.process_count - before <= 14
    same_as_a_rebase(clone, repo, history)


def test_guesses_that_prove_wrong_only_cost_time(workspace: Workspace, repo: Repository) -> None:
    """A commit that takes the one below back: what is guessed for both together is not what stands below."""
    clone = workspace.clone
    start = "".join(f"line {n}\n" for n in range(30))
    other = start.replace("line 15\n", "mine\n").replace("line 25\n", "mine\n")
    commit(clone, {"shared.txt": start})
    trunk = {"shared.txt": start.replace("line 15\n", "trunk\n")}
    conflicting = parted(clone, trunk, [{"shared.txt": start + "end\n"}, {"shared.txt": other}, {"shared.txt": start}])
    assert same_as_a_rebase(clone, repo, conflicting).stopped == "pick 1"


@pytest.mark.parametrize("version", [(2, 38, 1), (2, 39, 5), (2, 41, 0)])
def test_every_way_of_asking_gives_the_same(workspace: Workspace, repo: Repository, version: tuple[int, ...]) -> None:
    clone = workspace.clone
    trunk, stack = shared("trunk\n", 5)
    commit(clone, {"shared.txt": "".join(f"line {n}\n" for n in range(60))})
    history = parted(clone, trunk, [*stack, {"shared.txt": "quite different\n"}])
    repo.__dict__["git_version"] = version
    assert same_as_a_rebase(clone, repo, history) == Rebased(stopped="pick 5", paths=frozenset({b"shared.txt"}))


def attributes(clone: GitRepo, driver: str) -> None:
    clone.git("config", "merge.mine.driver", driver)
    commit(clone, {".gitattributes": "*.lock merge=mine\n", "a.lock": "base\n", "b.txt": "base\n"})


def test_a_merge_driver_that_is_a_program_of_the_project_is_found(workspace: Workspace, open_repo: Opener) -> None:
    clone = workspace.clone
    attributes(clone, "./join %A %B")
    program = clone.write("join", '#!/bin/sh\ncat "$2" >>"$1"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    clone.git("add", "join")
    clone.git("commit", "-qm", "driver")
    history = parted(clone, {"a.lock": "trunk\n"}, [{"a.lock": "mine\n"}])
    tree = same_as_a_rebase(clone, open_repo(clone.path), history).commits[0][1]
    assert clone.git("show", f"{tree}:a.lock") == "trunk\nmine"


@pytest.mark.parametrize("dirty", [False, True])
def test_git_merges_by_the_attributes_of_what_it_merges_onto(
    workspace: Workspace, open_repo: Opener, dirty: bool
) -> None:
    clone = workspace.clone
    clone.git("config", "merge.mine.driver", "cat %A %B > %A.both && mv %A.both %A")
    commit(clone, {"d/a.lock": "base\n", "b.txt": "base\n"})
    trunk = {"d/.gitattributes": "*.lock merge=mine\n", "d/a.lock": "trunk\n", "b.txt": "trunk\n"}
    # The second commit comes with attributes of its own, which hold from the third on.
    mine = [{"d/a.lock": "mine\n"}, {".gitattributes": "b.txt merge=union\n"}, {"b.txt": "mine\n"}, {"d/a.lock": "x\n"}]
    history = parted(clone, trunk, mine)
    if dirty:
        clone.write(".gitattributes", "* -merge\n")
        ours = replayed(open_repo(clone.path), history)
        clone.git("checkout", "-q", ".")
    else:
        ours = replayed(open_repo(clone.path), history)
    clone.git("checkout", "-q", "--detach")
    assert ours == histories.rebase(clone.path, history)
    assert len(ours.commits) == 4


def test_submodules_that_both_sides_moved_are_merged_where_one_contains_the_other(
    workspace: Workspace, repo: Repository, tmp_path: Path
) -> None:
    module = make_repo(tmp_path / "module")
    first, second, third = module.commit("one"), module.commit("two"), module.commit("three")
    clone = workspace.clone
    clone.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(module.path), "module")
    tips = {}
    base = ""
    for name, oid in (("base", first), ("pick 0", second), ("trunk", third)):
        if base:
            clone.git("reset", "-q", "--hard", base)
        clone.git("update-index", "--cacheinfo", f"160000,{oid},module")
        clone.git("commit", "-qm", name)
        tips[name] = clone.oid()
        base = base or clone.oid()
    history = History(base, tips["trunk"], (tips["pick 0"],))
    outcome = repo.replay(picks(repo, history), history.trunk)
    assert outcome.conflict is None
    assert outcome.picks[0].tree == clone.tree(tips["trunk"])


def blobless(workspace: Workspace, path: Path, *, trees: bool = False) -> GitRepo:
    workspace.origin.git("config", "uploadpack.allowFilter", "true")
    workspace.origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    kind = "tree:0" if trees else "blob:none"
    git(path.parent, "clone", "-q", f"--filter={kind}", f"file://{workspace.origin.path}", str(path))
    return GitRepo(path)


def test_a_blobless_clone_fetches_nothing_for_what_does_not_meet(
    workspace: Workspace, open_repo: Opener, tmp_path: Path
) -> None:
    clone = workspace.clone
    history = parted(clone, {"README": "trunk\n"}, [{"notes.txt": "one\n"}, {"new/a.txt": "two\n"}])
    clone.git("push", "-q", "origin", f"{history.trunk}:refs/heads/trunk", f"{history.stack[-1]}:refs/heads/stack")
    partial = blobless(workspace, tmp_path / "partial")
    partial.git("config", "remote.origin.url", str(tmp_path / "gone"))
    tree = replayed(open_repo(partial.path), history).commits[-1][1]
    assert tree == replayed(open_repo(clone.path), history).commits[-1][1]


@pytest.mark.parametrize("trees", [False, True])
def test_a_partial_clone_fetches_what_a_merge_needs(
    workspace: Workspace, open_repo: Opener, tmp_path: Path, trees: bool
) -> None:
    clone = workspace.clone
    trunk, stack = shared("trunk\n", 3)
    commit(clone, {"shared.txt": "".join(f"line {n}\n" for n in range(52))})
    history = parted(clone, trunk, stack)
    clone.git("push", "-q", "origin", f"{history.trunk}:refs/heads/trunk", f"{history.stack[-1]}:refs/heads/stack")
    partial = blobless(workspace, tmp_path / "partial", trees=trees)
    assert replayed(open_repo(partial.path), history) == replayed(open_repo(clone.path), history)


def test_a_repository_with_a_colon_in_its_path(workspace: Workspace, open_repo: Opener, tmp_path: Path) -> None:
    clone = GitRepo(tmp_path / 'a:b "c"')
    shutil.copytree(workspace.clone.path, clone.path)
    trunk, stack = shared("trunk\n", 2)
    commit(clone, {"shared.txt": "".join(f"line {n}\n" for n in range(48))})
    history = parted(clone, trunk, stack)
    same_as_a_rebase(clone, open_repo(clone.path), history)


def test_a_linked_worktree_replays_as_well(workspace: Workspace, open_repo: Opener, tmp_path: Path) -> None:
    clone = workspace.clone
    trunk, stack = shared("trunk\n", 2)
    commit(clone, {"shared.txt": "".join(f"line {n}\n" for n in range(48)), ".gitattributes": "*.x merge=union\n"})
    history = parted(clone, trunk, stack)
    clone.git("worktree", "add", "-q", "--detach", str(tmp_path / "side"), history.base + "~1")
    assert replayed(open_repo(tmp_path / "side"), history) == replayed(open_repo(clone.path), history)


def test_what_a_killed_replay_leaves_is_cleared_by_git(workspace: Workspace) -> None:
    left = workspace.clone.path / ".git/objects/tmp_objdir-stackr-abc"
    left.mkdir()
    os.utime(left, (0, 0))
    workspace.clone.git("prune", "--expire=1.hour.ago")
    assert not left.exists()


def test_one_merge_of_trees(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    base = clone.oid()
    mine = clone.tree(commit(clone, {"README": "mine\n", "src/code.py": "mine\n"}))
    clone.git("reset", "-q", "--hard", base)
    theirs = clone.tree(commit(clone, {"notes.txt": "theirs\n"}))
    clash = clone.tree(commit(clone, {"src/code.py": "theirs\n"}))
    merged = repo.merge_trees(clone.tree(base), mine, theirs).tree
    assert merged is not None
    assert clone.git("show", f"{merged}:notes.txt", f"{merged}:README") == "theirs\nmine"
    assert repo.merge_trees(clone.tree(base), mine, clash) == MergedTree(None, ("src/code.py",))
    assert repo.merge_trees(clone.tree(base), clone.tree(base), theirs) == MergedTree(theirs)
    assert repo.merge_trees(mine, theirs, mine) == MergedTree(theirs)


def test_a_drafted_merge_is_written_with_the_replay_that_uses_it_and_not_before(
    workspace: Workspace, repo: Repository
) -> None:
    clone = workspace.clone
    base = clone.oid()
    mine = clone.tree(commit(clone, {"src/code.py": "mine\n"}))
    clone.git("reset", "-q", "--hard", base)
    theirs = clone.tree(commit(clone, {"src/other.py": "theirs\n"}))
    before = repo.process_count
    merged = repo.draft_merge(clone.tree(base), mine, theirs).tree
    assert merged is not None
    assert repo.process_count - before <= 1  # the open git cat-file
    with pytest.raises(AssertionError):
        clone.git("cat-file", "-e", merged)
    above = clone.tree(commit(clone, {"README": "above\n"}))
    done = repo.replay([Pick("one", clone.tree(base), merged, b"One\n"), Pick("two", theirs, above, b"Two\n")], base)
    assert clone.git("show", f"{done.oids['one']}:src/other.py", f"{done.oids['two']}:src/code.py") == "theirs\nmine"
    assert clone.git("show", f"{done.oids['two']}:README") == "above"
    clone.git("fsck", "--strict")


def test_a_commit_that_is_not_here_is_said(repo: Repository) -> None:
    with pytest.raises(GitError, match='commit "1111111111" is missing'):
        repo.replay([], "1" * 40)


def test_a_tree_that_is_not_here_is_said(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    with pytest.raises(GitError, match='tree "1111111111" is missing'):
        repo.merge_trees(clone.tree(), clone.tree("HEAD~1"), "1" * 40)


class TestWithANewerGit:
    """One process for all merges."""

    @pytest.fixture
    def newer(self, workspace: Workspace, open_repo: Opener, tmp_path: Path) -> Repository:
        repo = open_repo(workspace.clone.path)
        repo.runner.git_program = str(newer_git.make(tmp_path))
        return repo

    def test_one_process_takes_merge_after_merge(self, workspace: Workspace, newer: Repository, tmp_path: Path) -> None:
        clone = workspace.clone
        trunk, stack = shared("trunk\n", 6)
        commit(clone, {"shared.txt": "".join(f"line {n}\n" for n in range(64))})
        history = parted(clone, trunk, stack)
        wanted = picks(newer, history)
        before = newer.process_count
        assert len(newer.replay(wanted, history.trunk).picks) == 6
        assert newer.process_count - before <= 6  # the version, attributes, merge-tree, who commits, the objects
        same_as_a_rebase(clone, newer, history)

    def test_a_conflict_ends_it(self, workspace: Workspace, newer: Repository) -> None:
        history = parted(
            workspace.clone,
            {"notes.txt": "trunk\n", "README": "trunk\n"},
            [{"notes.txt": "mine\n", "README": "mine\n"}, {"notes.txt": "more\n"}],
        )
        wanted = ReplayConflict("pick 0", ("README", "notes.txt"))
        assert newer.replay(picks(newer, history), history.trunk).conflict == wanted

    def test_other_attributes_begin_another_process(self, workspace: Workspace, newer: Repository) -> None:
        clone = workspace.clone
        commit(clone, {"one.txt": "base\n", "two.txt": "base\n"})
        trunk = {"one.txt": "trunk\n", "two.txt": "trunk\n", ".gitattributes": "one.txt merge=union\n"}
        mine = [{"one.txt": "mine\n"}, {"sub/.gitattributes": "*.txt merge=union\n"}, {"one.txt": "again\n"}]
        history = parted(clone, trunk, mine)
        clone.write(".gitattributes", "one.txt merge=union\n")  # where the stand-in for a newer git reads them
        wanted = picks(newer, history)
        before = newer.process_count
        assert newer.replay(wanted, history.trunk).conflict is None
        assert newer.process_count - before == 6
