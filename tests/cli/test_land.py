"""Landing by every method: what trunk holds afterwards, which requests and pushes it took, what became of the rest."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.support.world import Clone, World

TEN = tuple(f"T{n}" for n in range(10))


def trunk_log(world: World, count: int, branch: str = "main") -> list[tuple[str, str]]:
    """(subject, author) of the newest commits of trunk along its first parents, oldest first."""
    lines = world.bare.git("log", "--first-parent", f"-{count}", "--format=%s%x00%an", branch).splitlines()
    return [(line.split("\0")[0], line.split("\0")[1]) for line in reversed(lines)]


def trees(clone: Clone, commits: Sequence[str]) -> list[str]:
    return [clone.git("rev-parse", f"{commit}^{{tree}}") for commit in commits]


def check_landed(world: World, clone: Clone, wanted: Sequence[str], titles: Sequence[str], trunk: str = "main") -> None:
    """Trunk has exactly the wanted trees in order, every pull request is merged, no branch is left, HEAD is on trunk."""
    count = len(wanted)
    log = world.bare.git("log", "--first-parent", "--reverse", f"-{count}", "--format=%T", trunk).split()
    assert log == list(wanted)
    assert [world.state(pull.number) for pull in world.pulls()] == ["merged"] * len(titles)
    assert not [ref for ref in world.bare.refs() if "stackr/" in ref]
    assert clone.git("rev-parse", "HEAD") == world.bare.oid(trunk)


@pytest.mark.parametrize("method", ["squash", "rebase", "merge", "push"])
def test_ten_changes_land_in_order_with_their_words_and_authors(world: World, method: str) -> None:
    clone = world.stacked(*TEN)
    wanted = trees(clone, clone.stack())
    world.edit(3, title="T2, said better", body=(world.pull(3).body or "") + "\n\nBob adds why.")
    world.forget()
    done = clone.stackr("land", "--yes", "--method", method)
    check_landed(world, clone, wanted, TEN)
    subjects = [subject for subject, _ in trunk_log(world, 10)]
    assert subjects == [f"T{n} (#{n + 1})" if n != 2 else "T2, said better (#3)" for n in range(10)], done
    third = world.bare.git("log", "--first-parent", "-1", "--format=%B", "main~7")
    assert "Bob adds why." in third and "stackr:begin" not in third and "Change-Id: I" in third
    assert clone.git("status", "--short") == ""
