"""Rows in memory and in SQLite agree, also after a kill."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from stackr.sandbox.engine import Engine
from stackr.sandbox.model import Comment, Label, Permission, Ruleset, User
from stackr.sandbox.repositories import add_repository
from stackr.sandbox.store import Store
from tests.support.git import make_repo


def test_rows_come_back_with_their_types(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    user = store.users.add(User(login="alice", name=None))
    rule = Ruleset(repo_id=1, name="r", patterns=["main"], rules=[{"type": "deletion"}], classic=True)
    store.rulesets.add(rule)
    store.close()
    again = Store(tmp_path / "s.sqlite")
    (back,) = again.rulesets.by(repo_id=1)
    assert (back.patterns, back.rules, back.classic) == (["main"], [{"type": "deletion"}], True)
    assert again.users.one(login="alice") is not user
    assert (again.users.need(1).login, again.users.need(1).name) == ("alice", None)
    assert again.users.one(login="bob") is None
    assert again.users.get(None) is None
    again.close()


def test_changes_and_deletions_are_written_and_ids_never_reused(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    first, second = (store.comments.add(Comment(repo_id=1, number=1, author_id=1, body=b)) for b in "ab")
    store.commit()
    first.body = "changed"
    store.comments.save(first)
    store.comments.delete(second)
    store.close()
    again = Store(tmp_path / "s.sqlite")
    assert [row.body for row in again.comments.by(repo_id=1, number=1)] == ["changed"]
    assert again.comments.add(Comment(repo_id=1, number=1, author_id=1, body="c")).id == 3
    again.close()


def test_a_field_added_later_gets_its_default(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "s.sqlite")
    database.execute('CREATE TABLE "Label" (id INTEGER PRIMARY KEY, "repo_id", "name", "old_column")')
    database.execute("INSERT INTO \"Label\" VALUES (4, 1, 'bug', 'x')")
    database.commit()
    database.close()
    store = Store(tmp_path / "s.sqlite")
    assert [(row.id, row.name, row.color) for row in store.labels.all()] == [(4, "bug", "ededed")]
    store.labels.add(Label(repo_id=1, name="new"))
    store.close()


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    store.permissions.add(Permission(repo_id=1, user_id=1, level="read"))
    store.commit()
    store.permissions.add(Permission(repo_id=1, user_id=2, level="read"))
    store.permissions.add(Permission(repo_id=1, user_id=3, level=object()))  # type: ignore[arg-type]
    with pytest.raises(sqlite3.Error):
        store.commit()
    store.permissions.need(3).level = "read"
    store.close()
    again = Store(tmp_path / "s.sqlite")
    assert len(again.permissions.all()) == 3
    again.close()


def test_memory_and_file_agree_after_an_exception(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    with pytest.raises(RuntimeError), engine.transaction():
        engine.store.users.add(User(login="half"))
        raise RuntimeError
    engine.close()
    again = Engine(tmp_path)
    assert [row.login for row in again.store.users.all()] == ["half"]
    again.close()


def test_a_killed_process_leaves_what_was_committed(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from stackr.sandbox.engine import Engine\n"
        "from stackr.sandbox.model import User\n"
        "engine = Engine(Path(sys.argv[1]))\n"
        "with engine.transaction(): engine.store.users.add(User(login='kept'))\n"
        "engine.store.users.add(User(login='lost')); os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert done.returncode == -9
    engine = Engine(tmp_path)
    assert [row.login for row in engine.store.users.all()] == ["kept"]
    engine.close()


def test_a_sandbox_of_many_repositories_keeps_few_processes(tmp_path: Path) -> None:
    source = make_repo(tmp_path / "source")
    source.commit("Begin")
    engine = Engine(tmp_path / "sandbox")
    try:
        repos = [add_repository(engine, f"acme/r{n}", source=source.path) for n in range(20)]
        for repo in repos:
            assert engine.git(repo).object("main") is not None
        assert sum(engine.git(repo).awake for repo in repos) < 17
        assert engine.git(repos[0]).object("main") is not None
    finally:
        engine.close()
