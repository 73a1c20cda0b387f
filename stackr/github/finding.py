"""Pull requests by number or by head branch (forks included), for reports, which may be posted without a clone.

By REST, which asks of a job's token no more than commenting needs anyway. Not here: what commands read of their own
stack (``reading``).
"""

from __future__ import annotations

from typing import Any

from stackr.core.job import Base
from stackr.github.http import Http
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """A pull request: the commit its head branch is at, and what it builds on."""

    number: int
    head_oid: str
    base: Base


def read_pull(http: Http, number: int) -> Found:
    """One pull request; raises Rejected (404) if there is none of that number, also if it is an issue's.

    https://docs.github.com/en/rest/pulls/pulls#get-a-pull-request
    """
    return _found(http.rest("GET", f"{_pulls(http)}/{number}").data)


def find_pulls(http: Http, branch: str) -> list[Found]:
    """The open pull requests whose head branch is ``branch`` (``owner:branch``), newest first; one request.

    https://docs.github.com/en/rest/pulls/pulls#list-pull-requests
    """
    return [_found(pull) for pull in http.get_pages(_pulls(http), {"state": "open", "head": branch})]


def _pulls(http: Http) -> str:
    return f"/repos/{http.host.owner}/{http.host.name}/pulls"


def _found(pull: Any) -> Found:
    base = pull["base"]
    return Found(
        pull["number"],
        pull["head"]["sha"],
        Base(base["ref"], base["sha"], is_trunk=base["ref"] == base["repo"]["default_branch"]),
    )
