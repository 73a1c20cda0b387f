"""Fixtures that give a test a ``World``; imported by the conftest of every folder that needs one."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from stackr.sandbox.engine import Settings
from stackr.sandbox.repositories import make_bare
from stackr.sandbox.server import SandboxServer
from tests.support import templates
from tests.support.folders import Folder, read_folder
from tests.support.git import GitRepo, git
from tests.support.world import World

_names = itertools.count(1)


@pytest.fixture(scope="session")
def sandbox_server(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxServer]:
    """One sandbox for the session; tests use repositories of their own."""
    with SandboxServer(tmp_path_factory.mktemp("sandbox")) as server:
        for login in ("alice", "bob", "carol"):
            server.add_user(login)
        yield server


@pytest.fixture(scope="session")
def source_repository(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of a server with three commits on main, from which every world's repository is copied."""
    root = tmp_path_factory.mktemp("source")
    git(root, "init", "-q", "-b", "main", "work")
    work = GitRepo(root / "work")
    for name in ("README.md", "src/app.py", "src/util.py"):
        work.commit(f"Add {name}", {name: "".join(f"{name} line {n}\n" for n in range(1, 31))})
    make_bare(root / "source.git", root / "work", "main")
    return root / "source.git"


@pytest.fixture
def world(sandbox_server: SandboxServer, source_repository: Path, tmp_path: Path) -> Iterator[World]:
    """A repository ``acme/wN`` to which alice, bob and carol may push; faults, settings and the log start clean."""
    name = f"acme/w{next(_names)}"
    repo = sandbox_server.add_repository(name, writers=("alice", "bob", "carol"))
    # Copied as files, since ``git fetch`` takes ten times as long.
    _contents(source_repository).write(sandbox_server.engine.directory(repo))
    sandbox_server.log.clear()
    yield World(sandbox_server, name, tmp_path, begun=_begun(source_repository))
    sandbox_server.faults.clear()
    sandbox_server.engine.settings = Settings()


@functools.cache
def _contents(source: Path) -> Folder:
    return read_folder(source)


@functools.cache
def _begun(source: Path) -> Folder:
    return read_folder(source, skip=templates.OBJECTS)
