"""Cloning, fetching and pushing over smart HTTP, and who may."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pytest
import requests

from tests.support.git import GitRepo, git
from tests.support.sandbox import REPO, Box


def _fails(cwd: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=cwd, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0
    return done.stderr


def test_a_public_repository_is_cloned_without_a_token(box: Box, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", f"{box.server.url}/{REPO}", "with-no-suffix")
    assert GitRepo(tmp_path / "with-no-suffix").oid() == box.tip("main")


def test_a_private_one_asks_and_is_not_found_for_strangers(box: Box, tmp_path: Path) -> None:
    box.server.settings(REPO, private=True)
    stranger = box.server.add_user("stranger")
    assert "could not read Username" in _fails(tmp_path, "clone", f"{box.server.url}/{REPO}.git")
    assert "not found" in _fails(tmp_path, "clone", box.server.clone_url(REPO, stranger))
    git(tmp_path, "clone", "-q", box.server.clone_url(REPO, box.dave.token), "dave")


def test_a_wrong_token_is_asked_again_and_an_expired_one_too(box: Box, tmp_path: Path) -> None:
    box.server.settings(REPO, private=True)  # git shows its token only when asked
    expired = box.server.add_user("eve", "expired-token", expired=True)
    for token in ("nonsense", expired):
        assert "Authentication failed" in _fails(tmp_path, "clone", box.server.clone_url(REPO, token))


def test_pushing_needs_a_token_and_the_right_to_write(box: Box) -> None:
    box.dave.branch("feature")
    said = box.dave.refused("origin", "feature")
    assert "The requested URL returned error: 403" in said
    box.dave.clone.git("remote", "set-url", "origin", f"{box.server.url}/{REPO}.git")
    assert "could not read Username" in box.dave.refused("origin", "feature")
    assert box.tip("feature") is None


def test_the_token_may_also_be_the_user_name(box: Box, tmp_path: Path) -> None:
    url = box.server.clone_url(REPO).replace("://", f"://{box.alice.token}:x-oauth-basic@")
    git(tmp_path, "clone", "-q", url, "clone")


def test_sso_shows_where_to_go(box: Box, tmp_path: Path) -> None:
    token = box.server.add_user("frank", sso_required=True)
    response = requests.get(
        f"{box.server.url}/{REPO}.git/info/refs?service=git-upload-pack", auth=("x", token), timeout=10
    )
    assert response.status_code == 403
    assert f"{box.server.url}/orgs/sso" in response.text


def test_an_archived_repository_takes_no_push(box: Box) -> None:
    box.server.settings(REPO, archived=True)
    box.alice.branch("feature")
    assert "403" in box.alice.refused("origin", "feature")


@pytest.mark.parametrize("version", ["0", "1", "2"])
def test_every_protocol_version_works(box: Box, tmp_path: Path, version: str) -> None:
    url = box.server.clone_url(REPO, box.alice.token)
    git(tmp_path, "-c", f"protocol.version={version}", "clone", "-q", url, "clone")
    clone = GitRepo(tmp_path / "clone")
    clone.commit("More")
    clone.git("-c", f"protocol.version={version}", "push", "-q", "origin", "main")
    assert box.tip("main") == clone.oid()


def test_shallow_and_blobless_clones_work(box: Box, tmp_path: Path) -> None:
    url = box.server.clone_url(REPO, box.alice.token)
    git(tmp_path, "clone", "-q", "--depth=1", url, "shallow")
    assert GitRepo(tmp_path / "shallow").git("rev-list", "--count", "HEAD") == "1"
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", url, "blobless")
    missing = GitRepo(tmp_path / "blobless").git("rev-list", "--objects", "--missing=print", "HEAD")
    assert "?" in missing


def test_a_big_push_arrives_in_chunks(box: Box) -> None:
    text = "".join(f"{n * 7919 % 100_003:x}\n" for n in range(200_000))
    box.alice.branch("big", files={"big.txt": text})
    box.alice.clone.git("-c", "http.postBuffer=1000", "push", "-q", "origin", "big")
    assert box.tip("big") == box.alice.clone.oid()


def test_a_compressed_negotiation_is_understood(box: Box) -> None:
    body = gzip.compress(b"0014command=ls-refs\n0000")
    response = requests.post(
        f"{box.server.url}/{REPO}.git/git-upload-pack",
        data=body,
        headers={
            "Content-Encoding": "gzip",
            "Content-Type": "application/x-git-upload-pack-request",
            "Git-Protocol": "version=2",
        },
        timeout=10,
    )
    assert f"{box.tip('main')} refs/heads/main" in response.text


def test_refs_of_pull_requests_cannot_be_pushed(box: Box) -> None:
    (number,) = box.stack("feature")
    said = box.alice.refused("origin", f"+origin/main:refs/pull/{number}/head")
    assert "deny updating a hidden ref" in said


def test_an_atomic_push_is_all_or_nothing(box: Box) -> None:
    box.alice.branch("one")
    box.alice.branch("two")
    box.alice.push("two")
    box.bob.clone.git("fetch", "-q", "origin")
    box.bob.branch("two", "origin/two")
    box.bob.push("two")
    box.alice.clone.commit("Late")
    said = box.alice.refused("--atomic", "origin", "one", "two")
    assert "atomic" in said
    assert box.tip("one") is None


def test_a_lease_is_kept(box: Box) -> None:
    (_,) = box.stack("feature")
    old = box.tip("feature")
    box.bob.clone.git("fetch", "-q", "origin")
    box.bob.branch("feature", "origin/feature")
    box.bob.push("feature")
    box.alice.clone.commit("Amended", amend=True)
    said = box.alice.refused(f"--force-with-lease=feature:{old}", "origin", "feature")
    assert "stale info" in said


def test_git_without_smart_http_is_sent_away(box: Box) -> None:
    response = requests.get(f"{box.server.url}/{REPO}.git/info/refs", timeout=10)
    assert (response.status_code, response.text) == (403, "Please upgrade your git client.\n")


def test_the_log_tells_pushes_from_fetches(box: Box) -> None:
    clone = box.alice.clone
    box.server.log.clear()
    clone.git("fetch", "-q", "origin")
    box.alice.branch("feature")
    box.alice.push("feature")
    counts = box.server.log.counts()
    assert (counts["pushes"], counts["fetches"]) == (1, 1)
    (push,) = box.server.log.pushes()
    assert push.user == "alice"
    assert push.refs == [
        {"name": "refs/heads/feature", "old": "0" * 40, "new": clone.oid(), "forced": "no"},
    ]
    assert [entry["service"] for entry in box.server.log.as_json()][-1] == "receive-pack"


def test_a_fork_has_pull_requests_into_its_parent(box: Box, tmp_path: Path) -> None:
    erin_token = box.server.add_user("erin")
    box.dave.session.headers["Authorization"] = f"token {erin_token}"
    fork = box.dave.post("forks", {}, expect=202)
    assert (fork["full_name"], fork["parent"]["full_name"]) == ("erin/widgets", REPO)
    git(tmp_path, "clone", "-q", box.server.clone_url("erin/widgets", erin_token), "erin")
    clone = GitRepo(tmp_path / "erin")
    clone.git("checkout", "-q", "-b", "patch")
    clone.commit("Patch")
    clone.git("push", "-q", "origin", "patch")
    made = box.dave.post("pulls", {"title": "Patch", "head": "erin:patch", "base": "main"})
    assert (made["head"]["label"], made["head"]["repo"]["fork"]) == ("erin:patch", True)
    tip = clone.commit("More")
    clone.git("push", "-q", "origin", "patch")
    assert box.alice.get(f"pulls/{made['number']}")["head"]["sha"] == tip
    box.alice.put(f"pulls/{made['number']}/merge")
    assert box.tip("main") != tip
    assert box.state(made["number"]) == "merged"
