"""Numbers of things in English."""

from __future__ import annotations

import pytest

from stackr.core.words import counted


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 branches, 0 commits"), (1, "1 branch, 1 commit"), (2, "2 branches, 2 commits")]
)
def test_one_thing_is_not_many(count: int, text: str) -> None:
    assert f"{counted(count, 'branch', 'branches')}, {counted(count, 'commit')}" == text
