"""The client against the sandbox: what GitHub really does with its requests, faults and limits included."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stackr.core.model import Checks, Mergeable, PullState
from stackr.core.ports import NewPull, PullEdit, ReadRequest
from stackr.errors import ConfigError, GitHubError, LeaseLost, StackrError
from stackr.github.api import GitHub
from stackr.github.auth import Token
from stackr.github.hosts import parse_remote
from stackr.sandbox.clock import ManualClock
from stackr.sandbox.faults import KINDS
from stackr.sandbox.server import SandboxServer
from tests.support.git import git
from tests.support.world import Clone, World
from tests.support.world_fixtures import sandbox_server, source_repository, world

__all__ = ["sandbox_server", "source_repository", "world"]

FAULTS = [kind for kind in KINDS if kind not in ("slow", "hold", "call")]


def push_stack(clone: Clone, count: int) -> list[NewPull]:
    """``count`` branches s/0, s/1, …, each one commit on the one below, pushed; and what to create for them."""
    if count:
        clone.grow(*(f"change {i}" for i in range(count)))
        made = "".join(f"create refs/heads/s/{i} HEAD~{count - 1 - i}\n" for i in range(count))
        clone.git("update-ref", "--stdin", stdin=made.encode())
        clone.git("push", "-q", server_url(clone), *(f"s/{i}" for i in range(count)))
    bases = ["main", *(f"s/{i}" for i in range(count))]
    return [NewPull(f"s/{i}", bases[i], f"change {i}", f"text {i}") for i in range(count)]


def server_url(clone: Clone) -> str:
    return clone.git("remote", "get-url", "origin").replace("http://", f"http://x-access-token:{clone.token}@")


@pytest.fixture
def alice(world: World) -> Clone:
    """A clone in which to make commits."""
    return world.clone("alice")


def client_of(world: World, token: str, clock: ManualClock | None = None) -> GitHub:
    clock = clock or ManualClock()
    host = parse_remote(world.server.clone_url(world.name))
    return GitHub(
        host, Token(token, "STACKR_TOKEN"), sleep=lambda s, reason: clock.sleep(s), clock=clock.time, now=clock.time
    )


@pytest.fixture
def client(world: World, alice: Clone) -> Iterator[GitHub]:
    """Alice's client; its waits take no time."""
    github = client_of(world, alice.token)
    yield github
    github.close()


def test_a_stack_is_created_read_and_updated_in_few_requests(world: World, alice: Clone, client: GitHub) -> None:
    news = push_stack(alice, 20)
    heads = tuple(new.head for new in news)
    world.forget()
    before = client.read(ReadRequest(heads=heads))
    created = client.create_pulls(before.repository_id, news)
    edits = [PullEdit(p.number, p.node_id, body=f"{p.body} and more") for p in created.pulls.values()]
    client.update_pulls(edits)
    assert world.api_count() <= 1 + 20 / 5 + 20 / 10
    after = client.read(ReadRequest(heads=heads, details=True, checks=True))
    assert [after.pulls[head][0].number for head in heads] == list(range(1, 21))
    assert [after.pulls[head][0].body for head in heads] == [f"text {i} and more" for i in range(20)]
    assert [after.pulls[head][0].base_ref for head in heads] == ["main", *heads[:-1]]
    assert after.branches == {head: alice.git("rev-parse", head) for head in heads}
    assert (before.can_push, before.default_branch, after.warnings) == (True, "main", ())
    assert {pull.checks for pulls in after.pulls.values() for pull in pulls} == {Checks.NONE}
    assert {after.pulls[head][0].mergeable for head in heads} <= set(Mergeable)


def test_the_texts_after_creating_hold_an_edit_made_meanwhile(world: World, alice: Clone, client: GitHub) -> None:
    news = push_stack(alice, 7)
    repository_id = client.read(ReadRequest()).repository_id

    def edit() -> None:
        client_of(world, alice.token).http.rest("PATCH", f"/repos/{world.name}/pulls/2", json={"title": "by hand"})

    world.server.on(1, "mutation", edit)
    created = client.create_pulls(repository_id, news)
    assert created.texts[2].title == "by hand"
    assert created.texts[7].body == "text 6"


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_while_creating_makes_no_duplicate(
    world: World, alice: Clone, client: GitHub, kind: str, k: int, when: str
) -> None:
    news = push_stack(alice, 7)
    repository_id = client.read(ReadRequest()).repository_id
    world.server.faults.add(kind, k, when=when, selector="mutation", value=3)
    try:
        client.create_pulls(repository_id, news)
    except ConfigError as error:
        # Only what concerns the token ends the run; the next one takes up what is there.
        assert kind in ("401", "403-sso")
        assert error.safe.startswith(("what was created (#1", "no pull request was created"))
        client.create_pulls(repository_id, news)
    assert sorted(pull.head_ref for pull in world.pulls()) == [new.head for new in news]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_while_updating_ends_as_if_there_had_been_none(
    world: World, alice: Clone, client: GitHub, kind: str, when: str
) -> None:
    created = client.create_pulls(client.read(ReadRequest()).repository_id, push_stack(alice, 3))
    edits = [PullEdit(p.number, p.node_id, title=f"new {p.number}", draft=True) for p in created.pulls.values()]
    world.server.faults.add(kind, when=when, selector="mutation", value=3)
    if kind in ("401", "403-sso"):
        with pytest.raises(ConfigError):
            client.update_pulls(edits)
    else:
        client.update_pulls(edits)
        assert [(pull.title, pull.draft) for pull in world.pulls()] == [(f"new {i}", True) for i in (1, 2, 3)]


def test_a_closed_pull_request_is_reopened_and_then_retargeted(world: World, alice: Clone, client: GitHub) -> None:
    created = client.create_pulls(client.read(ReadRequest()).repository_id, push_stack(alice, 2))
    client.http.rest("PATCH", f"/repos/{world.name}/pulls/2", json={"state": "closed"})
    with pytest.raises(GitHubError, match="github refused to update #2"):
        client.update_pulls([PullEdit(2, created.pulls["s/1"].node_id, base="main")])
    client.update_pulls([PullEdit(2, created.pulls["s/1"].node_id, base="main", reopen=True)])
    pull = client.read(ReadRequest(numbers=(2, 99))).by_number[2]
    assert (pull.state, pull.base_ref) == (PullState.OPEN, "main")


def test_reviewers_and_labels_are_added_to_those_that_are_there(world: World, alice: Clone, client: GitHub) -> None:
    created = client.create_pulls(client.read(ReadRequest()).repository_id, push_stack(alice, 1))
    client.http.rest("POST", f"/repos/{world.name}/labels", json={"name": "ready", "color": "ededed"})
    node_id = created.pulls["s/0"].node_id
    client.update_pulls([PullEdit(1, node_id, reviewers=("bob",))])
    client.update_pulls([PullEdit(1, node_id, reviewers=("Carol",), labels=("Ready",))])
    pull = client.http.rest("GET", f"/repos/{world.name}/pulls/1").data
    assert sorted(person["login"] for person in pull["requested_reviewers"]) == ["bob", "carol"]
    assert [label["name"] for label in pull["labels"]] == ["ready"]
    for edit in (PullEdit(1, node_id, reviewers=("nobody-here",)), PullEdit(1, node_id, labels=("no such label",))):
        with pytest.raises(StackrError, match="github knows no") as caught:
            client.update_pulls([edit])
        assert caught.value.exit_code == 3


def test_branches_are_deleted_together_or_not_at_all(world: World, alice: Clone, client: GitHub) -> None:
    push_stack(alice, 2)
    repository_id = client.read(ReadRequest()).repository_id
    tips = [(f"refs/heads/s/{i}", alice.git("rev-parse", f"s/{i}")) for i in (0, 1)]
    with pytest.raises(LeaseLost, match='"s/0"'):
        client.delete_refs(repository_id, [(tips[0][0], tips[1][1]), tips[1]])
    assert None not in client.read(ReadRequest(heads=("s/0", "s/1"))).branches.values()
    client.delete_refs(repository_id, tips)
    assert client.read(ReadRequest(heads=("s/0", "s/1"))).branches == {"s/0": None, "s/1": None}


def test_a_token_without_checks_reads_everything_else(world: World, alice: Clone, client: GitHub) -> None:
    created = client.create_pulls(client.read(ReadRequest()).repository_id, push_stack(alice, 1))
    blind = client_of(world, world.server.add_user("alice", kind="fine-grained"))
    facts = blind.read(ReadRequest(heads=("s/0",), checks=True))
    assert facts.pulls["s/0"][0].number == created.pulls["s/0"].number
    assert facts.pulls["s/0"][0].checks is Checks.NONE
    assert [warning.startswith("checks are not shown") for warning in facts.warnings] == [True]


def test_the_wrong_token_the_wrong_repository_and_no_write_access_are_told_apart(world: World, alice: Clone) -> None:
    with pytest.raises(ConfigError, match="refused the token"):
        client_of(world, "nonsense").read(ReadRequest())
    with pytest.raises(GitHubError, match="has no repository"):
        host = parse_remote(f"{world.server.url}/acme/nowhere")
        GitHub(host, Token(alice.token, "x"), sleep=lambda s, r: None).read(ReadRequest())
    assert not client_of(world, world.server.add_user("dave")).read(ReadRequest()).can_push


def test_the_account_is_described(client: GitHub) -> None:
    account = client.describe_auth()
    assert (client.viewer(), account.login) == ("alice", "alice")
    assert account.limit == 5000
    assert account.remaining is not None
    assert account.remaining < 5000


def test_a_hundred_pull_requests_outlast_slow_mutations_and_the_secondary_limit(
    source_repository: Path, tmp_path: Path
) -> None:
    clock = ManualClock()
    with SandboxServer(tmp_path / "server", mutation_ms=1000, clock=clock) as server:
        token = server.add_user("alice")
        server.add_repository("acme/slow", source_repository, writers=("alice",))
        git(tmp_path, "clone", "-q", server.clone_url("acme/slow", token), "clone")
        clone = Clone(tmp_path / "clone", "alice", token)
        clone.git("remote", "set-url", "origin", server.clone_url("acme/slow"))
        news = push_stack(clone, 100)
        server.engine.limits.secondary.enabled = True
        client = client_of(World(server, "acme/slow", tmp_path), token, clock)
        created = client.create_pulls(client.read(ReadRequest()).repository_id, news)
        client.update_pulls([PullEdit(p.number, p.node_id, body="x") for p in created.pulls.values()])
        facts = client.read(ReadRequest(heads=tuple(new.head for new in news)))
        client.close()
    assert [facts.pulls[new.head][0].body for new in news] == ["x"] * 100
    assert len(created.texts) == 100


def test_branches_that_were_pushed_just_now_are_waited_for(world: World, alice: Clone, client: GitHub) -> None:
    world.server.engine.settings.branch_lag = 1
    news = push_stack(alice, 3)
    created = client.create_pulls(client.read(ReadRequest()).repository_id, news)
    assert sorted(created.pulls) == sorted(pull.head_ref for pull in world.pulls()) == [new.head for new in news]
