"""What comes some moments after a push: pull requests follow it, and branches can be made pull requests of.

GitHub moves the refs at once and does the rest in the background
(https://github.blog/engineering/architecture-optimization/how-we-improved-push-processing-on-github/). So for a while a
pull request has its old head and its old state while the branch has moved (tiammomo/RepoSteward#151,
xiexin12138/OpenAI-API-Chinese#72), and one of a branch that was pushed just now is refused as if that were not there
(kdlbs/kandev#3134, HENNGE/tfupdate-action#40; ``hub`` tries nine times). Off unless ``Settings.push_lag`` or
``branch_lag`` is set; counted in requests, so that no test waits. Nothing is kept over a restart, which settles all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stackr.sandbox import aftermath
from stackr.sandbox.engine import Engine
from stackr.sandbox.git import RefMove
from stackr.sandbox.model import ZERO_OID, Repository, User


@dataclass(slots=True)
class LatePush:
    """A push that pull requests do not know yet; ``left`` is how many requests are answered before they do."""

    repo: Repository
    actor: User | None
    moves: Sequence[RefMove]
    left: int


def pushed(engine: Engine, repo: Repository, actor: User | None, moves: Sequence[RefMove]) -> None:
    """Refs have moved by a push: settle what follows, now or later."""
    for move in moves:
        if move.branch is not None and move.old == ZERO_OID:
            engine.unseen_branches[repo.id, move.branch] = engine.settings.branch_lag
    if not engine.settings.push_lag:
        aftermath.refs_moved(engine, repo, actor, moves)
        return
    git = engine.git(repo)
    for move in moves:
        if move.new != ZERO_OID:
            git.graph.add(move.new)
    engine.late_pushes.append(LatePush(repo, actor, moves, engine.settings.push_lag))


def is_unseen(engine: Engine, repo: Repository, branch: str) -> bool:
    """Whether a branch is still too new for a pull request; each question brings it nearer."""
    left = engine.unseen_branches.get((repo.id, branch), 0)
    engine.unseen_branches[repo.id, branch] = max(left - 1, 0)
    return left > 0


def catch_up(engine: Engine, requests: int | None) -> None:
    """So many requests have arrived (None: more than enough): settle the pushes whose time has come, in order."""
    for push in engine.late_pushes:
        push.left = -1 if requests is None else push.left - requests
    while engine.late_pushes and engine.late_pushes[0].left < 0:
        _settle(engine, engine.late_pushes.pop(0))


def _settle(engine: Engine, push: LatePush) -> None:
    """What the push means by now: a branch may have moved on meanwhile, and others may have done with that."""
    refs = engine.git(push.repo).refs
    now = [RefMove(move.name, move.old, refs.get(move.name, ZERO_OID)) for move in push.moves]
    aftermath.refs_moved(engine, push.repo, push.actor, now)
