"""Preconditions: each ``refuse_x`` raises with three lines (what happened, what is safe, what next), or returns.

Guards look at facts only; the sentences are for the person at the terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from stackr.core import body, ghstack, identity
from stackr.core.model import Change, PullState, Stack, Style
from stackr.core.options import SubmitOptions
from stackr.core.ownership import BRANCHES, foreign_changes
from stackr.core.pulls import body_lengths
from stackr.errors import Refused


def quoted(change: Change) -> str:
    """``"Add cache" (1f3c9a2)``."""
    return f'"{change.title}" ({change.commit.oid[:7]})'


def refuse_busy(operation: str) -> None:
    """An unfinished rebase, merge, cherry-pick, revert, bisect or am."""
    if operation:
        # bisect has no --abort.
        abort = "git bisect reset" if operation == "bisect" else f"git {operation} --abort"
        raise Refused(
            f"a {operation} is in progress",
            next_step=f"finish it or run {abort}, then repeat the command",
        )


def refuse_shape(stack: Stack) -> None:
    """What cannot be a stack: nothing, a history without trunk, merge commits, empty commits, an empty title."""
    trunk = stack.trunk.name
    if not stack.changes:
        raise Refused(
            f'there is no commit between "{trunk}" and HEAD',
            next_step="commit something, or name another trunk with --base BRANCH",
        )
    if not stack.changes[0].commit.parents:
        raise Refused(
            f'the branch and "{trunk}" have no commit in common',
            next_step=f"rebase your commits onto {stack.remote}/{trunk}, or name another trunk with --base BRANCH",
        )
    for change in stack.changes:
        if len(change.commit.parents) > 1:
            raise Refused(
                f"{quoted(change)} is a merge commit, and a stack is a line of single commits",
                next_step=f"git rebase {stack.remote}/{trunk} makes a line of it; then run stackr again",
            )


def refuse_commits(stack: Stack, active: Sequence[int]) -> None:
    """Commits that GitHub would refuse as pull requests: empty ones, titles and descriptions out of bounds."""
    for index in active:
        _refuse_empty(stack, index)
        _refuse_text(stack.changes[index])


def _refuse_empty(stack: Stack, index: int) -> None:
    change = stack.changes[index]
    parent = change.commit.parents[0]
    lower_tree = stack.changes[index - 1].commit.tree if index else stack.trees.get(parent)
    if lower_tree == change.commit.tree:
        raise Refused(
            f"{quoted(change)} is empty, and GitHub refuses a pull request without changes",
            next_step=f"drop it (stackr drop {change.commit.oid[:7]}) or amend it",
        )


def _refuse_text(change: Change) -> None:
    bare = "\n".join(line for line in change.commit.text.split("\n") if not identity.change_id(line.encode()))
    if not bare.strip():
        raise Refused(
            f"commit {change.commit.oid[:7]} has an empty message, and a pull request needs a title",
            next_step=f"give it one: stackr reword {change.commit.oid[:7]}",
        )
    if len(change.title) > body.TITLE_LIMIT:
        raise Refused(
            f"the title of {change.commit.oid[:7]} has {len(change.title)} characters; GitHub takes {body.TITLE_LIMIT}",
            next_step=f"shorten the first line of its message: stackr reword {change.commit.oid[:7]}",
        )


def refuse_long_bodies(lengths: Sequence[tuple[Change, int]]) -> None:
    """Descriptions that would not fit, with the stack block counted; (change, length in characters) pairs."""
    for change, length in lengths:
        if length > body.BODY_LIMIT:
            raise Refused(
                f"the description of {quoted(change)} would have {length} characters; GitHub takes {body.BODY_LIMIT}",
                next_step=f"shorten its commit message: stackr reword {change.commit.oid[:7]}",
            )


def refuse_duplicate_ids(stack: Stack) -> None:
    """Two commits of one stack with the same id: which of them is the pull request?"""
    counts = Counter(change.id for change in stack.changes)
    for change_id, count in counts.items():
        if count > 1:
            twins = [change for change in stack.changes if change.id == change_id]
            raise Refused(
                f"{' and '.join(quoted(twin) for twin in twins)} have the same Change-Id {change_id[:11]}",
                next_step=f"give one of them a new one: stackr id --new {twins[-1].commit.oid[:7]}",
            )


def refuse_ghstacks(stack: Stack, active: Sequence[int]) -> None:
    """Commits that ghstack has made pull requests of: each would get a second one, or a text with ghstack's lines."""
    for index in active:
        change = stack.changes[index]
        number = ghstack.pull_number(change.commit.message)
        if number is not None:
            raise Refused(
                f"{quoted(change)} was submitted with ghstack, as #{number}",
                next_step="stackr adopt takes the stack over; to make a new change of it, take ghstack's lines out of "
                "its message (git commit --amend, or git rebase -i with reword)",
            )


def _after_merge(stack: Stack, change: Change, base: str) -> str:
    """What to do about a merged pull request: a commit carried to another trunk (a backport) did not land there."""
    if BRANCHES + base in stack.own_refs:
        return f'stackr sync sees whether it came to "{stack.trunk.name}" all the same, and keeps it if it did not'
    if base == stack.trunk.name:
        return f"stackr sync drops what landed (or git rebase {stack.remote}/{stack.trunk.name})"
    return f'stackr id --new {change.commit.oid[:7]} makes it a new change, for "{stack.trunk.name}"'


def refuse_ended_pulls(stack: Stack, active: Sequence[int], reopen: bool) -> None:
    """A merged or closed pull request in the part that is submitted; nothing is ever created twice."""
    for index in active:
        change = stack.changes[index]
        pull = change.pull
        if pull is None or pull.state is PullState.OPEN:
            continue
        if pull.state is PullState.MERGED:
            raise Refused(
                f'pull request #{pull.number} of {quoted(change)} is merged into "{pull.base_ref}"',
                next_step=_after_merge(stack, change, pull.base_ref),
            )
        if not reopen:
            raise Refused(
                f"pull request #{pull.number} of {quoted(change)} is closed",
                next_step=f"stackr submit --reopen opens it again; stackr drop {change.commit.oid[:7]} takes it out; "
                f"stackr id --new {change.commit.oid[:7]} makes it a new change",
            )


_OVERWRITES = {
    Style.APPEND: "puts your version on top of them",
    Style.REWRITE: "replaces them by your version",
}


def refuse_foreign(stack: Stack, active: Sequence[int], overwrite: bool, style: Style = Style.APPEND) -> None:
    """Commits that somebody else pushed to a head branch are never reverted silently."""
    foreign = [change for change in foreign_changes(stack) if stack.position(change.id) in active]
    if overwrite or not foreign:
        return
    lines = [f"    {line}" for change in foreign for line in _describe_foreign(stack, change)]
    raise Refused(
        "somebody else pushed to the branch of "
        + " and of ".join(f"{quoted(change)}" for change in foreign)
        + "\n"
        + "\n".join(lines),
        safe="nothing was changed; their commits are on the branch and stay there",
        next_step=f"stackr sync takes them in; stackr submit --overwrite {_OVERWRITES[style]}",
    )


def _describe_foreign(stack: Stack, change: Change) -> list[str]:
    commits = stack.foreign.get(change.id, ())
    if not commits:
        tip = (change.remote_head or "")[:7]
        return [f"{change.head_ref} is at {tip}, which is not what this clone last pushed"]
    return [f"{commit.oid[:7]} {commit.subject} ({commit.author_name or 'no author name'})" for commit in commits]


def refuse_older_trunk(stack: Stack, active: Sequence[int], style: Style) -> None:
    """A stack on an older trunk commit than its branches contain would show trunk's own commits backwards."""
    if style is Style.REWRITE:
        return
    for index in active:
        change = stack.changes[index]
        newer = stack.newer_trunk.get(change.id)
        if newer is not None:
            raise Refused(
                f'the branch of {quoted(change)} already contains "{stack.trunk.name}" at {newer[:7]}, '
                "which is newer than the commit your stack stands on",
                next_step=f"stackr sync, or git rebase {stack.remote}/{stack.trunk.name} and then stackr submit",
            )


def refuse_only(stack: Stack, index: int, style: Style = Style.APPEND) -> None:
    """``--only``: the changes below must be on GitHub just as they are here, or the diff would hold theirs too.

    In style rewrite, which pushes the local commit, the branch below must be the very commit it stands on.
    """
    for change in stack.changes[:index]:
        exists = change.pull is not None and change.pull.state is PullState.OPEN and change.remote_head
        is_same = stack.trees.get(change.remote_head or "") == change.commit.tree
        if style is Style.REWRITE:
            is_same = change.remote_head == change.commit.oid
        if not (exists and is_same):
            state = "is not on GitHub as it is here" if exists else "has no open pull request"
            raise Refused(
                f"{quoted(change)} below {state}",
                next_step="submit it first: stackr submit without --only does the lower ones too",
            )


def refuse_submit(stack: Stack, options: SubmitOptions) -> None:
    """Everything that must hold before a submit, in the order in which a user would want to hear it."""
    active = options.active(stack)
    refuse_shape(stack)
    refuse_duplicate_ids(stack)
    refuse_commits(stack, active)
    refuse_ghstacks(stack, active)
    refuse_ended_pulls(stack, active, options.reopen)
    refuse_foreign(stack, active, options.overwrite, options.style)
    refuse_older_trunk(stack, active, options.style)
    refuse_long_bodies(body_lengths(stack, active, options))
    if options.only:
        refuse_only(stack, active[0], options.style)
