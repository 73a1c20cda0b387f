"""The ref-by-ref answer of ``git push --porcelain`` (git-push(1), OUTPUT), read and judged.

Hooks write to the same stream, so only lines about refs that were pushed count. Nothing is run here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stackr.errors import GitError, LeaseLost, StackrError
from stackr.patterns import pattern
from stackr.records import dataclass
from stackr.repo import failures

_LINE = pattern(r"^(?P<flag>[ +\-*!=])\t(?P<source>[^:\t]*):(?P<ref>[^\t]+)\t(?P<summary>.*)$")
_REASON = pattern(r"^\[(?P<kind>[^\]]+)\](?: \((?P<reason>.*)\))?$")
# What the client says when it sees another value than the lease has, and what servers say for the same.
_STALE = pattern(r"stale info|fetch first|non-fast-forward|needs force|is at \w+ but expected|reference already exists")
# With --atomic a server gives all refs the reason "atomic transaction failed" and names the guilty one in a sentence.
_RACED = pattern(
    r"cannot lock ref '(?P<ref>[^']+)': (?:is at \w+ but expected|reference already exists|unable to resolve reference|"
    r"Unable to create '[^']+': File exists)"
)
# What GitHub says where linear history is required, by a ruleset or by a protected branch.
_NO_MERGES = "must not contain merge commits"
_COLLATERAL = frozenset({"atomic push failed", "atomic push failure", "atomic transaction failed"})


@dataclass(frozen=True, slots=True)
class RefAnswer:
    """What became of one ref; ``kind`` and ``reason`` are empty unless it was rejected."""

    ref: str
    ok: bool
    kind: str = ""
    reason: str = ""


def parse(out: str, refs: Iterable[str]) -> tuple[RefAnswer, ...]:
    """The answers about ``refs``, in git's order."""
    asked = set(refs)
    matches = (_LINE.match(line) for line in out.splitlines())
    return tuple(_answer(found) for found in matches if found and found["ref"] in asked)


def judge(answers: Sequence[RefAnswer], remote: str, err: str) -> StackrError | None:
    """The exception that rejected refs call for, ``None`` if there is none among them.

    A lost lease comes first: it is what the user can act on by running the command again.
    """
    rejected = [answer for answer in answers if not answer.ok]
    if not rejected:
        return None
    raced = {found["ref"] for found in _RACED.finditer(err)}
    stale = [answer for answer in rejected if answer.ref in raced or _STALE.search(answer.reason)]
    if stale:
        return _lease_lost(stale, remote)
    guilty = [answer for answer in rejected if answer.reason not in _COLLATERAL]
    return _declined(guilty or rejected, remote, err)


def _answer(found: re.Match[str]) -> RefAnswer:
    if found["flag"] != "!":
        return RefAnswer(found["ref"], ok=True)
    why = _REASON.match(found["summary"])
    return RefAnswer(
        found["ref"], False, why["kind"] if why else "", (why["reason"] or "") if why else found["summary"]
    )


def _lease_lost(stale: Sequence[RefAnswer], remote: str) -> LeaseLost:
    return LeaseLost(
        f'somebody else pushed to {_names(stale)} on "{remote}" meanwhile',
        safe="nothing was pushed",
        next_step="run the same command again: it reads everything anew",
    )


def _declined(guilty: Sequence[RefAnswer], remote: str, err: str) -> StackrError:
    """The remote's own sentences say best which hook or rule it was."""
    reasons = "; ".join(dict.fromkeys(answer.reason for answer in guilty if answer.reason))
    words = failures.remote_words(err)
    detail = ": ".join(part for part in (reasons, words) if part)
    ask = "ask who looks after the repository's rules"
    linear = f'stackr submit --style rewrite pushes none (for good: style = "rewrite" in .stackr.toml); or {ask}'
    return GitError(
        f'"{remote}" declined {_names(guilty)}: {detail or "it gave no reason"}',
        safe="nothing was pushed",
        next_step=linear if _NO_MERGES in words else f"mend what it names, or {ask}",
    )


def _names(answers: Sequence[RefAnswer]) -> str:
    return ", ".join(f'"{answer.ref.removeprefix("refs/heads/")}"' for answer in answers)
