"""The versions of a change, and the words around git's own diff of two of them, for ``stackr diff``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from stackr.core.model import PullRequest, ReviewVote
from stackr.core.versions import FileDiff, Version
from stackr.core.versions import Span as Pair
from stackr.ui.as_json import envelope
from stackr.ui.console import Console
from stackr.ui.line import Line, Span, line
from stackr.ui.text import pad, width


def listing(ui: Console, pull: PullRequest, versions: Sequence[Version], *, as_json: bool) -> None:
    """All versions, newest on top: number, commit, date, author and what the commit says."""
    if as_json:
        ui.json(envelope("diff", change=_change(pull), versions=[_document(version) for version in versions]))
        return
    names = max(width(version.name) for version in versions)
    people = max(width(version.commit.author_name) for version in versions)
    ui.lines(_line(version, names, people) for version in reversed(versions))


def _line(version: Version, names: int, people: int) -> Line:
    commit = version.commit
    who = pad(commit.author_name, people)
    return line(
        Span(pad(version.name, names), "bold"), f"  {commit.oid[:7]}  {_when(version)}  {who}  ", Span(commit.subject)
    )


def _seconds(version: Version) -> int:
    """When it was made: the committer's date, since an amended commit keeps the author's."""
    return int(version.commit.committer.split()[-2])


def _when(version: Version) -> str:
    """The local time, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(_seconds(version)))


def _document(version: Version) -> dict[str, Any]:
    commit = version.commit
    return {
        "version": version.number,
        "commit": commit.oid,
        "at": _seconds(version),
        "author": commit.author_name,
        "message": commit.subject,
    }


def _change(pull: PullRequest) -> dict[str, Any]:
    return {"number": pull.number, "url": pull.url, "title": pull.title, "head_ref": pull.head_ref}


def heading(ui: Console, pull: PullRequest, pair: Pair, review: ReviewVote | None) -> None:
    """Which versions of what are compared."""
    since = f", since the review of {review.login}" if review else ""
    ui.note(f'#{pull.number} "{pull.title}": {pair.name}{since}')


def tell_conflict(ui: Console, pair: Pair, paths: Sequence[str]) -> None:
    """Why a diff of diffs follows."""
    names = ", ".join(f'"{path}"' for path in paths)
    ui.note(
        f"the older of {pair.name} does not apply to what the newer stands on (conflict in {names}); "
        "so this is the difference of their two diffs"
    )


def document(ui: Console, pull: PullRequest, pair: Pair, files: Sequence[FileDiff], conflicts: Sequence[str]) -> None:
    """The difference in numbers; ``conflicts`` names files in which the older version does not apply any more."""
    ui.json(
        envelope(
            "diff",
            change=_change(pull),
            **{"from": _document(pair.old) if pair.old else None},
            to=_document(pair.new),
            files=[asdict(each) for each in files],
            added=sum(each.added or 0 for each in files),
            removed=sum(each.removed or 0 for each in files),
            conflicts=list(conflicts),
        )
    )
