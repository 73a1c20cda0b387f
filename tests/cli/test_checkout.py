"""``stackr checkout``: a colleague's stack as clean local commits, and what may be pushed of it."""

from __future__ import annotations

import pytest

from stackr.repo.repository import Repository
from stackr.sandbox import opening, repositories
from tests.support.laws import check_laws, refuses, untouched
from tests.support.world import Clone, World


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many git processes each run of stackr has started."""
    counts: list[int] = []
    close = Repository.close

    def counting(repository: Repository) -> None:
        counts.append(repository.process_count)
        close(repository)

    monkeypatch.setattr(Repository, "close", counting)
    return counts


def test_a_colleague_amends_the_third_of_five_and_the_author_takes_it_in(world: World, processes: list[int]) -> None:
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
    # Nor where they are one's own, and people have edited their pages.
    second = world.clone("alice")
    second.stackr("checkout", "5")
    with untouched(world, second):
        assert second.stackr("submit").err == "nothing to do: GitHub has all of it\n"
    carol = world.clone("carol")
    carol.stackr("checkout", f"{world.server.clone_url(world.name).removesuffix('.git')}/pull/5", "--branch", "look")
    assert carol.oid("look") == tip
    # Neither requests nor processes grow with the stack.
    world.forget()
    carol.stackr("checkout", "2", "--branch", "two")
    carol.stackr("checkout", "4", "--branch", "four")
    assert (world.api_count(), processes[-1]) == (4, processes[-2])
    bob.git("checkout", "-q", "main")
    assert bob.stackr("checkout", "#5", "--dry-run").out.split()[:2] == ["move", "HEAD"]
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
    # That she names him as a co-author is nothing for him to take back.
    assert bob.stackr("sync").out.count("in sync") == 5
    assert bob.stackr("submit").err == alice.stackr("submit").err == "nothing to do: GitHub has all of it\n"


def plain(world: World, clone: Clone, head: str, base: str, title: str, text: str = "", commits: int = 1) -> int:
    """A branch with so many commits on another one, pushed by plain git, and a pull request made on the page."""
    clone.git("checkout", "-q", "-B", head, base if base == head else f"{'origin/' if base == 'main' else ''}{base}")
    for number in range(commits):
        clone.commit(f"{title} {number}", {f"{title}.txt": f"{number}\n"})
    clone.git("push", "-q", world.server.clone_url(world.name, clone.token), head)
    user, repo = world.server.user(clone.login), world.server.repository(world.name)
    return opening.create_pull(world.server.engine, user, repo, title=title, head=head, base=base, body=text).number


def test_plain_pull_requests_become_a_commit_each_and_keep_their_branches(world: World) -> None:
    alice, bob = world.clone("alice"), world.clone("bob")
    first = plain(world, alice, "fix", "main", "Fix", "Why it broke.\r\n\r\nRefs: #9", commits=2)
    plain(world, alice, "fix-more", "fix", "Fix more")
    top = plain(world, alice, "fix-all", "fix-more", "Überhaupt: alles!")
    world.forget()
    bob.stackr("checkout", str(top))
    assert world.api_count() == 4
    assert bob.git("symbolic-ref", "--short", "HEAD") == "alice/uberhaupt-alles"
    assert bob.subjects() == ["Fix", "Fix more", "Überhaupt: alles!"]
    assert bob.git("log", "-1", "--format=%B", "HEAD~2").startswith("Fix\n\nWhy it broke.\n\nRefs: #9\nChange-Id: I")
    with untouched(world, bob):
        assert bob.stackr("submit").err == "nothing to do: GitHub has all of it\n"
    bob.change("Mine")
    bob.stackr("submit")
    mine = world.titled("Mine")
    assert (mine.base_ref, len(world.pulls())) == ("fix-all", 4)
    assert world.bare.git("log", "-1", "--format=%s", "fix") == "Fix 1"
    bob.stackr("undo", "2")
    assert bob.git("symbolic-ref", "--short", "HEAD") == "main"
    # The author's own are hers to push, in any clone.
    other = world.clone("alice")
    other.stackr("checkout", str(first), "--branch", "again")
    other.amend("Fix", "amended\n")
    other.stackr("submit")
    assert world.bare.git("show", "fix:Fix.txt") == "1\namended"
    # Another branch than the default one is a trunk as well, and stays one.
    world.branch("release")
    alice.git("branch", "release", "origin/main")
    backport = plain(world, alice, "backport", "release", "Backport")
    assert other.stackr("checkout", str(backport), "--json").json["trunk"]["name"] == "release"
    world.forget()
    assert other.stackr("status", "--json").json["trunk"]["name"] == "release"
    world.edit(backport, state="closed")
    told = other.stackr("checkout", str(backport), code=3).err.splitlines()[0]
    assert told == f"error: #{backport} is closed"


def test_heads_that_lack_what_is_below_are_completed_and_what_cannot_be_is_refused(world: World) -> None:
    alice = world.stacked("A", "B", "C")
    text = (alice.path / "A.txt").read_text()
    world.suggest(world.pull(1).head_ref, "A.txt", text + "bob\n")
    bob = world.clone("bob")
    planned = bob.stackr("checkout", "3", "--dry-run", "--json").json
    assert [action["ref"] for action in planned["actions"]] == ["refs/heads/alice/c", "HEAD"]
    assert bob.git("branch", "--list", "alice/*") == ""
    bob.write("A.txt", "in the way\n")
    refuses(
        world,
        bob,
        "checkout",
        "3",
        code=3,
        kind="refused",
        message='files you have changed would be overwritten: "A.txt"',
        next_step="commit or stash them (git stash -u), or move them away; then run the same command again",
    )
    (bob.path / "A.txt").unlink()
    done = bob.stackr("checkout", "3", "--json").json
    assert [change["state"] for change in done["changes"]] == ["in-sync", "modified", "modified"]
    assert (bob.path / "A.txt").read_text() == text + "bob\n"
    assert bob.git("diff", "--stat", "HEAD~1", "--", "A.txt") == ""
    # What was pushed since must not get lost on the branch that does not have it, here and in the author's own clone.
    world.suggest(world.pull(3).head_ref, "C.txt", "dave\n")
    told = bob.stackr("checkout", "3", code=3).err.splitlines()[0]
    tip = bob.oid()[:7]
    assert told == f'error: the branch "alice/c" exists (at {tip}) and is not what #3 is now'
    told = alice.stackr("checkout", "3", code=3).err.splitlines()[0]
    assert told == 'error: the branch "feature" holds "A" without what was pushed since'
    # The bottom has landed by a squash: the rest stands on what that made of trunk.
    alice.stackr("sync")
    world.merge(1, method="squash", delete=True)
    carol = world.clone("carol")
    carol.stackr("checkout", "3", "--branch", "rest")
    assert carol.subjects() == ["B", "C"]
    assert carol.git("diff", "--stat", "origin/main", "HEAD~1").splitlines()[0].split()[0] == "B.txt"
    with untouched(world, carol):
        assert carol.stackr("submit").err == "nothing to do: GitHub has all of it\n"
    # A conflict between a branch and the one below.
    world.suggest(world.pull(2).head_ref, "C.txt", "a file of the same name\n")
    told = carol.stackr("checkout", "3", "--branch", "clash", code=4).err.splitlines()[0]
    assert told == 'error: #3 "C" conflicts with what it stands on (conflict in C.txt)'
    assert carol.stackr("checkout", "1", code=3).err.splitlines()[0] == 'error: #1 is merged into "main"'


def test_a_pull_request_from_a_fork_can_be_looked_at_and_not_checked_out(world: World) -> None:
    engine, repo = world.server.engine, world.server.repository(world.name)
    world.server.add_user("eve")
    eve = world.server.user("eve")
    fork = repositories.fork(engine, repo, eve)
    clone = world.clone("eve")
    clone.commit("Outside", {"eve.txt": "eve\n"})
    url = world.server.clone_url(f"eve/{repo.name}", clone.token)
    clone.git("push", "-q", url, "HEAD:refs/heads/outside")
    number = opening.create_pull(engine, eve, repo, title="Outside", head="outside", base="main", head_repo=fork).number
    bob = world.clone("bob")
    assert bob.stackr("diff", str(number), "--stat").out == " eve.txt | 1 +\n 1 file changed, 1 insertion(+)\n"
    refuses(
        world,
        bob,
        "checkout",
        str(number),
        code=3,
        kind="refused",
        message=f"#{number} comes from a fork, and a stack needs its branches in this repository",
        next_step=f"git fetch origin pull/{number}/head && git switch --detach FETCH_HEAD shows its files",
    )
