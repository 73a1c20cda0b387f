"""``--dry-run`` shows what a run would do, and writes nothing; ``--json`` is a contract (docs/reference/cli.md)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.laws import check_laws, untouched
from tests.support.world import Clone, World

Entry = dict[str, Any]


def new(world: World) -> Clone:
    return world.stacked("A", "B", "C", submit=False)


def reordered(world: World) -> Clone:
    clone = world.stacked("A", "B", "C")
    clone.reorder("C", "A", "B")
    return clone


def amended(world: World) -> Clone:
    clone = world.stacked("A", "B", "C")
    clone.amend("B", message="B, better\n\nWhy.")
    return clone


def inserted(world: World) -> Clone:
    clone = world.stacked("A", "B")
    clone.change("Z")
    clone.reorder("A", "Z", "B")
    return clone


def unchanged(world: World) -> Clone:
    return world.stacked("A", "B")


def agree(planned: Entry, done: Entry) -> bool:
    """The same step; what could not be known beforehand (``null``) may be anything."""
    return list(planned) == list(done) and all(planned[key] in (None, done[key]) for key in planned)


@pytest.mark.parametrize("prepare", [new, reordered, amended, inserted, unchanged])
def test_a_dry_run_shows_exactly_what_the_run_then_does_and_writes_nothing(world: World, prepare: Any) -> None:
    clone = prepare(world)
    with untouched(world, clone, strictly=True):
        dry = clone.stackr("submit", "--dry-run", "--json").json
        text = clone.stackr("submit", "--dry-run").out
    real = clone.stackr("submit", "--json").json
    assert len(dry["actions"]) == len(real["actions"])
    assert all(agree(*pair) for pair in zip(dry["actions"], real["actions"], strict=True)), (dry, real)
    assert list(dry) == list(real)
    assert len(text.splitlines()) == max(1, len(dry["actions"]))
    check_laws(world, clone)


def test_a_dry_run_with_every_choice_writes_nothing_either(world: World) -> None:
    clone = reordered(world)
    everything = ("--draft", "--reviewer", "bob", "--label", "bug", "--base", "main", "--update-fields", "--overwrite")
    with untouched(world, clone, strictly=True):
        clone.stackr("submit", "--dry-run", *everything, "--reopen", "-m", "Text", "--style", "rewrite")


def test_a_dry_run_reads_well(world: World) -> None:
    clone = inserted(world)
    one, two, three = clone.stack()
    heads = [world.pull(number).head_ref for number in (1, 2)]
    remote = world.pull(2).head_oid
    text = clone.stackr("submit", "--dry-run").out
    fresh = text.split("create")[1].split('"Z"')[1].split()[0]
    assert text.splitlines() == [
        f'rewrite  {two[:7]}..(new)  "Z"',
        f'rewrite  {three[:7]}..(new)  "B"',
        f"move     feature  {three[:7]}..(new)",
        f'push     {fresh}  (none)..(new)  "Z"',
        f'push     {heads[1]}  {remote[:7]}..(new)  "B"',
        f'create   "Z"  {fresh} onto {heads[0]}',
        "update   #1  description",
        'update   "Z"  description',
        f"update   #2  base {fresh}, description",
    ]
    assert one


# -- JSON ----------------------------------------------------------------------------------------------

CHANGE = ["position", "id", "title", "commit", "head_ref", "state", "pull", "next", "drift", "foreign"]
PULL = [
    *("number", "url", "state", "draft", "base_ref", "head_oid", "review", "checks", "mergeable"),
    *("check_counts", "reviews"),
]
ACTIONS = {
    "rewrite": ["kind", "id", "from", "to"],
    "move": ["kind", "ref", "from", "to"],
    "park": ["kind", "number", "base_ref"],
    "push": ["kind", "id", "ref", "from", "to"],
    "create": ["kind", "id", "number", "head_ref", "base_ref", "title", "draft"],
    "update": ["kind", "id", "number", "fields"],
}


def test_the_document_of_a_submit_has_exactly_the_promised_keys(world: World) -> None:
    clone = new(world)
    result = clone.stackr("submit", "--json")
    assert result.err == ""
    document = result.json
    assert list(document) == ["schema", "command", "ok", "trunk", "head", "changes", "orphans", "actions"]
    assert (document["schema"], document["command"], document["ok"]) == (1, "submit", True)
    assert document["trunk"] == {"name": "main", "oid": clone.oid("origin/main")}
    assert document["head"] == {"branch": "feature", "oid": clone.oid()}
    assert document["orphans"] == []
    assert [list(change) for change in document["changes"]] == [CHANGE] * 3
    assert [list(change["pull"]) for change in document["changes"]] == [PULL] * 3
    assert all(list(action) == ACTIONS[action["kind"]] for action in document["actions"])
    kinds = [action["kind"] for action in document["actions"]]
    assert kinds == ["rewrite"] * 3 + ["move"] + ["push"] * 3 + ["create"] * 3 + ["update"] * 3


def test_the_document_tells_the_stack_as_it_is_afterwards(world: World) -> None:
    clone = reordered(world)
    after = clone.stackr("submit", "--json").json
    status = clone.stackr("status", "--json").json
    for document in (after, status):
        for change in document["changes"]:
            change["pull"].update(review="", checks="", mergeable="")
    assert after["changes"] == status["changes"]
    assert after["head"] == status["head"]
    assert {change["state"] for change in after["changes"]} == {"in-sync"}


def test_the_document_of_a_change_tells_where_everything_is(world: World) -> None:
    clone = world.stacked("A", "B")
    world.edit(2, state="closed")
    pull = world.pull(2)
    change = clone.stackr("status", "--json").json["changes"][1]
    assert change == {
        "position": 2,
        "id": clone.ids()["B"],
        "title": "B",
        "commit": clone.oid(),
        "head_ref": pull.head_ref,
        "state": "closed",
        "pull": {
            "number": 2,
            "url": f"{world.server.url}/{world.name}/pull/2",
            "state": "closed",
            "draft": False,
            "base_ref": world.pull(1).head_ref,
            "head_oid": pull.head_oid,
            "review": "none",
            "checks": "none",
            "mergeable": "unknown",
            "check_counts": {"passing": 0, "failing": 0, "pending": 0},
            "reviews": [],
        },
        "next": "submit --reopen",
        "drift": [],
        "foreign": [],
    }


def test_the_document_of_a_detached_head_has_no_branch(world: World) -> None:
    clone = world.stacked("A")
    clone.git("checkout", "-q", "--detach")
    assert clone.stackr("submit", "--json").json["head"] == {"branch": None, "oid": clone.oid()}


def test_orphans_are_in_the_document(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.reorder("A", "C")
    document = clone.stackr("submit", "--json").json
    assert document["orphans"] == [{"number": 2, "url": f"{world.server.url}/{world.name}/pull/2"}]


def test_a_note_of_a_run_with_json_goes_to_stderr(world: World) -> None:
    clone = world.stacked("A")
    world.edit(1, title="Another title")
    result = clone.stackr("submit", "--json")
    assert result.json["actions"] == []
    assert result.err == (
        "the title of #1 was edited on GitHub and is kept; "
        "stackr submit --update-fields replaces it with the commit message\n"
    )
