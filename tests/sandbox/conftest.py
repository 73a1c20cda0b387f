"""Fixtures of the sandbox's own tests: one server a test, with one repository and some people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.sandbox import Box, build_seed, end_box, make_box


@pytest.fixture(scope="session")
def seed(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bare repository that every sandbox copies."""
    return build_seed(tmp_path_factory.mktemp("seed"))


@pytest.fixture
def box(tmp_path: Path, seed: Path) -> Iterator[Box]:
    """A running sandbox of the test's own."""
    made = make_box(tmp_path, seed)
    yield made
    end_box(made, keep=True)
