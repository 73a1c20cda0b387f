"""Whose failure is it? The classes of failed checks, for every pull request of a stack.

Described for users in docs/guide/ci-and-benchmarks.md.

The first class that fits wins, in the order of ``Kind``. What is read to know it is in ``core.checks``, how causes are
told and compared in ``core.causes``; how verdicts are shown in ``stackr.ui.triage_view`` and ``core.ci_report``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any

from stackr.core.causes import Cause, cause_of, job_key
from stackr.core.checks import Check, Outcome, PullChecks
from stackr.core.rules import Sev
from stackr.patterns import pattern
from stackr.records import dataclass


class Kind(str, Enum):
    """The classes, in the order in which they are tried; the first three are no failures, or not yet."""

    PENDING = "pending"
    AWAITING = "awaiting-approval"
    MISSING = "missing"
    UNSTABLE = "unstable"
    BROKEN_TRUNK = "broken-trunk"
    INHERITED = "inherited"
    FLAKY = "flaky"
    INFRA = "infra"
    CANCELLED = "cancelled"
    UNCLASSIFIED = "unclassified"
    NEW = "new"

    @property
    def is_waiting(self) -> bool:
        """Whether nothing has failed yet."""
        return self in (Kind.PENDING, Kind.AWAITING, Kind.MISSING)


_WAIVABLE = frozenset({Kind.UNSTABLE, Kind.BROKEN_TRUNK, Kind.FLAKY, Kind.INFRA})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be thought of one check that did not pass.

    ``cause`` is one raw line (``""``: not known). ``uncertain``: the class rests on a cause that proves nothing, so it
    is written with a question mark and never waived. ``blamed`` is the pull request that an inherited failure came
    with. ``waivable``: the change is certainly not to blame; of an inherited failure, that the blamed one is waived.
    ``required``: trunk's rules ask for this check.
    """

    job: str
    kind: Kind
    cause: str = ""
    link: str = ""
    uncertain: bool = False
    blamed: int | None = None
    waivable: bool = False
    required: bool = False

    @property
    def label(self) -> str:
        """The class as people read it: ``BROKEN TRUNK?``, ``INHERITED #12``."""
        words = self.kind.value.replace("-", " ").upper() + ("?" if self.uncertain else "")
        return f"{words} #{self.blamed}" if self.blamed is not None else words


@dataclass(frozen=True, slots=True)
class CiRules:
    """The table ``[ci]`` of the configuration: patterns as fnmatch(3) has them, compared without case.

    ``unstable`` names jobs; ``flaky`` and ``infra`` name jobs, or causes (all of a failure's causes must match).
    """

    unstable: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    infra: tuple[str, ...] = ()

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> CiRules:
        """The rules of a table that ``stackr.settings`` has checked."""
        return cls(**{key: tuple(patterns) for key, patterns in table.items()})


NO_RULES = CiRules()


def classify(
    pulls: Sequence[PullChecks], required: Iterable[str] = (), rules: CiRules = NO_RULES
) -> dict[int, tuple[Verdict, ...]]:
    """The verdicts of every pull request of a stack by number, sorted by job; ``pulls`` bottom first.

    ``required`` are the contexts that trunk's rules ask for. Checks that passed or were skipped have no verdict.
    """
    judge = _Judge(pulls, frozenset(required), rules)
    return {pull.number: judge.verdicts(index) for index, pull in enumerate(pulls)}


@dataclass(frozen=True, slots=True)
class Triage:
    """What a look at the checks of a stack found: ``pulls`` bottom first, ``verdicts`` by pull request number.

    ``notes`` say what could not be found out.
    """

    pulls: tuple[PullChecks, ...]
    verdicts: Mapping[int, tuple[Verdict, ...]]
    sevs: tuple[Sev, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """As ``exit_code`` of all verdicts; not 0 where checks cannot be read, since not all is known then."""
        code = exit_code(verdict for verdicts in self.verdicts.values() for verdict in verdicts)
        return code if code or all(pull.readable for pull in self.pulls) else 2


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """0: nothing, or only what may be waived; 1: something failed; 2: nothing failed, but not all is there yet."""
    left = [verdict.kind.is_waiting for verdict in verdicts if not verdict.waivable]
    if not left:
        return 0
    return 2 if all(left) else 1


@dataclass(frozen=True, slots=True)
class _Failure:
    """A check that ended badly, with what it is compared by."""

    check: Check
    key: str
    cause: Cause


class _Judge:
    """Judges the pull requests of one stack, bottom first: an upper one inherits from those judged before."""

    def __init__(self, pulls: Sequence[PullChecks], required: frozenset[str], rules: CiRules) -> None:
        self._pulls = pulls
        self._required = required
        self._rules = rules
        self._failures = [_failures(pull.checks) for pull in pulls]
        self._baselines = [_failures(pull.baseline.checks) for pull in pulls]
        self._known: list[dict[Check, Verdict]] = []

    def verdicts(self, index: int) -> tuple[Verdict, ...]:
        """Those of the pull request at ``index``; to be called in order."""
        pull = self._pulls[index]
        judged = {failure.check: self._failed(index, failure) for failure in self._failures[index]}
        self._known.append(judged)
        found = [*judged.values(), *self._unfinished(pull), *self._missing(pull)]
        return tuple(sorted(found, key=lambda verdict: (verdict.job.casefold(), verdict.job)))

    def _unfinished(self, pull: PullChecks) -> Iterator[Verdict]:
        kinds = {Outcome.PENDING: Kind.PENDING, Outcome.AWAITING: Kind.AWAITING}
        for check in pull.checks:
            if check.outcome in kinds:
                yield self._verdict(check, kinds[check.outcome])

    def _missing(self, pull: PullChecks) -> Iterator[Verdict]:
        """Required checks that were never created: nothing on GitHub's page is red, they are just not there."""
        if pull.readable:
            present = {check.context for check in pull.checks}
            for context in self._required - present:
                yield Verdict(context, Kind.MISSING, required=True)

    def _failed(self, index: int, failure: _Failure) -> Verdict:
        check, cause = failure.check, failure.cause.text
        if self._is_unstable(check):
            return self._verdict(check, Kind.UNSTABLE, cause)
        if not _is_without_runner(check):
            if _matches(failure, self._baselines[index]):
                return self._verdict(check, Kind.BROKEN_TRUNK, cause, uncertain=failure.cause.generic)
            if (blamed := self._blamed(index, failure)) is not None:
                return self._inherited(failure, *blamed)
        if check.evidence.passed_before or self._is_named(failure, self._rules.flaky):
            return self._verdict(check, Kind.FLAKY, cause)
        if _is_without_runner(check) or _is_without_trace(failure) or self._is_named(failure, self._rules.infra):
            return self._verdict(check, Kind.INFRA, cause)
        if check.outcome is Outcome.CANCELLED:
            return self._verdict(check, Kind.CANCELLED, cause)
        return self._verdict(check, Kind.NEW if _ran(self._pulls[index], failure.key) else Kind.UNCLASSIFIED, cause)

    def _verdict(self, check: Check, kind: Kind, cause: str = "", *, uncertain: bool = False) -> Verdict:
        return Verdict(
            check.name,
            kind,
            cause,
            check.link,
            uncertain,
            waivable=kind in _WAIVABLE and not uncertain,
            required=check.context in self._required,
        )

    def _blamed(self, index: int, failure: _Failure) -> tuple[int, Verdict] | None:
        """The lowest pull request below with the same failure, and what was said of it there."""
        for below in range(index):
            match = _matches(failure, self._failures[below])
            if match is not None:
                return self._pulls[below].number, self._known[below][match.check]
        return None

    def _inherited(self, failure: _Failure, number: int, blamed: Verdict) -> Verdict:
        uncertain = failure.cause.generic
        found = self._verdict(failure.check, Kind.INHERITED, failure.cause.text, uncertain=uncertain)
        return replace(found, blamed=number, waivable=blamed.waivable and not uncertain)

    def _is_unstable(self, check: Check) -> bool:
        return _SAYS_UNSTABLE.search(check.name) is not None or _is_like(check.name, self._rules.unstable)

    @staticmethod
    def _is_named(failure: _Failure, patterns: Sequence[str]) -> bool:
        lines = failure.cause.lines
        return _is_like(failure.check.name, patterns) or (
            bool(lines) and all(_is_like(line, patterns) for line in lines)
        )


# As in "build (unstable)"; "unstable_ops" and "unstable-features" name what is tested.
_SAYS_UNSTABLE = pattern(r"(?<!\w)unstable(?![\w-])", re.IGNORECASE)
# GitHub's annotations: no machine was to be had (the job ends as cancelled after some minutes), or it went away.
_NO_RUNNER = pattern(r"The job was not acquired by Runner\b")
_LOST_RUNNER = pattern(r"\blost communication with the server\b|The hosted runner encountered an error\b")


def _failures(checks: Sequence[Check]) -> tuple[_Failure, ...]:
    return tuple(_Failure(check, job_key(check.name), cause_of(check)) for check in checks if check.outcome.is_bad)


def _matches(failure: _Failure, others: Sequence[_Failure]) -> _Failure | None:
    """The same job with the same cause among ``others``; being cancelled is no cause."""
    if failure.check.outcome is not Outcome.FAILED:
        return None
    same = (other for other in others if other.key == failure.key and other.check.outcome is Outcome.FAILED)
    return next((other for other in same if failure.cause.is_explained_by(other.cause)), None)


def _is_without_runner(check: Check) -> bool:
    """No machine took the job. A step that failed had one, whatever its output says."""
    return check.evidence.failing_step is False and any(map(_NO_RUNNER.search, check.evidence.annotations))


def _is_without_trace(failure: _Failure) -> bool:
    """It failed without a log and without a failing step: the machine went away, or never did anything.

    Not if GitHub says why: a job whose definition is wrong leaves no trace either.
    """
    check, cause = failure.check, failure.cause
    no_trace = check.outcome is Outcome.FAILED and check.evidence.failing_step is False and check.evidence.log == ""
    return no_trace and (cause.generic or all(map(_LOST_RUNNER.search, cause.lines)))


def _ran(pull: PullChecks, key: str) -> bool:
    """Whether the job came to an end at the commit that is compared with."""
    ended = (Outcome.PASSED, Outcome.FAILED)
    return any(job_key(check.name) == key and check.outcome in ended for check in pull.baseline.checks)


def _is_like(text: str, patterns: Sequence[str]) -> bool:
    folded = text.casefold()
    return any(fnmatchcase(folded, pattern.casefold()) for pattern in patterns)
