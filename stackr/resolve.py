"""The story of a conflict resolved in the work tree: start the rebase, go on, take it back, settle what is done.

The list is made in ``stackr.core.resolving``, git is started by ``stackr.repo.resolving``, sentences are in
``stackr.core.conflicts``. What a sync does before and afterwards is in ``stackr.stories.syncing``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stackr.core import conflicts
from stackr.core.resolving import Resolution, Script, is_undone, moved_by, todo
from stackr.errors import Conflict, Refused

if TYPE_CHECKING:
    from stackr.core.ports import LocalState
    from stackr.repo.repository import Repository


def start(repo: Repository, resolution: Resolution, script: Script, onto: str) -> None:
    """Rebase in the work tree; returns when all of it went through, and raises ``Conflict`` where git stopped."""
    text = todo(script, repo.write_commits(script.writes))
    code = repo.resolving.start(resolution, text, onto)
    if repo.resolving.is_under_way(resolution):
        raise _stopped(repo)
    state = repo.local_state("")
    if code:
        settle_state(repo, resolution, state)
        raise Refused(
            "git rebase did not start; what it says is above", next_step="mend that, then stackr sync --resolve"
        )
    settle_state(repo, resolution, state)


def under_way(repo: Repository, verb: str) -> Resolution:
    """The rebase to go on with, or to take back; it may have ended already. Raises ``Refused`` if there is none."""
    resolution = repo.resolving.read()
    if resolution is None:
        raise conflicts.nothing_to(verb, repo.local_state("").busy)
    return resolution


def go_on(repo: Repository, resolution: Resolution) -> None:
    """Let git go on to the end; raises ``Conflict`` where it stops again, and ``Refused`` if it was aborted."""
    if repo.resolving.is_under_way(resolution):
        repo.resolving.go_on()
        if repo.resolving.is_under_way(resolution):
            raise _stopped(repo)
    if not settle_state(repo, resolution, repo.local_state("")):
        raise conflicts.was_aborted()


def take_back(repo: Repository, resolution: Resolution) -> None:
    """Put everything back; raises ``Refused`` when the rebase is finished already."""
    if repo.resolving.is_under_way(resolution):
        repo.resolving.take_back()
        if repo.resolving.is_under_way(resolution):
            raise Refused("git rebase --abort failed; what it says is above", safe="the rebase is still in progress")
    if settle_state(repo, resolution, repo.local_state("")):
        raise conflicts.was_finished()


def settle(repo: Repository) -> None:
    """Note the end of a rebase that the user has ended with git; raises ``Refused`` while it is still under way."""
    resolution = repo.resolving.read()
    if resolution is None:
        return
    if repo.resolving.is_under_way(resolution):
        raise conflicts.still_under_way(resolution)
    settle_state(repo, resolution, repo.local_state(""))


def settle_state(repo: Repository, resolution: Resolution, state: LocalState) -> bool:
    """Whether the rebase came to its end; it is logged and recorded then, and in any case there is none any more."""
    head = state.head
    if head is None or is_undone(resolution, state.refs, head):
        repo.resolving.forget()
        return False
    moved = moved_by(resolution, state.refs, head)
    records = [move for move in resolution.taken if state.refs.get(move.ref) == move.old]
    repo.resolving.settle(moved, records)
    return True


def _stopped(repo: Repository) -> Conflict:
    oid = repo.resolving.stopped_at()
    commit = repo.read_commits([oid]).get(oid) if oid else None
    return conflicts.stopped(commit, repo.resolving.unresolved())
