"""Rare turns of a rebase in the work tree: a damaged note, git that does not do as told, nothing to resolve."""

from __future__ import annotations

import pytest

from stackr import resolve
from stackr.core.model import Head
from stackr.core.resolving import Line, Resolution, Script
from stackr.errors import GitError, Refused
from stackr.repo.repository import Repository
from tests.support.git import GitRepo, Workspace


@pytest.fixture
def clone(workspace: Workspace) -> GitRepo:
    """A clone with a branch of one commit, on an older trunk."""
    clone = workspace.clone
    clone.git("checkout", "-q", "-b", "feature", "HEAD~1")
    clone.commit("A", {"a.txt": "a\n"})
    return clone


def begun(clone: GitRepo) -> Resolution:
    return Resolution(
        "sync", True, "main", Head("refs/heads/feature", clone.oid()), {"refs/heads/feature": clone.oid()}
    )


def test_a_damaged_note_is_named(clone: GitRepo) -> None:
    with Repository.open(clone.path) as repo:
        repo.resolving.path.parent.mkdir(exist_ok=True)
        for text in ("{", "{}", "[]"):
            repo.resolving.path.write_text(text)
            with pytest.raises(GitError, match="is damaged") as caught:
                repo.resolving.read()
            assert caught.value.next_step.endswith(f'rm "{repo.resolving.path}"')


def test_what_is_noted_is_read_back_with_any_name_of_a_branch(clone: GitRepo) -> None:
    wanted = Resolution("sync", False, "main", Head(None, "a" * 40), {"refs/heads/ä\udcff": "b" * 40})
    with Repository.open(clone.path) as repo:
        resolve.settle(repo)
        assert repo.resolving.read() is None
        repo.resolving.path.parent.mkdir(exist_ok=True)
        repo.resolving.start(wanted, "noop\n", clone.oid("HEAD~1"))
        assert repo.resolving.read() == wanted
        repo.resolving.forget()
        assert repo.resolving.read() is None


def test_a_rebase_without_any_conflict_ends_at_once_and_is_an_operation(clone: GitRepo) -> None:
    clone.git("branch", "other")
    old, trunk = clone.oid(), clone.oid("main")
    resolution = Resolution(
        "sync", True, "main", Head("refs/heads/feature", old), {"refs/heads/feature": old, "refs/heads/other": old}
    )
    script = Script((Line("pick", old, "A"), Line("update-ref", "refs/heads/other")))
    with Repository.open(clone.path) as repo:
        resolve.start(repo, resolution, script, trunk)
        assert repo.resolving.read() is None
        (operation,) = repo.list_operations(repo.local_state("origin"))
    assert [(move.ref, move.old) for move in operation.moves] == [
        ("refs/heads/feature", old),
        ("refs/heads/other", old),
    ]
    assert clone.oid("other") == clone.oid() != old
    assert clone.oid("HEAD~1") == trunk


def test_an_abort_that_git_refuses_leaves_the_rebase_in_progress(
    clone: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Repository.open(clone.path) as repo:
        resolution = begun(clone)
        repo.resolving.start(resolution, f"edit {clone.oid()}\n", clone.oid("main"))
        assert repo.resolving.is_under_way(resolution)
        monkeypatch.setattr(repo.resolving, "take_back", lambda: 1)
        with pytest.raises(Refused, match="--abort failed"):
            resolve.take_back(repo, resolution)
        assert repo.resolving.read() == resolution


def test_a_branch_that_is_gone_when_the_rebase_ends_is_no_obstacle(clone: GitRepo) -> None:
    with Repository.open(clone.path) as repo:
        resolution = begun(clone)
        repo.resolving.start(resolution, f"pick {clone.oid()}\n", clone.oid("main"))
        clone.git("checkout", "-q", "--orphan", "empty")
        resolve.settle(repo)
        assert repo.resolving.read() is None


def test_ten_changed_files_are_named_and_the_rest_counted(clone: GitRepo) -> None:
    names = [f"f{n:02}.txt" for n in range(12)]
    clone.commit("Many", dict.fromkeys(names, "x\n"))
    for name in names:
        clone.write(name, "y\n")
    with Repository.open(clone.path) as repo, pytest.raises(Refused) as caught:
        repo.resolving.start(begun(clone), "noop\n", clone.oid("main"))
    assert caught.value.message.endswith('"f09.txt" and 2 more')
