"""Landing through the client against the sandbox: what GitHub tells of its rules, and how it merges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from stackr.core.model import Checks
from stackr.core.ports import ForgeFacts, Merge, NewPull, ReadRequest
from stackr.core.rules import LandingFacts, MergeState, Method, TrunkRules
from stackr.errors import ConfigError, Refused
from stackr.github.api import GitHub
from stackr.sandbox.model import Json
from tests.github.test_on_sandbox import FAULTS, client_of
from tests.support.world import World
from tests.support.world_fixtures import sandbox_server, source_repository, world

__all__ = ["sandbox_server", "source_repository", "world"]

CI: Json = {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "ci"}]}}
QUEUE: Json = {"type": "merge_queue", "parameters": {"merge_method": "SQUASH"}}
REVIEW: Json = {
    "type": "pull_request",
    "parameters": {
        "required_approving_review_count": 1,
        "dismiss_stale_reviews_on_push": True,
        "allowed_merge_methods": ["squash", "rebase"],
    },
}


@pytest.fixture
def client(world: World) -> Iterator[GitHub]:
    """Alice's client; its waits take no time."""
    world.server.add_user("bob")
    github = client_of(world, world.server.add_user("alice"))
    yield github
    github.close()


def open_pulls(world: World, client: GitHub, count: int) -> list[Merge]:
    """Pull requests against main that do not touch each other, and how to squash them."""
    tips = []
    for i in range(count):
        world.branch(f"s/{i}")
        tips.append(world.suggest(f"s/{i}", f"{i}.txt", "text\n", "alice"))
    news = [NewPull(f"s/{i}", "main", f"change {i}", "") for i in range(count)]
    made = client.create_pulls(client.read(ReadRequest()).repository_id, news).pulls.values()
    return [
        Merge(p.number, p.node_id, tip, Method.SQUASH, f"{p.title} (#{p.number})", f"text {i}")
        for i, (p, tip) in enumerate(zip(made, tips, strict=True))
    ]


def look(client: GitHub, count: int, sev_label: str = "") -> tuple[ForgeFacts, LandingFacts]:
    """What a landing reads; twice, for GitHub finds out late whether something can be merged."""
    request = ReadRequest(
        tuple(f"s/{i}" for i in range(count)), "main", details=True, landing=True, sev_label=sev_label
    )
    client.read(request)
    facts = client.read(request)
    assert facts.landing is not None
    return facts, facts.landing


def message_on_main(world: World) -> str:
    return world.bare.git("log", "-1", "--format=%B", "main").strip()


def test_rules_standings_and_issues_are_read_as_they_are(world: World, client: GitHub) -> None:
    open_pulls(world, client, 3)
    _, free = look(client, 3)
    assert free == LandingFacts(
        methods=free.methods, standings={n: replace(free.standings[1], merge_state=MergeState.CLEAN) for n in (1, 2, 3)}
    )
    world.protect(REVIEW, CI, name="main")
    world.protect("non_fast_forward", on="s/*", name="heads")
    world.server.protect(world.name, "main", "required_linear_history", classic=True)
    world.configure(allow_merge_commit=False, allow_auto_merge=True)
    world.approve(1)
    world.check(1, "ci")
    world.check(2, "ci", "failure")
    client.http.rest("POST", f"/repos/{world.name}/labels", json={"name": "sev", "color": "ff0000"})
    client.http.rest("POST", f"/repos/{world.name}/issues", json={"title": "CI is down", "labels": ["sev"]})
    facts, found = look(client, 3, "sev")
    rules = TrunkRules(
        approvals=1,
        dismisses_stale=True,
        checks=("ci",),
        linear=True,
        pushable=False,
        methods=frozenset({Method.SQUASH, Method.REBASE}),
        sources={
            **dict.fromkeys(("approvals", "dismisses_stale", "checks", "methods", "pushable"), 'ruleset "main"'),
            "linear": "branch protection",
        },
    )
    assert found.rules == rules
    assert (found.methods, found.auto, found.forced_heads) == ({Method.SQUASH, Method.REBASE}, True, False)
    assert [(s.merge_state, s.checks) for s in found.standings.values()] == [
        (MergeState.CLEAN, Checks.PASSING),
        (MergeState.BLOCKED, Checks.FAILING),
        (MergeState.BLOCKED, Checks.NONE),
    ]
    assert facts.pulls["s/1"][0].checks is Checks.FAILING
    assert [(sev.title, sev.labels) for sev in found.sevs] == [("CI is down", ("sev",))]
    hidden = 'the token\'s owner may not see all of the branch protection of "main"'
    assert facts.warnings == (f"{hidden}: whether a push dismisses approvals is not known",)
    blind = client_of(world, world.server.add_user("alice", kind="fine-grained"))
    facts, found = look(blind, 3)
    assert [warning.partition(":")[0] for warning in facts.warnings] == [hidden, "checks are not shown"]
    assert found.rules == rules
    assert found.standings[2].merge_state is MergeState.BLOCKED


def test_a_merge_happens_once_whatever_breaks_on_the_way(world: World, client: GitHub) -> None:
    cases = [(kind, when) for kind in FAULTS for when in ("before", "after")]
    merges = open_pulls(world, client, len(cases))
    for merge, (kind, when) in zip(merges, cases, strict=True):
        world.server.faults.clear()
        world.server.faults.add(kind, when=when, selector="mutation", value=3)
        try:
            oid = client.merge_pull(merge)
        except ConfigError:
            assert kind in ("401", "403-sso")
            oid = client.merge_pull(merge)
        assert oid == world.bare.oid("main") == world.pull(merge.number).merge_oid
        assert message_on_main(world) == f"{merge.title}\n\n{merge.message}"
    assert int(world.bare.git("rev-list", "--count", "--first-parent", "main")) >= len(cases)


def test_what_rules_or_a_push_forbid_is_refused_and_nothing_is_merged(world: World, client: GitHub) -> None:
    first, second = open_pulls(world, client, 2)
    before = world.bare.oid("main")
    moved = world.suggest("s/0", "more.txt", "more\n")
    with pytest.raises(Refused, match=f"its head is {moved[:7]}, not {first.head[:7]}"):
        client.merge_pull(first)
    world.protect(REVIEW)
    with pytest.raises(Refused, match=r"github refused to merge #2: .*At least 1 approving review is required"):
        client.merge_pull(second)
    assert world.bare.oid("main") == before


def test_auto_merge_waits_for_what_is_required_and_merges_what_needs_nothing(world: World, client: GitHub) -> None:
    waiting, ready = (replace(merge, method=Method.AUTO) for merge in open_pulls(world, client, 2))
    with pytest.raises(Refused, match="Auto merge is not allowed"):
        client.merge_pull(waiting)
    world.configure(allow_auto_merge=True)
    world.protect(CI)
    assert (client.merge_pull(waiting), client.merge_pull(waiting)) == (None, None)
    assert look(client, 1)[1].standings[1].auto
    world.check(2, "ci")
    assert client.merge_pull(ready) == world.bare.oid("main")
    world.check(1, "ci")
    world.server.catch_up()
    assert client.merge_pull(waiting) == world.pull(1).merge_oid
    assert message_on_main(world) == "change 0 (#1)\n\ntext 0"


def test_the_queue_takes_a_pull_request_once(world: World, client: GitHub) -> None:
    queued, other = (replace(merge, method=Method.QUEUE) for merge in open_pulls(world, client, 2))
    with pytest.raises(Refused, match="github refused to queue #1"):
        client.merge_pull(queued)
    world.configure(allow_auto_merge=True)
    world.protect(QUEUE, CI)
    world.check(1, "ci")
    world.server.faults.add("502-html", when="after", selector="mutation")
    assert (client.merge_pull(queued), client.merge_pull(queued)) == (None, None)
    with pytest.raises(Refused, match=r"github refused to merge #2: .*merge queue"):
        client.merge_pull(replace(other, method=Method.SQUASH))
    _, found = look(client, 2)
    assert (found.rules.queue, found.rules.queue_method) == (True, Method.SQUASH)
    assert [standing.queue for standing in found.standings.values()] == ["awaiting_checks", ""]
    assert client.merge_pull(replace(other, method=Method.AUTO)) is None
    assert look(client, 2)[1].standings[2].auto


def test_a_comment_is_written_once_whatever_breaks_on_the_way(world: World, client: GitHub) -> None:
    open_pulls(world, client, 1)
    for when in ("before", "after"):
        world.server.faults.add("drop", when=when, selector="mutation")
        client.add_comment(1, f"lost {when}")
    found = client.http.rest("GET", f"/repos/{world.name}/issues/1/comments").data
    assert [comment["body"] for comment in found] == ["lost before", "lost after"]
