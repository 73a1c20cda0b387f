"""The report on CI for one pull request, as Markdown: what failed, by class, each with job, cause and link.

Names and causes are text that others wrote, and go through ``core.untrusted``. What the classes mean is
``core.triage``'s; which comment the report stands in is ``core.sticky``'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.core.checks import PullChecks
from stackr.core.ci_words import Section, active_sevs, as_of, sections, title
from stackr.core.rules import Sev
from stackr.core.triage import Verdict
from stackr.core.untrusted import as_code, as_markdown
from stackr.patterns import pattern
from stackr.records import dataclass

_SAFE_TARGET = pattern(r"https?://[!#-;=?-~]+")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is reported on; the ``verdicts`` are those of ``pull``, sorted by job."""

    pull: PullChecks
    verdicts: tuple[Verdict, ...]
    sevs: tuple[Sev, ...] = ()
    notes: tuple[str, ...] = ()


def count_jobs(subject: Subject) -> int:
    """How many jobs the whole report has."""
    return len(subject.verdicts)


def write(subject: Subject, keep: int) -> str:
    """The report with at most ``keep`` jobs; those that least want attention are left out, and it says how many."""
    found = sections(subject.verdicts)
    parts = [
        *_sevs(subject.sevs),
        f"## {title(found, [subject.pull])}",
        f"{as_of(subject.pull)}{':' if found else '.'}",
    ]
    left = keep
    for section in found:
        parts += _section(section, left) if left > 0 else ()
        left -= len(section.verdicts)
    parts += [f"{-left} of {len(subject.verdicts)} jobs are left out here."] if left < 0 else []
    parts += [f"> {as_markdown(note)}" for note in subject.notes]
    return "\n\n".join(parts)


def _sevs(sevs: Sequence[Sev]) -> Iterator[str]:
    if sevs:
        yield f"## {active_sevs(sevs)}"
        yield f"There are {len(sevs)} currently active SEVs. If your PR is affected, please view them below:"
        yield "\n".join(f"* **{as_markdown(sev.title)}**{_link('issue', sev.url)}" for sev in sevs)


def _section(section: Section, keep: int) -> Iterator[str]:
    yield f"**{section.heading}** - {section.explanation}:"
    yield "\n".join(_job(verdict) for verdict in section.verdicts[:keep])


def _job(verdict: Verdict) -> str:
    """The job in bold, so that no name can begin a block of its own, and the cause in code below it."""
    blamed = f" from #{verdict.blamed}" if verdict.blamed is not None else ""
    cause = f"\n  {as_code(verdict.cause)}" if verdict.cause else ""
    return f"* **{as_markdown(verdict.job)}**{_link('gh', verdict.link)}{blamed}{cause}"


def _link(text: str, url: str) -> str:
    return f" ([{text}](<{url}>))" if _SAFE_TARGET.fullmatch(url) else ""
