"""From GitHub's JSON to the nouns of ``core.checks``. Pure; not here: asking for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from stackr.core.checks import Check, Evidence, Outcome
from stackr.patterns import pattern

# https://docs.github.com/en/graphql/reference/enums#checkconclusionstate; a stale run was given up after two weeks.
_CONCLUSIONS = {
    "SUCCESS": Outcome.PASSED,
    "NEUTRAL": Outcome.PASSED,
    "SKIPPED": Outcome.SKIPPED,
    "CANCELLED": Outcome.CANCELLED,
    "STALE": Outcome.CANCELLED,
    "ACTION_REQUIRED": Outcome.AWAITING,
}
# https://docs.github.com/en/graphql/reference/enums#statusstate
_STATES = {"SUCCESS": Outcome.PASSED, "PENDING": Outcome.PENDING, "EXPECTED": Outcome.PENDING}
_FAILED_STEPS = frozenset({"FAILURE", "TIMED_OUT", "STARTUP_FAILURE"})
_WEB = pattern(r"https?://[^\s<>()\"\x00-\x20]+")


def checks_from(commit: Mapping[str, Any]) -> list[Check]:
    """The check runs and statuses on one page of a commit's; statuses need a permission of their own."""
    nodes = contexts_of(commit).get("nodes") or ()
    return [_check(node) if node else Check("", "", Outcome.HIDDEN) for node in nodes]


def contexts_of(commit: Mapping[str, Any]) -> Mapping[str, Any]:
    """The connection that the checks stand in; empty where nothing was ever reported."""
    contexts: Mapping[str, Any] = (commit.get("statusCheckRollup") or {}).get("contexts") or {}
    return contexts


def held_back(commit: Mapping[str, Any]) -> list[Check]:
    """Workflows that wait for somebody's approval: they have no check runs yet, so no rollup shows them.

    https://docs.github.com/en/actions/how-tos/manage-workflow-runs/approve-runs-from-forks
    """
    suites = ((commit.get("checkSuites") or {}).get("nodes")) or ()
    return [
        Check(suite["workflowRun"]["workflow"]["name"], "", Outcome.AWAITING, suite["url"])
        for suite in suites
        if suite and suite["conclusion"] == "ACTION_REQUIRED" and suite["workflowRun"] and _is_empty(suite)
    ]


def _is_empty(suite: Mapping[str, Any]) -> bool:
    return (suite.get("checkRuns") or {}).get("totalCount") == 0


def _check(node: Mapping[str, Any]) -> Check:
    return _run(node) if node["__typename"] == "CheckRun" else _status(node)


def _run(node: Mapping[str, Any]) -> Check:
    run = (node.get("checkSuite") or {}).get("workflowRun")
    return Check(
        name=f"{run['workflow']['name']} / {node['name']}" if run else node["name"],
        context=node["name"],
        outcome=_outcome(node),
        link=_link(node.get("detailsUrl"), node.get("permalink")),
        node_id=node["id"],
        # A job of GitHub Actions and its check run have one number.
        job_id=node["databaseId"] if run else None,
        run_id=run["databaseId"] if run else None,
        event=run["event"] if run else "",
        summary=node.get("title") or "",
    )


def _outcome(node: Mapping[str, Any]) -> Outcome:
    if node["status"] == "COMPLETED":
        return _CONCLUSIONS.get(node["conclusion"], Outcome.FAILED)
    return Outcome.AWAITING if node["status"] == "WAITING" else Outcome.PENDING


def _status(node: Mapping[str, Any]) -> Check:
    return Check(
        name=node["context"],
        context=node["context"],
        outcome=_STATES.get(node["state"], Outcome.FAILED),
        link=_link(node.get("targetUrl")),
        summary=node.get("description") or "",
    )


def _link(*urls: str | None) -> str:
    """The first that is a web address: whoever sets a status may write anything there."""
    return next((url for url in urls if url and _WEB.fullmatch(url)), "")


def evidence_from(node: Mapping[str, Any] | None) -> tuple[Evidence, bool]:
    """What a check run tells of its failure, and whether a run of its name passed in the same suite."""
    if not node:
        return Evidence(), False
    annotations = (node.get("annotations") or {}).get("nodes") or ()
    steps = node.get("steps")
    evidence = Evidence(
        tuple(_note(each) for each in annotations if each and each["annotationLevel"] == "FAILURE"),
        failing_step=None if steps is None else _has_failed(steps.get("nodes") or ()),
    )
    passed = ((node.get("checkSuite") or {}).get("checkRuns") or {}).get("totalCount") or 0
    return evidence, passed > 0


def _note(annotation: Mapping[str, Any]) -> str:
    title, message = annotation.get("title") or "", annotation.get("message") or ""
    return f"{title}: {message}" if title and message else title or message


def _has_failed(steps: Iterable[Mapping[str, Any] | None]) -> bool:
    return any(step and step["conclusion"] in _FAILED_STEPS for step in steps)


def passed_in_another_attempt(job_id: int | None, jobs: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a job of the same run and name passed in another attempt; ``jobs`` are those of all attempts.

    Two jobs of one attempt may share a name, so the name alone proves nothing.
    https://docs.github.com/en/rest/actions/workflow-jobs#list-jobs-for-a-workflow-run
    """
    all_jobs = list(jobs)
    here = next((job for job in all_jobs if job["id"] == job_id), None)
    return here is not None and any(
        job["name"] == here["name"] and job["conclusion"] == "success" and job["run_attempt"] != here["run_attempt"]
        for job in all_jobs
    )
