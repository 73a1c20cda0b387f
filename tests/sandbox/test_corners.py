"""Rare turns of the engine's rules, called directly where the API cannot reach them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import requests

from stackr.sandbox import accounts, checks, merging, protection, pulls, refs, reviews
from stackr.sandbox.errors import ApiError, forbidden, invalid
from stackr.sandbox.httpd import Handler
from stackr.sandbox.model import ZERO_OID
from stackr.sandbox.request import credentials
from stackr.sandbox.rest import people
from stackr.sandbox.server import SandboxServer
from tests.support.git import GitRepo, git
from tests.support.sandbox import REPO, Box


def test_an_account_may_have_several_tokens_and_a_token_may_change(box: Box) -> None:
    second = box.server.add_user("alice")
    assert second != box.alice.token
    assert accounts.authenticate(box.server.engine, second)[0].login == "alice"
    box.server.add_user("alice", second, expired=True)
    with pytest.raises(ApiError, match="Bad credentials"):
        accounts.authenticate(box.server.engine, second)


def test_rights_are_given_raised_and_taken(box: Box) -> None:
    engine, dave = box.server.engine, box.server.user("dave")
    seen = []
    for level in ("write", "none"):
        accounts.grant(engine, box.repo, "dave", level)
        seen.append(accounts.permission(engine, dave, box.repo))
    assert seen == ["write", "read"], "a public repository can always be read"
    with pytest.raises(ApiError, match="Not Found"):
        accounts.grant(engine, box.repo, "nobody", "read")
    box.server.settings(REPO, private=True)
    with pytest.raises(ApiError, match="Not Found"):
        accounts.require(engine, dave, box.repo, "read")
    assert accounts.user(engine, None).login == "ghost"


def test_an_owner_is_administrator_and_shown_as_owner(box: Box) -> None:
    box.server.add_repository("alice/own", private=True)
    assert box.alice.get("/repos/alice/own")["permissions"]["admin"] is True
    made = box.alice.post("/repos/alice/own/issues", {"title": "Mine"})
    assert made["author_association"] == "OWNER"
    assert "organization" not in box.alice.get("/repos/alice/own")


def test_who_had_a_pull_request_merged_is_a_contributor(box: Box) -> None:
    box.stack("feature")
    with box.server.engine.transaction():
        box.pull(1).author_id = box.server.user(_stranger(box)).id
    assert box.alice.get("pulls/1")["author_association"] == "NONE"
    box.alice.put("pulls/1/merge")
    assert box.alice.get("pulls/1")["author_association"] == "CONTRIBUTOR"


def _stranger(box: Box) -> str:
    box.server.add_user("stranger")
    return "stranger"


def test_the_default_branch_can_change(box: Box) -> None:
    box.alice.push("origin/main:refs/heads/trunk")
    box.server.settings(REPO, default_branch="trunk")
    assert (box.server.engine.directory(box.repo) / "HEAD").read_text() == "ref: refs/heads/trunk\n"
    box.alice.delete("git/refs/heads/main")


def test_an_empty_repository_can_be_cloned_and_filled(box: Box, tmp_path: Path) -> None:
    box.server.add_repository("acme/empty", writers=["alice"])
    git(tmp_path, "clone", "-q", box.server.clone_url("acme/empty", box.alice.token), "empty")
    clone = GitRepo(tmp_path / "empty")
    clone.git("checkout", "-q", "-B", "main")
    tip = clone.commit("First")
    clone.git("push", "-q", "origin", "main")
    assert box.alice.get("/repos/acme/empty/branches/main")["commit"]["sha"] == tip


def test_pull_requests_are_filtered_by_label_and_found_by_id(box: Box) -> None:
    first, second = box.stack("a", "b")
    box.alice.post(f"issues/{second}/labels", {"labels": ["bug"]}, expect=200)
    engine = box.server.engine
    assert [p.number for p in pulls.list_pulls(engine, box.repo, labels=["BUG"])] == [second]
    row = pulls.by_id(engine, box.pull(first).id)
    assert row is not None and row.number == first


def test_nobody_and_strangers_cannot_act(box: Box) -> None:
    (number,) = box.stack("feature")
    engine, pull = box.server.engine, box.pull(number)
    with pytest.raises(ApiError, match="Requires authentication"):
        pulls.create_pull(engine, None, box.repo, title="x", head="feature", base="main")
    with pytest.raises(ApiError, match="Requires authentication"):
        reviews.add_review(engine, None, pull, event="APPROVE")
    with pytest.raises(ApiError, match="Resource not accessible"):
        pulls.close_pull(engine, None, pull)
    with pytest.raises(ApiError, match="deleted"):
        merging.update_branch(engine, None, pull)


def test_a_missing_permission_is_named(box: Box) -> None:
    body = {"ref": "refs/heads/new", "sha": box.tip("main")}
    refused = box.dave.call("POST", "git/refs", body)
    assert refused.status_code == 403
    assert refused.headers["X-Accepted-GitHub-Permissions"] == "contents=write; pull_requests=write"


def test_maintainers_may_be_allowed_to_push(box: Box) -> None:
    (number,) = box.stack("feature")
    assert box.alice.patch(f"pulls/{number}", {"maintainer_can_modify": False})["maintainer_can_modify"] is False


def test_naming_the_base_it_has_changes_nothing(box: Box) -> None:
    (number,) = box.stack("feature")
    box.alice.patch(f"pulls/{number}", {"base": "main"})
    box.alice.patch(f"pulls/{number}", {"state": "closed"})
    box.alice.patch(f"pulls/{number}", {"base": "main"})
    assert box.events(number) == ["closed"]


def test_drafts_come_and_go_while_it_is_open(box: Box) -> None:
    (number,) = box.stack("feature")
    engine, alice, pull = box.server.engine, box.server.user("alice"), box.pull(number)
    pulls.convert_to_draft(engine, alice, pull)
    pulls.convert_to_draft(engine, alice, pull)
    pulls.ready_for_review(engine, alice, pull)
    assert box.events(number) == ["convert_to_draft", "ready_for_review"]
    pulls.close_pull(engine, alice, pull)
    with pytest.raises(ApiError, match="Validation Failed"):
        pulls.convert_to_draft(engine, alice, pull)
    pulls.reopen_pull(engine, alice, pull)
    pulls.reopen_pull(engine, alice, pull)
    assert box.state(number) == "open"


def test_a_forks_pull_request_is_reopened_where_the_fork_is_now(box: Box, tmp_path: Path) -> None:
    token = box.server.add_user("erin")
    box.dave.session.headers["Authorization"] = f"token {token}"
    box.dave.post("forks", {}, expect=202)
    git(tmp_path, "clone", "-q", box.server.clone_url("erin/widgets", token), "erin")
    clone = GitRepo(tmp_path / "erin")
    clone.git("checkout", "-q", "-b", "patch")
    clone.commit("Patch")
    clone.git("push", "-q", "origin", "patch")
    body = {"title": "Patch", "head": "patch", "base": "main", "head_repo": "erin/widgets"}
    number = box.dave.post("pulls", body)["number"]
    box.dave.post("pulls", {**body, "head_repo": "none"}, expect=404)
    box.dave.patch(f"pulls/{number}", {"state": "closed"})
    tip = clone.commit("More")
    clone.git("push", "-q", "origin", "patch")
    assert box.dave.patch(f"pulls/{number}", {"state": "open"})["head"]["sha"] == tip
    merging.delete_head(box.server.engine, box.server.user("carol"), box.pull(number))
    assert clone.git("ls-remote", "origin", "patch") != "", "GitHub does not delete branches of forks"
    with box.server.engine.transaction():
        box.pull(number).head_repo_id = None
    gone = box.alice.get(f"pulls/{number}")["head"]
    assert (gone["repo"], gone["user"], gone["label"]) == (None, None, "unknown:patch")


def test_several_refs_move_together_or_not_at_all(box: Box) -> None:
    box.stack("a", "b")
    engine, alice = box.server.engine, box.server.user("alice")
    main, tip = str(box.tip("main")), str(box.tip("a"))
    good = refs.RefChange("refs/heads/new", tip, ZERO_OID)
    for bad in (
        refs.RefChange("refs/heads/a", main, before=main, force=True),
        refs.RefChange("refs/heads/b", main),
    ):
        with pytest.raises(ApiError):
            refs.update_refs(engine, alice, box.repo, [good, bad])
        assert box.tip("new") is None
    refs.update_refs(engine, alice, box.repo, [good, refs.RefChange("refs/heads/b", ZERO_OID, before=box.tip("b"))])
    assert (box.tip("new"), box.tip("b")) == (tip, None)


def test_retargeting_onto_a_base_that_is_gone_closes(box: Box) -> None:
    lower, upper = box.stack("a", "b")
    engine, alice = box.server.engine, box.server.user("alice")
    refs.delete_branch(engine, alice, box.repo, "a", retarget={"a": "gone"})
    assert [box.state(n) for n in (lower, upper)] == ["closed", "closed"]


def test_unrelated_bases_have_no_merge_and_no_shape(box: Box) -> None:
    (number,) = box.stack("feature")
    rule = {"type": "pull_request", "parameters": {"dismiss_stale_reviews_on_push": True}}
    box.server.protect(REPO, "feature", rule)
    box.server.protect(REPO, "main", rule)
    box.bob.post(f"pulls/{number}/reviews", {"event": "COMMENT", "body": "hm"}, expect=200)
    clone = box.alice.clone
    clone.git("checkout", "-q", "--orphan", "other")
    clone.commit("Other beginning", {"README.md": "other\n"})
    box.server.engine.store.rulesets.all()[0].enforcement = "disabled"
    box.alice.push("+other:feature")
    assert [box.alice.get(f"pulls/{number}")["mergeable"] for _ in range(2)] == [None, False]
    assert len(box.alice.get(f"pulls/{number}/files")) >= 1
    assert [row["state"] for row in box.alice.get(f"pulls/{number}/reviews")] == ["COMMENTED"]


def test_a_rebase_leaves_merge_commits_out(box: Box) -> None:
    box.alice.branch("side")
    box.alice.branch("feature", files={"f.txt": "f\n"})
    box.alice.clone.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    box.alice.push("feature")
    number = box.alice.open("feature")
    box.alice.put(f"pulls/{number}/merge", {"merge_method": "rebase"})
    git_repo = box.server.engine.git(box.repo)
    subjects = [git_repo.need(oid).headline for oid in git_repo.graph.history(str(box.tip("main")), 2)]
    assert sorted(subjects) == ["Change feature", "Change side"]


def test_an_approval_by_the_last_pusher_alone_is_named(box: Box) -> None:
    (number,) = box.stack("feature")
    rule = {"type": "pull_request", "parameters": {"require_last_push_approval": True}}
    box.server.protect(REPO, "main", rule, classic=True)
    error = box.alice.put(f"pulls/{number}/merge", {}, expect=405)
    assert error["message"] == "New changes require approval from someone other than the last pusher."


def test_odd_corners_of_rules(box: Box) -> None:
    engine, tip = box.server.engine, str(box.tip("main"))
    assert protection.check_state(engine, box.repo, tip, "none") is None
    odd = {"type": "pull_request", "parameters": {"allowed_merge_methods": "squash"}}
    box.server.protect(REPO, "main", odd)
    box.server.protect(REPO, "main", odd)
    found = protection.parameters(engine, box.repo, "main", "pull_request") or {}
    assert found["allowed_merge_methods"] == "squash"
    box.server.protect(REPO, "new", "non_fast_forward", "required_linear_history")
    box.alice.post("git/refs", {"ref": "refs/heads/new", "sha": tip})
    tag = refs.RefChange("refs/tags/v1", tip, ZERO_OID)
    refs.update_refs(engine, box.server.user("alice"), box.repo, [tag])
    assert box.alice.get("git/ref/tags/v1")["object"]["sha"] == tip


def test_comments_know_what_they_are_about(box: Box) -> None:
    issue = box.alice.post("issues", {"title": "x"})
    made = box.alice.post(f"issues/{issue['number']}/comments", {"body": "y"})
    assert "/issues/" in made["html_url"]
    long = box.alice.patch(f"issues/{issue['number']}", {"body": "x" * 65_537}, expect=422)
    assert long["errors"][0]["field"] == "body"


def test_errors_have_words_for_both_apis() -> None:
    assert invalid("PullRequest", "body", "too long").texts() == ["too long"]
    assert forbidden("no").texts() == ["no"]
    assert ApiError(422, "Failed", errors=["one", {"code": "invalid"}]).texts() == ["one"]
    assert ApiError(422, "Failed", errors=["one"], texts=["other"]).texts() == ["other"]


def test_a_check_may_be_marked_as_running_by_hand(box: Box) -> None:
    engine, tip = box.server.engine, str(box.tip("main"))
    run = checks.put_check(engine, box.repo, oid=tip, name="ci", conclusion="success")
    checks.update_check_run(engine, box.server.user("bob"), box.repo, run, status="queued")
    assert (run.status, run.conclusion, run.completed_at) == ("queued", None, None)


def test_the_server_is_a_context_manager(tmp_path: Path) -> None:
    with SandboxServer(tmp_path / "own") as server:
        assert server.url.endswith(str(server.port))
        assert server.faults.pending() == []


def test_a_renamed_file_links_to_its_old_name(box: Box) -> None:
    box.alice.clone.git("checkout", "-q", "-b", "moved", "origin/main")
    box.alice.clone.git("mv", "src/code.py", "src/moved.py")
    box.alice.clone.commit("Move", {})
    box.alice.push("moved")
    number = box.alice.open("moved")
    (changed,) = box.alice.get(f"pulls/{number}/files")
    assert (changed["status"], changed["previous_filename"], "patch" in changed) == ("renamed", "src/code.py", False)


def test_rewriting_nothing_on_push_reports_up_to_date(box: Box) -> None:
    box.stack("feature")
    done = subprocess.run(
        ["git", "push", "origin", "feature"], cwd=box.alice.clone.path, capture_output=True, text=True, check=True
    )
    assert "Everything up-to-date" in done.stderr


def test_a_bug_in_a_view_is_a_500_in_json(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "private_user", None)
    answer = box.alice.call("GET", "/user")
    assert (answer.status_code, answer.json()["message"]) == (500, "Internal Server Error")


def test_credentials_that_are_no_base64_are_none() -> None:
    assert credentials("Basic a") is None
    assert credentials("Basic /w==") is None
    assert credentials(None) is None


def test_a_request_git_does_not_understand_keeps_its_status(box: Box) -> None:
    url = f"{box.server.url}/{REPO}.git/git-upload-pack"
    assert requests.post(url, data=b"x", headers={"Content-Type": "text/plain"}, timeout=10).status_code == 415


def test_a_native_stack_whose_base_is_gone_does_not_land(box: Box) -> None:
    box.server.settings(REPO, stacks_enabled=True)
    box.alice.push("origin/main:refs/heads/trunk")
    box.alice.branch("a")
    box.alice.branch("b", "a")
    box.alice.push("a", "b")
    numbers = [box.alice.open("a", "trunk"), box.alice.open("b", "a")]
    box.alice.post("stacks", {"pull_requests": numbers})
    box.alice.push(":trunk")
    key = box.alice.put(f"pulls/{numbers[1]}/merge-async", {}, expect=202)["details"]["uuid"]
    looks = [box.alice.get(f"pulls/{numbers[1]}/merge-async/{key}") for _ in range(2)]
    assert looks[1] == {"status": "failed", "details": {"message": "The base branch was deleted."}}


def test_completing_a_completed_check_again_changes_nothing(box: Box) -> None:
    run = box.bob.post("check-runs", {"name": "ci", "head_sha": box.tip("main"), "conclusion": "success"})
    again = box.bob.patch(f"check-runs/{run['id']}", {"status": "completed"})
    assert (again["status"], again["conclusion"]) == ("completed", "success")


def test_protection_without_checks_or_reviews_shows_neither(box: Box) -> None:
    box.server.protect(REPO, "main", "deletion", classic=True)
    found = box.carol.get("branches/main/protection")
    assert {"required_status_checks", "required_pull_request_reviews"}.isdisjoint(found)


def test_only_methods_of_http_are_taken_for_requests() -> None:
    with pytest.raises(AttributeError):
        Handler.__getattr__(object.__new__(Handler), "nothing")


def test_a_commit_that_a_fork_shares_is_not_fetched(box: Box) -> None:
    box.stack("feature")
    token = box.server.add_user("erin")
    box.dave.session.headers["Authorization"] = f"token {token}"
    box.dave.post("forks", {}, expect=202)
    made = box.dave.post("pulls", {"title": "Same", "head": "erin:feature", "base": "main"})
    assert made["head"]["sha"] == box.tip("feature")
    pulls.close_pull(box.server.engine, box.server.user("erin"), box.pull(made["number"]))
    pulls.close_pull(box.server.engine, box.server.user("erin"), box.pull(made["number"]))
    assert box.events(made["number"]) == ["closed"]
