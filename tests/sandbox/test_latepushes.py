"""What GitHub does some moments after a push, or in the wrong order."""

from __future__ import annotations

from tests.support.graphql import data, repository_id
from tests.support.sandbox import Box


def seen(box: Box, number: int) -> tuple[str, str]:
    found = box.alice.get(f"pulls/{number}")
    return found["state"], found["head"]["sha"]


def test_pull_requests_know_late_of_a_push_and_are_not_merged_until_they_do(box: Box) -> None:
    (number,) = box.stack("one")
    old = box.tip("one")
    box.server.engine.settings.push_lag = 2
    new = box.alice.clone.commit("More")
    box.alice.push("one")
    assert box.alice.get("git/ref/heads/one")["object"]["sha"] == new, "the branch moves at once"
    answer = box.alice.put(f"pulls/{number}/merge", {"sha": new}, expect=409)
    assert answer["message"] == "Head branch was modified. Review and try the merge again."
    assert box.pull(number).head_oid == old
    assert seen(box, number) == ("open", new)
    assert box.events(number) == ["pushed"]


def test_a_push_to_trunk_merges_late_and_stands_in_the_way_of_other_merges_until_then(box: Box) -> None:
    one, two = box.stack("one"), box.stack("two")
    box.server.engine.settings.push_lag = 2
    box.alice.push("one:main")
    assert box.state(one[0]) == "open"
    answer = box.alice.put(f"pulls/{two[0]}/merge", expect=405)
    assert answer["message"] == "Base branch was modified. Review and try the merge again."
    box.server.catch_up()
    assert (box.state(one[0]), box.events(one[0])) == ("merged", ["merged", "closed"])
    assert box.pull(two[0]).base_oid == box.tip("main")
    box.alice.put(f"pulls/{two[0]}/merge")


def test_bases_are_set_and_pull_requests_opened_by_where_branches_are(box: Box) -> None:
    one, two = box.stack("one", "two")
    box.server.engine.settings.push_lag = 9
    box.alice.clone.git("checkout", "-q", "-B", "one", "two")
    new = box.alice.clone.commit("Moved to the top")
    box.alice.patch(f"pulls/{two}", {"base": "main"})
    box.alice.push("one", "one:three")
    changed = box.alice.patch(f"pulls/{one}", {"base": "two"})
    assert (changed["base"]["ref"], changed["state"]) == ("two", "open")
    assert box.alice.get(f"pulls/{box.alice.open('three')}")["head"]["sha"] == new
    box.server.catch_up()
    assert [box.state(number) for number in (one, two, 3)] == ["open"] * 3
    assert box.events(3) == []


def test_what_a_late_push_moved_may_have_moved_on(box: Box) -> None:
    one, two = box.stack("one", "two")
    box.server.engine.settings.push_lag = 9
    box.alice.push("two:one")
    box.alice.delete("git/refs/heads/one")
    assert (box.state(one), box.state(two)) == ("closed", "closed")
    box.server.catch_up()
    assert (box.state(one), box.state(two)) == ("closed", "closed")


def test_a_new_branch_may_not_be_there_yet_for_a_pull_request(box: Box) -> None:
    box.server.engine.settings.branch_lag = 1
    box.alice.grow("one", "two")
    box.alice.push("one", "two")
    body = {"title": "Two", "head": "two", "base": "one"}
    refused = box.alice.post("pulls", body, expect=422)
    assert {(error["field"], error["code"]) for error in refused["errors"]} == {
        ("head", "invalid"),
        ("base", "invalid"),
    }
    given = f'repositoryId: "{repository_id(box.alice)}", title: "One", headRefName: "one", baseRefName: "main"'
    made = data(box.alice, f"mutation {{createPullRequest(input: {{{given}}}) {{pullRequest {{number}}}}}}")
    assert made["createPullRequest"]["pullRequest"]["number"] == 1, "the look before was enough for it"
    assert box.alice.open("two", "one") == 2


def test_githubs_own_deletion_may_be_faster_than_its_retargeting(box: Box) -> None:
    one, two = box.stack("one", "two")
    box.server.settings("acme/widgets", delete_branch_on_merge=True)
    box.server.engine.settings.delete_race = True
    box.alice.put(f"pulls/{one}/merge")
    assert (box.state(two), box.events(two)) == ("closed", ["base_ref_deleted", "closed"])
    error = box.alice.patch(f"pulls/{two}", {"base": "main"}, expect=422)
    assert error["errors"][0]["message"] == "Cannot change the base branch of a closed pull request."
    error = box.alice.patch(f"pulls/{two}", {"state": "open"}, expect=422)
    assert error["errors"][0]["message"] == "state cannot be changed. The one branch has been deleted."
    box.alice.post("git/refs", {"ref": "refs/heads/one", "sha": box.pull(one).head_oid})
    box.alice.patch(f"pulls/{two}", {"state": "open"})
    box.alice.patch(f"pulls/{two}", {"base": "main"})
