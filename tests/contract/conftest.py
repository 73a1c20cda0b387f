"""What the contract tests look at: a sandbox on which a lot has happened, and everything it answered meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.rest_tour import Recorder, travel
from tests.support.sandbox import build_seed, end_box, make_box


@pytest.fixture(scope="session")
def tour(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    """Everything the sandbox answered on a tour of its whole REST API; ``tour.box`` is still running."""
    root = tmp_path_factory.mktemp("tour")
    box = make_box(root, build_seed(root))
    try:
        yield travel(box)
    finally:
        end_box(box)
