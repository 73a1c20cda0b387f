"""Reading checks: those on commits, the evidence of why some failed, logs, and what to compare with.

Texts are in ``check_queries``, the meaning of the answers in ``check_facts``; what it all means for a pull request is
decided in ``core.triage``. Requests grow with what failed, never with what passed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from stackr.core.checks import Check, Evidence
from stackr.core.inquiry import newest_runs
from stackr.errors import ConfigError, StackrError
from stackr.github import check_queries as queries
from stackr.github.check_facts import checks_from, contexts_of, evidence_from, held_back, passed_in_another_attempt
from stackr.github.failures import Rejected
from stackr.github.graphql import Answer, GraphQL, Query
from stackr.github.http import Http, Reply
from stackr.github.together import persist, value
from stackr.records import dataclass

_ANYTHING = "*/*"
_NOT_THERE = 404


@dataclass(frozen=True, slots=True)
class _Page:
    """Commits to ask for in one query; ``after`` goes on with a single one."""

    commits: tuple[str, ...]
    after: str | None = None


class CheckReader:
    """Reads the checks of one repository. What a job that failed has left behind does not change: it is read once."""

    def __init__(self, http: Http) -> None:
        self._http = http
        self._graph = GraphQL(http)
        self._evidence: dict[str, Evidence] = {}
        self._logs: dict[str, str] = {}
        self._here = {"owner": http.host.owner, "name": http.host.name}

    def read_checks(self, apart: Sequence[str], together: Sequence[str] = ()) -> dict[str, tuple[Check, ...]]:
        """Every check on each commit; one query for each of ``apart``, one for ten of ``together``, pages followed.

        A commit that GitHub does not have has no checks. Raises ConfigError when the token may not read checks; those
        of which it may not read are hidden.
        """
        size = queries.QUIET_A_QUERY
        pages = [_Page((commit,)) for commit in dict.fromkeys(apart)]
        pages += [_Page(tuple(together[at : at + size])) for at in range(0, len(together), size)]
        found: dict[str, list[Check]] = {commit: [] for page in pages for commit in page.commits}
        while pages:
            answers = self._graph.ask_all([self._checks_query(page) for page in pages])
            further = [self._take(page, value(answer), found) for page, answer in zip(pages, answers, strict=True)]
            pages = [page for more in further for page in more]
        return {commit: newest_runs(checks) for commit, checks in found.items()}

    def find_ci(self, commit: str) -> str | None:
        """The nearest of a commit and its first parents, five at most, that has any check; one request."""
        answer = self._graph.ask(Query(queries.ancestry_query(), {**self._here, "oid": commit}))
        node = self._repository(answer)["object"]
        while node:
            if node["statusCheckRollup"]:
                return str(node["oid"])
            node = next(iter((node.get("parents") or {}).get("nodes") or ()), None)
        return None

    def merge_base(self, one: str, other: str) -> str:
        """The merge base of two commits or branches; one request, and none of the files in between are listed.

        https://docs.github.com/en/rest/commits/commits#compare-two-commits
        """
        path = self._path(f"/compare/{quote(one, safe='')}...{quote(other, safe='')}")
        # Files stand on the first page only.
        return str(self._http.rest("GET", path, params={"per_page": 1, "page": 2}).data["merge_base_commit"]["sha"])

    def read_evidence(self, checks: Sequence[Check]) -> list[Evidence]:
        """What check runs tell of their failure, in order, without logs; twenty a query.

        Where a run of the same name passed beside one, GitHub Actions is asked whether that was another attempt. What
        the token may not read is left out. Raises when nothing could be read.
        """
        self._learn([check for check in checks if check.node_id not in self._evidence])
        return [self._evidence[check.node_id] for check in checks]

    def read_logs(self, checks: Sequence[Check]) -> list[str | StackrError]:
        """The logs of jobs of GitHub Actions, in order, a few at a time; ``""`` where there is none, or the problem.

        GitHub answers with a redirect to where logs lie, which is followed without the token.
        https://docs.github.com/en/rest/actions/workflow-jobs#download-job-logs-for-a-workflow-run
        """
        unread = [check for check in checks if check.node_id not in self._logs]
        urls = [f"{self._http.host.rest}{self._path(f'/actions/jobs/{check.job_id}/logs')}" for check in unread]
        tasks = [partial(self._http.send, "GET", url, accept=_ANYTHING) for url in urls]
        outcomes = [_log(outcome) for outcome in persist(tasks, self._http.patience())]
        found = {check.node_id: outcome for check, outcome in zip(unread, outcomes, strict=True)}
        # What is not there yet may still come.
        self._logs |= {node_id: log for node_id, log in found.items() if isinstance(log, str) and log}
        return [found[check.node_id] if check.node_id in found else self._logs[check.node_id] for check in checks]

    def _checks_query(self, page: _Page) -> Query:
        variables: dict[str, Any] = {**self._here, "after": page.after}
        variables |= {f"c{i}": commit for i, commit in enumerate(page.commits)}
        return Query(queries.commit_checks_query(len(page.commits)), variables)

    def _take(self, page: _Page, answer: Answer, found: dict[str, list[Check]]) -> list[_Page]:
        """Put the checks of an answer where they belong; the pages still to come."""
        repository, further = self._repository(answer), []
        for i, commit in enumerate(page.commits):
            node = repository.get(f"c{i}") or {}
            found[commit] += checks_from(node) if page.after else [*checks_from(node), *held_back(node)]
            info = contexts_of(node).get("pageInfo") or {}
            if info.get("hasNextPage"):
                further.append(_Page((commit,), info["endCursor"]))
        return further

    def _repository(self, answer: Answer) -> Mapping[str, Any]:
        problems = [problem for problem in answer.problems if "contexts" not in problem.path]
        if problems:
            raise self._graph.error(problems, answer.headers, "checks could not be read")
        repository: Mapping[str, Any] = answer.data["repository"]
        return repository

    def _evidence_query(self, checks: Sequence[Check]) -> Query:
        variables = {f"j{i}": check.node_id for i, check in enumerate(checks)}
        variables |= {f"n{i}": check.context for i, check in enumerate(checks)}
        return Query(queries.evidence_query(len(checks)), variables)

    def _learn(self, checks: Sequence[Check]) -> None:
        size = queries.JOBS_A_QUERY
        chunks = [checks[at : at + size] for at in range(0, len(checks), size)]
        answers = self._graph.ask_all([self._evidence_query(chunk) for chunk in chunks])
        told = [
            each
            for chunk, answer in zip(chunks, answers, strict=True)
            for each in self._told(value(answer), len(chunk))
        ]
        attempts = self._attempts([check for check, (_, passed) in zip(checks, told, strict=True) if passed])
        self._evidence |= {
            check.node_id: replace(evidence, passed_before=_passed_before(check, attempts))
            for check, (evidence, _) in zip(checks, told, strict=True)
        }

    def _told(self, answer: Answer, count: int) -> list[tuple[Evidence, bool]]:
        nodes = [answer.data.get(f"j{i}") for i in range(count)]
        if answer.problems and not any(nodes):
            raise self._graph.error(answer.problems, answer.headers, "what failed checks say could not be read")
        return [evidence_from(node) for node in nodes]

    def _attempts(self, checks: Sequence[Check]) -> dict[int, list[Any]]:
        """The jobs of all attempts by workflow run; none where the token may not read them, which proves nothing."""
        runs = {check.run_id for check in checks if check.run_id is not None}
        found: dict[int, list[Any]] = {}
        for run in sorted(runs):
            with suppress(ConfigError, Rejected):
                path = self._path(f"/actions/runs/{run}/jobs")
                found[run] = list(self._http.get_pages(path, {"filter": "all"}, "jobs"))
        return found

    def _path(self, rest: str) -> str:
        return f"/repos/{self._here['owner']}/{self._here['name']}{rest}"


def _passed_before(check: Check, attempts: Mapping[int, list[Any]]) -> bool:
    jobs = attempts.get(check.run_id, []) if check.run_id is not None else []
    return passed_in_another_attempt(check.job_id, jobs)


def _log(outcome: Reply | StackrError) -> str | StackrError:
    if isinstance(outcome, Reply):
        return outcome.content.decode("utf-8", "replace")
    return "" if isinstance(outcome, Rejected) and outcome.status == _NOT_THERE else outcome
