"""What went wrong for users of other tools (design: scenarios 4, 14 and 15): other people at the same stack."""

from __future__ import annotations

from tests.support.laws import check_laws, refuses, untouched
from tests.support.world import Clone, Result, World

WAYS_OUT = "stackr sync takes them in; stackr submit --overwrite puts your version on top of them"
SAFE = "nothing was changed; their commits are on the branch and stay there"


def contains(world: World, branch: str, oid: str) -> bool:
    return world.bare.git("merge-base", oid, branch) == oid


def taken_over(world: World, clone: Clone, login: str = "bob") -> Clone:
    """Somebody else's clone that stands on the same commits as ``clone``, as after a fetch of the top branch."""
    other = world.clone(login)
    other.git("fetch", "-q", str(clone.path), "HEAD")
    other.git("checkout", "-q", "-b", "feature", "FETCH_HEAD")
    return other


def test_a_suggestion_on_a_branch_stops_a_submit_that_would_revert_it(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    theirs = world.suggest(world.pull(2).head_ref, "B.txt", "better\n")
    local = clone.stack()[1]
    lines = f"    {theirs[:7]} Apply suggestion to B.txt (Bob Author)"
    message = f'somebody else pushed to the branch of "B" ({local[:7]})\n{lines}'
    refuses(world, clone, "submit", code=3, kind="refused", message=message, safe=SAFE, next_step=WAYS_OUT)
    clone.amend("B")
    message = message.replace(local[:7], clone.stack()[1][:7])
    refuses(world, clone, "submit", code=3, kind="refused", message=message, safe=SAFE, next_step=WAYS_OUT)


def test_a_suggestion_above_the_submitted_part_does_not_stop_it(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.amend("A")
    theirs = world.suggest(world.pull(3).head_ref, "C.txt", "better\n")
    clone.stackr("submit", "HEAD~1")
    assert world.bare.oid(world.pull(3).head_ref) == theirs
    assert world.state(3) == "open"


def test_overwriting_a_suggestion_keeps_it_in_the_history_of_the_branch(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    theirs = world.suggest(world.pull(2).head_ref, "B.txt", "better\n")
    clone.stackr("submit", "--overwrite")
    check_laws(world, clone)
    assert contains(world, world.pull(2).head_ref, theirs)


def test_a_suggestion_that_was_taken_in_by_hand_is_no_longer_in_the_way(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    theirs = world.suggest(world.pull(2).head_ref, "B.txt", "better\n")
    clone.rewrite("B", "better\n")
    clone.stackr("submit")
    check_laws(world, clone)
    assert contains(world, world.pull(2).head_ref, theirs)


def test_a_background_fetch_does_not_hide_a_suggestion(world: World) -> None:
    clone = world.stacked("A")
    world.suggest(world.pull(1).head_ref, "A.txt", "better\n")
    clone.git("fetch", "-q", str(world.bare.path), "+refs/heads/*:refs/remotes/origin/*")
    with untouched(world, clone):
        clone.stackr("submit", code=3)


def test_two_people_submitting_the_same_stack_at_once_lose_nothing(world: World) -> None:
    alice = world.stacked("A", "B")
    bob = taken_over(world, alice)
    bob.stackr("submit")
    alice.amend("A", "alice\n")
    bob.amend("A", "bob\n")
    answers: list[Result] = []
    world.server.on(1, "push", lambda: answers.append(bob.stackr("submit", code=None)), when="before")
    loser = alice.stackr("submit", code=3)
    assert answers[0].code == 0, str(answers[0])
    bobs = [world.bare.oid(world.pull(number).head_ref) for number in (1, 2)]
    # With --atomic the server may stop at the first branch that has moved.
    assert loser.err.replace(f', "{world.pull(2).head_ref}"', "").splitlines() == [
        f'error: somebody else pushed to "{world.pull(1).head_ref}" on "origin" meanwhile',
        "safe:  nothing was pushed",
        "next:  run the same command again: it reads everything anew",
    ]
    told = alice.stackr("submit", code=3)
    short = [oid[:7] for oid in alice.stack()]
    assert told.err.splitlines() == [
        f'error: somebody else pushed to the branch of "A" ({short[0]}) and of "B" ({short[1]})',
        f"           {bobs[0][:7]} Update: A (Bob Author)",
        f"           {bobs[1][:7]} Update: B (Bob Author)",
        f"safe:  {SAFE}",
        f"next:  {WAYS_OUT}",
    ]
    alice.stackr("submit", "--overwrite")
    check_laws(world, alice)
    assert [contains(world, world.pull(number).head_ref, oid) for number, oid in zip((1, 2), bobs, strict=True)]
    assert len(world.pulls()) == 2


def test_two_people_creating_the_same_stack_at_once_make_one_pull_request_each_change(world: World) -> None:
    alice = world.stacked("A", "B", submit=False)
    alice.stackr("submit", "--dry-run")
    world.server.faults.add("500", 1, selector="push", times=9)
    alice.stackr("submit", code=None)
    world.server.faults.clear()
    bob = taken_over(world, alice)
    bob.git("config", "stackr.user", "alice")
    answers: list[Result] = []
    world.server.on(1, "mutation", lambda: answers.append(bob.stackr("submit", code=None)), when="before")
    result = alice.stackr("submit", code=None)
    assert result.code in (0, 3), str(result)
    assert answers[0].code == 0, str(answers[0])
    alice.stackr("submit")
    check_laws(world, alice)
    assert len(world.pulls()) == 2


def test_a_colleague_takes_a_stack_over_and_keeps_its_branches(world: World) -> None:
    alice = world.stacked("A", "B")
    bob = taken_over(world, alice)
    bob.stackr("submit")
    bob.amend("A", "bob\n")
    bob.change("C")
    bob.stackr("submit")
    stack = check_laws(world, bob)
    assert [seen.pull.number for seen in stack] == [1, 2, 3]
    assert [seen.pull.head_ref.split("/")[1] for seen in stack] == ["alice", "alice", "bob"]


def test_a_change_that_a_colleague_merged_is_listed_as_landed(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    world.merge(1)
    clone.stackr("submit")
    check_laws(world, clone, landed=[1], gone=[1])
    clone.amend("B")
    clone.stackr("submit")
    check_laws(world, clone, landed=[1], gone=[1])


def test_a_repository_file_cannot_name_a_host_or_a_command_and_that_is_said(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.commit("Settings", {".stackr.toml": 'host = "evil.example"\ncommand = "rm -rf ~"\ntoken = "x"\n'})
    told = clone.stackr("submit")
    words = "is ignored: a file that others write must not name a command, a host, a token or a path"
    assert [line for line in told.err.splitlines() if line.startswith("warning: ")] == [
        f'warning: "{key}" in .stackr.toml {words}' for key in ("host", "command", "token")
    ]
    check_laws(world, clone)
