"""Landing by every method: what trunk holds afterwards, which requests and pushes it took, what became of the rest."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from stackr.ui.console import Console
from tests.support.world import Clone, World

TEN = tuple(f"T{n}" for n in range(10))


def trunk_log(world: World, count: int, branch: str = "main") -> list[tuple[str, str]]:
    """(subject, author) of the newest commits of trunk along its first parents, oldest first."""
    lines = world.bare.git("log", "--first-parent", f"-{count}", "--format=%s%x00%an", branch).splitlines()
    return [(line.split("\0")[0], line.split("\0")[1]) for line in reversed(lines)]


def trees(clone: Clone, commits: Sequence[str]) -> list[str]:
    return [clone.git("rev-parse", f"{commit}^{{tree}}") for commit in commits]


def check_landed(world: World, clone: Clone, wanted: Sequence[str], titles: Sequence[str], trunk: str = "main") -> None:
    """Trunk has just the wanted trees in order, every pull request is merged, no branch is left, HEAD is on trunk."""
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
    counts = world.server.log.counts()
    if method == "push":
        assert counts["pushes"] == 1 and counts["api"] <= 4
    if method in ("squash", "merge"):
        assert counts["pushes"] == 0


QUEUE = {"type": "merge_queue", "parameters": {"merge_method": "SQUASH"}}
CHECK = {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "test"}]}}


@pytest.mark.parametrize("method", ["queue", "auto"])
def test_github_merges_one_after_the_other_when_checks_have_passed(
    world: World, method: str, waits: list[float]
) -> None:
    clone = world.stacked(*TEN)
    wanted = trees(clone, clone.stack())
    world.protect(CHECK, *([QUEUE] if method == "queue" else []))
    world.configure(allow_auto_merge=True, ci="pass")
    chosen = [] if method == "queue" else ["--method", "auto"]
    done = clone.stackr("land", "--yes", *chosen)
    check_landed(world, clone, wanted, TEN)
    commits = world.bare.git("log", "--reverse", "-10", "--format=%h", "--abbrev=7", "main").split()
    for number, (title, commit) in enumerate(zip(TEN, commits, strict=True), 1):
        assert f'#{number} "{title}" landed on main as {commit}\n' in done.out
    assert world.server.log.counts()["pushes"] == 0, done
    assert [subject for subject, _ in trunk_log(world, 10)] == [f"T{n} (#{n + 1})" for n in range(10)]


def test_a_queue_that_rebases_gets_each_change_as_one_commit_and_keeps_what_it_has(
    world: World, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was amended is two commits on its branch, and the branch above has what is below."""
    clone = world.stacked("A", "B")
    clone.amend("A")
    clone.stackr("submit")
    world.protect({**QUEUE, "parameters": {"merge_method": "REBASE"}}, CHECK)
    world.check(1)
    clone.stackr("land", "--yes", "--no-wait", code=3)
    world.check(1)
    clone.stackr("land", "--yes", "--no-wait")
    # GitHub refuses pushes to what is in the queue, so nothing may need one when trunk moves.
    monkeypatch.setattr("stackr.sandbox.pushrules.refuse_ref_update", lambda *_: None)
    world.advance()
    again = clone.stackr("land", "--yes", "--no-wait", "--json").json
    assert [action["kind"] for action in again["actions"]] == ["merge"]
    world.configure(ci="pass")
    clone.stackr("land", "--yes")
    titles = ["Apply suggestion to trunk.txt", "A (#1)", "B (#2)"]
    assert [subject for subject, _ in trunk_log(world, 3)] == titles
    assert {world.state(number) for number in (1, 2)} == {"merged"}


def test_a_queue_can_be_left_alone_and_the_next_landing_goes_on(world: World, waits: list[float]) -> None:
    clone = world.stacked("A", "B")
    world.protect(CHECK, QUEUE)
    for number in (1, 2):
        world.check(number)
    left = clone.stackr("land", "--yes", "--no-wait")
    assert left.err == (
        "#1 is left to GitHub; when it is merged, stackr land goes on\ngave 1 pull request to GitHub to merge\n"
    )
    assert [world.state(n) for n in (1, 2)] == ["open", "open"] and waits == []
    again = clone.stackr("land", "--yes", "--no-wait", "--json").json
    assert [action["kind"] for action in again["actions"]] == ["merge"]
    world.configure(ci="pass")
    clone.stackr("land", "--yes")
    assert [world.state(n) for n in (1, 2)] == ["merged", "merged"]


def test_what_was_given_to_github_stays_there_when_the_wait_is_interrupted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = world.stacked("A", "B")
    world.protect(CHECK, QUEUE)
    for number in (1, 2):
        world.check(number)

    def interrupt(console: Console, seconds: float, reason: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Console, "wait", interrupt)
    told = clone.stackr("land", "--yes", "--json", code=130).json
    assert [(action["kind"], action["number"]) for action in told["actions"]] == [("merge", 1)]
    assert told["error"] == {
        "kind": "interrupted",
        "message": "interrupted",
        "safe": "#1 is left to GitHub",
        "next": "stackr land goes on when it is merged",
    }
    assert world.pull(1).merge_oid is None


def test_a_queue_that_throws_a_change_out_ends_the_landing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = world.stacked("A", "B")
    world.protect(CHECK, QUEUE)
    for number in (1, 2):
        world.check(number)

    def fail(console: Console, seconds: float, reason: str) -> None:
        for ref, oid in world.bare.refs().items():
            if "gh-readonly-queue" in ref:
                world.check_commit(oid, conclusion="failure")

    monkeypatch.setattr(Console, "wait", fail)
    stopped = clone.stackr("land", "--yes", code=3)
    url = f"{world.server.url}/{world.name}/pull/1"
    assert stopped.err == (
        'error: the merge queue removed #1 "A" before it was merged\n'
        "safe:  #1 was given to GitHub to merge; the next run goes on from there\n"
        f"next:  see why: {url}; then stackr land again\n"
    )
    assert [world.state(n) for n in (1, 2)] == ["open", "open"]


def test_a_registered_stack_lands_as_a_whole(world: World, waits: list[float]) -> None:
    world.configure(stacks_enabled=True)
    clone = world.clone()
    clone.git("config", "stackr.native", "auto")
    clone.git("config", "stackr.style", "rewrite")
    clone.grow(*TEN)
    clone.stackr("submit")
    wanted = trees(clone, clone.stack())
    done = clone.stackr("land", "2", "--yes")
    assert [world.state(n) for n in range(1, 11)] == ["merged"] * 2 + ["open"] * 8, done
    clone.stackr("land", "--yes")
    check_landed(world, clone, wanted, TEN)


def test_a_check_that_has_to_run_again_is_waited_for_and_one_that_never_begins_is_named(
    world: World, waits: list[float]
) -> None:
    """The second change touches the lines of the first, so its head is pushed and has no checks yet.

    Nor does its pull request know of the push at once: until it does, it shows the checks of the head before.
    """
    clone = world.clone()
    clone.commit("A", {"same.txt": "1\n"})
    clone.commit("B", {"same.txt": "2\n"})
    clone.git("checkout", "-q", "-B", "feature")
    clone.stackr("submit")
    world.protect(CHECK)
    for number in (1, 2):
        world.check(number)
    world.server.engine.settings.push_lag = 2
    stopped = clone.stackr("land", "--yes", "--wait", code=3)
    assert "github does not show the push yet; waiting 1 s" in stopped.err
    assert f'#2 "B": "test" is required and never ran on {world.pull(2).head_oid[:7]}' in stopped.err
    assert 'safe:  #1 "A" landed, and what is left of your stack is synced' in stopped.err and sum(waits) > 600
    assert [world.state(n) for n in (1, 2)] == ["merged", "open"]
    world.check(2, conclusion=None)
    assert (
        '"test" is not through yet (ruleset "main"); wait for it (stackr land --wait)'
        in clone.stackr("land", "--yes", code=3).err
    )
    world.configure(ci="pass")
    world.check(2)
    clone.stackr("land", "--yes", "--wait")
    assert world.state(2) == "merged"
