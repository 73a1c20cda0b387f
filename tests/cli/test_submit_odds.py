"""Odd surroundings of ``stackr submit``: configurations, environments, names, and what people do on GitHub's page."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NoReturn

import pytest

from stackr.repo.repository import Repository
from tests.support.git import git
from tests.support.laws import check_laws, error_of, untouched
from tests.support.world import World

SURPRISES = {
    "color.ui": "always",
    "core.abbrev": "4",
    "core.autocrlf": "input",
    "core.logAllRefUpdates": "always",
    "core.quotePath": "true",
    "diff.noprefix": "true",
    "diff.external": "false",
    "fetch.prune": "true",
    "fetch.all": "true",
    "format.pretty": "oneline",
    "i18n.logOutputEncoding": "ISO-8859-1",
    "log.showSignature": "true",
    "pager.branch": "false",
    "push.default": "nothing",
    "push.followTags": "true",
    "push.autoSetupRemote": "true",
    "remote.origin.push": "refs/heads/*:refs/heads/wrong/*",
    "remote.origin.mirror": "true",
    "remote.origin.prune": "true",
    "remote.origin.tagOpt": "--tags",
    "rev-list.foo": "bar",
    "transfer.fsckObjects": "true",
    "trailer.change-id.key": "Wrong-Id",
    "trailer.separators": "=",
    "user.useConfigOnly": "true",
}


def test_with_a_configuration_full_of_surprises(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.git("tag", "-a", "-m", "mine", "v1")
    before = set(world.bare.refs())
    for key, value in SURPRISES.items():
        clone.git("config", key, value)
    clone.stackr("submit")
    for key in SURPRISES:
        clone.git("config", "--unset", key)
    stack = check_laws(world, clone)
    mine = {f"refs/heads/{seen.pull.head_ref}" for seen in stack} | {"refs/pull/1/head", "refs/pull/2/head"}
    assert set(world.bare.refs()) == before | mine


def test_in_a_bare_bones_environment(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.change("B", message="Größe 日本\n")
    clone.git("config", "user.name", "Alice")
    clone.git("config", "user.email", "alice@example.com")
    environment = {"PATH": os.environ["PATH"], "STACKR_TOKEN": clone.token}
    done = subprocess.run(
        [sys.executable, "-m", "stackr", "submit"],
        cwd=clone.path,
        env=environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert world.pull(2).title == "Größe 日本"
    check_laws(world, clone)


def test_in_a_folder_with_a_name_of_its_own(world: World) -> None:
    clone = world.clone("alice", "my clone é '\"$x")
    clone.git("checkout", "-q", "-b", "feature/of-mine")
    clone.change("A")
    clone.stackr("submit")
    check_laws(world, clone)


def test_commits_made_on_the_local_trunk_itself(world: World) -> None:
    clone = world.clone()
    clone.change("A")
    clone.change("B")
    clone.stackr("submit")
    assert clone.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert world.bare.oid("main") == clone.oid("origin/main")
    check_laws(world, clone)


@pytest.mark.parametrize("name", ["release/1.0", "größe", "a#b+c"])
def test_a_trunk_with_an_odd_name(world: World, name: str) -> None:
    world.branch(name, "main")
    clone = world.stacked("A", "B", submit=False)
    clone.stackr("submit", "--base", name)
    clone.git("update-ref", f"refs/remotes/origin/{name}", "origin/main")
    check_laws(world, clone, name)


def test_titles_that_look_like_options_markup_or_mentions(world: World) -> None:
    titles = ["--force -x", "`code` & <b>", "@alice #1 fixes #2", 'Revert "A"', "tab\there"]
    clone = world.stacked("A", submit=False)
    for number, title in enumerate(titles):
        clone.commit(f"{title}\n", {f"file{number}": title})
    clone.stackr("submit")
    assert [seen.pull.title for seen in check_laws(world, clone)] == ["A", *titles]


def test_a_stack_that_takes_itself_back(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("revert", "--no-edit", "HEAD")
    clone.change("A", "again\n", message="A again\n")
    clone.stackr("submit")
    check_laws(world, clone)


def test_going_back_to_an_older_state_adds_the_older_files_again(world: World) -> None:
    clone = world.stacked("A", "B")
    before = clone.oid()
    clone.amend("A")
    clone.stackr("submit")
    clone.git("reset", "-q", "--hard", before)
    clone.stackr("submit")
    check_laws(world, clone)


def test_two_branches_that_share_their_lower_part_are_submitted_in_turn(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.git("checkout", "-q", "-b", "fork", "HEAD~1")
    clone.change("X")
    for branch in ("fork", "feature", "fork"):
        clone.git("checkout", "-q", branch)
        clone.stackr("submit")
        check_laws(world, clone)
    clone.amend("A")
    clone.stackr("submit")
    check_laws(world, clone)
    assert [world.state(number) for number in (1, 2, 3)] == ["open"] * 3


# -- on the page ---------------------------------------------------------------------------------------


def test_a_bottom_that_a_person_retargets_takes_the_stack_to_another_trunk(world: World) -> None:
    clone = world.stacked("A", "B")
    world.branch("next", "main")
    world.edit(1, base="next")
    clone.amend("B")
    clone.stackr("submit")
    clone.git("update-ref", "refs/remotes/origin/next", "origin/main")
    check_laws(world, clone, "next", again=False)
    assert clone.stackr("submit", "--json").json["actions"] == []


def test_a_middle_that_a_person_retargets_gets_its_base_back(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    world.edit(2, base="main")
    clone.stackr("submit")
    check_laws(world, clone)


def test_a_branch_that_a_person_brought_up_to_date_with_trunk_is_told(world: World) -> None:
    clone = world.stacked("A", "B")
    world.advance()
    world.update_branch(1)
    result = clone.stackr("submit", code=3)
    assert result.err.startswith('error: somebody else pushed to the branch of "A"')
    result = clone.stackr("submit", "--overwrite", code=3)
    assert result.err.endswith("next:  stackr sync, or git rebase origin/main and then stackr submit\n")
    clone.git("fetch", "-q", str(world.bare.path), "main:refs/remotes/origin/main")
    clone.git("rebase", "-q", "origin/main")
    clone.stackr("submit")
    check_laws(world, clone)


def test_comments_reviews_and_milestones_survive_an_update(world: World) -> None:
    clone = world.stacked("A", "B")
    world.approve(1)
    clone.amend("B")
    clone.stackr("submit")
    assert clone.stackr("status", "--json").json["changes"][0]["pull"]["review"] == "approved"
    clone.amend("A")
    clone.stackr("submit")
    assert world.events(1).count("reviewed") == 1
    check_laws(world, clone)


# -- on the server -------------------------------------------------------------------------------------


def test_a_branch_in_the_way_of_the_head_branches_is_named(world: World) -> None:
    clone = world.stacked("A", submit=False)
    bob = world.clone("bob")
    bob.git("push", "-q", world.server.clone_url(world.name, bob.token), "main:refs/heads/stackr")
    result = clone.stackr("submit", code=6)
    assert "stackr" in result.err.splitlines()[0]
    assert world.pulls() == []
    clone.stackr("submit", "--dry-run")
    clone.git("config", "stackr.branchPrefix", "stacks")
    clone.stackr("submit")
    check_laws(world, clone)


def test_a_rule_that_forbids_creating_branches_is_told_in_the_servers_words(world: World) -> None:
    clone = world.stacked("A", submit=False)
    world.server.protect(world.name, "stackr/**/*", "creation")
    told = clone.stackr("submit", "--json", code=6).json
    assert "Cannot create ref due to creations being restricted" in told["error"]["message"]
    kinds = {key: [action["kind"] for action in told[key]] for key in ("actions", "failed")}
    assert kinds == {"actions": ["rewrite", "move"], "failed": ["push"]}
    assert world.pulls() == []


def test_a_private_repository_that_the_token_cannot_see(world: World) -> None:
    clone = world.stacked("A", submit=False)
    token = world.server.add_user("mallory")
    world.server.settings(world.name, private=True)
    with untouched(world, clone):
        _, error = error_of(clone, "submit", code=5, env={"STACKR_TOKEN": token})
    assert error["message"].startswith(f'github has no repository "{world.name}"')


def interrupted(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def test_json_of_a_run_that_breaks_off_tells_what_was_done_and_what_was_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = world.stacked(*"ABCDEF", submit=False)
    world.server.faults.add("401", 2, selector="mutation")
    told = clone.stackr("submit", "--json", code=7).json
    assert list(told) == ["schema", "command", "ok", "actions", "failed", "created", "error"]
    kinds = [action["kind"] for action in told["actions"]]
    assert list(dict.fromkeys(kinds)) == ["rewrite", "move", "push"]
    assert kinds.count("push") == 6
    pushed = {action["ref"]: action["to"] for action in told["actions"] if action["kind"] == "push"}
    assert pushed.items() <= world.bare.refs().items()
    assert [(each["kind"], each["title"]) for each in told["failed"]] == [("create", title) for title in "ABCDEF"]
    assert [each["number"] for each in told["created"]] == [1, 2, 3, 4, 5]
    # Ctrl-C is no other end than that.
    clone.amend("A")
    with monkeypatch.context() as patch:
        patch.setattr(Repository, "push", interrupted)
        told = clone.stackr("submit", "--json", code=130).json
    assert (told["actions"], {action["kind"] for action in told["failed"]}) == ([], {"push"})
    clone.stackr("submit")
    check_laws(world, clone)


def test_a_push_goes_to_the_push_address(world: World) -> None:
    clone = world.stacked("A", submit=False)
    url = world.server.clone_url(world.name)
    clone.git("config", "remote.origin.pushurl", url)
    clone.stackr("submit")
    check_laws(world, clone)
    assert git(clone.path, "config", "remote.origin.pushurl") == url
