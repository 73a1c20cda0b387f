"""How much ``stackr submit`` asks of GitHub and of the machine (the issue's figures), counted from outside."""

from __future__ import annotations

import math
import os
import shutil
from pathlib import Path

import pytest

from stackr.repo.repository import Repository
from tests.support.laws import check_laws
from tests.support.world import Clone, World

MOST_PROCESSES = 15


@pytest.fixture
def counted(tmp_path: Path) -> dict[str, str]:
    """An environment in which every start of git, by whomever, leaves a line in the file ``GIT_STARTS``."""
    folder = tmp_path / "counting"
    folder.mkdir()
    wrapper = folder / "git"
    wrapper.write_text(f'#!/bin/sh\necho "$*" >> "$GIT_STARTS"\nexec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "GIT_STARTS": str(tmp_path / "starts")}


def submit(clone: Clone, counted: dict[str, str]) -> list[str]:
    """Submit in a process of its own; the git commands that it started."""
    starts = Path(counted["GIT_STARTS"])
    starts.write_text("")
    process = clone.start("submit", env=counted)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, (out, err)
    return starts.read_text().splitlines()


def stack_of_size(world: World, size: int, word: str = "Change") -> Clone:
    """A clone with ``size`` new commits; another ``word`` makes them other changes."""
    clone = world.clone()
    clone.grow(*(f"{word} {number}" for number in range(1, size + 1)))
    world.forget()
    return clone


def most_requests(size: int) -> int:
    return 1 + math.ceil(size / 5) + math.ceil(size / 10)


@pytest.mark.parametrize("size", [1, 5, 20])
def test_a_new_stack_needs_few_requests_one_push_and_a_handful_of_processes(
    world: World, counted: dict[str, str], size: int
) -> None:
    clone = stack_of_size(world, size)
    starts = submit(clone, counted)
    counts = world.server.log.counts()
    assert counts["api"] <= most_requests(size) + 1  # one more, once in a clone, for the login
    assert counts["pushes"] == 1
    assert counts["fetches"] <= 1
    assert len(starts) <= MOST_PROCESSES, starts
    check_laws(world, clone)


def test_the_number_of_processes_does_not_grow_with_the_stack(world: World, counted: dict[str, str]) -> None:
    clone = stack_of_size(world, 40)
    verbs = [start.split()[0] for start in submit(clone, counted)]
    assert len(verbs) <= MOST_PROCESSES
    assert world.server.log.counts()["api"] <= most_requests(40) + 1
    small = stack_of_size(world, 2, "other")
    assert [start.split()[0] for start in submit(small, counted)] == verbs


def test_the_count_that_the_git_layer_keeps_agrees_with_the_one_from_outside(
    world: World, counted: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    close = Repository.close
    monkeypatch.setattr(Repository, "close", lambda repo: (counts.append(repo.process_count), close(repo)))
    stack_of_size(world, 9).stackr("submit")
    stack_of_size(world, 2, "other").stackr("submit")
    outside = submit(stack_of_size(world, 3, "third"), counted)
    assert counts == [counts[0]] * 2
    assert counts[0] <= MOST_PROCESSES
    # Importing GitPython asks git for its version.
    assert len([start for start in outside if start != "version"]) == counts[0]


def test_the_requests_are_one_fewer_once_the_login_is_known(world: World) -> None:
    clone = stack_of_size(world, 5)
    clone.git("config", "stackr.login", "alice")
    clone.stackr("submit")
    assert world.server.log.counts()["api"] <= most_requests(5)


def test_an_unchanged_stack_of_any_size_needs_one_request(world: World, counted: dict[str, str]) -> None:
    clone = stack_of_size(world, 20)
    clone.stackr("submit")
    world.forget()
    starts = submit(clone, counted)
    assert world.server.log.counts() == {"api": 1, "mutations": 0, "git": 0, "pushes": 0, "fetches": 0}
    assert len(starts) <= MOST_PROCESSES, starts


def test_an_amended_bottom_needs_one_push_and_two_requests(world: World, counted: dict[str, str]) -> None:
    clone = stack_of_size(world, 20)
    clone.stackr("submit")
    clone.amend("Change 1")
    world.forget()
    starts = submit(clone, counted)
    counts = world.server.log.counts()
    assert (counts["pushes"], counts["mutations"]) == (1, 0)
    assert counts["api"] <= 2
    assert counts["fetches"] <= 1
    assert len(starts) <= MOST_PROCESSES, starts
    check_laws(world, clone)
