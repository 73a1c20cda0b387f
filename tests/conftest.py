"""Fixtures for the whole suite: a sealed environment for every test, and a git workspace copied from a template."""

from __future__ import annotations

import gc
import itertools
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.git import Workspace, build_workspace, copy_workspace, sealed_env
from tests.support.memory import work_in_memory

_homes = itertools.count(1)


# A busy machine is no reason to fail; everything else stays as it is, or as hypothesis has it for CI.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_configure() -> None:
    """A shell lets what it starts in the background ignore Ctrl-C; the processes that tests interrupt must not."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(200_000, 20, 20)  # importing every test makes hardly any garbage
    work_in_memory()


def pytest_collection_finish() -> None:
    """What the tests are made of is no garbage: looking through it again and again took a quarter of the suite's time.

    Cycles are still collected, later than usual, and reference counts find nearly all else at once.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _seal(patch: pytest.MonkeyPatch, home: Path) -> None:
    """Within a sealed session a test changes what names its home, and nothing else: there are thousands of tests."""
    now, wanted = dict(os.environ), sealed_env(home)
    for name in now.keys() - wanted.keys() - {"PYTEST_CURRENT_TEST"}:
        patch.delenv(name)
    for name, value in wanted.items():
        if now.get(name) != value:
            patch.setenv(name, value)


@pytest.fixture(scope="session", autouse=True)
def _sealed_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Session fixtures (templates, servers) run sealed too."""
    with pytest.MonkeyPatch.context() as patch:
        _seal(patch, tmp_path_factory.mktemp("session-home"))
        yield


@pytest.fixture(scope="session")
def _all_homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def home(_sealed_session: None, monkeypatch: pytest.MonkeyPatch, _all_homes: Path) -> Path:
    """An empty home directory of the test's own, and nothing of the user's environment; see ``sealed_env``."""
    # Counted here: ``mktemp`` reads all names there are to find the next number, for every test anew.
    path = _all_homes / str(next(_homes))
    path.mkdir()
    _seal(monkeypatch, path)
    return path


@pytest.fixture(scope="session")
def workspace_template(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that ``workspace`` copies; built once a session, never changed."""
    root = tmp_path_factory.mktemp("template")
    build_workspace(root)
    return root


@pytest.fixture
def workspace(workspace_template: Path, tmp_path: Path) -> Workspace:
    """A bare origin with three commits on main, and a clone of it, both the test's own."""
    return copy_workspace(workspace_template, tmp_path)
