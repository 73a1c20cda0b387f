"""``stackr sandbox serve``: what it prints, what survives, how it ends, what it needs."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stackr.commands import sandbox
from stackr.errors import ConfigError, GitError
from stackr.options import Invocation
from stackr.sandbox import needs
from tests.support.git import git
from tests.support.world import Clone


@contextmanager
def serving(*args: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A sandbox in a process of its own: what it printed, as text and as JSON; it must end well when interrupted."""
    command = [sys.executable, "-m", "stackr", "sandbox", "serve", "--port", "0", *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        text = ""
        for line in process.stdout:
            text += line
            if line in ("}\n", "    stackr submit\n"):
                break
        try:
            yield text, json.loads(text) if text.startswith("{") else {}
        finally:
            process.send_signal(signal.SIGINT)
            try:
                assert process.wait(timeout=60) == 0
            finally:
                process.kill()


@pytest.fixture(scope="module")
def served(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, Any]]]:
    """One that runs: the directory of its state, and what it printed."""
    root = tmp_path_factory.mktemp("served") / "s"
    with serving("--root", str(root), "--json") as (_, facts):
        yield root, facts


def test_it_tells_address_people_and_how_to_begin_and_its_state_survives(tmp_path: Path) -> None:
    with serving("--root", str(tmp_path / "s"), "--json") as (_, first):
        assert list(first) == ["schema", "command", "ok", "url", "root", "clone_url", "users"]
        assert [user["login"] for user in first["users"]] == ["alice", "bob", "carol", "dave"]
        assert [user["may_push"] for user in first["users"]] == [True, True, True, False]
        with urllib.request.urlopen(f"{first['url']}/api/v3/meta", timeout=30) as answer:
            assert answer.status == 200
    with serving("--root", str(tmp_path / "s")) as (text, _):
        assert text.startswith("the sandbox is at http://127.0.0.1:")
        assert all(user["token"] in text for user in first["users"])


def test_a_newcomer_can_follow_what_it_prints(served: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    _, facts = served
    git(tmp_path, "clone", "-q", facts["clone_url"], "words")
    clone = Clone(tmp_path / "words", "alice", facts["users"][0]["token"])
    clone.git("checkout", "-q", "-b", "feature")
    clone.commit("One", {"one": "1\n"})
    clone.commit("Two", {"two": "2\n"})
    document = clone.stackr("submit", "--json").json
    assert [change["pull"]["number"] for change in document["changes"]] == [1, 2]


def test_a_port_in_use_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        clone = Clone(tmp_path, "alice", "x")
        result = clone.stackr("sandbox", "serve", "--root", "s", "--port", port, code=3)
    assert f"port {port} cannot be used" in result.err
    assert "--port 0" in result.err


def test_a_second_server_of_the_same_state_is_refused(served: tuple[Path, dict[str, Any]]) -> None:
    root, _ = served
    clone = Clone(root.parent, "alice", "x")
    refused = clone.stackr("sandbox", "serve", "--root", "s", "--port", "0", code=3)
    assert refused.err.startswith('error: "stackr sandbox serve" (process ')
    assert f'is running in "{root}"\n' in refused.err


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = Clone(tmp_path, "alice", "x").stackr("sandbox", "serve", "--root", "file", "--port", "0", code=6)
    assert result.err.startswith(f'error: cannot write "{tmp_path / "file" / "stackr"}": not a directory\n')


def test_the_state_lives_in_the_data_directory_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    invocation = Invocation(directory=tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert sandbox._root(invocation, None) == Path("/data/stackr/sandbox")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert sandbox._root(invocation, None) == Path(os.environ["HOME"]) / ".local/share/stackr/sandbox"
    monkeypatch.delenv("HOME")
    assert sandbox._root(invocation, None).name.startswith("stackr-sandbox-")
    assert sandbox._root(invocation, "here") == tmp_path / "here"


def test_missing_packages_are_named_with_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "_PACKAGES", ("flask", "no_such_package"))
    with pytest.raises(ConfigError) as caught:
        needs.require()
    assert "no_such_package" in caught.value.message
    assert caught.value.next_step == 'pip install "stackr-cli[sandbox]"'


def test_a_missing_git_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git is not installed"):
        needs.require()
