"""Stack -> the to-do list of an ordinary ``git rebase -i`` that comes to what a sync would have come to; pure.

docs/internals/protocol.md 6.5. Used when the replay in memory ends in a conflict: then editors, mergetool and rerere
have to work. Commits whose change is not simply the one to their parent are prepared: copies with the parent, the tree
and the message that make git pick the right change. What a rebase under way was started for is a ``Resolution``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from stackr.core.fates import Fate
from stackr.core.model import Change, Commit, Head, NewCommit, Stack
from stackr.core.plan import RefMove
from stackr.core.replaying import Pick
from stackr.core.taking import TreeMerge, parent_tree, taken_in, with_co_authors
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a rebase was started for, and how everything stood before: enough to finish it, and to know it again.

    ``branches`` are the local branches that the rebase moves, the current one among them (not if HEAD is detached).
    ``taken`` are records of ours to be made when it is done. ``push``: the pull requests are to be refreshed then.
    """

    command: str
    push: bool
    trunk: str
    head: Head
    branches: Mapping[str, str]
    taken: tuple[RefMove, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a to-do list (git-rebase(1), INTERACTIVE MODE); ``what`` is a commit or its label, or a ref."""

    verb: str
    what: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """A to-do list, bottom first, and the commits that have to be written for it."""

    lines: tuple[Line, ...]
    writes: tuple[NewCommit, ...] = ()


@dataclass(slots=True)
class _Draft:
    lines: list[Line] = field(default_factory=list)
    writes: list[NewCommit] = field(default_factory=list)


def plan_script(stack: Stack, picks: Sequence[Pick], clashes: Sequence[TreeMerge]) -> Script:
    """The to-do list for ``picks`` on trunk's tip; a landed change has no pick, and its branches go to what is below.

    ``clashes`` are those merges of others' work that do not apply: a second commit that git melts into the first.
    """
    by_label = {pick.label: pick for pick in picks}
    theirs = {merge.change_id: merge for merge in clashes}
    draft = _Draft()
    for index, change in enumerate(stack.changes):
        pick = by_label.get(change.commit.oid)
        if pick is not None:
            _add_pick(draft, stack, index, pick)
            if change.id in theirs:
                _add_theirs(draft, stack, change, pick, theirs[change.id])
        draft.lines += [Line("update-ref", ref) for ref in _moved_along(stack, change.commit.oid)]
    return Script(tuple(draft.lines), tuple(draft.writes))


def _moved_along(stack: Stack, oid: str) -> Iterator[str]:
    """The other local branches at a commit; git itself moves the current one, and one checked out elsewhere stays."""
    for ref, at in sorted(stack.local_branches.items()):
        if at == oid and ref != stack.head.branch and ref not in stack.kept_branches:
            yield ref


def _add_pick(draft: _Draft, stack: Stack, index: int, pick: Pick) -> None:
    commit = stack.changes[index].commit
    is_plain = pick.base_tree == parent_tree(stack, index) and pick.theirs_tree == commit.tree
    what = commit.oid
    if not (is_plain and pick.message == commit.message):
        what = f":prepared/{commit.oid}"
        parent = commit.parents[0]
        if pick.base_tree != parent_tree(stack, index):
            draft.writes.append(_bare(f":base/{commit.oid}", pick.base_tree, parent, commit))
            parent = f":base/{commit.oid}"
        draft.writes.append(
            NewCommit(what, pick.theirs_tree, (parent,), pick.message, pick.author, None, pick.encoding, pick.extra)
        )
    draft.lines.append(Line("pick", what, commit.subject))


def _add_theirs(draft: _Draft, stack: Stack, change: Change, pick: Pick, merge: TreeMerge) -> None:
    """Their work as a commit on the last state that both sides know, whose message (with the credits) is to stay."""
    commit = change.commit
    base, what = f":known/{commit.oid}", f":theirs/{commit.oid}"
    message = with_co_authors(pick.message, stack.foreign.get(change.id, ()), commit)
    draft.writes.append(_bare(base, merge.base, commit.parents[0], commit))
    draft.writes.append(NewCommit(what, merge.theirs, (base,), message, commit.author, None, commit.encoding))
    draft.lines.append(Line("fixup -C", what, commit.subject))


def _bare(label: str, tree: str, parent: str, commit: Commit) -> NewCommit:
    """A commit that is there for its tree alone."""
    return NewCommit(label, tree, (parent,), commit.message, commit.author, None, commit.encoding)


def todo(script: Script, oids: Mapping[str, str]) -> str:
    """The text of the to-do list; ``oids`` are the prepared commits by label."""
    rows = ((line.verb, oids.get(line.what, line.what), line.subject) for line in script.lines)
    return "".join(" ".join(word for word in row if word) + "\n" for row in rows)


def plan_resolution(stack: Stack, found: Mapping[str, Fate], *, push: bool) -> Resolution:
    """What has to be known to finish the rebase later."""
    inside = {change.commit.oid for change in stack.changes}
    return Resolution(
        "sync",
        push,
        stack.trunk.name,
        stack.head,
        {
            ref: oid
            for ref, oid in sorted(stack.local_branches.items())
            if oid in inside and ref not in stack.kept_branches
        },
        tuple(RefMove(ref, stack.own_refs.get(ref), oid) for ref, oid in taken_in(stack, found)),
    )


def moved_by(done: Resolution, refs: Mapping[str, str], head: Head) -> tuple[RefMove, ...]:
    """What a finished rebase has moved: branches, and a detached HEAD."""
    moved = [RefMove(ref, old, refs[ref]) for ref, old in done.branches.items() if refs.get(ref, old) != old]
    if done.head.branch is None and head.branch is None and head.oid != done.head.oid:
        moved.append(RefMove("HEAD", done.head.oid, head.oid))
    return tuple(moved)


def is_undone(done: Resolution, refs: Mapping[str, str], head: Head) -> bool:
    """Whether the rebase was aborted: everything is where it was."""
    return (refs.get(done.head.branch) if done.head.branch else head.oid) == done.head.oid
