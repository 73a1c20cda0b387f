"""Taking in what others pushed to head branches: which trees to merge, whom to credit, what counts as ours then.

docs/internals/protocol.md 3.1 and 6. The merges themselves are made behind ``stackr.core.ports.Repo.merge_trees``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stackr.core import identity
from stackr.core.fates import Fate
from stackr.core.model import Change, Commit, Stack
from stackr.core.ownership import BRANCHES, HEADS, Ownership, ownership
from stackr.records import dataclass

_CO_AUTHOR = b"Co-authored-by: "


@dataclass(frozen=True, slots=True)
class TreeMerge:
    """A three-way merge of trees that has to be made before the picks: ``theirs`` taken into ``ours``.

    Both branch and trunk may have got newer: ``below`` is the same for what the change stands on, to be made when their
    branch holds trunk commits that the local stack does not, or those would look like part of the change.
    """

    change_id: str
    base: str
    ours: str
    theirs: str
    below: tuple[str, str, str] | None = None


def foreign_merges(stack: Stack, found: Mapping[str, Fate]) -> Iterator[TreeMerge]:
    """What others pushed to head branches, to be merged into the local trees, bottom first."""
    for index, change in enumerate(stack.changes):
        if found[change.id] is Fate.TAKEN_IN and change.remote_head is not None:
            base = last_common_tree(stack, index)
            below = _newer_below(stack, index)
            yield TreeMerge(change.id, base, change.commit.tree, stack.trees[change.remote_head], below)


def below_label(change_id: str) -> str:
    """The name of the tree below a change among the merged ones."""
    return f"below {change_id}"


def parent_tree(stack: Stack, index: int) -> str:
    """The tree that the commit at ``index`` was made on."""
    return stack.changes[index - 1].commit.tree if index else stack.trees[stack.changes[0].commit.parents[0]]


def last_common_tree(stack: Stack, index: int) -> str:
    """The last state of a change that both sides know: what this clone pushed, else what their branch grew from."""
    change = stack.changes[index]
    if change.accepted is not None and change.accepted in stack.trees:
        return stack.trees[change.accepted]
    theirs = stack.graph.ancestors(change.remote_head) if change.remote_head else frozenset()
    states = {commit.tree for commit in stack.foreign.get(change.id, ())}
    if change.commit.oid in theirs or change.commit.tree in states:
        return change.commit.tree
    return parent_tree(stack, index)


def _newer_below(stack: Stack, index: int) -> tuple[str, str, str] | None:
    """(base, ours, theirs) of what stands below a change, when its branch was brought up to date with trunk."""
    newer = stack.newer_trunk.get(stack.changes[index].id)
    if newer is None or newer not in stack.trees:
        return None
    return parent_tree(stack, 0), parent_tree(stack, index), stack.trees[newer]


def taken_in(stack: Stack, found: Mapping[str, Fate]) -> Iterator[tuple[str, str]]:
    """(ref, commit): heads that others moved and that count as ours from now on, the local commits hold them."""
    for change in stack.changes:
        if found[change.id] in (Fate.ALIVE, Fate.TAKEN_IN) and is_news(change, stack) and change.remote_head:
            yield HEADS + change.id, change.remote_head
            yield BRANCHES + change.head_ref, change.remote_head


def is_news(change: Change, stack: Stack) -> bool:
    """Whether the remote head is not ours yet."""
    return ownership(change, stack) in (Ownership.FOREIGN, Ownership.ADOPTABLE)


def old_holders(stack: Stack, change: Change, fresh: str, branches: Iterable[str]) -> Iterator[str]:
    """A warning for every branch of ``branches`` that grew out of the stack and holds a change as it was before.

    Nothing of it would tell later that what others pushed is missing there. ``fresh`` is the change's new commit.
    """
    inside = {other.commit.oid for other in stack.changes}
    moving = {ref for ref, oid in stack.local_branches.items() if oid in inside}
    for ref in branches:
        if ref not in moving:
            name = ref.removeprefix("refs/heads/")
            yield (
                f'"{name}" still holds "{change.title}" without what others pushed; before you submit it: '
                f"git rebase --onto {fresh[:10]} {change.commit.oid[:10]} {name}"
            )


def with_co_authors(message: bytes, commits: Sequence[Commit], own: Commit) -> bytes:
    """Credit others for what they pushed.

    https://docs.github.com/pull-requests/committing-changes-to-your-project/creating-and-editing-commits/creating-a-commit-with-multiple-authors
    """
    change = identity.change_id(message)
    people = dict.fromkeys(_person(commit) for commit in commits if not _is_mere_merge(commit))
    lines = [_CO_AUTHOR + who for who in people if who != _person(own)]
    missing = [line for line in lines if line not in message]
    if not missing:
        return message
    # Trailers belong together: take the id out, add the lines, and let the id join their block again.
    bare = identity.without_change_id(message)
    for line in missing:
        bare = identity.with_trailer(bare, line)
    return identity.with_change_id(bare, change) if change else bare


def _person(commit: Commit) -> bytes:
    return commit.author.rpartition(b">")[0] + b">"


def _is_mere_merge(commit: Commit) -> bool:
    """Whether this only brings two branches together, as "Update branch" does: nobody wrote anything in it."""
    return len(commit.parents) > 1 and commit.message.startswith(b"Merge ")
