"""A job of GitHub Actions: what its environment and its event say of the pull request."""

from __future__ import annotations

from typing import Any

import pytest

from stackr.core.job import Base, Head, Job, read_job

OID = "7866d11" + "0" * 33
BASE = {"ref": "main", "sha": OID, "repo": {"default_branch": "main"}}
ENV = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/app", "GITHUB_SHA": OID}


def job(event: Any = None, **env: str) -> Job:
    found = read_job({**ENV, **env}, event)
    assert found is not None
    return found


def pull(number: int = 12, repo: str = "acme/app") -> dict[str, Any]:
    return {"number": number, "base": BASE, "head": {"repo": {"full_name": repo}}}


def test_outside_of_github_actions_there_is_no_job() -> None:
    for env in ({}, {"GITHUB_REPOSITORY": "acme/app"}, {"GITHUB_ACTIONS": "true"}):
        assert read_job(env, None) is None


def test_the_addresses_are_those_of_the_environment() -> None:
    assert job() == Job("acme/app", "https://github.com", "", "", None, None, None, False, "")
    env = {
        "SERVER_URL": "https://ghe",
        "API_URL": "https://ghe/api/v3",
        "GRAPHQL_URL": "https://x",
        "STEP_SUMMARY": "/s",
    }
    found = job(**{f"GITHUB_{name}": value for name, value in env.items()})
    assert (found.server, found.rest, found.graphql, found.summary) == tuple(env.values())


@pytest.mark.parametrize(
    ("event", "ref", "number"),
    [
        ({"pull_request": pull(12)}, "", 12),
        ({"issue": {"number": 12, "pull_request": {}}}, "refs/heads/main", None),
        ({"issue": {"number": 12, "pull_request": {"url": "x"}}}, "refs/heads/main", 12),
        ({"issue": {"number": 12}}, "refs/heads/main", None),
        (None, "refs/pull/12/merge", 12),
        ({"pull_request": "x"}, "refs/pull/12/head", 12),
        (["x"], "refs/pull/x/merge", None),
        (None, "refs/tags/v1", None),
    ],
)
def test_the_number_comes_from_the_event_or_the_ref(event: Any, ref: str, number: int | None) -> None:
    assert job(event, GITHUB_REF=ref).pull == number


def test_the_base_and_whether_the_code_is_a_forks_come_with_the_pull_request() -> None:
    ours, theirs = job({"pull_request": pull()}), job({"pull_request": pull(repo="eve/app")})
    assert (ours.base, ours.is_fork, theirs.is_fork) == (Base("main", OID, is_trunk=True), False, True)
    below = {"pull_request": {"base": {"ref": "stackr/alice/1", "sha": OID, "repo": {"default_branch": "main"}}}}
    assert job(below).base == Base("stackr/alice/1", OID, is_trunk=False)


def test_after_a_push_the_branch_and_its_commit_tell() -> None:
    assert job(GITHUB_REF="refs/heads/stackr/alice/1").head == Head("acme:stackr/alice/1", OID)
    assert [job(GITHUB_REF=ref).head for ref in ("refs/tags/v1", "", "refs/heads/")] == [None] * 3
    assert job(GITHUB_REF="refs/heads/x", GITHUB_SHA="").head is None


def test_after_another_workflow_its_own_branch_and_commit_tell_and_nothing_else() -> None:
    run = {
        "head_branch": "topic",
        "head_sha": OID,
        "head_repository": {"owner": {"login": "eve"}},
        "pull_requests": [{"number": 666}],
    }
    found = job({"workflow_run": run}, GITHUB_REF="refs/heads/main")
    assert (found.pull, found.head) == (None, Head("eve:topic", OID))
    assert job({"workflow_run": {"head_branch": "topic"}}, GITHUB_REF="refs/pull/1/merge").head is None
