"""A job of GitHub Actions, as its environment and its event describe it.

Pure: the environment and the event's JSON come in. Everything is taken from what GitHub itself wrote there, nothing
from files that the code under test could have made, so a workflow may post for a fork's pull request.
https://docs.github.com/en/actions/reference/workflows-and-actions/variables
https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stackr.patterns import pattern
from stackr.records import dataclass

_MERGE_REF = pattern(r"refs/pull/([0-9]+)/(?:merge|head)")


@dataclass(frozen=True, slots=True)
class Head:
    """A head branch as GitHub's list of pull requests filters it (``owner:branch``), and the commit it was at."""

    branch: str
    oid: str


@dataclass(frozen=True, slots=True)
class Base:
    """The branch that a pull request targets, and its commit; ``is_trunk``: it is the repository's default branch."""

    branch: str
    oid: str
    is_trunk: bool


@dataclass(frozen=True, slots=True)
class Job:
    """Where the job runs, and for what. ``rest`` and ``graphql`` are ``""`` where the server's own are meant.

    ``pull`` is the pull request's number, or ``None``; then ``head`` tells by what to find it. ``base`` is known where
    the event tells it. ``is_fork``: the code comes from another repository. ``summary`` is the path of the job summary,
    ``""`` where there is none.
    """

    repository: str
    server: str
    rest: str
    graphql: str
    pull: int | None
    head: Head | None
    base: Base | None
    is_fork: bool
    summary: str


def read_job(env: Mapping[str, str], event: Any) -> Job | None:
    """The job that runs us; ``None`` outside of GitHub Actions. ``event`` is the JSON of ``GITHUB_EVENT_PATH``."""
    repository = env.get("GITHUB_REPOSITORY", "")
    if env.get("GITHUB_ACTIONS") != "true" or not repository:
        return None
    pull = _at(event, "pull_request")
    run = _at(event, "workflow_run")
    return Job(
        repository=repository,
        server=env.get("GITHUB_SERVER_URL") or "https://github.com",
        rest=env.get("GITHUB_API_URL", ""),
        graphql=env.get("GITHUB_GRAPHQL_URL", ""),
        pull=None if run else _number(env, event, pull),
        head=_run_head(run) if run else _pushed_head(env, repository),
        base=_base(pull),
        is_fork=_text(pull, "head", "repo", "full_name") not in ("", repository),
        summary=env.get("GITHUB_STEP_SUMMARY", ""),
    )


def _number(env: Mapping[str, str], event: Any, pull: Any) -> int | None:
    issue = _at(event, "issue")
    for source in (pull, issue if _at(issue, "pull_request") else None):
        number = _at(source, "number")
        if isinstance(number, int):
            return number
    found = _MERGE_REF.fullmatch(env.get("GITHUB_REF", ""))
    return int(found[1]) if found else None


def _run_head(run: Any) -> Head | None:
    """What another workflow ran on. Its own list of pull requests is empty for forks, so it is not used for any.

    https://github.com/orgs/community/discussions/25220
    """
    owner, branch, oid = (
        _text(run, "head_repository", "owner", "login"),
        _text(run, "head_branch"),
        _text(run, "head_sha"),
    )
    return Head(f"{owner}:{branch}", oid) if owner and branch and oid else None


def _pushed_head(env: Mapping[str, str], repository: str) -> Head | None:
    ref, oid = env.get("GITHUB_REF", ""), env.get("GITHUB_SHA", "")
    owner, branch = repository.partition("/")[0], ref.removeprefix("refs/heads/")
    return Head(f"{owner}:{branch}", oid) if branch not in ("", ref) and oid else None


def _base(pull: Any) -> Base | None:
    branch, oid = _text(pull, "base", "ref"), _text(pull, "base", "sha")
    is_trunk = branch == _text(pull, "base", "repo", "default_branch")
    return Base(branch, oid, is_trunk) if branch and oid else None


def _at(data: Any, *path: str) -> Any:
    for key in path:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def _text(data: Any, *path: str) -> str:
    found = _at(data, *path)
    return found if isinstance(found, str) else ""
