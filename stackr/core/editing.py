"""Stack -> what has to be replayed to amend, reword, fold, drop, reorder, split or insert changes; pure.

An edit is a list of picks on the commit that the stack stands on, and which pick takes each old commit's place. The
replay merges trees (``stackr.core.ports.Repo.replay``) and moves nothing; ``plan_edit`` says what moves afterwards.
docs/internals/protocol.md 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from stackr.core import identity
from stackr.core.heading import files_between, head_after, head_moves
from stackr.core.model import Change, Head, Stack
from stackr.core.plan import MoveRefs, Plan, RefMove
from stackr.core.replaying import Pick, Replayed
from stackr.core.taking import parent_tree
from stackr.errors import Refused
from stackr.records import dataclass

NEW, REST = ":new", ":rest"
NOTHING = "nothing to do: the stack is like that already"


@dataclass(frozen=True, slots=True)
class Edit:
    """The picks, bottom first.

    ``heirs`` maps old commits to the label of the pick that takes their place, where that is not the pick of the same
    name; branches at a commit without any go to what is below. ``head`` is the label of the pick HEAD goes to, if not
    its commit's heir.
    """

    picks: tuple[Pick, ...]
    heirs: Mapping[str, str] = field(default_factory=dict)
    head: str = ""


def base_of(stack: Stack) -> str:
    """The commit that the stack stands on, and goes on to stand on."""
    return stack.changes[0].commit.parents[0]


def picks_of(stack: Stack) -> list[Pick]:
    """The stack as it is, bottom first."""
    return [Pick.of(change.commit, parent_tree(stack, index)) for index, change in enumerate(stack.changes)]


def amend(stack: Stack, trees: Mapping[int, str], message: bytes | None = None) -> Edit:
    """Give the changes at these indices other trees; ``message``, if there is one, to all of them."""
    picks = picks_of(stack)
    for index, tree in trees.items():
        kept = picks[index]
        picks[index] = replace(kept, theirs_tree=tree, message=kept.message if message is None else message)
        _refuse_empty(picks[index], stack.changes[index])
    return Edit(tuple(picks))


def reword(stack: Stack, index: int, message: bytes) -> Edit:
    """Give one change another message. What was written anew is UTF-8, whatever the old one was in."""
    picks = picks_of(stack)
    picks[index] = replace(picks[index], message=message, encoding="")
    return Edit(tuple(picks))


def drop(stack: Stack, index: int) -> Edit:
    """Take one change out."""
    picks = picks_of(stack)
    del picks[index]
    return Edit(tuple(picks))


def fold(stack: Stack, index: int, message: bytes) -> Edit:
    """Make one of a change and the one below, which keeps its author and its name."""
    picks = picks_of(stack)
    upper, lower = picks.pop(index), picks[index - 1]
    picks[index - 1] = replace(lower, theirs_tree=upper.theirs_tree, message=message)
    if upper.theirs_tree == lower.base_tree:
        both = f'"{stack.changes[index - 1].title}" and "{stack.changes[index].title}"'
        raise Refused(f"{both} cancel each other, so nothing would be left", next_step="stackr drop both of them")
    return Edit(tuple(picks), {upper.label: lower.label})


def reorder(stack: Stack, order: Sequence[int]) -> Edit:
    """Put the changes into another order, bottom first; what is not in ``order`` is taken out."""
    picks = picks_of(stack)
    return Edit(tuple(picks[index] for index in order))


def split(stack: Stack, index: int, tree: str, message: bytes) -> Edit:
    """Make two of one change: up to ``tree`` it keeps its name, the rest gets ``message`` and the same author."""
    picks = picks_of(stack)
    whole = picks[index]
    if tree in (whole.base_tree, whole.theirs_tree):
        what = "nothing" if tree == whole.base_tree else "all"
        raise Refused(
            f'{what} of "{stack.changes[index].title}" would go into the first part, so there is nothing to split',
            next_step="choose some of its files, or some of its hunks",
        )
    first = replace(whole, theirs_tree=tree)
    rest = replace(whole, label=REST, base_tree=tree, message=message, encoding="", source=None)
    picks[index : index + 1] = [first, rest]
    return Edit(tuple(picks), {whole.label: REST})


def insert(stack: Stack, index: int, tree: str, message: bytes) -> Edit:
    """A new change with ``tree`` on top of the one at ``index``; whoever is at that one with HEAD goes along."""
    picks = picks_of(stack)
    below = picks[index]
    picks.insert(index + 1, Pick(NEW, below.theirs_tree, tree, message))
    return Edit(tuple(picks), head=NEW if stack.head.oid == below.label else "")


def _refuse_empty(pick: Pick, change: Change) -> None:
    if pick.base_tree == pick.theirs_tree and change.commit.tree != pick.base_tree:
        raise Refused(f'"{change.title}" would be left without any change', next_step="stackr drop takes it out")


def with_id(text: bytes, change: Change) -> bytes:
    """A new message for a change, with the id that the old one has: it stays the same change."""
    known = identity.change_id(change.commit.message)
    return identity.with_change_id(text, known) if known else text


def folded_message(lower: Change, upper: Change) -> bytes:
    """Both messages, the lower one's title and id first; UTF-8 unless the two are in the same encoding."""
    texts = [identity.without_change_id(change.commit.message) for change in (lower, upper)]
    if lower.commit.encoding != upper.commit.encoding:
        texts = [identity.without_change_id(change.commit.text.encode()) for change in (lower, upper)]
    return with_id(b"\n\n".join(text.strip() for text in texts) + b"\n", lower)


def plan_edit(command: str, stack: Stack, edit: Edit, replayed: Replayed, index: tuple[str, str] | None = None) -> Plan:
    """Branches, HEAD and files go where the replayed commits are.

    With ``index`` (trees before and after) it was uncommitted work that was committed: files stay as they are.
    """
    base, outcomes = base_of(stack), replayed.oids
    tips = _tips(stack, edit, replayed)
    top = replayed.picks[-1].oid if replayed.picks else base
    own = stack.head.branch or stack.head.top
    moves = [
        RefMove(ref, old, new)
        for ref, old in sorted(stack.local_branches.items())
        if (new := top if ref == own else tips.get(old, old)) != old and ref not in stack.kept_branches
    ]
    head = head_after(stack, tips, base)
    if stack.head.top is None:
        head = Head(stack.head.branch, top)
    elif edit.head:
        head = Head(None, outcomes[edit.head], stack.head.top)
    moves += head_moves(stack.head, head)
    notes = (*_gone(stack, edit, replayed), *_kept(stack, tips))
    if not moves:
        return Plan(command, notes=(NOTHING,))
    files = None if index else files_between(stack.head, head)
    return Plan(command, (MoveRefs(tuple(moves), command, files, index),), notes)


def head_tree(stack: Stack, edit: Edit, replayed: Replayed) -> str:
    """The tree at HEAD after a replay in which HEAD's commit, or the one it goes to, has its place."""
    trees = {picked.label: picked.tree for picked in replayed.picks}
    return trees[edit.head or edit.heirs.get(stack.head.oid, stack.head.oid)]


def _tips(stack: Stack, edit: Edit, replayed: Replayed) -> dict[str, str]:
    """Where each old commit went; one that is gone became what was below it, as git-rebase(1) has it."""
    tips: dict[str, str] = {}
    below = base_of(stack)
    for change in stack.changes:
        oid = change.commit.oid
        below = replayed.oids.get(edit.heirs.get(oid, oid), below)
        tips[oid] = below
    return tips


def _gone(stack: Stack, edit: Edit, replayed: Replayed) -> Iterator[str]:
    """What became empty although nobody asked for it."""
    empty = {picked.label for picked in replayed.picks if picked.became_empty}
    for change in stack.changes:
        if edit.heirs.get(change.commit.oid, change.commit.oid) in empty:
            yield f'"{change.title}" leaves the stack: the changes below have all of it now'


def _kept(stack: Stack, tips: Mapping[str, str]) -> Iterator[str]:
    """A branch that is checked out elsewhere would not fit its files any more, so it is left and named."""
    for ref, oid in sorted(stack.local_branches.items()):
        if ref in stack.kept_branches and tips.get(oid, oid) != oid:
            yield f'"{ref.removeprefix("refs/heads/")}" is checked out in another worktree and stays at {oid[:7]}'
