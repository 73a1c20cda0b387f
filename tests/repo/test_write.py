"""Commits written by the git layer: every byte kept, one process for any number, the right person's name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core.model import Commit, NewCommit
from stackr.errors import ConfigError, Refused
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import WHEN, Workspace, git_bytes

ALICE = b"Alice Author <alice@example.com> " + WHEN.encode()


def copy_of(commit: Commit, label: str = ":1", **changes: object) -> NewCommit:
    same = NewCommit(
        label,
        commit.tree,
        commit.parents,
        commit.message,
        commit.author,
        commit.committer,
        commit.encoding,
        commit.extra,
    )
    return replace(same, **changes)  # type: ignore[arg-type]


ODD = {
    "an empty author name": b"author  <a@b> 1 +0000\ncommitter  <> 1 +0000\n\nempty name\n",
    "latin-1": b"author Ren\xe9 <r@e> 1 +0000\ncommitter R <r@e> 1 +0000\nencoding ISO-8859-1\n\ncaf\xe9\n",
    "bytes of no encoding": b"author \xff\xfe <r@e> 1 +0000\ncommitter R <r@e> 1 +0000\n\n\xff\xfe\xfd\n",
    "carriage returns": b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\none\r\n\r\ntwo\r\n",
    "foreign headers": b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\nHG:rename a:b\nchange-id xyz\n\nhg\n",
    "a merge tag": b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\nmergetag object 1\n type commit\n \n x\n\nm\n",
    "an odd zone": b"author A <a@b> 1 +051800\ncommitter A <a@b> 9999999999 -0001\n\nzone\n",
    "no message": b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n",
    "a very long message": b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nlong\n\n" + b"word " * 400_000,
}


@pytest.mark.parametrize("body", ODD.values(), ids=ODD.keys())
def test_a_commit_written_anew_is_the_same_commit(workspace: Workspace, repo: Repository, body: bytes) -> None:
    oid = workspace.clone.store(b"tree " + workspace.clone.tree().encode() + b"\n" + body)
    commit = repo.read_commits([oid])[oid]
    assert repo.write_commits([copy_of(commit)]) == {":1": oid}


def test_only_the_message_differs_after_a_rewrite(workspace: Workspace, repo: Repository) -> None:
    raw = b"tree " + workspace.clone.tree().encode() + b"\n" + ODD["latin-1"]
    oid = workspace.clone.store(raw)
    new = repo.write_commits([copy_of(repo.read_commits([oid])[oid], message=b"caf\xe9\n\nChange-Id: I1\n")])[":1"]
    assert workspace.clone.raw_commit(new) == raw.replace(b"caf\xe9\n", b"caf\xe9\n\nChange-Id: I1\n")


def test_labels_name_parents_that_are_written_in_the_same_go(workspace: Workspace, repo: Repository) -> None:
    tree, base = workspace.clone.tree(), workspace.clone.oid()
    oids = repo.write_commits(
        [
            NewCommit(":a", tree, (base,), b"a\n"),
            NewCommit(":b", tree, (":a",), b"b\n"),
            NewCommit(":m", tree, (":b", base), b"m\n"),
        ]
    )
    assert repo.read_commits([oids[":m"]])[oids[":m"]].parents == (oids[":b"], base)
    workspace.clone.git("fsck", "--strict")


def test_an_open_author_is_the_person_who_runs_stackr(workspace: Workspace, repo: Repository) -> None:
    oid = repo.write_commits([NewCommit(":a", workspace.clone.tree(), (), b"a\n")])[":a"]
    commit = repo.read_commits([oid])[oid]
    assert (commit.author, commit.committer) == (ALICE, ALICE)


def test_author_and_committer_may_be_two_people(
    workspace: Workspace, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Carl")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "1800000000 +0200")
    oid = repo.write_commits([NewCommit(":a", workspace.clone.tree(), (), b"a\n")])[":a"]
    commit = repo.read_commits([oid])[oid]
    assert (commit.author, commit.committer) == (ALICE, b"Carl <alice@example.com> 1800000000 +0200")


def test_git_is_asked_once_when_author_and_committer_cannot_differ(
    workspace: Workspace, open_repo: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NAME", "EMAIL", "DATE"):
        monkeypatch.delenv(f"GIT_AUTHOR_{name}")
        monkeypatch.delenv(f"GIT_COMMITTER_{name}")
    workspace.clone.git("config", "user.name", "Bob")
    workspace.clone.git("config", "user.email", "bob@example.com")
    repo = open_repo(workspace.clone.path)
    before = repo.process_count
    oid = repo.write_commits([NewCommit(":a", workspace.clone.tree(), (), b"a\n")])[":a"]
    assert repo.process_count - before == 2  # git var, git unpack-objects
    assert repo.read_commits([oid])[oid].author.startswith(b"Bob <bob@example.com> ")


def test_without_an_identity_it_says_how_to_set_one(
    workspace: Workspace, open_repo: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NAME", "EMAIL", "DATE"):
        monkeypatch.delenv(f"GIT_AUTHOR_{name}")
        monkeypatch.delenv(f"GIT_COMMITTER_{name}")
    workspace.clone.git("config", "user.useConfigOnly", "true")
    repo = open_repo(workspace.clone.path)
    with pytest.raises(Refused, match="git does not know who you are") as refused:
        repo.write_commits([NewCommit(":a", workspace.clone.tree(), (), b"a\n")])
    assert "git config --global user.email" in refused.value.next_step


def test_nothing_to_write_starts_nothing(repo: Repository) -> None:
    before = repo.process_count
    assert repo.write_commits([]) == {}
    assert repo.process_count == before


def test_the_same_commit_under_two_labels_is_one_object(workspace: Workspace, repo: Repository) -> None:
    tree = workspace.clone.tree()
    oids = repo.write_commits([NewCommit(label, tree, (), b"a\n", ALICE, ALICE) for label in (":a", ":b")])
    assert oids[":a"] == oids[":b"]


@pytest.mark.parametrize("number", [1, 99, 100, 250])
def test_any_number_of_commits_takes_one_process(workspace: Workspace, repo: Repository, number: int) -> None:
    tree, base = workspace.clone.tree(), workspace.clone.oid()
    chain = [
        NewCommit(f":{n}", tree, (f":{n - 1}" if n else base,), b"change %d\n" % n, ALICE, ALICE) for n in range(number)
    ]
    before = repo.process_count
    oids = repo.write_commits(chain)
    assert repo.process_count - before == 1
    assert workspace.clone.git("rev-list", "--count", f"{base}..{oids[f':{number - 1}']}") == str(number)
    packs = list((workspace.clone.path / ".git" / "objects" / "pack").glob("*.pack"))
    assert len(packs) == (1 if number >= 100 else 0)


def test_writing_what_exists_changes_nothing(workspace: Workspace, repo: Repository) -> None:
    oid = workspace.clone.oid()
    commit = repo.read_commits([oid])[oid]
    assert repo.write_commits([copy_of(commit)]) == {":1": oid}
    assert git_bytes(workspace.clone.path, "cat-file", "commit", oid) == workspace.clone.raw_commit()


def test_an_identity_question_that_fails_otherwise_keeps_gits_words(workspace: Workspace, repo: Repository) -> None:
    repo.config.get("core.bare")
    config = workspace.clone.path / ".git" / "config"
    config.write_text(config.read_text() + "[user\n")
    with pytest.raises(ConfigError, match="git cannot read its configuration"):
        repo.write_commits([NewCommit(":a", workspace.origin.tree("main"), (), b"a\n")])


def test_what_is_written_in_a_rehearsal_is_gone_afterwards(workspace: Workspace, repo: Repository) -> None:
    commit = repo.read_commits([workspace.clone.oid()])[workspace.clone.oid()]
    folder = workspace.clone.path / ".git" / "objects"
    before = sorted(folder.rglob("*"))
    with repo.rehearsal():
        oid = repo.write_commits([copy_of(commit, message=b"For show\n")])[":1"]
        assert set(repo.read_commits([oid, commit.oid])) == {oid, commit.oid}
    assert sorted(folder.rglob("*")) == before
    assert set(repo.read_commits([oid, commit.oid])) == {commit.oid}
    assert repo.write_commits([copy_of(commit, message=b"For show\n")]) == {":1": oid}
    assert repo.read_commits([oid])[oid].message == b"For show\n"
