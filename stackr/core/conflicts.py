"""The sentences of a conflict: which change, which files, which commits, and the way out. Nothing has moved by then."""

from __future__ import annotations

from collections.abc import Sequence

from stackr.core.model import Change, Commit, Stack
from stackr.core.replaying import ReplayConflict
from stackr.core.resolving import Resolution
from stackr.errors import Conflict, Refused

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
        next_step="stackr sync --resolve, or amend the commit with what you want of theirs "
        "and then stackr submit --overwrite",
    )


def within(stack: Stack, conflict: ReplayConflict, command: str) -> Conflict:
    """A change that does not apply in its new place; ``command`` is what would have put it there."""
    titles = {change.commit.oid: change.title for change in stack.changes}
    title = titles.get(conflict.label, "the new change")
    base = stack.changes[0].commit.parents[0][:10]
    return Conflict(
        f'"{title}" no longer applies after {command} (conflict in {files(conflict.paths)})',
        safe=still_there(stack),
        next_step=f"git rebase -i {base} does it step by step, and lets you mend the files",
    )


def not_there(stack: Stack, change: Change, paths: Sequence[str]) -> Conflict:
    """What is staged does not apply to a lower change, where its lines are others, or are not yet."""
    return Conflict(
        f'what is staged does not apply to "{change.title}" (conflict in {files(paths)})',
        safe=still_there(stack),
        next_step="stackr absorb finds the changes that the lines belong to; stackr amend takes the one at HEAD",
    )


def files(paths: Sequence[str]) -> str:
    """``a, b, c and 2 more``."""
    more = len(paths) - _MOST_FILES
    return ", ".join(paths[:_MOST_FILES]) + (f" and {more} more" if more > 0 else "")


def still_there(stack: Stack) -> str:
    """The second line of a conflict."""
    where = "your branch" if stack.head.branch else "HEAD"
    return f"nothing was moved; {where} is still at {stack.head.oid[:7]}"


def stopped(commit: Commit | None, paths: Sequence[str]) -> Conflict:
    """Git stopped in the middle of a rebase: at a conflict, or because something else did not go through."""
    what = f'"{commit.subject}"' if commit else "a commit"
    return Conflict(
        f"git rebase stopped at {what} ({f'conflict in {files(paths)}' if paths else 'git says above why'})",
        safe="stackr abort puts everything back to before the rebase",
        next_step="mend the files, git add them, then stackr continue" if paths else "mend that, then stackr continue",
    )


def nothing_to(verb: str, busy: str) -> Refused:
    """``continue`` and ``abort`` end what a sync has begun, and nothing else."""
    if busy:
        return Refused(
            f"there is nothing of stackr to {verb}; the {busy} in progress is git's own",
            next_step="git bisect reset ends it" if busy == "bisect" else f"git {busy} --{verb}",
        )
    return Refused(f"there is nothing to {verb}", next_step="stackr sync --resolve starts a rebase when it has to")


def was_aborted() -> Refused:
    """The user ended the rebase with ``git rebase --abort``."""
    return Refused(
        "there is nothing to continue: the rebase was aborted",
        safe="everything is as it was before the rebase",
        next_step="stackr sync --resolve starts it again",
    )


def was_finished() -> Refused:
    """The user brought the rebase to its end with git."""
    return Refused(
        "there is nothing to abort: the rebase is finished",
        safe="your branches are where the rebase has put them",
        next_step="stackr sync goes on from here; stackr undo takes the rebase back",
    )


def still_under_way(resolution: Resolution) -> Refused:
    """Another command while the rebase waits for its conflicts to be resolved."""
    return Refused(
        f"the rebase that stackr {resolution.command} started is in progress",
        next_step="stackr continue when the conflicts are resolved, or stackr abort",
    )
