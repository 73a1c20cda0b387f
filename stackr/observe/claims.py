"""Which pull requests ghstack or mergify made of the commits of a stack, before the stack itself is observed.

ghstack's commits name theirs, which is one request; mergify's have a Change-Id only, so what is open is asked for.
Decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from stackr.core import body, ghstack, identity, mergify
from stackr.core.adopt import is_of
from stackr.core.model import Change, Commit, PullRequest, Stack
from stackr.core.ownership import HEADS
from stackr.core.ports import Forge, ReadRequest, Repo
from stackr.observe.story import observe_offline
from stackr.observe.wanted import Claim, Wanted


def read_claims(repo: Repo, forge: Forge, wanted: Wanted) -> dict[str, Claim]:
    """Change and head branch by commit id, as far as this clone has no record of them."""
    stack = observe_offline(repo, wanted).stack
    return {**_of_ghstack(forge, stack), **_of_mergify(forge, stack)}


def _of_ghstack(forge: Forge, stack: Stack) -> dict[str, Claim]:
    numbers = {
        change.commit.oid: number
        for change in stack.changes
        if (number := ghstack.pull_number(change.commit.message)) is not None
    }
    if not numbers:
        return {}
    pulls = forge.read(ReadRequest(numbers=tuple(sorted(set(numbers.values()))))).by_number
    commits = {change.commit.oid: change.commit for change in stack.changes}
    return {
        oid: Claim(_id_of(commits[oid], pulls[number]), pulls[number].head_ref)
        for oid, number in numbers.items()
        if number in pulls and is_of(pulls[number], commits[oid])
    }


def _id_of(commit: Commit, pull: PullRequest) -> str:
    """The commit's own id, else the one that another clone gave the pull request, else one that follows from both."""
    block = body.parse(pull.body).block
    return identity.change_id(commit.message) or (block.id if block else "") or identity.new_id(commit)


def _of_mergify(forge: Forge, stack: Stack) -> dict[str, Claim]:
    unknown = [change for change in stack.changes if _is_unknown(change, stack.own_refs)]
    if not unknown:
        return {}
    branches = [pull.head_ref for pull in forge.list_open_pulls()]
    found = {change.commit.oid: (change.id, mergify.head_of(change.id, branches)) for change in unknown}
    return {oid: Claim(change, head) for oid, (change, head) in found.items() if head is not None}


def _is_unknown(change: Change, records: Mapping[str, str]) -> bool:
    """Whether a commit has an id and no branch that this clone knows of."""
    return bool(identity.change_id(change.commit.message)) and HEADS + change.id not in records
