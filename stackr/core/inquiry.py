"""What has to be asked before failures can be judged: whose checks, which commits to compare with, which logs.

So that requests grow with what failed. Asking is ``stackr.stories.triage``'s, judging ``core.triage``'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from stackr.core.causes import cause_of, job_key
from stackr.core.checks import Check, Evidence, Outcome, PullChecks
from stackr.core.model import Checks, PullRequest, PullState
from stackr.errors import StackrError


class Source(Protocol):
    """Where checks are read. Requests grow with what failed, never with what passed."""

    def read_checks(self, apart: Sequence[str], together: Sequence[str] = ()) -> Mapping[str, tuple[Check, ...]]:
        """Every check on each commit, those of ``apart`` one by one; ``ConfigError`` when they may not be read."""
        ...

    def find_ci(self, commit: str) -> str | None:
        """The nearest of a commit and its first parents, five at most, that has any check."""
        ...

    def merge_base(self, one: str, other: str) -> str:
        """The merge base of two commits or branches."""
        ...

    def read_evidence(self, checks: Sequence[Check]) -> list[Evidence]:
        """What check runs tell of their failure, in order, without logs; ``ConfigError`` when that may not be read."""
        ...

    def read_logs(self, checks: Sequence[Check]) -> list[str | StackrError]:
        """The logs of jobs, in order; ``""`` where there is none, or the problem."""
        ...


def split_heads(pulls: Iterable[PullRequest], *, required: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The heads of pull requests whose checks have to be read: (with something that did not pass, the others).

    Of what passed, only a check that a rule requires could be missing. Where nothing was ever reported, a workflow may
    still wait for an approval.
    """
    pulls = tuple(pulls)
    loud = tuple(pull.head_oid for pull in pulls if pull.checks in (Checks.FAILING, Checks.PENDING))
    quiet = (pull for pull in pulls if pull.checks is Checks.NONE or (required and pull.checks is Checks.PASSING))
    return loud, tuple(pull.head_oid for pull in quiet)


def stack_below(pull: PullRequest, others: Iterable[PullRequest]) -> tuple[PullRequest, ...]:
    """The open pull requests that one builds on, as far as they are among ``others``, and itself; bottom first."""
    by_head = {other.head_ref: other for other in others if other.state is PullState.OPEN}
    by_head.pop(pull.head_ref, None)
    line = [pull]
    while (below := by_head.pop(line[0].base_ref, None)) is not None:
        line.insert(0, below)
    return tuple(line)


def newest_runs(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks without those of older runs of the same workflow for the same event.

    GitHub lists the jobs of every run on a commit, though one that was started again (a label, a reopened pull request)
    makes the one before meaningless. Jobs of one run may share a name: all of them stay.
    """
    checks = tuple(checks)
    newest: dict[tuple[str, str], int] = {}
    for check in checks:
        if check.run_id is not None:
            key = (check.name, check.event)
            newest[key] = max(newest.get(key, 0), check.run_id)
    return tuple(c for c in checks if c.run_id is None or c.run_id == newest[c.name, c.event])


def has_failures(checks: Iterable[Check]) -> bool:
    """Whether there is anything to compare with trunk."""
    return any(check.outcome.is_bad for check in checks)


def list_unexplained(pulls: Sequence[PullChecks]) -> tuple[Check, ...]:
    """The check runs whose evidence matters, each once, bottom first.

    What ended badly on a pull request, and behind each the same job where it failed at the commit to compare with.
    """
    found: dict[str, Check] = {}
    for pull in pulls:
        for check in pull.checks:
            if check.outcome.is_bad:
                found |= {each.node_id: each for each in (check, *_counterparts(check, pull)) if each.node_id}
    return tuple(found.values())


def _counterparts(check: Check, pull: PullChecks) -> Iterator[Check]:
    if check.outcome is Outcome.FAILED:
        key = job_key(check.name)
        at_base = pull.baseline.checks
        yield from (other for other in at_base if other.outcome is Outcome.FAILED and job_key(other.name) == key)


def list_silent(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Those failed jobs whose log may say more than GitHub has noted beside them."""
    jobs = (check for check in checks if check.outcome is Outcome.FAILED and check.job_id is not None)
    return tuple(job for job in jobs if cause_of(job).generic)


def with_evidence(pulls: Iterable[PullChecks], known: Mapping[str, Evidence]) -> tuple[PullChecks, ...]:
    """The pull requests with what was found out since, by the node id of the check run."""

    def told(checks: Iterable[Check]) -> tuple[Check, ...]:
        return tuple(replace(c, evidence=known[c.node_id]) if c.node_id in known else c for c in checks)

    return tuple(
        replace(pull, checks=told(pull.checks), baseline=replace(pull.baseline, checks=told(pull.baseline.checks)))
        for pull in pulls
    )
