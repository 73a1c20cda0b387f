"""The demo really does what it says, and ends by itself when nobody watches."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stackr.errors import Refused
from stackr.sandbox import demo, playground, pulls
from stackr.sandbox.server import SandboxServer
from tests.support.git import GitRepo, make_repo


def run_demo(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stackr", "demo", "--root", str(root), *args]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240)


def test_the_demo_ends_with_six_open_pull_requests_and_no_force_push(tmp_path: Path) -> None:
    done = run_demo(tmp_path / "demo")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("$ stackr submit") == 5
    assert done.stdout.count("$ stackr status") == 4
    assert "Traceback" not in done.stderr
    with SandboxServer(tmp_path / "demo" / "github") as server:
        found = pulls.list_pulls(server.engine, server.repository(demo.REPOSITORY))
        assert [pull.state for pull in found] == ["open"] * 6
        kinds = {event.kind for event in server.engine.store.events.all()}
    assert not {kind for kind in kinds if "force" in kind or kind in ("closed", "merged")}
    assert done.stdout.rstrip().count("/acme/demo/pull/") >= 6


def test_a_directory_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    done = run_demo(tmp_path)
    assert done.returncode == Refused.exit_code
    assert "is not empty" in done.stderr


def test_it_serves_until_it_is_interrupted_and_calls_that_success(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "stackr", "demo", "--serve"]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        for text in process.stdout:
            if "until you press Ctrl-C" in text:
                break
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
    assert list(tmp_path.glob("stackr-demo-*")) == []


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return playground.sealed(tmp_path / "home", {})


def test_without_a_history_at_hand_one_is_made(tmp_path: Path, env: dict[str, str]) -> None:
    made = playground.make_history(tmp_path, env)
    titles = GitRepo(made.path).git("log", "--format=%s", f"{made.base}..{made.tip}").splitlines()
    assert len(titles) == playground.STACK_SIZE
    assert playground.line_of_commits(made.path, env) == made


def test_a_line_of_commits_has_no_merge_and_no_empty_commit(tmp_path: Path, env: dict[str, str]) -> None:
    repo = make_repo(tmp_path / "r")
    for number in range(7):
        repo.commit(f"commit {number}", {"f": f"{number}\n"})
    wanted = repo.oid()
    repo.commit("empty", {})
    repo.commit("after", {"g": "1\n"})
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.commit("side", {"h": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    found = playground.line_of_commits(repo.path, env)
    assert found is not None
    assert (found.tip, found.base) == (wanted, repo.oid(f"{wanted}~5"))


def test_short_shallow_and_missing_histories_do_not_serve(tmp_path: Path, env: dict[str, str]) -> None:
    repo = make_repo(tmp_path / "r")
    repo.commit("one")
    assert playground.line_of_commits(repo.path, env) is None
    repo.commit("two")
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "shallow"))
    assert playground.line_of_commits(tmp_path / "shallow", env) is None
    assert playground.line_of_commits(tmp_path / "nowhere", env) is None


def test_commits_that_all_conflict_are_reordered_with_one_that_does_not(tmp_path: Path, env: dict[str, str]) -> None:
    repo = make_repo(tmp_path / "r")
    repo.commit("base", {"f": "0\n"})
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    for number in (1, 2):
        repo.commit(f"commit {number}", {"f": f"{number}\n"})
    said: list[str] = []
    demo.Demo("", repo.path, env, "", said.append, "auto")._reorder()
    assert playground.stack(repo.path, env) == ["commit 1", "Add a note", "commit 2"]
