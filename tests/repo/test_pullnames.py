"""The memory of pull requests: what is written, when, and that it never gets in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackr.core.naming import PullName
from stackr.repo import pullnames


def name(number: int, state: str = "open") -> PullName:
    return PullName(f"stackr/alice/{number}", number, f"https://github.com/a/b/pull/{number}", f"Add {number}", state)


def test_what_was_seen_is_remembered_and_the_newest_word_counts(tmp_path: Path) -> None:
    path = pullnames.path_in(tmp_path)
    assert pullnames.read(path) == ()
    pullnames.remember(path, [name(1), name(2)])
    pullnames.remember(path, [name(1, "merged")])
    assert pullnames.read(path) == (name(2), name(1, "merged"))


def test_nothing_is_written_when_nothing_is_new(tmp_path: Path) -> None:
    path = pullnames.path_in(tmp_path)
    pullnames.remember(path, [])
    assert not path.exists()
    pullnames.remember(path, [name(1)])
    before = path.stat()
    pullnames.remember(path, [name(1)])
    assert path.stat() == before


def test_the_memory_is_bounded(tmp_path: Path) -> None:
    path = pullnames.path_in(tmp_path)
    pullnames.remember(path, [name(number) for number in range(pullnames.MOST + 2)])
    assert [each.number for each in pullnames.read(path)] == list(range(2, pullnames.MOST + 2))


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"pulls": [[1]]}', b'{"pulls": [["a", "x", 1, 2, 3]]}', b"\xff"])
def test_a_damaged_memory_counts_as_none(tmp_path: Path, damage: bytes) -> None:
    path = pullnames.path_in(tmp_path)
    path.parent.mkdir()
    path.write_bytes(damage)
    assert pullnames.read(path) == ()
    pullnames.remember(path, [name(1)])
    assert pullnames.read(path) == (name(1),)


def test_a_memory_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "stackr").write_text("a file where the folder should be")
    pullnames.remember(pullnames.path_in(tmp_path), [name(1)])
