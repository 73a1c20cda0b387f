"""Pull requests over REST: creating, editing, listing, and GitHub's words for what cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.sandbox import REPO, Box


def _messages(error: dict[str, Any]) -> list[str]:
    return [entry.get("message", "") for entry in error["errors"]]


def test_a_new_pull_request_is_complete(box: Box) -> None:
    box.alice.branch("feature")
    box.alice.push("feature")
    made = box.alice.post("pulls", {"title": "Add it", "head": "feature", "base": "main", "body": "Why", "draft": True})
    assert made["html_url"] == f"{box.server.url}/{REPO}/pull/{made['number']}"
    assert (made["state"], made["draft"], made["merged"], made["mergeable"]) == ("open", True, False, None)
    assert (made["commits"], made["changed_files"], made["additions"]) == (1, 1, 1)
    assert (made["head"]["label"], made["base"]["ref"]) == ("acme:feature", "main")
    assert "stack" not in made


def test_mergeability_is_unknown_at_the_first_look(box: Box) -> None:
    (number,) = box.stack("feature")
    looks = [box.alice.get(f"pulls/{number}") for _ in range(3)]
    assert [look["mergeable"] for look in looks] == [None, True, True]
    assert [look["mergeable_state"] for look in looks] == ["unknown", "clean", "clean"]


def test_nothing_new_cannot_become_a_pull_request(box: Box) -> None:
    assert box.alice.clone.oid() == box.tip("main")
    box.alice.push("origin/main:refs/heads/same")
    error = box.alice.post("pulls", {"title": "x", "head": "same", "base": "main"}, expect=422)
    assert error["message"] == "Validation Failed"
    assert _messages(error) == ["No commits between main and same"]


def test_one_head_and_base_make_one_pull_request(box: Box) -> None:
    box.stack("feature")
    error = box.alice.post("pulls", {"title": "x", "head": "feature", "base": "main"}, expect=422)
    assert _messages(error) == ["A pull request already exists for acme:feature."]
    box.alice.push("origin/main~1:refs/heads/other")
    box.alice.open("feature", "other")


def test_branches_that_were_never_pushed_are_named(box: Box) -> None:
    error = box.alice.post("pulls", {"title": "x", "head": "nowhere", "base": "nobase"}, expect=422)
    assert [(entry["field"], entry["code"]) for entry in error["errors"]] == [
        ("head", "invalid"),
        ("base", "invalid"),
    ]
    stranger = box.alice.post("pulls", {"title": "x", "head": "zoe:feature", "base": "main"}, expect=422)
    assert [entry["field"] for entry in stranger["errors"]] == ["head"]


def test_unrelated_histories_are_refused(box: Box) -> None:
    clone = box.alice.clone
    clone.git("checkout", "-q", "--orphan", "other")
    clone.commit("Other beginning")
    box.alice.push("other")
    error = box.alice.post("pulls", {"title": "x", "head": "other", "base": "main"}, expect=422)
    assert _messages(error) == ["The other branch has no history in common with main"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ({"title": "x" * 257}, "title is too long (maximum is 256 characters)"),
        ({"body": "x" * 65_537}, "body is too long (maximum is 65536 characters)"),
    ],
)
def test_long_texts_are_refused_when_creating_and_when_editing(box: Box, text: dict[str, str], message: str) -> None:
    (number,) = box.stack("feature")
    body = {"title": "x", "head": "feature", "base": "main", **text}
    assert _messages(box.alice.post("pulls", body, expect=422)) == [message]
    assert _messages(box.alice.patch(f"pulls/{number}", text, expect=422)) == [message]


def test_the_longest_texts_are_taken(box: Box) -> None:
    (number,) = box.stack("feature")
    text = {"title": "é" * 256, "body": "é" * 65_536}
    found = box.alice.patch(f"pulls/{number}", text)
    assert (found["title"], found["body"]) == (text["title"], text["body"])


def test_a_blank_title_is_a_missing_one(box: Box) -> None:
    (number,) = box.stack("feature")
    error = box.alice.patch(f"pulls/{number}", {"title": "  "}, expect=422)
    assert error["errors"] == [{"resource": "PullRequest", "code": "missing_field", "field": "title"}]


def test_rest_cannot_change_the_draft_state(box: Box) -> None:
    (number,) = box.stack("feature")
    error = box.alice.patch(f"pulls/{number}", {"draft": True}, expect=422)
    assert error["message"] == 'Invalid request.\n\n"draft" is not a permitted key.'


def test_fields_are_checked_by_name_and_type(box: Box) -> None:
    for body, said in [
        ({"head": "a", "base": "b"}, '"title" wasn\'t supplied.'),
        ({"title": 1, "head": "a", "base": "b"}, "For 'properties/title', 1 is not a string."),
        ({"title": None, "head": "a", "base": "b"}, "For 'properties/title', nil is not a string."),
        ({"title": "t", "head": "a", "base": "b", "draft": "yes"}, "For 'properties/draft', \"yes\" is not a boolean."),
    ]:
        assert box.alice.post("pulls", body, expect=422)["message"] == f"Invalid request.\n\n{said}"


def test_bodies_that_are_no_json_object_are_refused(box: Box) -> None:
    url = f"{box.server.url}/api/v3/repos/{REPO}/pulls"
    for data, said in [(b"{", "Problems parsing JSON"), (b"[1]", "Body should be a JSON object")]:
        response = box.alice.session.post(url, data=data, timeout=10)
        assert (response.status_code, response.json()["message"]) == (400, said)
    assert box.alice.session.post(url, data=b"null", timeout=10).status_code == 422


def test_unknown_parameters_are_refused_by_name(box: Box) -> None:
    assert '"statee"' in box.alice.get("pulls?statee=open", expect=422)["message"]
    assert "is not an integer" in box.alice.get("pulls?page=two", expect=422)["message"]
    assert "is not a member of" in box.alice.get("pulls?state=merged", expect=422)["message"]


def test_the_text_is_edited_and_every_version_kept(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.patch(f"pulls/{number}", {"title": "Better", "body": "One"})
    box.bob.patch(f"pulls/{number}", {"body": "Two"})
    box.bob.patch(f"pulls/{number}", {"body": "Two"})
    rows = box.server.engine.store.edits.by(repo_id=box.repo.id, number=number)
    assert [row.body for row in rows] == ["", "One", "Two"]
    assert box.events(number) == ["renamed"]


def test_strangers_cannot_edit(box: Box) -> None:
    (number,) = box.stack("feature")
    box.dave.patch(f"pulls/{number}", {"title": "Mine"}, expect=403)
    box.anonymous.patch(f"pulls/{number}", {"title": "Mine"}, expect=401)
    own = box.dave.post("pulls", {"title": "x", "head": "feature", "base": "main"}, expect=422)
    assert _messages(own) == ["A pull request already exists for acme:feature."], "readers may open them"


def test_the_base_is_changed_and_what_would_be_empty_is_refused(box: Box) -> None:
    lower, upper = box.stack("a", "b")
    box.alice.patch(f"pulls/{upper}", {"base": "main"})
    assert box.pull(upper).base_ref == "main"
    assert box.events(upper) == ["base_ref_changed"]
    empty = box.alice.patch(f"pulls/{lower}", {"base": "b"}, expect=422)
    assert _messages(empty) == ["There are no new commits between base branch 'b' and head branch 'a'"]
    missing = box.alice.patch(f"pulls/{lower}", {"base": "nobase"}, expect=422)
    assert missing["errors"] == [{"resource": "PullRequest", "field": "base", "code": "invalid"}]


def test_a_base_that_another_pull_request_of_the_head_has_is_refused(box: Box) -> None:
    _, upper = box.stack("a", "b")
    box.alice.open("b", "main")
    error = box.alice.patch(f"pulls/{upper}", {"base": "main"}, expect=422)
    assert _messages(error) == ["A pull request already exists for base branch 'main' and head branch 'b'"]


def test_closing_and_reopening(box: Box) -> None:
    (number,) = box.stack("feature")
    assert box.alice.patch(f"pulls/{number}", {"state": "closed"})["state"] == "closed"
    assert box.alice.patch(f"pulls/{number}", {"state": "closed"})["state"] == "closed"
    assert box.bob.patch(f"pulls/{number}", {"state": "open"})["state"] == "open"
    assert box.events(number) == ["closed", "reopened"]


def test_lists_are_filtered_sorted_and_paged(box: Box) -> None:
    numbers = box.stack("a", "b", "c")
    box.alice.patch(f"pulls/{numbers[1]}", {"state": "closed"})

    def listed(query: str) -> list[int]:
        return [row["number"] for row in box.alice.get(f"pulls?{query}")]

    assert listed("") == [numbers[2], numbers[0]]
    assert listed("state=closed") == [numbers[1]]
    assert listed("state=all&direction=asc") == numbers
    assert listed("state=all&head=acme:b") == [numbers[1]]
    assert listed("state=all&head=b&direction=asc") == numbers, "GitHub ignores a head without owner"
    assert listed("base=main") == [numbers[0]]
    assert listed("state=all&sort=updated&direction=desc")[0] in numbers
    response = box.alice.call("GET", "pulls?state=all&per_page=1&page=2")
    assert [row["number"] for row in response.json()] == [numbers[1]]
    assert set(response.links) == {"prev", "next", "first", "last"}
    assert response.links["next"]["url"].endswith("per_page=1&page=3")


def test_commits_and_files_are_those_of_the_three_dot_diff(box: Box) -> None:
    _, upper = box.stack("a", "b")
    box.alice.clone.git("checkout", "-q", "main")
    box.alice.clone.commit("Trunk goes on")
    box.alice.push("main")
    assert [c["commit"]["message"] for c in box.alice.get(f"pulls/{upper}/commits")] == ["Change b"]
    (changed,) = box.alice.get(f"pulls/{upper}/files")
    assert (changed["filename"], changed["status"]) == ("Change-b.txt", "added")
    assert changed["patch"] == "@@ -0,0 +1 @@\n+Change b"


def test_a_number_that_is_none_is_not_found(box: Box) -> None:
    assert box.alice.get("pulls/99", expect=404)["message"] == "Not Found"
    assert box.alice.get("/repos/acme/nothing/pulls", expect=404)["message"] == "Not Found"
    assert box.alice.get("/no/such/thing", expect=404)["message"] == "Not Found"
    assert box.alice.call("PUT", "pulls").status_code in (404, 405)
