"""Reading commits, files and history: in bulk, by few processes, and never from the network."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackr.errors import UsageError
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import GitRepo, Workspace, git

ABSENT = "1" * 40


def test_commits_come_parents_first(workspace: Workspace, repo: Repository) -> None:
    base = workspace.clone.oid()
    oids = [workspace.clone.commit(f"Change {n}") for n in range(3)]
    assert [commit.oid for commit in repo.list_commits(["HEAD"], [base])] == oids
    assert [commit.subject for commit in repo.list_commits([oids[1]], [base])] == ["Change 0", "Change 1"]


def test_a_merge_is_listed_with_both_parents(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    base = clone.oid()
    clone.git("checkout", "-q", "-b", "side")
    side = clone.commit("Side")
    clone.git("checkout", "-q", "main")
    main = clone.commit("Main")
    clone.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    commits = repo.list_commits(["HEAD"], [base])
    assert {commits[0].oid, commits[1].oid} == {side, main}
    assert commits[2].parents == (main, side)
    assert (repo.count_commits("HEAD", base), repo.count_commits(base, "HEAD")) == (3, 0)


def test_head_is_at_no_commit_before_the_first_one(workspace: Workspace, repo: Repository) -> None:
    assert not repo.is_unborn
    workspace.clone.git("checkout", "-q", "--orphan", "new")
    assert repo.is_unborn


def test_no_tips_and_absent_tips_list_nothing(workspace: Workspace, repo: Repository) -> None:
    before = repo.process_count
    assert repo.list_commits([], []) == ()
    assert repo.process_count == before
    assert repo.list_commits([ABSENT], [workspace.clone.oid()]) == ()
    assert repo.read_graph([ABSENT, "HEAD"], [ABSENT, "HEAD~1"]) == {
        workspace.clone.oid(): (workspace.clone.oid("HEAD~1"),)
    }


@pytest.mark.parametrize("number", [1, 100])
def test_reading_a_stack_takes_two_processes_whatever_its_size(
    workspace: Workspace, open_repo: Opener, number: int
) -> None:
    base = workspace.clone.oid()
    for n in range(number):
        workspace.clone.git("commit", "-q", "--allow-empty", "-m", f"Change {n}")
    repo = open_repo(workspace.clone.path)
    before = repo.process_count
    commits = repo.list_commits(["HEAD"], [base])
    assert len(commits) == number
    assert len(repo.read_commits(commit.oid for commit in commits)) == number
    assert repo.process_count - before == 2  # git rev-list, and the one cat-file that stays open


def test_absent_commits_and_other_objects_are_left_out(workspace: Workspace, repo: Repository) -> None:
    oid, tree = workspace.clone.oid(), workspace.clone.tree()
    assert list(repo.read_commits([ABSENT, tree, oid, "not an id", oid])) == [oid]


@pytest.mark.parametrize("revision", ["HEAD", "main", "HEAD~0", "refs/heads/main", "@", "HEAD^{/Add notes}", "v1"])
def test_revisions_resolve_to_commits(workspace: Workspace, repo: Repository, revision: str) -> None:
    workspace.clone.git("tag", "-a", "-m", "tag", "v1")
    assert repo.resolve(revision) == workspace.clone.oid()


@pytest.mark.parametrize(
    "revision", ["", "nope", "no such thing", "-x", "HEAD:README", "a\nb", "HEAD~99", ABSENT, ABSENT + " x", "HEAD^!"]
)
def test_what_names_no_commit_is_a_usage_error(repo: Repository, revision: str) -> None:
    with pytest.raises(UsageError, match="names no commit here"):
        repo.resolve(revision)
    assert repo.resolve("HEAD")  # the open process still answers in step


def test_an_abbreviation_of_several_objects_is_a_usage_error(workspace: Workspace, repo: Repository) -> None:
    for n in range(40):
        workspace.clone.git("commit", "-q", "--allow-empty", "-m", f"{n}")
    oids = workspace.clone.git("rev-list", "--all").split()
    prefixes = [oid[:4] for oid in oids]
    assert repo.resolve(oids[0][:12]) == oids[0]
    for prefix in {prefix for prefix in prefixes if prefixes.count(prefix) > 1}:
        with pytest.raises(UsageError):
            repo.resolve(prefix)


def test_new_commits_and_refs_are_seen_by_the_open_process(workspace: Workspace, repo: Repository) -> None:
    repo.resolve("HEAD")
    oid = workspace.clone.commit("Later")
    workspace.clone.git("gc", "-q")
    assert repo.resolve("HEAD") == oid
    assert repo.read_commits([oid])[oid].subject == "Later"


def test_replacement_objects_and_grafts_are_not_believed(workspace: Workspace, repo: Repository) -> None:
    """GitHub does not know them, so a stack computed with them would not be what is pushed."""
    clone = workspace.clone
    tip, parent, root = clone.oid(), clone.oid("HEAD~1"), clone.oid("HEAD~2")
    clone.git("replace", "--graft", tip, root)
    (clone.path / ".git" / "info").mkdir(exist_ok=True)
    (clone.path / ".git" / "info" / "grafts").write_text(f"{parent}\n")
    assert repo.read_commits([tip])[tip].parents == (parent,)
    assert repo.read_graph([tip], []) == {root: (), parent: (root,), tip: (parent,)}
    assert [commit.oid for commit in repo.list_commits([tip], [])] == [root, parent, tip]


def test_the_first_path_that_is_a_file_is_read_without_regard_to_case(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    clone.write(".GitHub/Pull_Request_Template.md", "upper")
    (clone.path / "docs").mkdir()
    (clone.path / "docs" / "pull_request_template.md").symlink_to("../README")
    clone.git("add", "-A")
    oid = clone.commit("Add templates", {})
    paths = [".github", "docs/pull_request_template.md", ".github/pull_request_template.md", "README"]
    assert repo.read_file(oid, paths) == b"upper"
    assert repo.read_file(oid, ["readme"]) == b"begin\n"
    assert repo.read_file(oid, ["nothing", "src"]) is None
    assert repo.read_file(ABSENT, ["README"]) is None


def test_the_exact_spelling_wins(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    clone.write("A/x", "1")
    clone.write("a/x", "2")
    clone.git("add", "-A")
    oid = clone.commit("Add", {})
    assert (repo.read_file(oid, ["a/x"]), repo.read_file(oid, ["A/x"])) == (b"2", b"1")


def lazy_clone(workspace: Workspace, path: Path, *options: str) -> GitRepo:
    workspace.origin.git("config", "uploadpack.allowFilter", "true")
    workspace.origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    git(path.parent, "clone", "-q", *options, workspace.origin.path.as_uri(), str(path))
    return GitRepo(path)


@pytest.mark.parametrize("kind", ["blob:none", "tree:0"])
def test_nothing_is_fetched_for_a_commit_that_is_not_in_a_partial_clone(
    workspace: Workspace, tmp_path: Path, open_repo: Opener, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = lazy_clone(workspace, tmp_path / "lazy", f"--filter={kind}")
    theirs = workspace.clone.commit("Not fetched")
    workspace.clone.git("push", "-q", "origin", "HEAD:refs/heads/theirs")
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE", str(trace))
    repo = open_repo(clone.path)
    tip = workspace.origin.oid("main")
    assert list(repo.read_commits([theirs, tip])) == [tip]
    assert set(repo.read_graph([theirs, tip], [])) == set(workspace.origin.git("rev-list", "main").split())
    with pytest.raises(UsageError):
        repo.resolve(theirs)
    assert "fetch" not in trace.read_text()


def test_a_file_of_a_partial_clone_is_fetched_when_it_is_asked_for(
    workspace: Workspace, tmp_path: Path, open_repo: Opener
) -> None:
    clone = lazy_clone(workspace, tmp_path / "lazy", "--filter=blob:none", "--no-checkout")
    assert open_repo(clone.path).read_file(clone.oid(), ["README"]) == b"begin\n"


def test_a_shallow_clone_ends_where_git_says(workspace: Workspace, tmp_path: Path, open_repo: Opener) -> None:
    clone = lazy_clone(workspace, tmp_path / "shallow", "--depth=2")
    clone.commit("Mine")
    repo = open_repo(clone.path)
    head, tip, edge, below = (workspace.origin.oid(f"main~{n}") if n >= 0 else clone.oid() for n in (-1, 0, 1, 2))
    assert repo.read_graph(["HEAD"], []) == {edge: (), tip: (edge,), head: (tip,)}
    assert [commit.oid for commit in repo.list_commits(["HEAD"], ["origin/main"])] == [head]
    assert repo.read_commits([edge])[edge].parents == (below,)  # what the object says, for rewriting
    assert below not in repo.read_commits([below])
