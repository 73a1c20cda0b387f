"""A stack proposed from a fork, by somebody without write access: cumulative pull requests against trunk."""

from __future__ import annotations

import re

import pytest

from stackr.sandbox import accounts, pulls, repositories
from stackr.sandbox.model import PullRequest
from tests.support.git import GitRepo
from tests.support.laws import refuses
from tests.support.world import Clone, World


@pytest.fixture
def carol(world: World) -> Clone:
    """A clone of carol, who may only read upstream, with three changes; her fork is the remote ``fork``."""
    clone = world.clone("carol")
    repo = world.server.repository(world.name)
    accounts.grant(world.server.engine, repo, "carol", "read")
    repositories.fork(world.server.engine, repo, world.server.user("carol"))
    clone.git("remote", "add", "fork", world.server.clone_url(f"carol/{repo.name}"))
    clone.git("remote", "add", "mirror", "https://gitlab.com/acme/widgets.git")
    clone.grow("One", "Two", "Three")
    return clone


def fork_of(world: World) -> GitRepo:
    """Carol's fork on the server."""
    repo = world.server.repository(f"carol/{world.name.partition('/')[2]}")
    return GitRepo(world.server.engine.directory(repo))


def block(pull: PullRequest) -> str:
    """What stands between the two comments."""
    found = re.search(r"begin v1 [^<>]*-->\n(.*)<!-- stackr:end", pull.body or "", re.DOTALL)
    return found[1] if found else ""


def test_a_fork_has_to_be_a_remote(world: World, carol: Clone) -> None:
    carol.git("remote", "remove", "fork")
    refuses(
        world,
        carol,
        *("submit", "--fork"),
        code=7,
        kind="config",
        message=f'no remote leads to a fork of "{world.name}"',
        next_step="make one: gh repo fork --remote --remote-name fork, or on its page, and git remote add fork URL; "
        "then stackr submit --fork",
    )


def test_a_stack_from_a_fork_is_submitted_amended_landed_upstream_and_synced(world: World, carol: Clone) -> None:
    branches = world.bare.refs()
    assert carol.stackr("submit", "--fork", "--dry-run", "--json").json["actions"][-1]["kind"] == "update"
    assert world.pulls() == []
    carol.stackr("submit", "--fork")
    assert [(pull.title, pull.base_ref) for pull in world.pulls()] == [
        ("One", "main"),
        ("Two", "main"),
        ("Three", "main"),
    ]
    assert {ref: oid for ref, oid in world.bare.refs().items() if ref.startswith("refs/heads/")} == {
        ref: oid for ref, oid in branches.items() if ref.startswith("refs/heads/")
    }
    one, two, three = (carol.head_ref(title) for title in ("One", "Two", "Three"))
    page = f"{world.server.url}/carol/{world.name.partition('/')[2]}/compare"
    assert block(world.pull(2)) == (
        f"To review: [this change alone]({page}/{one}...{two}). The diff of this page has those below it, too.\n\n"
        "Stack from stackr (oldest at bottom):\n* #3\n* __->__ #2\n* #1\n"
    )
    assert block(world.pull(1)) == "Stack from stackr (oldest at bottom):\n* #3\n* #2\n* __->__ #1\n"
    assert carol.stackr("submit").err == "nothing to do: GitHub has all of it\n"

    before = fork_of(world).oid(three)
    carol.amend("Two")
    carol.stackr("submit")
    assert before in fork_of(world).git("rev-list", three).split()
    world.forget()
    url = f"{world.server.url}/{world.name}/pull"
    assert carol.stackr("status", "--all").out == (
        f"feature · checked out\n▶ ● #3  Three  from a fork  {url}/3\n  ● #2  Two    from a fork  {url}/2\n"
        f"  ● #1  One    from a fork  {url}/1\n  ┴ main\n"
    )
    assert world.api_count() == 2
    rows = carol.stackr("status", "--json").json["changes"]
    assert [(row["state"], row["pull"]["number"]) for row in rows] == [("in-sync", n) for n in (1, 2, 3)]
    assert 'proposed from the fork "fork"' in carol.stackr("land", "--yes", code=3).err

    world.merge(1, "alice", "squash")
    carol.stackr("sync")
    assert carol.subjects() == ["Two", "Three"]
    assert [world.state(number) for number in (1, 2, 3)] == ["merged", "open", "open"]
    assert one not in fork_of(world).git("branch", "--format=%(refname:short)").split()
    assert block(world.pull(2)).startswith("Stack from stackr")
    assert block(world.pull(3)) == (
        f"To review: [this change alone]({page}/{two}...{three}). The diff of this page has those below it, too.\n\n"
        "Stack from stackr (oldest at bottom):\n* __->__ #3\n* #2\n* #1 (landed)\n"
    )
    assert carol.stackr("submit").err == "nothing to do: GitHub has all of it\n"
    assert len(world.pulls()) == 3
    assert not {event for number in (2, 3) for event in world.events(number)} & {"head_ref_force_pushed", "closed"}


def test_after_a_lost_answer_nothing_is_created_twice_and_what_a_maintainer_pushed_is_taken_in(
    world: World, carol: Clone, waits: list[float]
) -> None:
    # Somebody else's fork has a branch of the same name, and a pull request of it.
    engine, repo = world.server.engine, world.server.repository(world.name)
    world.server.add_user("mallory")
    theirs = repositories.fork(engine, repo, world.server.user("mallory"))
    world.server.faults.add("drop", selector="mutation", when="after")
    carol.stackr("submit", "--fork=fork")
    assert [pull.title for pull in world.pulls()] == ["One", "Two", "Three"]
    bare = GitRepo(engine.directory(theirs))
    bare.git("fetch", "-q", str(fork_of(world).path), f"{carol.head_ref('One')}:{carol.head_ref('One')}")
    pulls.create_pull(
        engine, world.server.user("mallory"), repo, title="Spoof", head=f"mallory:{carol.head_ref('One')}", base="main"
    )
    assert carol.stackr("status", "--json").json["changes"][0]["pull"]["number"] == 1
    other, two = GitRepo(world.clone("bob").path), carol.head_ref("Two")
    other.git("fetch", "-q", str(fork_of(world).path), two)
    other.git("checkout", "-q", "--detach", "FETCH_HEAD")
    other.commit("Fix a typo", {"Two.txt": "fixed\n"})
    other.git("push", "-q", world.server.clone_url(f"carol/{world.name.partition('/')[2]}", carol.token), f"HEAD:{two}")
    assert "Fix a typo" in carol.stackr("submit", code=3).err
    carol.stackr("sync")
    assert carol.git("show", "HEAD:Two.txt") == "fixed"
    assert carol.stackr("submit").err == "nothing to do: GitHub has all of it\n"
