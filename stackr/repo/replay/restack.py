"""The story of a replay: merge pick after pick, build the commits, write everything at once.

No ref moves here, and of a replay that ends in a conflict nothing is written. How trees are merged is in ``merging``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stackr.core.model import Commit, NewCommit
from stackr.core.replaying import MergedTree, Pick, Picked, ReplayConflict, Replayed
from stackr.repo import write
from stackr.repo.ident import Identity
from stackr.repo.replay.merging import Merging
from stackr.repo.run import Runner
from stackr.repo.sign import Signer

LOOK_AHEAD = 128


def replay(
    merging: Merging,
    runner: Runner,
    picks: Sequence[Pick],
    onto: Commit,
    identity: Identity,
    sign: Callable[[], Signer | None],
) -> Replayed:
    """Apply the picks in order on top of ``onto`` and write the commits, and the trees and files they need.

    As ``git rebase`` does, a pick whose change is there already gets no commit; one that was empty before is kept.
    """
    trees: list[str] = []
    below = onto.tree
    changes = [(pick.base_tree, pick.theirs_tree) for pick in picks]
    for number, pick in enumerate(picks):
        merged = merging.merge(pick.base_tree, below, pick.theirs_tree, changes[number + 1 : number + 1 + LOOK_AHEAD])
        if merged.tree is None:
            return Replayed(conflict=ReplayConflict(pick.label, merged.paths))
        below = merged.tree
        trees.append(below)
    picked, commits = _chain(picks, trees, onto)
    built = write.build_commits(commits, identity, sign() if commits else None) if commits else {}
    write.store(runner, [*merging.trees.new.values(), *(("commit", raw) for _, raw in built.values())])
    oids = {label: oid for label, (oid, _) in built.items()}
    return Replayed(tuple(Picked(p.label, oids.get(p.oid, p.oid), p.tree, p.became_empty) for p in picked))


def _chain(picks: Sequence[Pick], trees: Sequence[str], onto: Commit) -> tuple[list[Picked], list[NewCommit]]:
    """The outcome of every pick, with labels for commits that are still to be made, and those commits."""
    picked: list[Picked] = []
    commits: list[NewCommit] = []
    below, below_tree = onto.oid, onto.tree
    for number, (pick, tree) in enumerate(zip(picks, trees, strict=True)):
        became_empty = tree == below_tree and pick.base_tree != pick.theirs_tree
        if not became_empty:
            new = _commit(f":{number}", pick, tree, below)
            is_kept = pick.source is not None and _is_same(pick.source, new)
            if not is_kept:
                commits.append(new)
            below = pick.source.oid if pick.source is not None and is_kept else new.label
            below_tree = tree
        picked.append(Picked(pick.label, below, tree, became_empty))
    return picked, commits


def _commit(label: str, pick: Pick, tree: str, parent: str) -> NewCommit:
    return NewCommit(label, tree, (parent,), pick.message, pick.author, pick.committer, pick.encoding, pick.extra)


def _is_same(source: Commit, new: NewCommit) -> bool:
    """Whether the new commit would differ from its source in the committer only."""
    old = (source.tree, source.parents, source.message, source.author, source.encoding, source.extra)
    return old == (new.tree, new.parents, new.message, new.author, new.encoding, new.extra)


def merge_trees(merging: Merging, runner: Runner, base: str, ours: str, theirs: str) -> MergedTree:
    """One merge of trees, written when it is clean."""
    merged = merging.merge(base, ours, theirs)
    if merged.tree is not None:
        write.store(runner, list(merging.trees.new.values()))
    return merged
