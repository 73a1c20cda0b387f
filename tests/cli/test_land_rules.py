"""Landing where rules of trunk or of the stack's own branches have a say (design: scenarios 28 and 29)."""

from __future__ import annotations

from typing import Any

from tests.support.laws import untouched
from tests.support.world import World


def reviews(**parameters: Any) -> dict[str, Any]:
    """A rule that wants one approval."""
    return {"type": "pull_request", "parameters": {"required_approving_review_count": 1, **parameters}}


def titles(world: World, count: int = 2) -> list[str]:
    """The subjects of trunk's newest commits, oldest first."""
    return world.bare.git("log", "--reverse", f"-{count}", "--format=%s", "main").splitlines()


def test_an_approval_for_an_older_version_is_named_and_nothing_is_changed(world: World) -> None:
    """Scenario 28."""
    clone = world.stacked("A", "B")
    world.protect(reviews())
    for number in (1, 2):
        world.approve(number)
    old = world.pull(2).head_oid
    clone.amend("B")
    clone.stackr("submit")
    with untouched(world, clone):
        refused = clone.stackr("land", "--yes", code=3)
    assert refused.err == (
        "error: 1 of 2 changes cannot land on main\n"
        f'           #2 "B": approved by bob ({old[:7]}) for an older version than {world.pull(2).head_oid[:7]}'
        ' (ruleset "main"); ask for another look at it\n'
        "safe:  nothing was changed\n"
        "next:  stackr land --ready lands #1; the rest when that is mended\n"
    )
    done = clone.stackr("land", "--ready", "--yes", "--json").json
    assert [world.state(1), world.state(2)] == ["merged", "open"]
    assert [action["kind"] for action in done["actions"]] == ["merge", "move", "update", "delete"]
    assert [row["title"] for row in done["changes"]] == ["B"]


def test_heads_that_must_not_be_forced_are_not_and_only_votes_of_those_who_may_write_count(world: World) -> None:
    clone = world.stacked("A")
    world.protect("non_fast_forward", on="stackr/alice/*", name="heads")
    world.protect(reviews())
    world.server.add_user("eve")
    world.approve(1, "eve")
    with untouched(world, clone):
        told = [clone.stackr("land", "--yes", *how, code=3).err for how in (["--method", "rebase"], [])]
    assert told[0].splitlines()[0].endswith("a rule forbids force-pushes to those")
    assert 'it needs 1 approving review (ruleset "main")' in told[1]


def test_the_last_push_needs_approval_also_when_the_landing_made_it(world: World) -> None:
    clone = world.clone()
    for n in range(2):
        clone.commit(f"C{n}", {"same.txt": f"line {n}\n"})
    clone.git("checkout", "-q", "-B", "feature")
    clone.stackr("submit")
    world.protect(reviews(require_last_push_approval=True))
    for number in (1, 2):
        world.approve(number)
    done = clone.stackr("land", "--yes")
    note = 'note: #2 "C1" has to be pushed before it lands, and then needs another approval (ruleset "main")'
    assert note in done.out and [world.state(n) for n in (1, 2)] == ["merged", "open"]
    assert "approved by bob" in clone.stackr("land", "--yes", code=3).err
    world.approve(2)
    clone.stackr("land", "--yes")
    assert world.state(2) == "merged"


def test_where_branches_have_to_be_up_to_date_each_waits_for_its_checks_on_top_of_the_one_below(
    world: World, waits: list[float]
) -> None:
    parameters = {"required_status_checks": [{"context": "test"}], "strict_required_status_checks_policy": True}
    clone = world.stacked("A", "B")
    world.advance()
    world.protect({"type": "required_status_checks", "parameters": parameters})
    for number in (1, 2):
        world.check(number)
    with untouched(world, clone):
        told = clone.stackr("land", "--yes", "--json", code=3).json
    assert [(o["number"], o["rule"]) for o in told["obstacles"]] == [(1, "behind"), (2, "behind")]
    world.configure(ci="pass")
    done = clone.stackr("land", "--yes", "--wait", "--json").json
    kinds = [action["kind"] for action in done["actions"]]
    assert kinds == ["push", "merge", "update", "push", "merge", "move", "delete", "delete"]
    assert titles(world) == ["A (#1)", "B (#2)"]


def test_trunk_that_is_protected_is_landed_on_by_what_it_allows(world: World) -> None:
    """Scenario 29."""
    clone = world.stacked("A")
    rebase_only = {"type": "pull_request", "parameters": {"allowed_merge_methods": ["rebase"]}}
    world.protect("required_linear_history", rebase_only)
    told = clone.stackr("land", "--yes", "--method", "push", code=3).err
    assert told.startswith('error: "push" cannot be used for "main": ruleset "main" forbids pushing to it\n')
    assert "next:  stackr land --method rebase (possible here: rebase)\n" in told
    clone.stackr("land", "--yes")
    assert world.state(1) == "merged" and titles(world, count=1) == ["A (#1)"]


def test_a_rule_that_dismisses_approvals_ends_the_landing_where_it_says_so_beforehand(world: World) -> None:
    clone = world.stacked("A", "B")
    world.protect(reviews(dismiss_stale_reviews_on_push=True), name="strict")
    for number in (1, 2):
        world.approve(number)
    done = clone.stackr("land", "--yes")
    assert 'note: #2 "B" loses its approvals when it is retargeted to main (ruleset "strict")' in done.out
    assert [world.state(n) for n in (1, 2)] == ["merged", "open"]
    assert 'it needs 1 approving review (ruleset "strict")' in clone.stackr("land", "--yes", code=3).err
    world.approve(2)
    clone.stackr("land", "--yes")
    assert world.state(2) == "merged"
