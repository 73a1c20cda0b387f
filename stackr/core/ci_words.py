"""The classes in words, for terminals and for comments: in which order they are told, how counted, how explained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stackr.core.checks import Baseline, PullChecks
from stackr.core.rules import Sev
from stackr.core.triage import Kind, Verdict
from stackr.records import dataclass

_BAD = frozenset({Kind.NEW, Kind.UNCLASSIFIED, Kind.CANCELLED})

# What most wants attention comes first.
_ORDER = (
    Kind.NEW,
    Kind.UNCLASSIFIED,
    Kind.CANCELLED,
    Kind.INHERITED,
    Kind.BROKEN_TRUNK,
    Kind.FLAKY,
    Kind.INFRA,
    Kind.UNSTABLE,
    Kind.AWAITING,
    Kind.MISSING,
    Kind.PENDING,
)
_COUNTED = {
    Kind.NEW: "New Failure",
    Kind.UNCLASSIFIED: "Unclassified Failure",
    Kind.CANCELLED: "Cancelled Job",
    Kind.INHERITED: "Inherited Failure",
    Kind.BROKEN_TRUNK: "Broken Trunk Failure",
    Kind.FLAKY: "Flaky Failure",
    Kind.INFRA: "Infrastructure Failure",
    Kind.UNSTABLE: "Unstable Failure",
    Kind.AWAITING: "Awaiting Approval",
    Kind.MISSING: "Missing Check",
    Kind.PENDING: "Pending",
}
_HEADINGS = {Kind.NEW: "NEW FAILURES", Kind.CANCELLED: "CANCELLED JOBS", Kind.MISSING: "MISSING CHECKS"}
_EXPLAINED = {
    Kind.NEW: "The following jobs have failed",
    Kind.UNCLASSIFIED: "The following jobs have failed, and did not run at the commit to compare with",
    Kind.CANCELLED: "The following jobs were cancelled",
    Kind.INHERITED: "The following jobs fail in the same way on a pull request below",
    Kind.BROKEN_TRUNK: "The following jobs fail in the same way on trunk",
    Kind.FLAKY: "The following jobs have failed, and are known to pass at times",
    Kind.INFRA: "The following jobs have failed for want of a machine",
    Kind.UNSTABLE: "The following jobs have failed, and are marked as unstable",
    Kind.AWAITING: "The following jobs wait for somebody's approval",
    Kind.MISSING: "The following checks are required, and were never created",
    Kind.PENDING: "The following jobs have not ended",
}
_UNCERTAIN = {
    Kind.INHERITED: "The following jobs fail on a pull request below as well, with a cause that says too little",
    Kind.BROKEN_TRUNK: "The following jobs fail on trunk as well, with a cause that says too little",
}


@dataclass(frozen=True, slots=True)
class Section:
    """One class, or the uncertain part of it, with what belongs to it in the order given."""

    kind: Kind
    uncertain: bool
    verdicts: tuple[Verdict, ...]

    @property
    def heading(self) -> str:
        """The class, in capitals, and whom it blames: ``INHERITED? #12, #14``."""
        words = _HEADINGS.get(self.kind, self.kind.value.replace("-", " ").upper()) + ("?" if self.uncertain else "")
        blamed = sorted({verdict.blamed for verdict in self.verdicts if verdict.blamed is not None})
        return f"{words} {', '.join(f'#{number}' for number in blamed)}".rstrip()

    @property
    def explanation(self) -> str:
        """What it means for a job to be in it; no stop at the end."""
        return _UNCERTAIN[self.kind] if self.uncertain else _EXPLAINED[self.kind]

    @property
    def count(self) -> str:
        """``5 New Failures``; what is uncertain has a question mark."""
        words, number = _COUNTED[self.kind], len(self.verdicts)
        is_plural = number != 1 and self.kind not in (Kind.AWAITING, Kind.PENDING)
        return f"{number} {words}{'s' if is_plural else ''}{'?' if self.uncertain else ''}"

    @property
    def is_bad(self) -> bool:
        """Whether it blames the change itself, or cannot tell that it is not to blame."""
        return self.kind in _BAD or self.uncertain


def sections(verdicts: Iterable[Verdict]) -> tuple[Section, ...]:
    """The verdicts by class, what most wants attention first."""
    groups: dict[tuple[Kind, bool], list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.kind, verdict.uncertain), []).append(verdict)
    order = sorted(groups, key=lambda group: (_ORDER.index(group[0]), not group[1]))
    return tuple(Section(kind, uncertain, tuple(groups[kind, uncertain])) for kind, uncertain in order)


def sign(found: Sequence[Section]) -> str:
    """❌ if anything is new, cancelled or unclassified, or may be; else ⚠️ awaiting or missing, ⏳ pending, ✅."""
    if any(section.is_bad for section in found):
        return "❌"
    kinds = {section.kind for section in found}
    if kinds & {Kind.AWAITING, Kind.MISSING}:
        return "⚠️"
    return "⏳" if Kind.PENDING in kinds else "✅"


def headline(found: Sequence[Section]) -> str:
    """``5 New Failures, 2 Broken Trunk Failures``; where nothing is to blame, that is said first."""
    counts = [section.count for section in found]
    if any(section.is_bad for section in found):
        return ", ".join(counts)
    has_failed = any(not section.kind.is_waiting for section in found)
    return ", ".join(["No New Failures" if has_failed else "No Failures", *counts])


def title(found: Sequence[Section], pulls: Iterable[PullChecks]) -> str:
    """``❌ 5 New Failures``; nothing is claimed of what cannot be read, or was never checked."""
    mark, words, pulls = sign(found), headline(found), tuple(pulls)
    if not all(pull.readable for pull in pulls):
        return f"{'❔' if mark == '✅' else mark} {words if found else 'Checks Cannot Be Read'}"
    return f"{mark} {words if found or any(pull.is_checked for pull in pulls) else 'No Checks'}"


def active_sevs(sevs: Sequence[Sev]) -> str:
    """``❗ 1 Active SEVs``, as Dr. CI has it."""
    return f"❗ {len(sevs)} Active SEVs"


def as_of(pull: PullChecks) -> str:
    """``As of commit 633b83c with merge base 7866d11``; the merge base only where anything was compared with it."""
    return " ".join(part for part in (f"As of commit {pull.head[:7]}", _compared(pull.baseline)) if part)


def _compared(baseline: Baseline) -> str:
    base, commit = baseline.merge_base[:7], baseline.commit[:7]
    if not base:
        return ""
    if not commit:
        return f"with merge base {base} (no CI there, nor at its first parents)"
    if commit != base:
        return f"with merge base {base} (no CI there, so compared with {commit}, its nearest first parent that has any)"
    return f"with merge base {base}"
