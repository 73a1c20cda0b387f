"""What went wrong for users of other tools (design: scenarios 1 to 3): a submit that breaks off half way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stackr.sandbox import pulls
from stackr.sandbox.errors import ApiError
from tests.support.laws import check_laws
from tests.support.world import World

ALWAYS = 99


@pytest.fixture
def failing_creates(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Titles of pull requests that GitHub fails to create, each by itself, with its words for an error of its own."""
    titles: set[str] = set()
    create = pulls.create_pull

    def fail_some(*args: Any, title: str, **more: Any) -> pulls.PullRequest:
        if title in titles:
            raise ApiError(500, "Something went wrong while executing your query.")
        return create(*args, title=title, **more)

    monkeypatch.setattr(pulls, "create_pull", fail_some)
    yield titles


def test_a_create_that_fails_alone_is_made_up_for_by_the_next_run(
    world: World, waits: list[float], failing_creates: set[str]
) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    failing_creates.add("B")
    failed = clone.stackr("submit", code=5)
    assert waits == [0.5, 1.5]
    assert failed.err.splitlines()[-3:] == [
        "error: github could not create a pull request (Something went wrong while executing your query.)",
        'safe:  what was created (#1, #2) stays and is adopted by the next run; not created: "'
        + clone.head_ref("B")
        + '"',
        "next:  check the network, then run the same command again",
    ]
    failing_creates.clear()
    clone.stackr("submit")
    assert [seen.pull.title for seen in check_laws(world, clone)] == ["A", "B", "C"]
    assert len(world.pulls()) == 3


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kind", ["500", "502-html", "drop", "cut-json"])
def test_a_create_whose_answer_was_lost_is_never_repeated(
    world: World, waits: list[float], kind: str, when: str
) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    world.server.faults.add(kind, selector="mutation", when=when)
    clone.stackr("submit")
    check_laws(world, clone)
    assert len(world.pulls()) == 3
    assert len(waits) <= 1


def test_creates_that_fail_for_good_leave_what_the_next_run_adopts(world: World, waits: list[float]) -> None:
    clone = world.stacked("A", "B", "C", "D", "E", "F", submit=False)
    world.server.faults.add("500", 2, selector="mutation", times=ALWAYS)
    failed = clone.stackr("submit", "--json", code=5)
    assert failed.json["error"]["safe"] == (
        "what was created (#1, #2, #3, #4, #5) stays and is adopted by the next run; "
        f'not created: "{clone.head_ref("F")}"'
    )
    world.server.faults.clear()
    clone.stackr("submit")
    check_laws(world, clone)
    assert len(world.pulls()) == 6


@pytest.mark.parametrize("when", ["before", "after"])
def test_descriptions_that_could_not_be_written_are_written_by_the_next_run(
    world: World, waits: list[float], when: str
) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    world.server.faults.add("500", 2, selector="mutation", when=when, times=ALWAYS)
    failed = clone.stackr("submit", code=5)
    assert failed.err.splitlines()[-2:] == [
        "safe:  perhaps not updated: #1, #2, #3; the other pull requests were updated; nothing is lost",
        "next:  check the network, then run the same command again",
    ]
    world.server.faults.clear()
    clone.stackr("submit")
    check_laws(world, clone)
    assert len(world.pulls()) == 3


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_amended_message_whose_update_failed_converges_without_any_flag(
    world: World, waits: list[float], when: str
) -> None:
    clone = world.stacked("A", "B", "C")
    clone.amend("B", message="B, better\n\nBecause.")
    world.server.faults.add("502-html", selector="mutation", when=when, times=ALWAYS)
    clone.stackr("submit", code=5)
    world.server.faults.clear()
    clone.stackr("submit")
    stack = check_laws(world, clone)
    assert [seen.pull.title for seen in stack] == ["A", "B, better", "C"]
    assert (stack[1].pull.body or "").endswith("-->\n\nBecause.")


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_push_whose_answer_was_lost_converges(world: World, waits: list[float], when: str) -> None:
    clone = world.stacked("A", "B")
    clone.amend("A")
    world.server.faults.add("drop", selector="push", when=when, times=ALWAYS)
    failed = clone.stackr("submit", code=None)
    world.server.faults.clear()
    assert failed.code in ((5,) if when == "before" else (0, 5)), str(failed)
    clone.stackr("submit")
    check_laws(world, clone)


def test_a_reorder_that_broke_off_between_parking_and_pushing_converges(world: World, waits: list[float]) -> None:
    clone = world.stacked("A", "B", "C")
    clone.reorder("C", "B", "A")
    world.server.faults.add("500", selector="push", times=ALWAYS)
    clone.stackr("submit", code=None)
    world.server.faults.clear()
    clone.stackr("submit")
    assert [seen.pull.title for seen in check_laws(world, clone)] == ["C", "B", "A"]


def test_a_secondary_limit_is_waited_for_and_nothing_is_created_twice(world: World, waits: list[float]) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    world.server.faults.add("429", selector="mutation", value=7)
    told = clone.stackr("submit")
    assert waits == [7.0]
    assert "waiting 7 s" in told.err
    check_laws(world, clone)
