"""What ``git merge-tree --stdin`` answers, taken from git 2.50, and a conversation that breaks off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from stackr.errors import GitError
from stackr.repo.replay.real import Answer, read_answer
from stackr.repo.repository import Repository
from stackr.repo.run import Runner
from stackr.repo.talk import talk
from tests.support.git import Workspace

TREE = "6e8cfa7def019667a0aa82e1d706d5afcf7dbc2b"


def fields(raw: bytes) -> Iterator[bytes]:
    return iter(raw.split(b"\0"))


def test_a_clean_merge_is_a_tree() -> None:
    rest = fields(f"1\0{TREE}\0\0next".encode())
    assert read_answer(rest) == Answer(True, TREE, ())
    assert next(rest) == b"next"


def test_a_conflict_names_its_files_once_and_sorted() -> None:
    rest = fields(f"0\0{TREE}\0z\0a b\n\0\0next".encode())
    assert read_answer(rest) == Answer(False, TREE, (b"a b\n", b"z"))
    assert next(rest) == b"next"


def test_what_git_moved_out_of_the_way_has_its_own_name_back() -> None:
    rest = fields(f"0\0{TREE}\0f~{TREE}\0g~{TREE}_0\0h~1\0\0".encode())
    assert read_answer(rest).paths == (b"f", b"g", b"h~1")


@pytest.mark.parametrize("raw", [b"2\0", b"\0\0", b"fatal: no\0"])
def test_an_answer_of_another_form_is_an_error(raw: bytes) -> None:
    with pytest.raises(GitError, match="not understood"):
        read_answer(fields(raw))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "git"
    path.write_text(
        '#!/bin/sh\nread line; printf "%s\\0" "$line"; read line || exit 0; echo "fatal: no $3" >&2; exit 3\n'
    )
    path.chmod(0o755)
    return path


def test_a_process_that_gives_up_is_told_in_its_words(program: Path) -> None:
    runner = Runner(program.parent, git=str(program))
    with talk(runner, program.parent, "merge-tree", env={}, timeout_s=10) as conversation:
        answers = conversation.fields()
        conversation.say(b"one\n")
        assert next(answers) == b"one"
        conversation.say(b"two\n")
        with pytest.raises(GitError, match=r'"git merge-tree" failed \(3\): no merge-tree'):
            next(answers)
        with pytest.raises(GitError, match=r"failed \(3\)"):
            conversation.say(b"three\n")
    assert runner.count == 1


def test_a_process_that_says_nothing_is_not_waited_for(program: Path) -> None:
    runner = Runner(program.parent, git=str(program))
    with (
        talk(runner, program.parent, "merge-tree", env={}, timeout_s=0.05) as conversation,
        pytest.raises(GitError, match=r"did not end within 0\.05 s"),
    ):
        next(conversation.fields())


def test_the_process_ends_with_the_conversation(program: Path) -> None:
    runner = Runner(program.parent, git=str(program))
    with talk(runner, program.parent, "merge-tree", env={}, timeout_s=10) as conversation:
        pid = conversation._process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


class DeadProcess:
    """As GitPython holds one: it ends its process by calling ``__del__``."""

    def __init__(self, answer: bytes) -> None:
        self.stdin, self.stdout = BytesIO(), BytesIO(answer)

    def __del__(self) -> None:
        pass


@pytest.mark.parametrize("answer", [b"", b"fatal: out of memory\n", b"1234 blob x\n"])
def test_a_reading_process_that_ends_among_many_questions_is_said(repo: Repository, answer: bytes) -> None:
    objects = repo._objects
    objects.close()
    objects._git.cat_file_all = DeadProcess(answer)  # type: ignore[assignment]
    with pytest.raises(GitError, match="git cat-file ended early"):
        objects._rest([TREE])
    assert repo.resolve("HEAD") == repo.read_commits([repo.resolve("HEAD")]).popitem()[0]


def test_many_objects_come_in_the_order_asked_and_absent_ones_are_none(workspace: Workspace, repo: Repository) -> None:
    oids = [workspace.clone.tree(), "1" * 40, workspace.clone.oid(), workspace.clone.tree("HEAD~1")]
    found = repo._objects.read_many(oids * 200)
    assert [each and each[0] for each in found] == [None if oid == "1" * 40 else oid for oid in oids] * 200
