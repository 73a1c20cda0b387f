"""Whose commit is at the tip of a head branch: ours, one we may take over, or somebody else's.

docs/internals/protocol.md 2.7 and 3.1. ``refs/stackr/heads/<id>`` is our own record, so a background ``git fetch``
cannot forge it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from stackr.core import identity
from stackr.core.model import Change, Stack

HEADS = "refs/stackr/heads/"
PUSHING = "refs/stackr/pushing/"
BRANCHES = "refs/stackr/branches/"
# The local commit of a change whose head a landing left as it is, and the head that was reviewed before a landing
# brought the branch up to date with trunk.
KEPT = "refs/stackr/kept/"
REVIEWED = "refs/stackr/reviewed/"
# What has left the stack while its branch is still to be removed on GitHub.
LANDED = "refs/stackr/landed/"
# <id>/<head branch> of a change whose branch was named by another tool, or by hand, so that the name does not tell it.
NAMES = "refs/stackr/names/"
# The head of somebody else's pull request that this clone checked out, until we have pushed to it ourselves.
TAKEN = "refs/stackr/taken/"
# A local commit whose message is what this clone said last of a change on GitHub, or found there when it took it in.
SAID = "refs/stackr/said/"


def records_of(change_id: str, head_ref: str) -> tuple[str, ...]:
    """Every record of ours that goes when a change has landed and its branch is gone."""
    rooms = (room + change_id for room in (HEADS, PUSHING, KEPT, REVIEWED, LANDED, TAKEN, SAID))
    return (*rooms, BRANCHES + head_ref, name_record(change_id, head_ref))


def name_record(change_id: str, head_ref: str) -> str:
    """The record that says which branch a change has where the branch's name does not."""
    return f"{NAMES}{change_id}/{head_ref}"


def named_branches(refs: Iterable[str]) -> dict[str, str]:
    """Head branch by change id, as far as it is recorded because its name does not tell."""
    found = (ref.removeprefix(NAMES).partition("/") for ref in refs if ref.startswith(NAMES))
    return {change_id: head_ref for change_id, _, head_ref in found}


def tells_change(head_ref: str, change_id: str) -> bool:
    """Whether a branch is found by the id of its change alone."""
    return head_ref.endswith(identity.short_id(change_id))


class Ownership(Enum):
    """What the remote tip of a change is to us."""

    ABSENT = "absent"
    OURS = "ours"
    ADOPTABLE = "adoptable"
    FOREIGN = "foreign"


def ownership(change: Change, stack: Stack) -> Ownership:
    """Classify the remote head of ``change``.

    ``ADOPTABLE``: not recorded as ours, but nothing of it would be lost. Its tree is the local one, or (without any
    record: a second machine, a colleague's stack) the local commit already contains it.
    """
    remote = change.remote_head
    if remote is None:
        return Ownership.ABSENT
    if remote in (change.accepted, change.pushing):
        return Ownership.OURS
    if stack.trees.get(remote) == change.commit.tree:
        return Ownership.ADOPTABLE
    if change.accepted is None and stack.graph.contains(change.commit.oid, remote):
        return Ownership.ADOPTABLE
    return Ownership.FOREIGN


def foreign_changes(stack: Stack) -> tuple[Change, ...]:
    """The changes whose head branch somebody else moved, bottom first."""
    return tuple(change for change in stack.changes if ownership(change, stack) is Ownership.FOREIGN)
