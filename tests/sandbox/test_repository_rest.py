"""Users, repositories, branches, refs, commits, comparisons, contents; headers that every answer has."""

from __future__ import annotations

import pytest

from stackr.sandbox.errors import ApiError
from stackr.sandbox.server import SandboxServer
from tests.support.sandbox import REPO, Box


def test_who_am_i(box: Box) -> None:
    me = box.alice.get("/user")
    assert (me["login"], me["email"], me["type"]) == ("alice", "alice@example.com", "User")
    assert box.anonymous.get("/user", expect=401)["message"] == "Requires authentication"
    assert box.anonymous.get("/users/BOB")["login"] == "bob"
    box.anonymous.get("/users/nobody", expect=404)


def test_a_bad_an_expired_and_a_restricted_token(box: Box) -> None:
    for token in ("nonsense", box.server.add_user("eve", expired=True)):
        box.bob.session.headers["Authorization"] = f"Bearer {token}"
        assert box.bob.get("/user", expect=401)["message"] == "Bad credentials"
    box.bob.session.headers["Authorization"] = f"token {box.server.add_user('frank', sso_required=True)}"
    assert box.bob.get("/user")["login"] == "frank"
    response = box.bob.call("GET", "")
    assert response.status_code == 403
    assert response.headers["X-GitHub-SSO"].startswith(f"required; url={box.server.url}/")


def test_a_jobs_token_may_not_ask_who_it_is(box: Box) -> None:
    box.bob.session.headers["Authorization"] = f"token {box.server.add_user('robot', kind='job')}"
    assert box.bob.get("/user", expect=403)["message"] == "Resource not accessible by integration"
    answer = box.bob.session.post(f"{box.server.url}/api/graphql", json={"query": "{viewer {login}}"}, timeout=10)
    assert answer.json() == {"data": {"viewer": {"login": "robot"}}}


def test_basic_authentication_and_unknown_schemes(box: Box) -> None:
    del box.alice.session.headers["Authorization"]
    url = f"{box.server.url}/api/v3/user"
    assert box.alice.session.get(url, auth=("anybody", box.alice.token), timeout=10).status_code == 200
    for header in ("Basic !", "Digest x", "Bearer "):
        assert box.alice.session.get(url, headers={"Authorization": header}, timeout=10).status_code == 401


def test_the_version_asked_for_must_exist(box: Box) -> None:
    assert box.alice.call("GET", "/user", headers={"X-GitHub-Api-Version": "2022-11-28"}).status_code == 200
    assert box.alice.call("GET", "/user", headers={"X-GitHub-Api-Version": "1999-01-01"}).status_code == 400
    box.stack("one")
    for version, there in (("2022-11-28", True), ("2026-03-10", False)):
        for path in ("pulls", "pulls/1"):
            found = box.alice.get(path, headers={"X-GitHub-Api-Version": version})
            assert ("merge_commit_sha" in (found[0] if path == "pulls" else found)) is there


def test_a_request_needs_a_user_agent(box: Box) -> None:
    refused = box.alice.call("GET", "/user", headers={"User-Agent": ""})
    assert refused.status_code == 403
    assert refused.json()["message"].startswith("Request forbidden by administrative rules.")


def test_every_answer_tells_the_budget_and_unchanged_ones_are_304(box: Box) -> None:
    first = box.alice.call("GET", "/user")
    assert first.headers["X-RateLimit-Limit"] == "5000"
    assert first.headers["X-OAuth-Scopes"].startswith("repo")
    assert first.headers["X-GitHub-Request-Id"]
    again = box.alice.call("GET", "/user", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["X-RateLimit-Used"] == first.headers["X-RateLimit-Used"], "it is for free"
    rates = box.alice.get("/rate_limit")
    assert rates["resources"]["core"]["used"] == int(again.headers["X-RateLimit-Used"]) + 1
    assert box.anonymous.call("GET", "/meta").headers["X-RateLimit-Limit"] == "60"


def test_a_repository_tells_what_the_viewer_may_do(box: Box) -> None:
    rights = {p.login: p.get("").get("permissions") for p in (box.alice, box.carol, box.dave, box.anonymous)}
    assert rights["anonymous"] is None
    assert [name for name, yes in rights["dave"].items() if yes] == ["pull"]
    assert [name for name, yes in rights["alice"].items() if yes] == ["push", "triage", "pull"]
    assert all(rights["carol"].values())
    assert box.alice.get("")["allow_squash_merge"] is True
    assert "allow_squash_merge" not in box.dave.get("")
    box.server.settings(REPO, private=True)
    box.anonymous.get("", expect=404)
    levels = box.carol.get("collaborators/alice/permission")
    assert (levels["permission"], levels["role_name"]) == ("write", "write")
    box.carol.get("collaborators/nobody/permission", expect=404)
    assert {user["login"] for user in box.alice.get("assignees")} == {"alice", "bob", "carol", "dave"}


def test_settings_are_for_administrators(box: Box) -> None:
    assert box.alice.patch("", {"delete_branch_on_merge": True}, expect=403)["message"] == (
        "Must have admin rights to Repository."
    )
    changed = box.carol.patch("", {"delete_branch_on_merge": True, "default_branch": "main", "description": "Hi"})
    assert (changed["delete_branch_on_merge"], changed["description"]) == (True, "Hi")
    box.carol.patch("", {"stacks_enabled": True}, expect=422)


def test_refs_are_read_made_moved_and_deleted(box: Box) -> None:
    tip, parent = str(box.tip("main")), box.alice.clone.oid("origin/main~1")
    assert box.alice.get("git/ref/heads/main")["object"] == {
        "sha": tip,
        "type": "commit",
        "url": f"{box.server.url}/api/v3/repos/{REPO}/git/commits/{tip}",
    }
    made = box.alice.post("git/refs", {"ref": "refs/heads/a/b", "sha": parent})
    assert made["ref"] == "refs/heads/a/b"
    assert [row["ref"] for row in box.alice.get("git/matching-refs/heads/a")] == ["refs/heads/a/b"]
    assert box.alice.patch("git/refs/heads/a/b", {"sha": tip})["object"]["sha"] == tip
    refused = box.alice.patch("git/refs/heads/a/b", {"sha": parent}, expect=422)
    assert refused["message"] == "Update is not a fast forward"
    box.alice.patch("git/refs/heads/a/b", {"sha": parent, "force": True})
    box.alice.delete("git/refs/heads/a/b")
    box.alice.get("git/ref/heads/a/b", expect=404)


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("POST", "git/refs", {"ref": "main", "sha": "TIP"}, "main is not a valid ref name."),
        ("POST", "git/refs", {"ref": "refs/heads/a..b", "sha": "TIP"}, "refs/heads/a..b is not a valid ref name."),
        ("POST", "git/refs", {"ref": "refs/heads/main", "sha": "TIP"}, "Reference already exists"),
        ("POST", "git/refs", {"ref": "refs/heads/x", "sha": "1" * 40}, "Object does not exist"),
        ("PATCH", "git/refs/heads/none", {"sha": "TIP"}, "Reference does not exist"),
        ("DELETE", "git/refs/heads/none", None, "Reference does not exist"),
        ("DELETE", "git/refs/heads/main", None, "Cannot delete the default branch"),
    ],
)
def test_refs_that_cannot_be_are_refused(box: Box, method: str, path: str, body: dict[str, str], said: str) -> None:
    sent = {key: value.replace("TIP", str(box.tip("main"))) for key, value in (body or {}).items()} or None
    response = box.alice.call(method, path, sent)
    assert (response.status_code, response.json()["message"]) == (422, said)


def test_refs_in_the_way_of_each_other_and_hidden_ones_are_refused(box: Box) -> None:
    (number,) = box.stack("feature")
    tip = box.tip("main")
    clash = box.alice.post("git/refs", {"ref": "refs/heads/feature/sub", "sha": tip}, expect=422)
    assert clash["message"].startswith("Reference update failed")
    assert box.tip("feature/sub") is None
    box.alice.patch(f"git/refs/pull/{number}/head", {"sha": tip}, expect=403)


def test_branches_are_listed_and_read(box: Box) -> None:
    box.alice.clone.git("push", "-q", "origin", "origin/main:refs/heads/stackr/alice/1")
    assert [row["name"] for row in box.alice.get("branches")] == ["main", "stackr/alice/1"]
    found = box.alice.get("branches/stackr/alice/1")
    assert (found["name"], found["commit"]["sha"], found["protected"]) == ("stackr/alice/1", box.tip("main"), False)
    assert box.alice.get("branches/none", expect=404)["message"] == "Branch not found"


def test_commits_are_read_as_object_and_as_change(box: Box) -> None:
    tip = str(box.tip("main"))
    plain = box.alice.get(f"git/commits/{tip}")
    assert (plain["message"], plain["author"]["date"]) == ("Add code", "2023-11-14T22:13:20Z")
    box.alice.get(f"git/commits/{'1' * 40}", expect=404)
    for name in ("main", tip, tip[:8], "heads/main"):
        assert box.alice.get(f"commits/{name}")["sha"] == tip
    change = box.alice.get(f"commits/{tip}")
    assert ([f["filename"] for f in change["files"]], change["stats"]["additions"]) == (["src/code.py"], 10)
    assert change["author"]["login"] == "alice"
    assert len(box.alice.get(f"commits/{plain['parents'][0]['sha']}")["files"]) == 1, "a root commit"
    assert [row["commit"]["message"] for row in box.alice.get("commits")] == ["Add code", "Begin"]
    assert len(box.alice.get("commits?sha=main&per_page=1")) == 1


def test_the_pull_requests_of_a_commit(box: Box) -> None:
    (number,) = box.stack("feature")
    assert [row["number"] for row in box.alice.get("commits/feature/pulls")] == [number]
    assert box.alice.get("commits/main/pulls") == []


def test_comparisons_have_three_dots(box: Box) -> None:
    box.stack("a", "b")
    found = box.alice.get("compare/main...b")
    assert (found["status"], found["ahead_by"], found["behind_by"]) == ("ahead", 2, 0)
    assert [f["filename"] for f in found["files"]] == ["Change-a.txt", "Change-b.txt"]
    assert box.alice.get("compare/b...main")["status"] == "behind"
    assert box.alice.get("compare/a...a")["status"] == "identical"
    box.alice.branch("c")
    box.alice.push("c")
    assert box.alice.get("compare/c...b")["status"] == "diverged"
    box.alice.get("compare/main..b", expect=404)
    box.alice.clone.git("checkout", "-q", "--orphan", "other")
    box.alice.clone.commit("Other")
    box.alice.push("other")
    box.alice.get("compare/main...other", expect=404)


def test_files_are_read_at_a_ref(box: Box) -> None:
    found = box.alice.get("contents/src/code.py?ref=main")
    assert (found["name"], found["encoding"], found["size"]) == ("code.py", "base64", 70)
    box.alice.get("contents/none", expect=404)
    box.alice.get("contents/src", expect=404)
    box.alice.get("contents/src/code.py?ref=none", expect=404)


def test_commit_objects_are_written(box: Box) -> None:
    info = box.server.engine.git(box.repo).need(str(box.tip("main")))
    author = {"name": "A", "email": "a@example.com", "date": "2020-01-02T03:04:05Z"}
    body = {"message": "Made by hand", "tree": info.tree, "parents": [info.oid], "author": author}
    made = box.alice.post("git/commits", body)
    assert (made["author"], made["committer"]) == (author, author)
    plain = box.alice.post("git/commits", {"message": "x", "tree": info.tree})
    assert (plain["author"]["name"], plain["parents"]) == ("Alice", [])
    assert box.alice.post("git/commits", {**body, "tree": "1" * 40}, expect=422)["message"] == "Tree SHA does not exist"
    box.alice.post("git/commits", {**body, "parents": ["1" * 40]}, expect=422)
    box.dave.post("git/commits", body, expect=403)


def test_a_repository_is_made_once(box: Box) -> None:
    with pytest.raises(ApiError, match="Repository creation failed"):
        box.server.add_repository(REPO)
    with pytest.raises(ApiError, match="unknown settings: colour"):
        box.server.settings(REPO, colour="red")
    with pytest.raises(KeyError):
        box.server.repository("acme/none")
    with pytest.raises(KeyError):
        box.server.user("nobody")


def test_everything_survives_a_restart(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.post(f"issues/{number}/labels", {"labels": ["bug"]}, expect=200)
    box.server.settings(REPO, delete_branch_on_merge=True, declined_message="no")
    box.server.protect(REPO, "main", "deletion")
    before = box.alice.get(f"pulls/{number}")
    box.server.stop()
    box.server = SandboxServer(box.root / "sandbox").start()
    for person in box.people.values():
        person.server = box.server
    after = box.alice.get(f"pulls/{number}")
    for field in ("number", "title", "state", "head", "draft", "labels"):
        assert str(after[field]).replace(str(box.server.port), "") == str(before[field]).replace(
            before["url"].split(":")[2].split("/")[0], ""
        )
    assert box.repo.delete_branch_on_merge is True
    assert box.alice.get("rules/branches/main")[0]["type"] == "deletion"
