"""The one line that tells why a check failed, and when two such lines tell of the same thing.

Everything here is text that others wrote: it is cleaned of what could steer a terminal, and goes through
``core.untrusted`` once more where it is posted. What the causes decide is ``core.triage``'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stackr.core.checks import Check
from stackr.core.untrusted import clean
from stackr.patterns import pattern
from stackr.records import dataclass

_LONGEST = 300
"""Characters of a cause that are shown."""
_LONGEST_LINE = 4_000
"""Characters of a line that are looked at: nobody needs more, and who writes logs may try to keep us busy."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a check failed: raw lines, one for each failing test, and ``keys``, what they amount to when compared.

    ``generic``: they say no more than that something failed, so they prove nothing.
    """

    lines: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()
    generic: bool = True

    @property
    def text(self) -> str:
        """The last line, and how many more there are; ``""`` when nothing is known."""
        if not self.lines:
            return ""
        last, others = self.lines[-1], len(self.lines) - 1
        shown = last if len(last) <= _LONGEST else last[: _LONGEST - 1] + "…"
        return f"{shown} (+{others} more)" if others else shown

    def is_explained_by(self, other: Cause) -> bool:
        """Whether all of it failed there as well; a cause that is not known is explained by nothing."""
        return bool(self.keys) and self.keys <= other.keys


def cause_of(check: Check) -> Cause:
    """The cause of a failed check: annotations, else the log, else its own summary, which proves nothing."""
    evidence = check.evidence
    noted = _cause([clean(note[:_LONGEST_LINE]) for note in evidence.annotations])
    if not noted.generic:
        return noted
    logged = _of_log(evidence.log or "")
    if logged.lines or noted.lines:
        return logged if logged.lines else noted
    summary = clean(check.summary)
    return Cause((summary,), frozenset([normalise(summary)])) if summary else Cause()


# -- logs ----------------------------------------------------------------------------------------------------

_STAMP = pattern(r"^\ufeff?\d{4}-\d\d-\d\dT[\d:.]+Z ?")
# The short test summary of pytest: https://docs.pytest.org/en/stable/how-to/output.html#producing-a-detailed-summary-report
_TEST = pattern(r"(?:^|\] )(?:FAILED|ERROR) (\S+\.py(?:::.+?)?)(?: - .*)?$")
_ERROR = pattern(r"^(?:E\s+)?((?:[A-Za-z_][\w.]*)?(?:Error|Exception): \S.*)$")
# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-an-error-message
_MARKED = pattern(r"^##\[error\](.*\S.*)$")
_WORTH_A_LOOK = ("FAILED", "ERROR", "Error", "Exception", "##[error]")


def _of_log(log: str) -> Cause:
    """Failing tests, else the last error, else the last line that the runner marks; a line that says more wins."""
    lines = list(_lines(log))
    tests = [found[1] for line in lines if (found := _TEST.search(line))]
    if tests:
        return _cause(tests)
    errors, marked = ([found[1] for line in lines if (found := pattern.match(line))] for pattern in (_ERROR, _MARKED))
    causes = [_cause(found[-1:]) for found in (errors, marked) if found]
    return next((cause for cause in causes if not cause.generic), causes[0] if causes else Cause())


def _lines(log: str) -> Iterator[str]:
    """Only lines that may match are cleaned: a log can have a million."""
    for line in log.splitlines():
        if any(word in line for word in _WORTH_A_LOOK):
            yield clean(_STAMP.sub("", line[:_LONGEST_LINE]))


def _cause(lines: Sequence[str]) -> Cause:
    """The lines that say something; if none does, the last of the others."""
    telling = tuple(dict.fromkeys(line for line in lines if line and not is_generic(line)))
    kept = telling or tuple(line for line in lines if line)[-1:]
    return Cause(kept, frozenset(map(normalise, kept)), not telling)


# -- generic causes ------------------------------------------------------------------------------------------

_GENERIC = pattern(
    r"(?:[\w.]*(?:Error|Exception): )?(?:"
    r"Process (?:completed|exited|failed) with (?:exit )?code -?\d+"
    r"|The process '.*' failed with exit code -?\d+"
    r"|Command failed(?: with exit (?:code|status) -?\d+)?"
    r"|Command .* (?:failed with exit code|returned non-zero exit status|died with) .*"
    r"|(?:exit (?:code|status)|exited with(?: code)?) -?\d+"
    r"|The (?:job|operation|run|task) (?:was|has been) cancell?ed\b.*"
    r"|The strategy configuration was cancell?ed\b.*"
    r"|The job (?:running on runner .* )?has exceeded the maximum execution time of .*"
    r")?\.?",
    re.IGNORECASE,
)


def is_generic(line: str) -> bool:
    """Whether a line would be the same whatever went wrong: an exit code, a wrapper around a command, a time limit."""
    return _GENERIC.fullmatch(line) is not None


# -- what is compared ----------------------------------------------------------------------------------------

_VARYING = (
    (pattern(r"\b(?:\d{4}-\d\d-\d\d[T ])?\d+:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (pattern(r"(?:/private)?/(?:tmp|var/tmp|var/folders|(?:[\w.-]{1,64}/){1,8}_temp)/[^\s'\":,;)\]]*"), "<path>"),
    (pattern(r"\b[A-Za-z]:[\\/][^\s'\":,;)\]]*?[\\/]_?te?mp[\\/][^\s'\":,;)\]]*", re.IGNORECASE), "<path>"),
    (pattern(r"\b(?:0x)?(?=[a-f]*\d)[0-9a-f]{7,}\b", re.IGNORECASE), "<hex>"),
    (pattern(r"\b\d+(?:\.\d+)? ?(?:[nuµμm]?s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b"), "<duration>"),
    (pattern(r"[ _-]?\bshard[ _:#-]?\d+(?: ?(?:/|of) ?\d+)?", re.IGNORECASE), ""),
    (pattern(r"\s+"), " "),
)
# "3.9/12.8" are versions.
_SHARD = pattern(r"[ _-]*(?:\bshards?)?[ _:#-]*[(\[]?(?<!\d\.)\b(\d+) ?(?:/|of) ?(\d+)\b(?!\.\d)[)\]]?", re.IGNORECASE)
_NAMED_SHARD = pattern(r"[ _-]*[(\[]?\bshard[ _:#-]*\d+[)\]]?", re.IGNORECASE)
# PyTorch's form: (configuration, shard, number of shards, runner)
_LISTED_SHARD = pattern(r"(\([A-Za-z][^,()]*), (\d+), (\d+)(?=[,)])")


def normalise(line: str) -> str:
    """A cause without what differs from run to run: ids, times, durations, temporary paths, shards."""
    for varying, stand_in in _VARYING:
        line = varying.sub(stand_in, line)
    return line.strip()


def job_key(name: str) -> str:
    """A check's name without its shard: what runs in which shard differs from commit to commit."""
    name = _SHARD.sub(lambda found: "" if _is_shard(found[1], found[2]) else found[0], name)
    name = _LISTED_SHARD.sub(lambda found: found[1] if _is_shard(found[2], found[3]) else found[0], name)
    return _NAMED_SHARD.sub("", name).strip()


def _is_shard(number: str, count: str) -> bool:
    return 1 <= int(number) <= int(count)
