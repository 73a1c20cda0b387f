"""The settings of a repository, and of the sandbox as a whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stackr.sandbox import accounts, protection
from tests.support.pages import Reader
from tests.support.sandbox import REPO, Box

Readers = Callable[[str], Reader]
SETTINGS = f"/{REPO}/settings"


def rules(box: Box, branch: str = "main") -> dict[str, object]:
    return {rule.type: rule.parameters for rule in protection.rules_for(box.server.engine, box.repo, branch)}


def test_switches_are_shown_and_set(box: Box, reader: Readers) -> None:
    carol = reader("carol").open(SETTINGS)
    fields = carol.form("switches").fields
    assert set(fields) == {"form_token", "allow_merge_commit", "allow_squash_merge", "allow_rebase_merge"}
    carol.press("switches", allow_merge_commit=None, delete_branch_on_merge="on", stacks_enabled="on", ci="on")
    assert carol.status == 200 and "Saved." in carol.text
    repo = box.repo
    assert (repo.allow_merge_commit, repo.allow_squash_merge, repo.allow_rebase_merge) == (False, True, True)
    assert repo.delete_branch_on_merge and repo.stacks_enabled and repo.ci == "pass"
    assert "allow_merge_commit" not in carol.form("switches").fields


def test_protection_is_set_shown_again_and_taken_away(box: Box, reader: Readers) -> None:
    carol = reader("carol").open(SETTINGS)
    carol.press(
        "protection",
        approvals="2",
        checks="build\r\n\r\n lint \r\nbuild",
        strict="on",
        linear="on",
        queue="on",
        dismiss_stale_reviews_on_push="on",
        require_last_push_approval="on",
    )
    review = rules(box)["pull_request"]
    assert isinstance(review, dict) and review["required_approving_review_count"] == 2
    assert review["dismiss_stale_reviews_on_push"] and review["require_last_push_approval"]
    assert rules(box)["required_status_checks"] == {
        "required_status_checks": [{"context": "build"}, {"context": "lint"}],
        "strict_required_status_checks_policy": True,
    }
    assert "required_linear_history" in rules(box) and rules(box, "other") == {}
    queue = rules(box)["merge_queue"]
    assert isinstance(queue, dict) and queue["merge_method"] == "SQUASH"
    shown = carol.form("protection").fields
    assert (shown["approvals"], shown["checks"]) == ("2", "build\nlint")
    assert (shown["strict"], shown["linear"], shown["queue"]) == ("on", "on", "on")
    nothing = dict.fromkeys(("strict", "linear", "queue", "pull_request", "dismiss_stale_reviews_on_push"))
    carol.press("protection", approvals="0", checks="", require_last_push_approval=None, **nothing)
    assert rules(box) == {} and box.server.engine.store.rulesets.by(repo_id=box.repo.id) == []


def test_pull_requests_can_be_required_without_approvals(box: Box, reader: Readers) -> None:
    reader("carol").open(SETTINGS).press("protection", pull_request="on")
    assert list(rules(box)) == ["pull_request"]
    assert "GH013" in box.bob.refused(box.server.clone_url(REPO, box.bob.token), "origin/main^:refs/heads/main", "-f")


@pytest.mark.parametrize("approvals", ["7", "-1", "x", "1.5", "\N{SUPERSCRIPT TWO}", "9" * 5000])
def test_an_impossible_number_of_approvals_is_refused(box: Box, reader: Readers, approvals: str) -> None:
    carol = reader("carol").open(SETTINGS).press("protection", approvals=approvals, checks="typed")
    assert carol.status == 422 and "approvals must be a whole number from 0 to 6." in carol.text
    assert carol.form("protection").fields["checks"] == "typed" and rules(box) == {}


def test_rules_made_elsewhere_are_listed_and_can_be_removed(box: Box, reader: Readers) -> None:
    ruleset = box.server.protect(REPO, "release/*", "deletion", "non_fast_forward")
    carol = reader("carol").open(SETTINGS)
    assert "rules for release/* : deletion, non_fast_forward" in carol.text
    carol.press("protection", approvals="1")
    assert set(rules(box, "release/1")) == {"deletion", "non_fast_forward"}  # saving one's own leaves them alone
    carol.press("remove-ruleset")
    assert "Removed." in carol.text and rules(box, "release/1") == {} and rules(box) != {}
    token = carol.form("switches").fields["form_token"]
    for gone in (str(ruleset.id), "x", ""):
        data = {"do": "remove-ruleset", "ruleset": gone, "form_token": token}
        assert carol.client.post(SETTINGS, data=data).status_code == 422


def test_people_get_other_levels(box: Box, reader: Readers) -> None:
    carol = reader("carol").open(SETTINGS)
    token = carol.form("switches").fields["form_token"]

    def give(login: str, level: str) -> int:
        data = {"do": "level", "login": login, "level": level, "form_token": token}
        return carol.client.post(SETTINGS, data=data).status_code

    assert give("dave", "write") == 303
    assert accounts.permission(box.server.engine, box.server.user("dave"), box.repo) == "write"
    assert [give("dave", "king"), give("mallory", "write")] == [422, 404]


@pytest.mark.parametrize("do", ["switches", "protection", "level", "remove-ruleset"])
def test_settings_take_an_administrator(box: Box, reader: Readers, do: str) -> None:
    box.server.protect(REPO, "x", "deletion")
    bob = reader("bob").open(SETTINGS)
    assert "Settings take an administrator, and bob is none." in bob.text and bob.button(do) is False
    bob.press(do, delete_branch_on_merge="on", approvals="1")
    assert bob.status == 403 and "Must have admin rights to Repository." in bob.text
    assert "bob has write access to acme/widgets, and that is not enough for this." in bob.text
    assert not box.repo.delete_branch_on_merge and rules(box) == {} and rules(box, "x")


def test_in_a_sandbox_one_can_become_an_administrator(box: Box, reader: Readers) -> None:
    dave = reader("dave").open(SETTINGS).press("become-admin")
    assert "You are an administrator of this repository now." in dave.text
    assert dave.button("become-admin") is None and dave.button("switches") is True
    dave.press("switches", delete_branch_on_merge="on")
    assert box.repo.delete_branch_on_merge


def test_somebody_signed_out_cannot(box: Box, reader: Readers) -> None:
    nobody = reader("-").open(SETTINGS)
    assert "somebody signed out is none." in nobody.text and nobody.button("become-admin") is None
    token = nobody.form("switches").fields["form_token"]
    answer = nobody.client.post(SETTINGS, data={"do": "become-admin", "form_token": token})
    assert answer.status_code == 401
    assert "You are signed out: choose at the top who you are." in answer.get_data(as_text=True)


def test_the_secondary_limit_and_delays_are_switched_from_both_pages(box: Box, reader: Readers) -> None:
    engine = box.server.engine
    dave = reader("dave").open(SETTINGS).press("limits", secondary="on", latency_ms="0", mutation_ms="5")
    assert "Saved." in dave.text
    assert (engine.limits.secondary.enabled, engine.settings.mutation_ms) == (True, 5)
    dave.open("/-/sandbox")
    assert dave.form("limits").fields["secondary"] == "on" and dave.form("limits").fields["mutation_ms"] == "5"
    dave.press("limits", secondary=None, mutation_ms="0")
    assert (engine.limits.secondary.enabled, engine.settings.mutation_ms) == (False, 0)
    dave.press("limits", latency_ms="many")
    assert dave.status == 422 and "latency ms must be a whole number from 0 to 60000." in dave.text


def test_the_log_shows_what_arrived_newest_first_and_can_be_emptied(box: Box, reader: Readers) -> None:
    box.stack("one")
    box.alice.clone.git("fetch", "-q")
    box.alice.session.post(
        f"{box.server.url}/api/graphql", json={"query": "query Who { viewer { login } }"}, timeout=10
    )
    box.server.engine.faults.add(kind="500", k=1, when="before", selector="api")
    box.alice.call("GET", "pulls")
    page = reader("bob").open("/-/sandbox")
    assert "3 API requests with 0 GraphQL mutations" in page.text and "1 push and 1 fetch." in page.text
    assert "POST /acme/widgets.git/git-receive-pack receive-pack rpc refs/heads/one alice 200" in page.text
    assert "POST /api/graphql Who alice 200" in page.text
    assert "fault: 500 before" in page.text
    assert page.text.index("fault: 500") < page.text.index("POST /api/graphql Who")
    page.press("clear")
    assert "The log is empty now." in page.text and "Nothing has arrived yet." in page.text
    assert box.server.log.entries() == []


def test_a_long_log_shows_its_newest_part(box: Box, reader: Readers) -> None:
    for _ in range(201):
        box.anonymous.call("GET", "/user")
    assert "The newest 200 of 201, newest first" in reader("bob").open("/-/sandbox").text
