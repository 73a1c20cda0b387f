"""Pull requests around a stack that are not in it: landed ones, orphans, those of a branch that shares some of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from stackr.core import body, identity
from stackr.core.model import Orphan, PullRequest, PullState, Stack
from stackr.core.ownership import named_branches
from stackr.core.ports import Forge, ForgeFacts, ReadRequest, Repo
from stackr.observe.local import Local


def current_pull(facts: ForgeFacts, head_ref: str) -> PullRequest | None:
    """The pull request of a head branch: the open one, else the newest."""
    pulls = facts.pulls.get(head_ref, ())
    return next((pull for pull in pulls if pull.state is PullState.OPEN), pulls[0] if pulls else None)


def with_outsiders(repo: Repo, forge: Forge | None, stack: Stack, local: Local, facts: ForgeFacts) -> Stack:
    """Add what the stack lists and our records tell of changes that are not in the stack any more.

    What targets one of the stack's branches is added whoever made it: a push may merge it as well as our own.
    """
    mine = {change.pull.number for change in stack.changes if change.pull}
    rows = [row for change in stack.changes if change.pull for row in _rows(change.pull)]
    others = {pull.number: pull for ref in local.candidates if (pull := current_pull(facts, ref))}
    others |= {
        pull.number: pull for ref in local.on_trunk if (pull := current_pull(facts, ref)) and _has_landed(pull, stack)
    }
    listed = {row.number for row in rows if row.number and not row.landed} - mine
    unknown = listed - others.keys()
    if unknown and forge is not None:
        asked = forge.read(ReadRequest(trunk=stack.trunk.name, numbers=tuple(sorted(unknown))))
        others |= asked.by_number
    landed = [row.number for row in rows if row.landed and row.number is not None]
    landed += [number for number, pull in sorted(others.items()) if number in listed and _has_landed(pull, stack)]
    open_ones = {number: pull for number, pull in others.items() if pull.state is PullState.OPEN}
    elsewhere = _on_other_branches(repo, stack, open_ones.values())
    guests = [pull for pull in facts.targeting if pull.number not in mine and pull.number not in open_ones]
    return replace(
        stack,
        landed_numbers=tuple(number for number in dict.fromkeys(landed) if number not in mine),
        orphans=tuple(
            Orphan(pull, local.candidates.get(pull.head_ref, ""))
            for number, pull in sorted(open_ones.items())
            if number not in elsewhere
        ),
        relatives=(*(pull for number, pull in sorted(open_ones.items()) if number in elsewhere), *guests),
    )


def _rows(pull: PullRequest) -> tuple[body.Row, ...]:
    block = body.parse(pull.body).block
    return block.rows if block else ()


def _has_landed(pull: PullRequest, stack: Stack) -> bool:
    """Merged, and into trunk: into another branch it may have been by mistake."""
    return pull.state is PullState.MERGED and pull.base_ref == stack.trunk.name


def _on_other_branches(repo: Repo, stack: Stack, pulls: Iterable[PullRequest]) -> set[int]:
    """Numbers of pull requests whose change lives on another local branch (two stacks that share their lower part)."""
    pulls = list(pulls)
    if not pulls:
        return set()
    commits = repo.list_commits(sorted(set(stack.local_branches.values())), [stack.trunk.oid])
    alive = {change for commit in commits if (change := identity.change_id(commit.message))}
    named = {ref for change, ref in named_branches(stack.own_refs).items() if change in alive}
    short = {identity.short_id(change) for change in alive}
    return {pull.number for pull in pulls if pull.head_ref in named or pull.head_ref.rpartition("/")[2] in short}
