"""``stackr checkout``: a colleague's stack as clean local commits, and what may be pushed of it."""

from __future__ import annotations

from tests.support.laws import check_laws, refuses
from tests.support.world import Clone, World


def test_a_colleague_amends_the_third_of_five_and_the_author_takes_it_in(world: World) -> None:
    alice = world.stacked(*"ABCDE")
    world.edit(2, title="B, as bob has it", body=world.pull(2).body + "\n\nAnd some words of bob.")
    bob = world.clone("bob")
    bob.write("notes.txt", "mine\n")
    world.forget()
    told = bob.stackr("checkout", "5")
    assert told.out.splitlines()[0].split()[:4] == ["▶", "●", "#5", "E"]
    assert world.api_count() == 3  # bob's own name is asked for once in the life of a clone
    assert bob.git("symbolic-ref", "--short", "HEAD") == "alice/e"
    assert bob.git("status", "--porcelain") == "?? notes.txt"
    assert bob.subjects() == ["A", "B, as bob has it", "C", "D", "E"]
    assert bob.git("log", "-1", "--format=%an %ae %cn|%b", "HEAD~3").split("|")[0] == (
        "Alice Author alice@example.com Alice Author"
    )
    assert "And some words of bob.\n\nChange-Id: I" in bob.git("log", "-1", "--format=%B", "HEAD~3")
    assert [bob.tree(f"HEAD~{n}") for n in range(5)] == [alice.tree(f"HEAD~{n}") for n in range(5)]
    # Nothing to do, and again the same commits.
    world.forget()
    assert bob.stackr("submit").err == "nothing to do: GitHub has all of it\n"
    assert world.api_count() == 1
    tip = bob.oid()
    carol = world.clone("carol")
    carol.stackr("checkout", f"{world.server.clone_url(world.name).removesuffix('.git')}/pull/5", "--branch", "look")
    assert carol.oid("look") == tip
    bob.git("checkout", "-q", "main")
    assert "(move|HEAD)" in "(move|HEAD)" + bob.stackr("checkout", "#5", "--dry-run").out
    assert bob.git("symbolic-ref", "--short", "HEAD") == "main"
    bob.stackr("checkout", "5")
    assert (bob.oid(), bob.git("symbolic-ref", "--short", "HEAD")) == (tip, "alice/e")
    # Bob amends the third; his own commit on top changes nothing about who may push what.
    bob.amend("C", "bob\n")
    refuses(
        world,
        bob,
        "submit",
        code=3,
        kind="refused",
        message='this would push what is not yours: #3 "C" of alice, #4 "D" of alice, #5 "E" of alice',
        next_step="stackr submit --others pushes it all the same; or ask them for it, and put your commits on top",
    )
    bob.stackr("submit", "--others")
    assert bob.stackr("submit").err == "nothing to do: GitHub has all of it\n"
    alice.amend("E", "alice\n")
    told = alice.stackr("submit", code=3)
    assert "Update: C (Bob Author)" in told.err
    alice.stackr("sync")
    assert (alice.path / "C.txt").read_text().endswith("bob\n")
    assert (alice.path / "E.txt").read_text().endswith("alice\n")
    check_laws(world, alice)
