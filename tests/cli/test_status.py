"""``stackr status``: what it shows, what it costs, and that it has something to say in every state of a repository."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from stackr.sandbox import checks, reviews
from stackr.ui.console import Console
from tests.support.git import git
from tests.support.world import Clone, World


def report_checks(world: World, number: int, *states: str) -> None:
    """Bob's CI reports one status for each of ``states`` on the head of a pull request."""
    server = world.server
    for index, state in enumerate(states):
        checks.set_status(
            server.engine,
            server.user("bob"),
            server.repository(world.name),
            world.pull(number).head_oid,
            context=f"job {index}",
            state=state,
        )


def review(world: World, number: int, login: str, event: str) -> None:
    reviews.add_review(world.server.engine, world.server.user(login), world.pull(number), event=event, body="Hm.")


def test_one_look_tells_all_of_a_stack_and_what_to_do_next(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    review(world, 1, "bob", "APPROVE")
    report_checks(world, 1, "success", "success")
    review(world, 2, "bob", "APPROVE")
    review(world, 2, "carol", "REQUEST_CHANGES")
    report_checks(world, 3, "success", "failure", "pending")
    clone.amend("C")
    clone.change("D")
    world.advance()
    url = f"{world.server.url}/{world.name}/pull"
    trunk = world.bare.oid("main")[:7]
    shown = clone.stackr("status", "--exit-code", code=1)
    assert shown.out == (
        "▶ ○ new  D  not submitted  next: stackr submit\n"
        "  ◐ #3   C  modified       differs: commit · 1/3 checks, 1 failing, 1 running  next: stackr submit"
        f"  {url}/3\n"
        f"  ● #2   B  in sync        changes requested by carol · approved by bob  {url}/2\n"
        f"  ● #1   A  in sync        approved by bob · 2/2 checks  {url}/1\n"
        f"  ┴ main {trunk} · 1 new commit: stackr sync\n"
        "    looks ready up to #1  next: stackr land --ready\n"
    )
    clone.stackr("submit")
    review(world, 3, "bob", "APPROVE")
    clone.amend("C", "again\n")
    clone.stackr("submit")
    document = clone.stackr("status", "--json").json
    assert document["changes"][2]["pull"]["reviews"] == [{"login": "bob", "review": "approved", "current": False}]
    assert document["changes"][1]["pull"]["check_counts"] == {"passing": 0, "failing": 0, "pending": 0}
    assert document["trunk"] == {"name": "main", "oid": world.bare.oid("main"), "behind": 1}
    assert "approved by bob before the last push" in clone.stackr("status").out


def test_all_stacks_are_shown_whatever_is_checked_out_here(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.grow("X", branch="other")
    clone.git("branch", "twin")
    clone.stackr("submit")
    world.stacked("Theirs", login="bob")
    clone.change("Unsubmitted")
    world.forget()
    shown = clone.stackr("--color=always", "status", "--all").out
    assert "\x1b]8;id=" in shown and f"{world.name}/pull/3" in shown  # a terminal's links
    clone.git("checkout", "-q", "feature")
    clone.git("branch", "-q", "-D", "other", "twin")
    shown = clone.stackr("status", "--all").out
    url = f"{world.server.url}/{world.name}/pull"
    assert shown == (
        f"no local branch\n  ● #3  X  {url}/3\n  ┴ main\n\n"
        f"feature · checked out\n▶ ● #2  B  {url}/2\n  ● #1  A  {url}/1\n  ┴ main\n"
    )
    assert world.api_count() == 4
    clone.git("checkout", "-q", "--detach", "HEAD~1")
    report_checks(world, 3, "pending")
    document = clone.stackr("status", "--all", "--json", "--exit-code", code=2).json
    assert [(each["base"], each["branches"], each["head"]) for each in document["stacks"]] == [
        ("main", [], None),
        ("main", ["feature"], 1),
    ]


# -- every state of a repository ---------------------------------------------------------------------


def test_a_repository_without_a_commit_has_nothing_to_show_and_says_so(tmp_path: Path, world: World) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "fresh")
    clone = Clone(tmp_path / "fresh", "alice", "none")
    shown = clone.stackr("status", "--exit-code").out
    note = "the current branch has no commit yet: commit something, then stackr submit"
    assert shown == f"  ┴ trunk is not known\nnote: {note}\n"
    document = clone.stackr("status", "--json").json
    assert (document["ok"], document["head"], document["changes"], document["notes"]) == (True, None, [], [note])
    orphan = world.clone()
    orphan.git("checkout", "-q", "--orphan", "new")
    assert orphan.stackr("status", "--offline").out == shown


def test_without_pull_requests_network_or_token_there_is_a_view_or_a_way_to_one(
    world: World, waits: list[float]
) -> None:
    clone = world.clone()
    trunk = clone.oid("origin/main")[:7]
    nothing = clone.stackr("status", "--exit-code").out
    assert nothing == f'  ┴ main {trunk}\nnote: there is no commit between "main" and HEAD\n'
    clone.grow("A")
    assert clone.stackr("status").out == f"▶ ○ new  A  not submitted  next: stackr submit\n  ┴ main {trunk}\n"
    offline = "stackr status --offline shows what this clone knows"
    token = clone.stackr("status", code=7, env={"STACKR_TOKEN": "", "GH_CONFIG_DIR": str(clone.path)})
    assert token.err.startswith('error: no token for "127.0.0.1"\n')
    world.server.faults.add("drop", selector="api", times=9)
    assert offline in clone.stackr("status", code=5).err
    world.forget()
    assert (
        clone.stackr("status", "--offline").out == f"▶ ○ new  A  not submitted  next: stackr submit\n  ┴ main {trunk}\n"
    )
    assert world.api_count() == 0
    for flags in (("--all",), ("--watch",)):
        assert clone.stackr("status", "--offline", *flags, code=2).err.startswith(
            f"error: --offline and {flags[0]} exclude each other\n"
        )


# -- watching ----------------------------------------------------------------------------------------


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What happens in each pause between two looks; without anything left to happen, the watch is interrupted."""
    happenings: list[Callable[[], object]] = []

    def pause(console: Console, seconds: float, reason: str) -> None:
        assert seconds >= 10
        if not happenings:
            raise KeyboardInterrupt
        happenings.pop(0)()

    monkeypatch.setattr(Console, "pause", pause)
    return happenings


def test_a_watch_in_a_pipe_tells_every_change_once_until_nothing_runs(
    world: World, pauses: list[Callable[[], object]], waits: list[float]
) -> None:
    clone = world.stacked("A", "B")
    report_checks(world, 1, "pending")
    report_checks(world, 2, "success")
    pauses += [
        lambda: None,
        lambda: world.server.faults.add("drop", selector="api", times=12),
        lambda: review(world, 2, "bob", "APPROVE"),
        lambda: report_checks(world, 1, "failure"),
    ]
    watched = clone.stackr("status", "--watch", "--exit-code", code=1)
    assert watched.out == (
        '#2 "B": in sync · 1/1 checks\n'
        '#1 "A": in sync · 0/1 checks, 1 running\n'
        '#2 "B": in sync · approved by bob · 1/1 checks\n'
        '#1 "A": in sync · 0/1 checks, 1 failing\n'
    )
    assert pauses == []
    # Each look tries three times; then the watch says so, and waits on its own account.
    assert waits == [0.5, 1.5, 10, 0.5, 1.5, 20]
    assert watched.err.count("waiting 10 s") == 1


def test_a_watch_waits_for_checks_to_begin_and_gives_one_document(
    world: World, pauses: list[Callable[[], object]]
) -> None:
    clone = world.stacked("A")
    pauses += [lambda: None, lambda: report_checks(world, 1, "pending"), lambda: report_checks(world, 1, "success")]
    watched = clone.stackr("status", "--watch", "--json", "--all", "--exit-code")
    assert watched.json["stacks"][0]["changes"][0]["pull"]["checks"] == "passing"
    assert watched.err == '#1 "A": open\n#1 "A": 0/1 checks, 1 running\n#1 "A": 1/1 checks\n'
    assert pauses == []
    report_checks(world, 1, "pending")
    assert clone.stackr("status", "--watch", code=130).err.startswith("error: interrupted\n")


def test_a_watch_that_is_interrupted_ends_at_once(world: World) -> None:
    clone = world.stacked("A")
    report_checks(world, 1, "pending")
    process = clone.start("status", "--watch")
    assert process.stdout is not None
    assert b"1 running" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err.decode().splitlines()[0]) == (130, "error: interrupted")


def test_a_hundred_pull_requests_cost_two_requests(world: World) -> None:
    clone = world.stacked(*(f"T{n}" for n in range(100)))
    shown = clone.stackr("status", "--exit-code")
    assert world.api_count() == 2
    assert len(shown.out.splitlines()) == 101
    assert len(clone.stackr("status", "--all").out.splitlines()) == 102
