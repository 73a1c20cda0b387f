"""``stackr adopt``: live stacks of ghstack and mergify go on as stackr's, with the same pull requests."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from stackr import execute
from stackr.core.plan import Action, DeleteRefs, MoveRefs, PushRefs, UpdatePull
from stackr.sandbox import issues
from tests.support.ghstack_like import Ghstack, mergify_push
from tests.support.laws import check_laws, error_of, refuses, untouched
from tests.support.world import Clone, World

SIGNED = "Signed-off-by: Alice Author <alice@example.com>"


def stacked(world: World, *titles: str) -> tuple[Clone, Ghstack]:
    """A clone whose stack ghstack has submitted."""
    clone = world.clone("alice")
    clone.grow(*titles)
    ghstack = Ghstack(world, clone)
    ghstack.submit()
    return clone, ghstack


def comments(world: World, number: int, new: str = "") -> list[str]:
    """What was said on a pull request, bob's new comment included."""
    engine = world.server.engine
    issue = issues.find_issue(engine, world.server.repository(world.name), number)
    if new:
        issues.add_comment(engine, world.server.user("bob"), issue, new)
    return [comment.body for comment in issues.comments_of(engine, issue)]


def text_of(world: World, number: int) -> str:
    """The description of a pull request without the block."""
    return (world.pull(number).body or "").partition("<!-- stackr:end -->")[2].strip()


def test_a_stack_that_ghstack_has_amended_is_adopted_amended_submitted_and_landed(world: World) -> None:
    clone = world.clone("alice")
    clone.git("checkout", "-q", "-b", "feature")
    clone.change("A", message=f"A\n\nWhy A is there.\n\n{SIGNED}\n")
    clone.change("B", message="B\n\n* one\n* two\n")
    clone.change("C")
    ghstack = Ghstack(world, clone)
    ghstack.submit()
    clone.amend("A")
    ghstack.submit()
    comments(world, 2, "Why not?")
    world.edit(3, body=(world.pull(3).body or "") + "\nBob adds a word.")
    world.forget()
    with untouched(world, clone):
        shown = clone.stackr("adopt", "2", "--dry-run", "--cleanup").out
    assert [" ".join(line.split()[:2]) for line in shown.splitlines()] == [
        *(f"rewrite {oid[:7]}..(new)" for oid in clone.stack()),
        "move feature",
        *(f"push gh/alice/{n}/head" for n in (2, 3)),
        *(f"update #{n}" for n in (1, 2, 3)),
        *(f"delete gh/alice/{n}/{kind}" for n in (1, 2, 3) for kind in ("base", "orig")),
    ]
    world.forget()
    told = clone.stackr("adopt")
    assert told.out.splitlines()[-1] == (
        "note: the description of #3 was edited on GitHub and is kept; stackr submit --update-fields replaces it with "
        "the commit message"
    )
    assert told.err == "pushed 2 branches, updated 3 pull requests\n"
    assert world.server.log.counts()["pushes"] == 1
    assert clone.git("log", "-1", "--format=%B", "HEAD~2") == (
        f"A\n\nWhy A is there.\n\n{SIGNED}\nChange-Id: {clone.ids()['A']}"
    )
    assert [text_of(world, n) for n in (1, 2, 3)] == [
        f"Why A is there.\n\n{SIGNED}",
        "* one\n* two",
        "Bob adds a word.",
    ]
    check_laws(world, clone)
    clone.amend("B", "again\n")
    clone.stackr("submit")
    check_laws(world, clone)
    assert clone.stackr("adopt", "--cleanup").err.splitlines()[-1] == "removed 6 branches"
    assert sorted(world.bare.refs("refs/heads/gh")) == [f"refs/heads/gh/alice/{n}/head" for n in (1, 2, 3)]
    clone.stackr("land", "--yes", "--method", "squash")
    assert [(pull.number, world.state(pull.number)) for pull in world.pulls()] == [(n, "merged") for n in (1, 2, 3)]
    assert comments(world, 2) == ["Why not?"]
    assert not world.server.log.forced()


def test_what_ghstack_landed_and_what_others_pushed_is_seen_to_in_the_new_order(world: World) -> None:
    clone, ghstack = stacked(world, "A", "B", "C", "D")
    world.advance()
    ghstack.land(1)
    clone.reorder("A", "C", "B", "D")
    world.suggest("gh/alice/4/head", "D.txt", (clone.path / "D.txt").read_text() + "bob\n")
    with untouched(world, clone):
        shown = clone.stackr("adopt", "--dry-run").err
    assert '#1 "A" landed on main' in shown and '#4 "D" now holds what Bob Author pushed to its branch' in shown
    clone.stackr("adopt", "--cleanup")
    assert clone.subjects() == ["C", "B", "D"]
    assert (clone.path / "D.txt").read_text().endswith("bob\n")
    assert "Co-authored-by: Bob Author <bob@example.com>" in clone.git("log", "-1", "--format=%B")
    assert [pull.base_ref for pull in world.pulls()][1:] == ["gh/alice/3/head", "main", "gh/alice/2/head"]
    assert sorted(world.bare.refs("refs/heads/gh")) == [f"refs/heads/gh/alice/{n}/head" for n in (2, 3, 4)]
    check_laws(world, clone, landed=(1,), gone=(1,))


def test_adopting_a_stack_that_died_at_every_step_ends_where_it_should(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone, _ = stacked(world, "A", "B", "C")
    other = world.clone("alice")
    other.git("fetch", "-q", str(clone.path), "HEAD")
    other.git("checkout", "-q", "-b", "feature", "FETCH_HEAD")
    clone.amend("B", "not yet submitted\n")
    carry_out = execute._Run.carry_out
    steps: list[type[Action]] = [MoveRefs, MoveRefs, PushRefs, MoveRefs, UpdatePull, DeleteRefs]

    def die(run: execute._Run, kind: type[Action], actions: Sequence[Action]) -> None:
        carry_out(run, kind, actions)
        if kind is steps[0]:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(execute._Run, "carry_out", die)
        while steps:
            clone.stackr("adopt", "--cleanup", code=130)
            steps.pop(0)
    assert clone.stackr("adopt", "--cleanup").err == "nothing to do: GitHub has all of it\n"
    check_laws(world, clone)
    # Another clone that has ghstack's commits gets the same ids, and takes in what was amended meanwhile.
    other.stackr("adopt")
    assert other.ids() == clone.ids()
    assert (other.path / "B.txt").read_text().endswith("not yet submitted\n")
    check_laws(world, other)


def test_a_stack_of_mergify_keeps_its_ids_and_branches(world: World) -> None:
    clone = world.clone("alice")
    clone.grow("A", "B")
    clone.reorder("A", "B")
    for title in ("A", "B"):
        clone.reword(title, f"{title}\n\nText of {title}.\n\nChange-Id: I{title.encode().hex() * 20}")
    mergify_push(world, clone)
    ids = clone.ids()
    assert "Depends-On: #1" in (world.pull(2).body or "")
    assert clone.stackr("adopt").err == "updated 2 pull requests\n"
    assert (clone.ids(), [text_of(world, n) for n in (1, 2)]) == (ids, ["Text of A.", "Text of B."])
    clone.amend("A", "again\n")
    clone.stackr("submit")
    check_laws(world, clone)


def test_what_cannot_be_taken_over_is_refused_and_nothing_changes(world: World) -> None:
    clone, _ = stacked(world, "A", "B")
    refuses(
        world,
        clone,
        "submit",
        code=3,
        kind="refused",
        message=f'"A" ({clone.stack()[0][:7]}) was submitted with ghstack, as #1',
        next_step="stackr adopt takes the stack over; to make a new change of it, take ghstack's lines out of its "
        "message (git commit --amend, or git rebase -i with reword)",
    )
    bob = world.clone("bob")
    bob.git("fetch", "-q", str(clone.path), "HEAD")
    bob.git("checkout", "-q", "-b", "feature", "FETCH_HEAD")
    refuses(
        world,
        bob,
        "adopt",
        code=3,
        kind="refused",
        message="this would take over what is not yours: #1 of alice and #2 of alice",
        next_step="ask them to run stackr adopt; stackr adopt --others does it all the same",
    )
    refuses(
        world,
        bob,
        "checkout",
        "2",
        code=3,
        kind="refused",
        message="#2 was submitted with ghstack",
        next_step="git fetch origin gh/alice/2/orig && git switch -c NAME FETCH_HEAD checks it out; "
        "stackr adopt takes it over",
    )
    world.suggest("gh/alice/2/head", "B.txt", (clone.path / "B.txt").read_text() + "bob\n")
    assert "update   #2  base gh/alice/1/head" in bob.stackr("adopt", "--others", "--dry-run").out
    clone.amend("B", "alice\n")
    with untouched(world, clone):
        told = clone.stackr("adopt", code=4)
    assert told.err.splitlines()[-1] == (
        "next:  amend the commit with what you want of theirs, ghstack submit --force, and then stackr adopt"
    )
    clone.git("checkout", "-q", "main")
    text, _ = error_of(clone, "adopt", "2", code=3)
    assert text.splitlines()[2] == (
        "next:  git fetch origin gh/alice/2/orig && git switch -c NAME FETCH_HEAD brings its stack here; "
        "then stackr adopt"
    )
