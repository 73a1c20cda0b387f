"""The story of ``stackr checkout``: read the stack, merge what its heads lack, write clean commits, go there.

What the commits say and which refs move is decided in ``stackr.core.checkout``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from stackr.core import checkout
from stackr.core.checkout import Member
from stackr.core.conflicts import files
from stackr.core.model import Commit, Graph, Stack
from stackr.core.plan import Plan
from stackr.core.ports import LocalState
from stackr.core.sought import Sought
from stackr.core.status import report
from stackr.errors import Conflict, Refused
from stackr.execute import execute_local
from stackr.observe.footing import read_footing
from stackr.observe.stacked import Stacked, observe_stacked
from stackr.records import dataclass
from stackr.ui import show

if TYPE_CHECKING:
    from stackr.app import App

_BRANCHES = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Way:
    """How to check out: on which branch (``None``: one is named), not at all (``dry_run``), and what to print."""

    branch: str | None = None
    dry_run: bool = False
    as_json: bool = False


def run(app: App, sought: Sought, way: Way) -> None:
    """Check out the stack up to one pull request; to be called with the lock held, unless it is a dry run."""
    if way.branch is not None:
        checkout.refuse_name(way.branch)
    app.ui.step("reading the stack")
    stacked = observe_stacked(app.repo, app.forge, app.remote, app.config.branch_template, sought)
    members = checkout.members(stacked.pulls, stacked.commits, stacked.trunk)
    ref = _BRANCHES + (way.branch or checkout.branch_name(members[-1]))
    # What a dry run writes is gone when it has told.
    with app.repo.rehearsal() if way.dry_run else nullcontext():
        point = _point(app, stacked, members[0])
        members = _with_trees(app, stacked, members, point)
        tips = _commits(app, members, point, ref, stacked.state)
        foreign = _foreign(app, members, remember=not way.dry_run)
        plan = _plan(app, stacked, members, tips, ref, foreign)
        commits = app.repo.read_commits(tips)
        stack = checkout.stack_after(members, [commits[tip] for tip in tips], ref, stacked.trunk, stacked.graph)
        _show(app, plan, stack, members, way)


def _point(app: App, stacked: Stacked, lowest: Member) -> Commit:
    """The trunk commit to stand on: the one the lowest head stands on, or trunk's tip where that has landed."""
    footing = _footing(app, stacked.graph, lowest, stacked.trunk.oid)
    tip = stacked.trunk.oid
    return app.repo.read_commits([tip])[tip] if footing.oid in stacked.commits else footing


def _with_trees(app: App, stacked: Stacked, members: Sequence[Member], point: Commit) -> tuple[Member, ...]:
    """The members with their trees: those of the heads, wherever these are complete.

    A head may lack what was pushed below it meanwhile, or what has landed.
    """
    done: list[Member] = []
    graph = stacked.graph
    base, below, tree = stacked.trunk.oid, point.oid, point.tree
    for member in members:
        footing = _footing(app, graph, member, base)
        tree = member.head.tree if footing.tree == tree else _merged(app, member, footing.tree, tree)
        is_behind = tree != member.head.tree or not graph.contains(member.head.oid, below)
        done.append(replace(member, tree=tree, is_behind=is_behind))
        base = below = member.head.oid
    return tuple(done)


def _footing(app: App, graph: Graph, member: Member, base: str) -> Commit:
    footing = read_footing(app.repo, member.versions[-1], base, graph)
    if footing is None:
        raise Refused(
            f"what #{member.pull.number} stands on is not in this clone",
            next_step="git fetch --unshallow brings the whole history",
        )
    return footing


def _merged(app: App, member: Member, base: str, below: str) -> str:
    merged = app.repo.merge_trees(base, below, member.head.tree)
    if merged.tree is None:
        pull = member.pull
        raise Conflict(
            f'#{pull.number} "{pull.title}" conflicts with what it stands on (conflict in {files(merged.paths)})',
            safe="nothing was changed",
            next_step=f"{pull.author} has to sync it; stackr checkout of a pull request below works",
        )
    return merged.tree


def _commits(app: App, members: Sequence[Member], point: Commit, ref: str, state: LocalState) -> tuple[str, ...]:
    """Where each member's commit is: on the branch that has them already, else written now."""
    checkout.refuse_elsewhere(ref, state)
    tip = state.refs.get(ref)
    if tip is not None:
        existing = app.repo.list_commits([tip], [point.oid])
        if not checkout.same_content(existing, members):
            name = ref.removeprefix(_BRANCHES)
            checkout.refuse_other_content(name, tip, members[-1].pull.number)
        return tuple(commit.oid for commit in existing)
    writes, tips = checkout.new_commits(members, point.oid)
    oids = app.repo.write_commits(writes)
    return tuple(oids.get(tip, tip) for tip in tips)


def _plan(
    app: App, stacked: Stacked, members: Sequence[Member], tips: Sequence[str], ref: str, foreign: frozenset[str]
) -> Plan:
    state = stacked.state
    if state.head is None:
        raise Refused("the current branch has no commit yet", next_step="git switch to a branch that has")
    moved = checkout.moved_on(members, state.refs)
    if moved:
        checkout.refuse_left_behind(moved, _holders(app, stacked))
    return checkout.plan_checkout(members, tips, ref, state.head, state.refs, foreign)


def _holders(app: App, stacked: Stacked) -> dict[str, tuple[Commit, ...]]:
    """The commits above trunk of every local branch."""
    branches = {ref: oid for ref, oid in stacked.state.refs.items() if ref.startswith(_BRANCHES)}
    commits = {each.oid: each for each in app.repo.list_commits(sorted(set(branches.values())), [stacked.trunk.oid])}
    return {
        ref.removeprefix(_BRANCHES): tuple(commits[each] for each in _line(commits, oid))
        for ref, oid in branches.items()
    }


def _line(commits: dict[str, Commit], oid: str) -> list[str]:
    """The first-parent line up to a commit, as far down as ``commits`` has it, lowest first."""
    line = []
    while oid in commits:
        line.append(oid)
        oid = next(iter(commits[oid].parents), "")
    return line[::-1]


def _foreign(app: App, members: Sequence[Member], *, remember: bool) -> frozenset[str]:
    """The ids of changes that are somebody else's and not shared; one request in the life of a clone."""
    viewer = app.login(remember=remember)
    if all(member.pull.author.lower() == viewer.lower() for member in members):
        return frozenset()
    email = app.repo.email()
    return frozenset(member.id for member in members if checkout.is_foreign(member, viewer, email))


def _show(app: App, plan: Plan, stack: Stack, members: Sequence[Member], way: Way) -> None:
    """Go there and show the stack; or show the plan, refusing what it would refuse."""
    behind = {member.id for member in members if member.is_behind} - checkout.kept_as_they_are(members)
    shown = report("checkout", stack, behind, plan.notes if way.dry_run else ())
    if way.dry_run:
        app.refuse_loss(plan)
        show.plan(app.ui, plan, stack, shown, as_json=way.as_json)
        return
    execute_local(plan, app.repo)
    app.remember_pulls(stack)
    show.reshaped(app.ui, plan, shown, as_json=way.as_json)
