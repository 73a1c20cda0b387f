"""``up``, ``down``, ``top``, ``bottom``, ``goto``: HEAD in the middle of its branch's stack, and what that means."""

from __future__ import annotations

from tests.cli.test_undo import everything, local
from tests.support.laws import check_laws
from tests.support.synced import land
from tests.support.world import Clone, World


def at(clone: Clone) -> str:
    """The subject HEAD is at, in brackets when HEAD is on no branch."""
    subject = clone.git("log", "-1", "--format=%s")
    return subject if clone.git("symbolic-ref", "-q", "HEAD", check=False) else f"[{subject}]"


def arrow(clone: Clone, *options: str) -> list[str]:
    """The stack as status shows it, top first, an arrow at HEAD."""
    lines = clone.stackr("status", "--offline", *options).out.splitlines()
    return [f"{line[0]}{line.split()[-3]}" for line in lines if "in sync" in line or "modified" in line]


def test_head_goes_where_asked_and_everything_else_means_the_whole_stack(world: World) -> None:
    clone = world.stacked("A", "B", "C", "D")
    clone.write("A.txt", "dirty\n")
    clone.write("new.txt", "untracked\n")
    branches = clone.refs("refs/heads")
    before = local(clone)
    told = clone.stackr("down", "2")
    assert at(clone) == "[B]"
    assert told.err == 'HEAD is at "B", 2 of 4\n'
    assert (clone.path / "A.txt").read_text() == "dirty\n" and not (clone.path / "D.txt").exists()
    assert arrow(clone) == [" D", " C", "▶B", " A"]
    assert clone.stackr("status", "--json").json["head"] == {"branch": None, "oid": clone.oid()}
    places = []
    for args in (("up",), ("goto", "#1"), ("up", "2"), ("bottom",), ("goto", clone.oid("feature~2")[:8]), ("top",)):
        clone.stackr(*args)
        places.append(at(clone))
    assert places == ["[C]", "[A]", "[C]", "[A]", "[B]", "D"]
    assert clone.refs("refs/heads") == branches
    assert local(clone) == before
    assert clone.stackr("up").err == 'HEAD is at "D", 4 of 4, already\n'
    clone.stackr("undo", "2")
    assert at(clone) == "[A]"
    clone.stackr("undo")
    assert local(clone) == before


def test_a_sync_and_a_submit_from_the_middle_take_all_of_it(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.stackr("down")
    world.advance()
    before = everything(world, clone)
    clone.stackr("sync", "--dry-run")
    assert local(clone) == {key: before[key] for key in ("branches", "head", "files", "status")}
    clone.stackr("sync")
    assert (at(clone), clone.oid("feature~1")) == ("[B]", clone.oid())
    assert (clone.path / "trunk.txt").exists()
    assert not clone.stackr("submit", "--json").json["actions"]
    clone.stackr("undo")
    assert local(clone)["head"] == before["head"] and local(clone)["branches"] == before["branches"]
    clone.stackr("undo")
    clone.stackr("top")
    check_laws(world, clone)


def test_where_heads_change_lands_head_goes_to_what_is_left(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.stackr("bottom")
    land(world, 1)
    clone.stackr("sync")
    assert (at(clone), clone.subjects()) == ("[B]", ["B"])
    before = local(clone)
    land(world, 2)
    clone.stackr("sync")
    assert (at(clone), clone.subjects()) == ("C", ["C"])
    clone.stackr("undo")
    assert local(clone) == before


def test_what_lands_as_it_is_takes_head_along(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.stackr("down")
    clone.git("push", "-q", world.server.clone_url(world.name, clone.token), "HEAD:main")
    clone.stackr("sync")
    assert (at(clone), clone.subjects()) == ("C", ["C"])
    clone.stackr("undo")
    assert at(clone) == "[B]"
    clone.git("push", "-q", world.server.clone_url(world.name, clone.token), "feature:main")
    clone.stackr("sync")
    assert (at(clone), clone.subjects(), clone.git("status", "--porcelain")) == ("C", [], "")


def test_what_is_checked_out_by_hand_is_no_longer_in_the_middle(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.stackr("down")
    clone.git("checkout", "-q", "HEAD~1")
    assert arrow(clone) == ["▶A"]
    assert clone.stackr("bottom").err == 'HEAD is at "A", 1 of 1, already\n'
    clone.git("checkout", "-q", "feature~1")
    assert arrow(clone) == [" C", "▶B", " A"]
    clone.git("worktree", "add", "-q", str(world.root / "linked"), "feature")
    assert arrow(clone) == ["▶B", " A"]
    assert clone.stackr("down", code=3).err == (
        "error: HEAD is on no branch, so nothing would lead back to the changes above\n"
        "safe:  nothing was changed\nnext:  git switch -c NAME\n"
    )
    linked = Clone(world.root / "linked", clone.login, clone.token)
    linked.stackr("bottom")
    assert (at(linked), arrow(linked), at(clone)) == ("[A]", [" C", " B", "▶A"], "[B]")
    linked.stackr("undo")
    linked.git("checkout", "-q", "--detach")
    clone.git("branch", "-q", "-D", "feature")
    assert arrow(clone) == ["▶B", " A"]


def test_a_commit_made_by_hand_in_the_middle_is_said_to_stand_beside_the_stack(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.stackr("down")
    tip = clone.oid()
    told = (
        'warning: HEAD stands beside "feature", and what is above it there is not in this stack. git reset --soft '
        f"{tip[:7]}, then stackr amend or stackr insert HEAD, puts what was committed into it; git switch feature goes "
        "back without it\n"
    )
    clone.git("commit", "-q", "--amend", "-m", f"B by hand\n\nChange-Id: {clone.ids()['B']}")
    assert clone.stackr("status").err == told
    clone.git("checkout", "-q", "feature~2")
    assert clone.stackr("status").err == ""
    clone.git("checkout", "-q", tip)
    clone.change("By hand")
    assert clone.stackr("status", "--offline").err == told
    clone.git("reset", "-q", "--soft", tip)
    clone.stackr("amend")
    assert clone.stackr("status").err == ""
    assert clone.git("log", "-3", "--format=%s", "feature") == "C\nB\nA"


def test_a_move_that_cannot_be_made_changes_nothing(world: World) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    clone.write("C.txt", "dirty\n")
    before = everything(world, clone)
    assert clone.stackr("down", "3", code=3).err.startswith("error: there are only 2 changes below HEAD\n")
    assert clone.stackr("down", code=3).err.startswith('error: files you have changed would be overwritten: "C.txt"\n')
    assert clone.stackr("down", "--dry-run", code=3).err.startswith("error: files you have changed would be overwr")
    assert clone.stackr("goto", "nonsense", code=2).err.startswith('error: "nonsense" names no change of this stack\n')
    assert everything(world, clone) == before
    clone.git("checkout", "-q", "C.txt")
    assert clone.stackr("bottom", "--dry-run").out == f"move     HEAD  feature..{clone.oid('HEAD~2')[:7]}\n"
    assert at(clone) == "C"


def test_numbers_of_pull_requests_are_known_without_the_network(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.git("config", "remote.origin.url", "http://127.0.0.1:1/acme/gone.git")
    clone.stackr("goto", "1")
    assert at(clone) == "[A]"
    assert clone.stackr("goto", "99", code=2).err.startswith('error: "99" is no pull request of this stack\n')


def test_a_conflict_met_from_the_middle_is_resolved_from_the_top(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.stackr("down")
    world.advance("B.txt", "theirs\n")
    before = everything(world, clone)
    told = clone.stackr("sync", "--resolve", code=4).err.splitlines()
    assert told[-2:] == [
        f"safe:  nothing was moved; HEAD is still at {clone.oid()[:7]}",
        "next:  stackr top, then stackr sync --resolve",
    ]
    assert local(clone) == {key: before[key] for key in ("branches", "head", "files", "status")}
