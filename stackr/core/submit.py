"""Stack -> Plan for ``stackr submit``; pure. The guards have spoken before, the executor writes afterwards.

Order (docs/internals/protocol.md section 5): write objects, move local refs that only add ids, unlink, park, push,
reopen, create, update, link. Each step is safe to die after: the next run reads, decides again and finishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.core import pushing, said
from stackr.core.heads import HeadPlan, LocalCommits, branch_moves, plan_heads, plan_ids
from stackr.core.linking import plan_links
from stackr.core.model import PullState, Stack
from stackr.core.options import SubmitOptions
from stackr.core.parks import plan_parks
from stackr.core.plan import Action, MoveRefs, Plan, PushRefs, Reopen, SetConfig, WriteCommit
from stackr.core.pulls import plan_creates, plan_updates


def plan_submit(stack: Stack, options: SubmitOptions) -> Plan:
    """The whole of a submit. An empty plan means that GitHub and this clone agree already."""
    active = options.active(stack)
    local = plan_ids(stack, active[-1] + 1)
    heads = plan_heads(stack, active, local, options.style, options.message)
    parks = tuple(plan_parks(stack, local, heads))
    parked = {park.number for park in parks}
    creates = tuple(plan_creates(stack, active, options))
    updates = plan_updates(stack, active, options, parked)
    links = plan_links(stack, active, parks, updates.pulls)
    actions: list[Action] = []
    actions += [WriteCommit(commit, "id", _id_of(stack, commit.label)) for commit in local.writes]
    actions += [WriteCommit(plan.commit, "head", plan.change.id) for plan in heads if plan.commit]
    actions += _moves_before_push(stack, local, heads, [create.change_id for create in creates])
    actions += [SetConfig(*setting) for setting in _settings(stack, options)]
    actions += links.unlinks
    actions += parks
    actions += _pushes(heads)
    actions += _moves_after_push(stack, heads)
    actions += _reopens(stack, active, options)
    actions += creates
    actions += updates.pulls
    actions += _moves_after_updates(stack, local, updates.said)
    actions += links.links
    return Plan("submit", tuple(actions), (*updates.notes, *links.notes))


def _id_of(stack: Stack, label: str) -> str:
    oid = label.rpartition("/")[2]
    return next(change.id for change in stack.changes if change.commit.oid == oid)


def _settings(stack: Stack, options: SubmitOptions) -> Iterator[tuple[str, str]]:
    branch = stack.head.stack_branch_name
    for key, value in (("stackrBase", options.remember_base), ("stackrFork", options.remember_fork)):
        if branch is not None and value is not None:
            yield f"branch.{branch}.{key}", value


def _moves_before_push(
    stack: Stack, local: LocalCommits, heads: Sequence[HeadPlan], created: Sequence[str]
) -> list[Action]:
    """Branches onto the commits with ids, and the records of where and what is about to be pushed, all at once.

    A page that is ``created`` begins with the words of the commit, so these can be recorded already.
    """
    moves = [*branch_moves(stack, local), *pushing.names(stack, heads), *pushing.intentions(heads)]
    moves += said.records(stack, created, local.tips)
    return [MoveRefs(tuple(moves), "submit: add change ids")] if moves else []


def _pushes(heads: Sequence[HeadPlan]) -> list[Action]:
    pushes = pushing.pushes(heads)
    return [PushRefs(pushes)] if pushes else []


def _moves_after_push(stack: Stack, heads: Sequence[HeadPlan]) -> list[Action]:
    moves = pushing.acceptances(stack, heads)
    return [MoveRefs(tuple(moves), "submit: pushed")] if moves else []


def _moves_after_updates(stack: Stack, local: LocalCommits, change_ids: Sequence[str]) -> list[Action]:
    """The records of new words, once they are there: recorded before, a run that died would leave the old ones."""
    moves = tuple(said.records(stack, change_ids, local.tips))
    return [MoveRefs(moves, "submit: said")] if moves else []


def _reopens(stack: Stack, active: Sequence[int], options: SubmitOptions) -> list[Action]:
    pulls = [stack.changes[index].pull for index in active] if options.reopen else []
    return [Reopen(pull.number, pull.node_id) for pull in pulls if pull and pull.state is PullState.CLOSED]
