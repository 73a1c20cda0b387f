"""What went wrong for others when they landed (design: scenarios 26 to 32), and people who come in between."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stackr.core.ports import Merge
from stackr.github.api import GitHub
from tests.support.laws import check_list, stack_of, untouched
from tests.support.world import World

APPROVAL = {"type": "pull_request", "parameters": {"required_approving_review_count": 1}}
CHECK = {
    "type": "required_status_checks",
    "parameters": {"required_status_checks": [{"context": "test"}]},
}


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Callable[[], object]], None]:
    """Let something happen just before the k-th merge of a landing."""
    planned: dict[int, Callable[[], object]] = {}
    merge_pull, count = GitHub.merge_pull, iter(range(1, 99))

    def interrupted(self: GitHub, merge: Merge) -> str | None:
        planned.get(next(count), lambda: None)()
        return merge_pull(self, merge)

    monkeypatch.setattr(GitHub, "merge_pull", interrupted)
    return planned.__setitem__


def titles(world: World, branch: str = "main", count: int = 3) -> list[str]:
    """The subjects of trunk's newest commits, oldest first."""
    return world.bare.git("log", "--reverse", f"-{count}", "--format=%s", branch).splitlines()


def test_a_part_lands_and_what_stays_keeps_its_approvals_and_checks(world: World) -> None:
    """Scenarios 30 and 31: nothing is pushed or closed, and nothing is left to do afterwards."""
    clone = world.stacked("A", "B", "C")
    world.protect(APPROVAL, CHECK)
    for number in (1, 2, 3):
        world.approve(number)
        world.check(number)
    heads = [world.pull(number).head_oid for number in (2, 3)]
    world.forget()
    done = clone.stackr("land", "1", "--yes")
    assert world.server.log.counts()["pushes"] == 0
    assert [world.state(n) for n in (1, 2, 3)] == ["merged", "open", "open"]
    assert [world.pull(number).head_oid for number in (2, 3)] == heads
    assert world.pull(2).base_ref == "main" and "#1 (landed)" in (world.pull(3).body or "")
    assert clone.oid("HEAD~2") == world.bare.oid("main") and clone.subjects() == ["B", "C"]
    rows = clone.stackr("status", "--json").json["changes"]
    assert [(row["state"], row["pull"]["review"], row["pull"]["checks"]) for row in rows] == [
        ("in-sync", "approved", "passing")
    ] * 2, done
    with untouched(world, clone):
        clone.stackr("submit")
    clone.stackr("land", "--yes")
    assert titles(world) == ["A (#1)", "B (#2)", "C (#3)"]
    assert world.events(2).count("pushed") == 0 == world.events(3).count("pushed")


def test_a_change_above_a_landing_is_pushed_when_it_is_amended(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.stackr("land", "1", "--yes")
    head = world.pull(2).head_oid
    clone.amend("C")
    clone.stackr("submit")
    assert world.pull(2).head_oid == head and world.events(3).count("pushed") == 1
    stack = stack_of(world, clone)
    for seen in stack:
        check_list(stack, seen, [1])
    clone.stackr("land", "--yes")
    assert titles(world) == ["A (#1)", "B (#2)", "C (#3)"]


def test_changes_of_the_same_lines_are_pushed_just_before_they_merge(world: World) -> None:
    clone = world.clone()
    for n in range(3):
        clone.commit(f"C{n}", {"same.txt": f"line {n}\n"})
    clone.git("checkout", "-q", "-B", "feature")
    clone.stackr("submit")
    wanted = [clone.git("rev-parse", f"{commit}^{{tree}}") for commit in clone.stack()]
    for number in (1, 2, 3):
        world.approve(number)
    world.protect(APPROVAL)
    world.forget()
    clone.stackr("land", "--yes")
    assert world.bare.git("log", "--reverse", "-3", "--format=%T", "main").split() == wanted
    assert world.server.log.counts()["pushes"] == 2 and not world.server.log.forced()


def test_a_blocked_landing_tells_programs_in_pieces_and_a_rehearsal_shows_the_ready_part(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.stackr("submit", "HEAD~1", "--only", "--draft")
    with untouched(world, clone):
        told = clone.stackr("land", "--dry-run", "--json", code=3).json
        shown = clone.stackr("land", "--dry-run", code=3)
    assert [(o["number"], o["rule"]) for o in told["obstacles"]] == [(2, "draft"), (3, "below")]
    assert [action["kind"] for action in told["actions"]] == ["merge"]
    assert shown.out == (
        'blocked  #2 "B": it is a draft; mark it ready (stackr submit --ready)\n'
        'blocked  #3 "C": waits for #2 "B" below it\n'
        "merge    #1  into main by squash  A (#1)\n"
    )


def test_a_rehearsal_shows_the_plan_that_then_runs(world: World) -> None:
    clone = world.stacked("A", "B")
    objects = clone.git("count-objects", "-v")
    with untouched(world, clone):
        planned = clone.stackr("land", "--dry-run", "--json").json
        shown = clone.stackr("land", "--dry-run")
    assert clone.git("count-objects", "-v") == objects
    assert shown.err == "afterwards what is left is synced, and the branches of what landed are removed\n"
    assert shown.out == (
        "merge    #1  into main by squash  A (#1)\nupdate   #2  base main\nmerge    #2  into main by squash  B (#2)\n"
    )
    done = clone.stackr("land", "--yes", "--json").json
    assert done["actions"][: len(planned["actions"])] == planned["actions"]


def test_a_rehearsal_keeps_what_it_fetched_and_files_in_the_way_are_named_before_anything_merges(world: World) -> None:
    clone = world.stacked("A", "B")
    world.advance("late.txt")
    clone.stackr("land", "--dry-run")
    clone.write("late.txt", "mine\n")
    with untouched(world, clone):
        told = [clone.stackr("land", *how, code=3).err for how in (["--dry-run"], ["--yes"])]
    assert (
        told
        == [
            'error: files you have changed would be overwritten: "late.txt"\n'
            "safe:  nothing was changed\n"
            "next:  commit or stash them (git stash -u), or move them away; then run the same command again\n"
        ]
        * 2
    )
    (clone.path / "late.txt").unlink()
    clone.write("A.txt", "being worked on\n")
    clone.stackr("land", "--yes")
    assert titles(world) == ["Apply suggestion to late.txt", "A (#1)", "B (#2)"]
    assert (clone.path / "A.txt").read_text() == "being worked on\n"


def test_the_branch_below_a_closed_pull_request_stays_so_that_it_can_be_reopened(world: World) -> None:
    clone = world.stacked("A", "B")
    world.edit(2, state="closed")
    clone.stackr("land", "1", "--yes", "--method", "merge")
    assert world.bare.refs()[f"refs/heads/{world.pull(1).head_ref}"]
    clone.stackr("submit", "--reopen")
    clone.stackr("land", "--yes")
    assert titles(world, count=2) == ["A (#1)", "B (#2)"]
    assert not [ref for ref in world.bare.refs() if "stackr/" in ref]


def test_without_a_terminal_nothing_lands_unasked(world: World) -> None:
    clone = world.stacked("A")
    with untouched(world, clone):
        refused = clone.stackr("land", code=3)
    assert refused.err == (
        "error: landing asks before it merges, and there is no terminal to ask on\n"
        "safe:  nothing was changed\n"
        "next:  stackr land --yes (stackr land --dry-run shows what it does)\n"
    )


def test_force_wants_a_reason_and_leaves_it_on_the_pull_request(world: World) -> None:
    clone = world.stacked("A")
    world.review(1, "REQUEST_CHANGES")
    assert "--force wants a reason of at least two words" in clone.stackr("land", "--force", "now", code=2).err
    assert "bob asked for changes" in clone.stackr("land", "--yes", code=3).err
    clone.stackr("land", "--yes", "--force", "site is down")
    assert world.state(1) == "merged"
    assert world.comments(1) == ["Landing with `stackr land --force`: site is down"]


# People who come in between


def test_a_colleague_pushes_to_trunk_between_two_merges(
    world: World, between: Callable[[int, Callable[[], object]], None]
) -> None:
    clone = world.stacked("A", "B", "C")
    between(2, lambda: world.advance("other.txt"))
    clone.stackr("land", "--yes")
    assert titles(world, count=4) == ["A (#1)", "Apply suggestion to other.txt", "B (#2)", "C (#3)"]
    assert {world.state(n) for n in (1, 2, 3)} == {"merged"} and clone.oid("HEAD") == world.bare.oid("main")


def test_a_colleague_pushes_the_same_lines_to_trunk_between_two_merges(
    world: World, between: Callable[[int, Callable[[], object]], None]
) -> None:
    clone = world.stacked("A", "B", "C")
    between(1, lambda: world.advance("B.txt", "bob was here\n"))
    stopped = clone.stackr("land", "--yes", code=4)
    assert titles(world, count=2) == ["Apply suggestion to B.txt", "A (#1)"]
    assert '#1 "A" landed' in stopped.err and "conflict in B.txt" in stopped.err
    assert [world.state(n) for n in (1, 2, 3)] == ["merged", "open", "open"]


def test_a_colleague_pushes_to_a_branch_between_two_merges(
    world: World, between: Callable[[int, Callable[[], object]], None]
) -> None:
    """Scenario 27: what nobody here has seen does not land."""
    clone = world.stacked("A", "B", "C")
    branch = world.pull(2).head_ref
    between(1, lambda: world.suggest(branch, "B.txt", "bob was here\n"))
    stopped = clone.stackr("land", "--yes", code=3)
    assert '#2 "B": Bob Author pushed to its branch, and you have not seen that here' in stopped.err
    assert 'safe:  #1 "A" landed before; stackr land again goes on from there\n' in stopped.err
    # Nor does another try land it, until a sync has taken it in.
    assert "Bob Author pushed to its branch" in clone.stackr("land", "--yes", code=3).err
    assert [world.state(n) for n in (1, 2, 3)] == ["merged", "open", "open"]


def test_a_colleague_pushes_to_the_branch_that_is_about_to_merge(
    world: World, between: Callable[[int, Callable[[], object]], None]
) -> None:
    clone = world.stacked("A", "B")
    branch = world.pull(2).head_ref
    between(2, lambda: world.suggest(branch, "B.txt", "bob was here\n"))
    stopped = clone.stackr("land", "--yes", code=3)
    assert "somebody pushed to #2 meanwhile" in stopped.err and '#1 "A" landed before' in stopped.err
    assert [world.state(n) for n in (1, 2)] == ["merged", "open"]
    refused = clone.stackr("land", "--yes", code=3)
    assert "Bob Author pushed to its branch" in refused.err


def test_a_stack_for_another_branch_lands_there(world: World) -> None:
    world.branch("release-2")
    clone = world.clone()
    clone.git("checkout", "-q", "-b", "feature", "origin/release-2")
    for title in ("A", "B", "C"):
        clone.change(title)
    clone.stackr("submit", "--base", "release-2")
    main = world.bare.oid("main")
    clone.stackr("land", "1", "--yes", "--method", "push")
    clone.stackr("land", "2", "--yes", "--method", "squash")
    clone.stackr("land", "--yes", "--method", "rebase")
    assert titles(world, "release-2") == ["A (#1)", "B (#2)", "C (#3)"] and world.bare.oid("main") == main
    assert [world.state(n) for n in (1, 2, 3)] == ["merged"] * 3


def test_where_github_deletes_branches_by_itself_nothing_is_closed(world: World) -> None:
    """Scenario 31, also where GitHub's deletion is faster than its retargeting."""
    clone = world.stacked("A", "B", "C")
    world.configure(delete_branch_on_merge=True)
    world.server.engine.settings.delete_race = True
    assert clone.stackr("land", "2", "--dry-run").out.splitlines() == [
        "update   #2  base main",
        "merge    #1  into main by squash  A (#1)",
        "update   #3  base main",
        "merge    #2  into main by squash  B (#2)",
    ]
    clone.stackr("land", "2", "--yes")
    assert [world.state(n) for n in (1, 2, 3)] == ["merged", "merged", "open"]
    assert world.pull(3).base_ref == "main"


def test_the_network_dies_after_the_merge_took_effect(world: World, waits: list[float]) -> None:
    """Scenario 26: the lost answer is looked up; a network that stays away is survived by the next run."""
    clone = world.stacked("A", "B")
    world.server.faults.add("drop", 2, when="after", selector="write")
    clone.stackr("land", "--yes")
    assert titles(world, count=2) == ["A (#1)", "B (#2)"]
    assert [world.state(n) for n in (1, 2)] == ["merged"] * 2


def test_nothing_to_land_is_said(world: World) -> None:
    clone = world.stacked("A")
    clone.stackr("land", "--yes")
    again = clone.stackr("land", "--yes")
    assert again.code == 0 and "nothing to do" in again.err


def test_undo_takes_back_the_local_part(world: World) -> None:
    clone = world.stacked("A", "B")
    before = clone.oid("HEAD")
    clone.stackr("land", "1", "--yes")
    clone.stackr("undo")
    assert clone.oid("HEAD") == before and world.state(1) == "merged"
    clone.stackr("sync")
    assert clone.subjects() == ["B"]
