"""What checks mean for a landing: which are in the way, and which are put up with.

Not here: whose failure each of them is (``core.triage``).
"""

from __future__ import annotations

from collections.abc import Iterator

from stackr.core.fates import name
from stackr.core.model import Change
from stackr.core.obstacles import Obstacle, Question
from stackr.core.rules import Method
from stackr.core.triage import Kind, Verdict

# More failures than that at once are no accident any more, whatever each of them looks like.
MOST_WAIVED = 10


def list_waived(question: Question) -> tuple[str, ...]:
    """One sentence for every job that failed and does not count, bottom first."""
    return tuple(
        f'{name(change)}: "{job.job}" failed and is waived ({_why(job)})'
        for change, job in _waivable(question)
        if _is_waived(question, change, job)
    )


def failing(question: Question) -> frozenset[tuple[str, str]]:
    """(change id, job) of everything in the group that has failed."""
    return frozenset((c.id, job.job) for c in question.prospect.group for job in question.jobs(c) if _has_failed(job))


def list_red(question: Question, change: Change) -> Iterator[Obstacle]:
    """The jobs of a change that have not passed, and count."""
    for job in question.jobs(change):
        if not _is_waived(question, change, job):
            yield _of_job(question, change, job)


def _of_job(question: Question, change: Change, job: Verdict) -> Obstacle:
    source = question.facts.rules.sources.get("checks", "") if job.required else ""
    trunk = question.prospect.stack.trunk.name
    name, passes = f'"{job.job}"', job.kind is Kind.PENDING
    if job.kind is Kind.MISSING:
        # Workflows that are filtered to trunk begin when the pull request targets it.
        passes = change.pull is not None and change.pull.base_ref != trunk
        rule, text = "check-missing", f"{name} is required and never ran on {(change.remote_head or '')[:7]}"
        todo = f"it may begin once this targets {trunk} (stackr land --wait)" if passes else "let it run on this branch"
    elif job.kind is Kind.AWAITING:
        rule, text, todo = "check-pending", f"{name} waits for somebody to approve its run", f"approve it: {job.link}"
    elif passes:
        rule, text, todo = "check-pending", f"{name} is not through yet", "wait for it (stackr land --wait)"
    else:
        rule, text = "check-failed", f"{name} failed ({_why(job)})"
        todo = "mend it, or run it again (stackr status --ci tells more)"
    return Obstacle(change.id, rule, text, todo, source, forcible=True, passes=passes)


def _has_failed(job: Verdict) -> bool:
    return not job.kind.is_waiting


def _is_waived(question: Question, change: Change, job: Verdict) -> bool:
    """Whether a failure does not count; what GitHub itself requires can only be waived where GitHub is not asked."""
    if not _has_failed(job) or (job.required and question.method is not Method.PUSH):
        return False
    return (change.id, job.job) in question.ignored or (job.waivable and len(_waivable(question)) <= MOST_WAIVED)


def _waivable(question: Question) -> tuple[tuple[Change, Verdict], ...]:
    return tuple((c, job) for c in question.prospect.group for job in question.jobs(c) if job.waivable)


def _why(job: Verdict) -> str:
    return f"{job.label}: {job.cause}" if job.cause else job.label
