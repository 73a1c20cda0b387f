"""The sentences of a conflict: which change, which files, which commits, and the way out. Nothing has moved by then."""

from __future__ import annotations

from collections.abc import Sequence

from stackr.core.model import Change, Commit, Stack
from stackr.errors import Conflict

_MOST_FILES = 3
_MOST_COMMITS = 5


def with_trunk(stack: Stack, change: Change, paths: Sequence[str], commits: Sequence[Commit]) -> Conflict:
    """A change that no longer applies; ``commits`` are those of trunk that touched ``paths``, newest first."""
    lines = [f"    {commit.oid[:7]} {commit.subject} ({commit.author_name})" for commit in commits[:_MOST_COMMITS]]
    if len(commits) > _MOST_COMMITS:
        lines.append(f"    and {len(commits) - _MOST_COMMITS} more")
    where = [f"{stack.trunk.name} changed it in", *lines] if lines else []
    trunk = f"{stack.remote}/{stack.trunk.name}"
    return Conflict(
        "\n".join([f'"{change.title}" no longer applies on {stack.trunk.name} (conflict in {files(paths)})', *where]),
        safe=still_there(stack),
        next_step=f"stackr sync --resolve, or git rebase {trunk} and then stackr submit",
    )


def with_others(stack: Stack, change: Change, paths: Sequence[str]) -> Conflict:
    """What others pushed to a branch and what was changed here meet in the same lines."""
    commits = stack.foreign.get(change.id, ())
    lines = [f"    {commit.oid[:7]} {commit.subject} ({commit.author_name})" for commit in commits]
    return Conflict(
        "\n".join([f'"{change.title}" was changed here and on its branch (conflict in {files(paths)})', *lines]),
        safe=still_there(stack),
        next_step=f"take over by hand what you want of {stack.remote}/{change.head_ref} and amend the commit, "
        "then stackr submit --overwrite",
    )


def files(paths: Sequence[str]) -> str:
    """``a, b, c and 2 more``."""
    more = len(paths) - _MOST_FILES
    return ", ".join(paths[:_MOST_FILES]) + (f" and {more} more" if more > 0 else "")


def still_there(stack: Stack) -> str:
    """The second line of a conflict."""
    where = "your branch" if stack.head.branch else "HEAD"
    return f"nothing was moved; {where} is still at {stack.head.oid[:7]}"
