"""Landing several pull requests one upon the other: the commits, and moving the base to the last of them at once.

For native stacks (``asyncmerge``) and merge queues (``mergequeue``); a single pull request merges in ``merging``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from stackr.sandbox import accounts, aftermath, merging, messages, native, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.git import HEADS, GitRepo, RefMove
from stackr.sandbox.gitrun import GitFailed
from stackr.sandbox.model import PullRequest, Repository, User


@dataclass(frozen=True, slots=True)
class Landed:
    """A pull request, the commit by which it lands, and who has it merged."""

    pull: PullRequest
    oid: str
    merger: User


def commit_onto(
    engine: Engine, viewer: User, repo: Repository, pull: PullRequest, method: str, tip: str, below: str
) -> str | None:
    """Write what a pull request amounts to on ``tip``; None for a conflict. A rebase may leave nothing: ``tip``.

    ``below`` is where its own commits begin: the head of the pull request below it, or its base.
    """
    git = engine.git(repo)
    if method == "rebase":
        oid = merging.replayed(engine, git, viewer, git.graph.ahead(below, pull.head_oid), tip)
    else:
        oid = _one_commit(engine, viewer, repo, git, pull, method, tip, below)
    if oid is not None:
        git.graph.add(oid)
    return oid


def _one_commit(
    engine: Engine,
    viewer: User,
    repo: Repository,
    git: GitRepo,
    pull: PullRequest,
    method: str,
    tip: str,
    below: str,
) -> str | None:
    bases = git.graph.merge_bases(below, pull.head_oid)
    tree = git.merge_tree(bases[0], tip, pull.head_oid) if bases else None
    if tree is None:
        return None
    text = messages.for_merge(engine, repo, pull, method, None, None)
    author = accounts.user(engine, pull.author_id) if method == "squash" else viewer
    parents = (tip, pull.head_oid) if method == "merge" else (tip,)
    web = merging.signature(engine, *merging.WEB_FLOW)
    return git.write_commit(tree, parents, merging.person(engine, author), web, text)


def move_base(engine: Engine, repo: Repository, base_ref: str, start: str, landed: Sequence[Landed]) -> RefMove:
    """Move the base over all of them and mark them merged, in an order that a restart can finish.

    What follows for other pull requests is the caller's to settle, with the move that is returned. ApiError, 405, if
    the base has moved.
    """
    move = RefMove(HEADS + base_ref, start, landed[-1].oid)
    for one in landed:
        one.pull.merging_oid, one.pull.merged_by_id = one.oid, one.merger.id
        engine.store.pulls.save(one.pull)
    engine.store.commit()
    git = engine.git(repo)
    try:
        git.update([move])
    except GitFailed as error:  # a push came between
        for one in landed:
            one.pull.merging_oid = one.pull.merged_by_id = None
        raise ApiError(405, "Base branch was modified. Review and try the merge again.") from error
    git.graph.add(move.new)
    for one in landed:
        aftermath.mark_merged(engine, one.pull, one.merger, one.oid)
    return move


def settle(engine: Engine, repo: Repository, move: RefMove, landed: Sequence[Landed]) -> None:
    """What the moved base means for others; then GitHub deletes the merged heads, where the setting says so."""
    above = _rest_of_stack(engine, landed)
    if above:
        _retarget(engine, above[0], move, landed[-1].merger)
    aftermath.refs_moved(engine, repo, landed[-1].merger, [move])
    if above:
        _rebase(engine, repo, above, landed[-1], move.new)
    if repo.delete_branch_on_merge:
        for one in landed:
            merging.delete_head(engine, one.merger, one.pull)


def _rest_of_stack(engine: Engine, landed: Sequence[Landed]) -> list[PullRequest]:
    """The members of a native stack above what landed, bottom first; empty outside of one."""
    stack = native.stack_of(engine, landed[-1].pull)
    return [] if stack is None else [pull for pull in native.members(engine, stack) if pull.state == "open"]


def _retarget(engine: Engine, pull: PullRequest, move: RefMove, merger: User) -> None:
    """The next one goes onto the stack's base, whether the branch below it is deleted or not."""
    old = pull.base_ref
    pull.base_ref, pull.base_oid = move.name.removeprefix(HEADS), move.new
    timeline.record(engine, pull, "automatic_base_change_succeeded", merger, old_base=old, new_base=pull.base_ref)


def _rebase(engine: Engine, repo: Repository, above: Sequence[PullRequest], last: Landed, tip: str) -> None:
    """GitHub rebases what is left of a stack, each on the one below, as far as it goes without a conflict.

    https://docs.github.com/pull-requests/how-tos/merge-and-close-pull-requests/merging-stacked-pull-requests#merging-from-the-bottom-up.
    What waits in a queue is left alone: it continues in the next group.
    """
    git = engine.git(repo)
    moves: list[RefMove] = []
    below = last.pull.head_oid
    for pull in above:
        oid = merging.replayed(engine, git, last.merger, git.graph.ahead(below, pull.head_oid), tip)
        queued = engine.store.queue_entries.one(repo_id=repo.id, number=pull.number)
        if oid is None or queued is not None:
            break
        moves.append(RefMove(HEADS + pull.head_ref, pull.head_oid, oid))
        git.graph.add(oid)
        tip, below = oid, pull.head_oid
    with suppress(GitFailed):  # somebody pushes to one of them at this moment: then it is theirs to rebase
        git.update(moves)
        aftermath.refs_moved(engine, repo, last.merger, moves)
