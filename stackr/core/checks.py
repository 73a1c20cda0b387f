"""What CI says of commits, as facts: checks, the evidence of why one failed, and the commit they are compared with.

A *check* is a check run or a commit status; the name that people know it by is that of its workflow and its job. Filled
in by ``stackr.github`` and ``stackr.stories.triage``; judged in ``core.triage``, read for causes in ``core.causes``.
"""

from __future__ import annotations

from enum import Enum

from stackr.records import dataclass


class Outcome(str, Enum):
    """How a check ended, or that it has not; ``HIDDEN``: there is one that the token may not read."""

    PASSED = "passed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    PENDING = "pending"
    AWAITING = "awaiting"
    HIDDEN = "hidden"

    @property
    def is_bad(self) -> bool:
        """Whether somebody wants to know why."""
        return self in (Outcome.FAILED, Outcome.CANCELLED)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a check failed, raw, as far as it was asked for and may be read.

    ``annotations`` are the messages of level failure, in order. ``log`` is the job's log; ``""``: GitHub has none;
    ``None``: it was not read. ``failing_step`` is ``None`` where the steps are not known. ``passed_before``: the same
    job passed in another attempt on this very commit.
    """

    annotations: tuple[str, ...] = ()
    log: str | None = None
    failing_step: bool | None = None
    passed_before: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """One check on one commit.

    ``name`` is what people see (``workflow / job``), ``context`` what a rule calls it. ``node_id`` is that of a check
    run, ``""`` for a commit status; ``job_id`` and ``run_id`` are the numbers of the job and of its workflow's run in
    GitHub Actions (``None``: not its job), ``event`` what started that. ``summary`` is what its author says in a line.
    """

    name: str
    context: str
    outcome: Outcome
    link: str = ""
    node_id: str = ""
    job_id: int | None = None
    run_id: int | None = None
    event: str = ""
    summary: str = ""
    evidence: Evidence = Evidence()


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the failures of a pull request are compared with.

    ``merge_base`` is the merge base of its head with trunk (``""``: not known); ``commit`` is the one whose checks
    these are: the merge base, or the nearest of its first parents with any (``""``: no CI there either).
    """

    merge_base: str = ""
    commit: str = ""
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class PullChecks:
    """The checks on the head of one pull request, as far as they were read: of those that passed nobody need ask.

    ``readable`` is false when the token may not see all of them; ``is_checked`` is true when there are any at all.
    """

    number: int
    head: str
    checks: tuple[Check, ...] = ()
    baseline: Baseline = Baseline()
    readable: bool = True
    is_checked: bool = False
