"""The benchmark's own machinery on real git: counting processes, checking that a stack stands, mending addresses."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from bench import measure, work
from bench.measure import Counter, Run, problem_with
from bench.sandbox import Pull, Sandbox
from bench.tools import SHIM, environment


@pytest.fixture
def env(tmp_path: Path) -> Mapping[str, str]:
    return environment(None, tmp_path / "home", "", "")


@pytest.fixture
def stack(tmp_path: Path, env: Mapping[str, str]) -> tuple[work.Clone, Path]:
    """A clone with three changes, whose branches t1 to t3 and base ``main`` are in the bare repository."""
    source = tmp_path / "source"
    source.mkdir()
    work.git(source, "init", "-q", "-b", "main", env=env)
    work.git(source, "commit", "-q", "--allow-empty", "-m", "Begin", env=env)
    bare = tmp_path / "bare.git"
    work.git(tmp_path, "clone", "-q", "--bare", str(source), str(bare), env=env)
    clone = work.clone(bare, str(bare), tmp_path / "clone", env)
    clone.grow(3)
    for number, commit in enumerate(clone.commits(), 1):
        clone.git("push", "-q", "origin", f"{commit}:refs/heads/t{number}")
    return clone, bare


PULLS = [Pull(n, work.title(n), f"t{n}", f"t{n - 1}" if n > 1 else "main") for n in (1, 2, 3)]


def test_a_stack_with_a_pull_request_for_every_commit_stands(stack: tuple[work.Clone, Path]) -> None:
    assert problem_with(PULLS, *stack) is None


@pytest.mark.parametrize(
    ("pulls", "problem"),
    [
        (PULLS[:2], "2 pull requests of 3"),
        ([*PULLS[:2], PULLS[1]], "3 pull requests of 3"),
        ([*PULLS[:2], Pull(3, "Something", "t3", "t2")], "no pull request is titled 'Add change 003'"),
        ([*PULLS[:2], Pull(3, work.title(3), "t3", "t1")], "#3 does not show its commit"),
        ([*PULLS[:2], Pull(3, work.title(3), "t2", "t2")], "#3 does not show its commit"),
    ],
)
def test_a_stack_that_does_not_stand_is_told(stack: tuple[work.Clone, Path], pulls: list[Pull], problem: str) -> None:
    assert problem_with(pulls, *stack) == problem


def test_amending_the_bottom_changes_every_tree_and_no_title(stack: tuple[work.Clone, Path]) -> None:
    clone, _ = stack
    before, titles = clone.trees(), clone.git("log", "--format=%s", "origin/main..")
    clone.amend_bottom()
    assert clone.git("log", "--format=%s", "origin/main..") == titles
    assert clone.trees()[0] == before[0]
    assert not set(clone.trees()[1:]) & set(before[1:])


def test_git_processes_of_a_tool_are_counted_and_those_of_git_are_not(
    tmp_path: Path, stack: tuple[work.Clone, Path], env: Mapping[str, str]
) -> None:
    counter = Counter(tmp_path / "counter")
    counted = counter.environment(env)
    # A push starts git pack-objects and git receive-pack by itself.
    script = "git rev-parse HEAD; git push -q origin HEAD:refs/heads/counted"
    subprocess.run(["sh", "-c", script], cwd=stack[0].path, env=counted, check=True, capture_output=True)
    assert counter.count == 2
    counter.environment(env)
    assert counter.count == 0


def test_a_run_is_timed_and_its_words_are_kept(tmp_path: Path, env: Mapping[str, str]) -> None:
    done = measure.run([sys.executable, "-c", "print('one'); print('two │'); raise SystemExit(3)"], tmp_path, env)
    assert (done.code, done.last_words) == (3, "two │")
    assert done.seconds > 0
    assert Run(0, 0, 2, "\n │ \n").last_words == "exit 2"


def test_a_run_that_takes_too_long_is_ended(tmp_path: Path, env: Mapping[str, str]) -> None:
    done = measure.run([sys.executable, "-c", "import signal; signal.pause()"], tmp_path, env, limit_s=0.2)
    assert done.code == -signal.SIGKILL


@pytest.fixture
def shim(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module as a tool's Python loads it; it is not left in the way of later imports."""
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setenv("BENCH_GITHUB", "127.0.0.1:99")
    spec = importlib.util.spec_from_file_location("bench_shim", SHIM / "sitecustomize.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("meant", "real"),
    [
        ("https://api.127.0.0.1:99/graphql", "http://127.0.0.1:99/api/graphql"),
        ("https://127.0.0.1:99/api/v3/repos/a/b", "http://127.0.0.1:99/api/v3/repos/a/b"),
        ("https://127.0.0.1:99/api/graphql", "http://127.0.0.1:99/api/graphql"),
        ("https://github.com/a", "https://github.com/a"),
    ],
)
def test_addresses_that_were_meant_for_github_go_to_the_sandbox(shim: ModuleType, meant: str, real: str) -> None:
    assert shim.mend(meant) == real


def test_the_sandbox_serves_repositories_counts_and_turns_its_settings(
    tmp_path: Path, stack: tuple[work.Clone, Path], env: Mapping[str, str]
) -> None:
    with Sandbox(tmp_path / "root", stack[1]) as sandbox:
        bare = sandbox.repository("first")
        assert work.git(bare, "branch", "--format=%(refname:short)", env=env).split() == ["main", "t1", "t2", "t3"]
        sandbox.slow_down(0, 1)
        sandbox.limit(enabled=False)
        work.git(tmp_path, "ls-remote", sandbox.remote("first"), env=env)
        assert sandbox.open_pulls("first") == []
        seen = sandbox.traffic()
        assert (seen.requests, seen.mutations, seen.pushes) == (1, 0, 0)
        assert seen.git >= 1
        sandbox.forget()
        assert sandbox.traffic().git == 0
