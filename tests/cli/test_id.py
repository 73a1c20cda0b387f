"""``stackr id``: showing the name of a change, and giving another."""

from __future__ import annotations

import re

import pytest

from tests.support.world import Clone, World

ID = re.compile(r"I[0-9a-f]{40}\n")
NAMED = "One\n\nChange-Id: I" + "1" * 40 + "\n"


@pytest.fixture
def clone(world: World) -> Clone:
    found = world.clone()
    found.git("checkout", "-q", "-b", "feature")
    found.commit(NAMED, {"one": "1\n"})
    found.commit("Two\n", {"two": "2\n"})
    found.commit("Three\n\nSigned-off-by: A <a@e>\n", {"three": "3\n"})
    return found


def test_it_shows_the_id_of_a_commit(clone: Clone) -> None:
    assert clone.stackr("id", "HEAD~2").out == "I" + "1" * 40 + "\n"
    document = clone.stackr("id", "--json", "HEAD~2").json
    assert document == {
        "schema": 1,
        "command": "id",
        "ok": True,
        "id": "I" + "1" * 40,
        "commit": clone.oid("HEAD~2"),
    }


def test_a_commit_without_id_is_refused_in_text_and_in_json(clone: Clone) -> None:
    assert "has no Change-Id yet" in clone.stackr("id", code=3).err
    assert clone.stackr("id", "--json", code=3).json["error"]["kind"] == "refused"


def test_an_unknown_revision_is_a_usage_error(clone: Clone) -> None:
    assert clone.stackr("id", "nonsense", code=2).err.startswith("error: ")


def test_a_new_id_rewrites_one_message_and_moves_everything_above(clone: Clone) -> None:
    clone.git("branch", "middle", "HEAD~1")
    clone.write("one", "not committed\n")
    before = {name: clone.tree(name) for name in ("HEAD~2", "HEAD~1", "HEAD")}
    result = clone.stackr("id", "--new", "HEAD~2")
    assert ID.fullmatch(result.out)
    assert result.out != "I" + "1" * 40 + "\n"
    assert clone.stackr("id", "HEAD~2").out == result.out
    assert {name: clone.tree(name) for name in before} == before
    assert clone.git("symbolic-ref", "HEAD") == "refs/heads/feature"
    assert clone.oid("middle") == clone.oid("HEAD~1")
    assert clone.subjects() == ["One", "Two", "Three"]
    assert clone.git("log", "-1", "--format=%B", "HEAD").rstrip() == "Three\n\nSigned-off-by: A <a@e>"
    assert clone.git("status", "--porcelain") == " M one"
    assert clone.git("reflog", "-1", "--format=%gs", "feature") == "stackr: id: new change id"


def test_asking_again_gives_yet_another_id(clone: Clone) -> None:
    first, second = (clone.stackr("id", "--new").out for _ in range(2))
    assert first != second


def test_a_dry_run_shows_the_rewrite_and_writes_nothing(clone: Clone) -> None:
    before = clone.refs()
    result = clone.stackr("id", "--new", "--dry-run", "HEAD~1")
    lines = result.out.splitlines()
    assert [line.split()[0] for line in lines] == ["rewrite", "rewrite", "move"]
    assert lines[1].endswith('  "Three"')
    assert lines[2].startswith("move     feature  ")
    kinds = [action["kind"] for action in clone.stackr("id", "--new", "--dry-run", "--json").json["actions"]]
    assert kinds == ["rewrite", "move"]
    assert clone.refs() == before


def test_a_new_id_in_json(clone: Clone) -> None:
    document = clone.stackr("id", "--new", "--json").json
    assert document["commit"] == clone.oid()
    assert document["id"] == clone.stackr("id").out.strip()


def test_a_detached_head_moves_too(clone: Clone) -> None:
    clone.git("checkout", "-q", "--detach")
    clone.stackr("id", "--new")
    assert clone.git("log", "-1", "--format=%s") == "Three"
    assert clone.stackr("id").code == 0


def test_a_commit_outside_the_stack_keeps_its_id(clone: Clone) -> None:
    assert "is not in the stack" in clone.stackr("id", "--new", "origin/main", code=2).err


def test_it_waits_for_a_rebase_to_be_finished(clone: Clone) -> None:
    clone.git("rebase", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": "sed -i s/pick/edit/"})
    assert "a rebase is in progress" in clone.stackr("id", "--new", code=3).err


def test_two_changes_with_one_id_are_told_apart(clone: Clone) -> None:
    clone.commit(NAMED, {"four": "4\n"})
    clone.stackr("id", "--new")
    ids = [clone.stackr("id", rev, code=None).out for rev in ("HEAD", "HEAD~3")]
    assert len(set(ids)) == 2
