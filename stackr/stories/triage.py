"""The story of a triage: what failed on the pull requests of a stack, why, and whether trunk has it too.

Used by ``stackr status --ci``, ``stackr report ci`` and before a landing. What is worth asking is decided in
``core.inquiry``, the classes in ``core.triage``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING

from stackr.core.checks import Baseline, Check, Evidence, Outcome, PullChecks
from stackr.core.inquiry import Source, has_failures, list_silent, list_unexplained, split_heads, with_evidence
from stackr.core.model import Checks, PullRequest, PullState, Stack
from stackr.core.ports import Ui
from stackr.core.rules import LandingFacts
from stackr.core.triage import CiRules, Triage, classify
from stackr.core.words import counted
from stackr.errors import ConfigError, GitHubError, StackrError
from stackr.observe.bases import list_merge_bases
from stackr.records import dataclass

if TYPE_CHECKING:
    from stackr.app import App

DEFAULT_LOGS = 10


@dataclass(frozen=True, slots=True)
class Subject:
    """The open pull requests of a stack, bottom first, the trunk it lands on, and by number known merge bases."""

    pulls: tuple[PullRequest, ...]
    trunk: str
    bases: Mapping[int, str] = field(default_factory=dict)


def subject_of(app: App, stack: Stack) -> Subject:
    """A stack as a subject; merge bases are known without a request."""
    numbers = {
        change.id: change.pull for change in stack.changes if change.pull and change.pull.state is PullState.OPEN
    }
    bases = list_merge_bases(app.repo, stack) if numbers else {}
    return Subject(
        tuple(numbers.values()),
        stack.trunk.name,
        {pull.number: bases[change] for change, pull in numbers.items() if change in bases},
    )


def run(
    reader: Source, ui: Ui, subject: Subject, facts: LandingFacts, rules: CiRules, logs: int = DEFAULT_LOGS
) -> Triage:
    """Read and judge. At most ``logs`` logs are read; what the token may not read is noted, and proves nothing.

    A query for every pull request that has failures and for each different merge base, one for twenty failed jobs.
    """
    inquiry = _Inquiry(reader, ui, subject, facts)
    try:
        pulls = inquiry.compared()
    except ConfigError as problem:
        unread = tuple(PullChecks(pull.number, pull.head_oid, readable=False) for pull in subject.pulls)
        return Triage(unread, {}, facts.sevs, (f"checks cannot be read: {problem.message}",))
    pulls = inquiry.explained(pulls, logs)
    return Triage(pulls, classify(pulls, facts.rules.checks, rules), facts.sevs, tuple(inquiry.notes))


class _Inquiry:
    """Asks for one triage; ``notes`` collects what was refused or left out."""

    def __init__(self, reader: Source, ui: Ui, subject: Subject, facts: LandingFacts) -> None:
        self._reader, self._ui, self._subject = reader, ui, subject
        self._required = bool(facts.rules.checks)
        self.notes: list[str] = []

    def compared(self) -> tuple[PullChecks, ...]:
        """The checks of every pull request, those that failed with what to compare them with."""
        self._ui.step("reading checks")
        pulls = self._subject.pulls
        loud, quiet = split_heads(pulls, required=self._required)
        # Merge bases that are known are asked for along with the heads, so that nothing waits for a second round.
        failing = [pull.number for pull in pulls if pull.checks is Checks.FAILING]
        expected = {self._subject.bases[number] for number in failing if number in self._subject.bases}
        checks = self._reader.read_checks([*loud, *sorted(expected)], quiet)
        bases = {p.number: self._merge_base(p) for p in pulls if has_failures(checks.get(p.head_oid, ()))}
        known = {base: self._baseline(base, checks) for base in dict.fromkeys(bases.values())}
        found = [
            self._visible(pull, checks.get(pull.head_oid, ()), known.get(bases.get(pull.number, ""), Baseline()))
            for pull in pulls
        ]
        if hidden := sum(not pull.readable for pull in found):
            self.notes.append(f"not all checks of {counted(hidden, 'pull request')} can be read with this token")
        return tuple(found)

    @staticmethod
    def _visible(pull: PullRequest, checks: Sequence[Check], baseline: Baseline) -> PullChecks:
        visible = tuple(check for check in checks if check.outcome is not Outcome.HIDDEN)
        is_checked = bool(checks) or pull.checks is not Checks.NONE
        readable = len(visible) == len(checks)
        return PullChecks(pull.number, pull.head_oid, visible, baseline, readable, is_checked)

    def _merge_base(self, pull: PullRequest) -> str:
        """``""`` where GitHub does not tell."""
        known = self._subject.bases.get(pull.number)
        if known is not None:
            return known
        with suppress(ConfigError, GitHubError):
            return self._reader.merge_base(self._subject.trunk, pull.head_oid)
        return ""

    def _baseline(self, base: str, known: Mapping[str, Sequence[Check]]) -> Baseline:
        """The checks of a merge base; where there are none, of the nearest first parent that has any."""
        if not base:
            return Baseline()
        checks = tuple(known[base] if base in known else self._reader.read_checks([base])[base])
        if checks:
            return Baseline(base, base, checks)
        commit = self._reader.find_ci(base)
        return Baseline(base, commit, self._reader.read_checks([commit])[commit]) if commit else Baseline(base)

    def explained(self, pulls: tuple[PullChecks, ...], logs: int) -> tuple[PullChecks, ...]:
        """The same, with what failed jobs say, and with at most so many of their logs."""
        wanted = list_unexplained(pulls)
        if not wanted:
            return pulls
        self._ui.step(f"reading why {counted(len(wanted), 'check')} failed")
        known = self._evidence(wanted)
        silent = list_silent(replace(check, evidence=known.get(check.node_id, Evidence())) for check in wanted)
        chosen = silent[:logs]
        if logs and len(silent) > logs:
            left = counted(len(silent) - logs, "log")
            self.notes.append(f"{left} of failed jobs not read (--logs {len(silent)} reads all)")
        return with_evidence(pulls, known | self._logs(chosen))

    def _evidence(self, wanted: Sequence[Check]) -> dict[str, Evidence]:
        try:
            found = self._reader.read_evidence(wanted)
        except ConfigError as problem:
            self.notes.append(f"causes unavailable: {problem.message}")
            return {}
        return {check.node_id: evidence for check, evidence in zip(wanted, found, strict=True)}

    def _logs(self, chosen: Sequence[Check]) -> dict[str, Evidence]:
        if chosen:
            self._ui.step(f"reading {counted(len(chosen), 'log')}")
        outcomes = self._reader.read_logs(chosen)
        problems = [outcome for outcome in outcomes if isinstance(outcome, StackrError)]
        if problems:
            self.notes.append(f"{counted(len(problems), 'cause')} unavailable: {problems[0].message}")
        return {
            check.node_id: replace(check.evidence, log=outcome)
            for check, outcome in zip(chosen, outcomes, strict=True)
            if isinstance(outcome, str)
        }
