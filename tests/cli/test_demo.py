"""The demo really does what it says, and ends by itself when nobody watches."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from stackr.errors import Refused
from stackr.main import run
from stackr.sandbox import demo, playground, pulls
from stackr.sandbox.server import SandboxServer
from tests.support.git import GitRepo, make_repo


@dataclass(frozen=True)
class Shown:
    """A whole demo that was served until it was interrupted."""

    code: int
    out: str
    err: str
    states: list[str]
    kinds: set[str]
    left: list[Path]


@pytest.fixture(scope="module")
def shown(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """One demo for every test that looks at one: it is a dozen processes."""
    temporary, errors = tmp_path_factory.mktemp("demo"), tmp_path_factory.mktemp("log") / "stderr"
    command = [sys.executable, "-m", "stackr", "demo", "--serve"]
    env = {**os.environ, "TMPDIR": str(temporary)}
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    with (
        errors.open("wb") as err,
        subprocess.Popen(command, text=True, env=env, stdin=null, stdout=pipe, stderr=err) as process,
    ):
        try:
            out = until(process, "until you press Ctrl-C")
            states, kinds = look(next(temporary.glob("stackr-demo-*")), temporary / "look")
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=60)
        finally:
            process.kill()
    return Shown(code, out, errors.read_text(), states, kinds, list(temporary.glob("stackr-demo-*")))


def until(process: subprocess.Popen[str], end: str) -> str:
    """What a process prints up to the line with ``end``, or all of it."""
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if end in line:
            break
    return text


def look(root: Path, copy: Path) -> tuple[list[str], set[str]]:
    """The states of the pull requests of a demo, and the kinds of all events, from a copy of what it has on disk."""
    shutil.copytree(root / "github", copy)
    with SandboxServer(copy) as server:
        found = pulls.list_pulls(server.engine, server.repository(demo.REPOSITORY))
        return [pull.state for pull in found], {event.kind for event in server.engine.store.events.all()}


def test_the_demo_ends_with_one_pull_request_landed_five_open_and_no_force_push(shown: Shown) -> None:
    assert shown.out.count("$ stackr submit") == 5
    assert shown.out.count("$ stackr status") == 1
    assert "Traceback" not in shown.err
    assert shown.out.count("$ stackr land 1 --yes") == 1
    assert shown.states == ["closed", *["open"] * 5] and "merged" in shown.kinds
    assert not {kind for kind in shown.kinds if "force" in kind}
    assert shown.out.rstrip().count("/acme/demo/pull/") >= 5


def test_it_serves_until_it_is_interrupted_calls_that_success_and_leaves_nothing(shown: Shown) -> None:
    assert (shown.code, shown.left) == (0, [])


class Scene:
    """A demo with nothing in it."""

    def tell(self) -> None:
        pass

    def pages(self) -> list[str]:
        return ["a page"]


@pytest.mark.parametrize("options", [[], ["--root", "kept"]], ids=["temporary", "kept"])
def test_it_ends_by_itself_when_nobody_watches_and_keeps_only_what_was_asked_for(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def stage(place: Path, *_: object) -> Iterator[Scene]:
        (place / "state").write_text("")
        yield Scene()

    monkeypatch.setattr(demo, "stage", stage)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        run(["demo", *options])
    assert ended.value.code == 0
    assert "a page" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == (["kept"] if options else [])


def test_a_directory_that_is_not_empty_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(SystemExit) as ended:
        run(["demo", "--root", str(tmp_path)])
    assert ended.value.code == Refused.exit_code
    assert "is not empty" in capsys.readouterr().err


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
