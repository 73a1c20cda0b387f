"""``stackr abandon``: one pull request is closed, and everything that stood on it lives on."""

from __future__ import annotations

import pytest

from stackr import execute
from stackr.errors import GitError
from tests.support.laws import check_laws, refuses, untouched
from tests.support.world import World


def test_what_stands_on_an_abandoned_change_gets_the_branch_below(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    refs = [world.pull(number).head_ref for number in (1, 2, 3)]
    with untouched(world, clone):
        planned = clone.stackr("abandon", "2", "--drop", "--dry-run", "--json").json
    kinds = [(action["kind"], action.get("number")) for action in planned["actions"]]
    assert kinds == [("update", 1), ("update", 3), ("close", 2), ("delete", None), ("move", None)]
    told = clone.stackr("abandon", "2")
    assert told.err.splitlines()[-1] == "updated 2 pull requests, closed 1 pull request, removed 1 branch"
    assert 'note: "B" is still in your stack; stackr drop takes it out\n' in told.out
    assert [world.state(number) for number in (1, 2, 3)] == ["open", "closed", "open"]
    assert world.pull(3).base_ref == refs[0]
    assert f"refs/heads/{refs[1]}" not in world.bare.refs()
    assert "#2" not in world.pull(1).body + world.pull(3).body
    assert clone.subjects() == ["A", "B", "C"]
    # A second run has just the commit left to take out; undo brings that back.
    tip = clone.oid()
    world.forget()
    assert clone.stackr("abandon", "HEAD~1", "--drop", "--json").json["actions"][0]["kind"] == "move"
    assert world.api_count() == 1
    assert clone.subjects() == ["A", "C"]
    clone.stackr("undo")
    assert clone.oid() == tip
    clone.stackr("undo")
    clone.stackr("submit")
    stack = check_laws(world, clone, gone=[2])
    assert [seen.pull.number for seen in stack] == [1, 3]


def test_what_was_amended_before_it_was_abandoned_is_opened_again_with_its_history(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.amend("B", "amended\n")
    clone.stackr("submit")
    before = world.pull(2).head_oid
    clone.stackr("abandon", "2")
    clone.git("prune", "--expire=now")
    clone.amend("B", "and again\n")
    clone.stackr("submit", "--reopen")
    assert world.state(2) == "open"
    clone.git("merge-base", "--is-ancestor", before, world.pull(2).head_oid)
    check_laws(world, clone, gone=[2])


def test_a_branch_with_unseen_commits_stays_and_what_left_the_stack_can_be_abandoned(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    dropped, top = world.pull(2).head_ref, world.pull(3).head_ref
    world.suggest(top, "C.txt", "bob\n")
    told = clone.stackr("abandon", "3", "--drop")
    tip = world.bare.oid(top)
    assert f'note: the branch "{top}" stays: it has commits that this clone has not taken in ({tip[:7]})\n' in told.out
    assert world.state(3) == "closed"
    clone.reorder("A")
    told = clone.stackr("abandon", "#2")
    assert told.err.splitlines()[-1] == "updated 1 pull request, closed 1 pull request, removed 1 branch"
    assert f"refs/heads/{dropped}" not in world.bare.refs()
    assert world.state(2) == "closed"
    assert clone.subjects() == ["A"]
    for args, words in {
        ("abandon", "9"): "#9 is neither in this stack nor was it ever submitted from here",
        ("abandon", "nonsense"): '"nonsense" names no change of this stack',
    }.items():
        assert clone.stackr(*args, code=2).err.splitlines()[0] == f"error: {words}"
    world.merge(1)
    refuses(
        world,
        clone,
        "abandon",
        "1",
        code=3,
        kind="refused",
        message='#1 "A" is merged into "main"',
        next_step="stackr sync drops what has landed",
    )


def test_an_abandon_stopped_anywhere_is_finished_by_the_next(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = world.stacked("A", "B", "C", "D", "E", "F")
    carry_out = execute._Run.carry_out
    for steps, title in enumerate("BCDE"):
        left = [steps]

        def stopping(run: execute._Run, kind: type, actions: object, left: list[int] = left) -> None:
            if left[0] == 0:
                raise GitError("stopped")
            left[0] -= 1
            carry_out(run, kind, actions)  # type: ignore[arg-type]

        number = str(world.titled(title).number)
        with monkeypatch.context() as patch:
            patch.setattr(execute._Run, "carry_out", stopping)
            assert clone.stackr("abandon", number, "--drop", code=6).err.startswith("error: stopped\n")
        clone.stackr("abandon", number, "--drop")
    assert clone.subjects() == ["A", "F"]
    clone.stackr("submit")
    check_laws(world, clone, gone=[2, 3, 4, 5])
