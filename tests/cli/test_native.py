"""``native = "auto"``: GitHub's own stacks follow what is submitted, and are never in the way."""

from __future__ import annotations

import time
from typing import Any

import pytest

from stackr.sandbox import asyncmerge, native
from tests.support.laws import check_laws
from tests.support.synced import check_settled
from tests.support.world import World


@pytest.fixture
def stacks(world: World) -> World:
    """A world whose repository has stacks enabled."""
    world.server.settings(world.name, stacks_enabled=True)
    return world


@pytest.fixture
def auto(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody wants native stacks."""
    monkeypatch.setenv("STACKR_NATIVE", "auto")


def registered(world: World) -> list[list[int]]:
    """The members of every stack that is registered, bottom first."""
    repo = world.server.repository(world.name)
    return [stack.pulls for stack in native.list_stacks(world.server.engine, repo)]


def asked(world: World) -> list[str]:
    """The REST requests since the log was cleared, without the repository."""
    paths = [f"{entry.method} {entry.path}" for entry in world.server.log.api() if "graphql" not in entry.path]
    return [path.replace(f"/api/v3/repos/{world.name}", "") for path in paths]


def links(document: dict[str, Any]) -> list[tuple[str, list[int | None]]]:
    """The actions about native stacks in a JSON document: kind and numbers."""
    kinds = ("link", "unlink")
    return [(action["kind"], action["numbers"]) for action in document["actions"] if action["kind"] in kinds]


def wait_for_two(world: World, met: list[int]) -> None:
    """Hold a request until another has arrived."""
    deadline = time.monotonic() + 10
    while world.api_count() < 2 and time.monotonic() < deadline:
        time.sleep(0.002)
    met.append(world.api_count())


@pytest.mark.usefixtures("auto")
def test_a_stack_is_registered_grows_on_top_and_is_made_anew_in_another_order(
    stacks: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = stacks.stacked("A", "B")
    assert registered(stacks) == [[1, 2]]

    met: list[int] = []
    stacks.server.faults.on(1, "api", lambda: wait_for_two(stacks, met), when="before")
    assert clone.stackr("submit").err == "nothing to do: GitHub has all of it\n"
    assert (stacks.server.log.counts()["api"], asked(stacks), met) == (2, ["GET /stacks?pull_request=1"], [2])

    clone.change("C")
    grown = clone.stackr("submit")
    assert (
        grown.err
        == "pushed 1 branch, created 1 pull request, updated 2 pull requests, registered the stack with GitHub\n"
    )
    assert registered(stacks) == [[1, 2, 3]]

    clone.reorder("C", "A", "B")
    shown = clone.stackr("submit", "--dry-run").out.splitlines()
    assert (shown[0], shown[-1]) == (
        "unlink   GitHub's own stack 1  #1, #2, #3",
        "link     3 pull requests  as GitHub's own stack",
    )
    assert links(clone.stackr("submit", "--dry-run", "--json").json) == [("unlink", [1, 2, 3]), ("link", [3, 1, 2])]
    assert registered(stacks) == [[1, 2, 3]]
    clone.stackr("submit")
    assert registered(stacks) == [[3, 1, 2]]
    # What is registered is in nobody's way who does not ask for it, until a base has to change.
    monkeypatch.setenv("STACKR_NATIVE", "off")
    check_laws(stacks, clone)
    clone.reorder("A", "C", "B")
    refused = clone.stackr("submit", code=5).err
    assert "Cannot change the base branch because the pull request is part of a stack" in refused
    assert refused.splitlines()[-1] == 'next:  set native = "auto" (git config stackr.native auto), then run it again'


@pytest.mark.usefixtures("auto")
def test_where_stacks_are_not_enabled_nothing_is_said_and_nothing_fails(world: World) -> None:
    clone = world.clone()
    clone.grow("A", "B")
    first = clone.stackr("submit", "--json")
    assert (links(first.json), first.err) == ([], "")
    world.forget()
    again = clone.stackr("submit")
    assert again.err == "nothing to do: GitHub has all of it\n"
    assert (world.api_count(), asked(world)) == (2, ["GET /stacks?pull_request=1"])


def test_a_link_that_fails_is_told_and_made_up_for_by_the_next_submit(
    stacks: World, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = stacks.stacked("A", "B", "C")
    monkeypatch.setenv("STACKR_NATIVE", "auto")
    engine, repo = stacks.server.engine, stacks.server.repository(stacks.name)
    native.create_stack(engine, stacks.server.user("bob"), repo, [2, 3])
    shown = clone.stackr("submit", "--dry-run", "--json")
    assert links(shown.json) == [("unlink", [2, 3]), ("link", [1, 2, 3])]

    stacks.server.faults.add("500", k=2, selector="mutation", times=3)
    failed = clone.stackr("submit", "--json")
    assert links(failed.json) == [("unlink", [2, 3])]
    assert failed.err.splitlines()[-1] == (
        "warning: GitHub's own stack is not as it should be: github answered with 500 (Server Error);"
        " the next submit tries again"
    )
    assert registered(stacks) == []

    stacks.forget()
    stacks.server.faults.add("drop", selector="mutation", when="after")
    done = clone.stackr("submit")
    assert done.err == "registered the stack with GitHub\n"
    assert (registered(stacks), asked(stacks)[-2:]) == ([[1, 2, 3]], ["POST /stacks", "GET /stacks?pull_request=3"])


@pytest.mark.usefixtures("auto")
def test_what_is_left_after_the_bottom_landed_stays_registered_and_can_be_reshaped(
    stacks: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = stacks.stacked("A", "B", "C")
    bottom, engine = stacks.pull(1), stacks.server.engine
    asked, _ = asyncmerge.request_merge(engine, stacks.server.user("bob"), bottom, method="squash")
    while asyncmerge.result(engine, bottom, asked["details"]["uuid"])["status"] == "pending":
        pass
    synced = clone.stackr("sync", "--json")
    assert (links(synced.json), registered(stacks)) == ([], [[1, 2, 3]])
    assert (clone.subjects(), [stacks.state(number) for number in (1, 2, 3)]) == (
        ["B", "C"],
        ["merged", "open", "open"],
    )
    clone.reorder("C", "B")
    clone.stackr("submit")
    assert registered(stacks) == [[1], [3, 2]]
    monkeypatch.setenv("STACKR_NATIVE", "off")
    check_settled(stacks, clone)


@pytest.mark.usefixtures("auto")
def test_land_has_github_merge_the_lower_part_and_may_push_the_rest(stacks: World, waits: list[float]) -> None:
    clone = stacks.stacked("A", "B", "C", "D")
    stacks.forget()
    clone.stackr("land", "#2", "--yes")
    assert ([stacks.state(number) for number in (1, 2, 3, 4)], waits) == (["merged"] * 2 + ["open"] * 2, [1.0, 2.0])
    assert stacks.bare.git("log", "--format=%s", "-2", "main").splitlines() == ["B (#2)", "A (#1)"]
    counts = stacks.server.log.counts()
    assert (clone.subjects(), counts["pushes"], registered(stacks)) == (["C", "D"], 0, [[1, 2, 3, 4]])

    # By any other way what is left has to leave GitHub's stack first.
    clone.stackr("land", "--yes", "--method", "push")
    assert [stacks.state(number) for number in (3, 4)] == ["merged", "merged"]
    assert (clone.subjects(), registered(stacks)) == ([], [[1, 2]])


def test_what_cannot_be_read_is_told_and_left_alone(
    stacks: World, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = stacks.stacked("A", "B")
    monkeypatch.setenv("STACKR_NATIVE", "auto")
    # Without a number that is remembered, both ends are asked for when the first answer has come.
    (clone.path / ".git" / "stackr" / "pulls").unlink()
    stacks.server.faults.add("500", k=2, selector="read", times=6)
    told = clone.stackr("submit")
    assert told.err.splitlines()[-2:] == [
        "warning: GitHub's own stacks could not be read, so nothing is registered:"
        " github answered with 500 (Server Error)",
        "nothing to do: GitHub has all of it",
    ]
    assert registered(stacks) == []
