"""What a sync costs: requests, pushes, fetches and processes do not grow with the stack beyond what is promised."""

from __future__ import annotations

from math import ceil

import pytest

from stackr.app import App
from stackr.repo.repository import Repository
from tests.support.synced import check_settled, land
from tests.support.world import World


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many processes each run of stackr started, counted when it ends."""
    counts: list[int] = []
    close = App.close

    def counted(app: App) -> None:
        repo = app.__dict__.get("repo")
        if isinstance(repo, Repository):
            counts.append(repo.process_count)
        close(app)

    monkeypatch.setattr(App, "close", counted)
    return counts


@pytest.mark.parametrize("size", [3, 33])
def test_a_landing_costs_a_bounded_number_of_requests_and_processes(
    world: World, processes: list[int], size: int
) -> None:
    clone = world.stacked(*(f"T{n}" for n in range(size)))
    land(world, 1)
    processes.clear()
    world.forget()
    clone.stackr("sync")
    counts = world.server.log.counts()
    # Facts; one park; texts read again; updates, ten and more a request; one deletion.
    assert counts["api"] <= 4 + ceil((size - 1) / 10)
    assert (counts["pushes"], counts["fetches"]) == (1, 1)
    assert len(clone.stack()) == size - 1
    assert processes[0] <= 25
    processes.clear()
    check_settled(world, clone)
    assert processes[0] <= 15
