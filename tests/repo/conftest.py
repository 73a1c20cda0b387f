"""The clone of the test's workspace, opened by the git layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stackr.repo.repository import Repository
from tests.support.git import Workspace

Opener = Callable[[Path], Repository]


@pytest.fixture
def open_repo() -> Iterator[Opener]:
    """Open repositories that are closed after the test."""
    opened: list[Repository] = []

    def opener(path: Path) -> Repository:
        opened.append(Repository.open(path))
        return opened[-1]

    yield opener
    for repository in opened:
        repository.close()


@pytest.fixture
def repo(workspace: Workspace, open_repo: Opener) -> Repository:
    """The workspace's clone."""
    return open_repo(workspace.clone.path)
