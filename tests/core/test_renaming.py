"""A new id for one change: what is rewritten, what moves, what stays."""

from __future__ import annotations

from dataclasses import replace

from stackr.core import identity
from stackr.core.model import Change, Commit, Head, Stack, Trunk
from stackr.core.plan import MoveRefs, RefMove, WriteCommit
from stackr.core.renaming import plan_new_id

IDS = ("I" + "1" * 40, "I" + "2" * 40, "I" + "3" * 40)
OIDS = ("1" * 40, "2" * 40, "3" * 40)


def stack(head: Head | None = None) -> Stack:
    who = b"A <a@example.com> 1700000000 +0000"
    changes = []
    for number, (change_id, oid) in enumerate(zip(IDS, OIDS, strict=True)):
        parent = OIDS[number - 1] if number else "0" * 40
        message = f"{number}\n\nChange-Id: {change_id}\n".encode()
        changes.append(Change(change_id, Commit(oid, oid, (parent,), who, who, message), f"stackr/a/{number}"))
    branches = {"refs/heads/feature": OIDS[2], "refs/heads/low": OIDS[0], "refs/heads/elsewhere": "9" * 40}
    return Stack(
        Trunk("main", "0" * 40), head or Head("refs/heads/feature", OIDS[2]), tuple(changes), local_branches=branches
    )


def test_only_its_message_changes_and_those_above_follow() -> None:
    plan = plan_new_id(stack(), 1)
    middle, top, moves = plan.actions
    assert isinstance(middle, WriteCommit) and isinstance(top, WriteCommit)
    wanted = identity.change_id(middle.commit.message)
    assert wanted not in IDS
    assert (middle.change_id, top.change_id) == (wanted, IDS[2])
    assert middle.commit.message == f"1\n\nChange-Id: {wanted}\n".encode()
    assert middle.commit.parents == (OIDS[0],)
    assert (top.commit.message, top.commit.parents) == (stack().changes[2].commit.message, (middle.commit.label,))
    assert moves == MoveRefs((RefMove("refs/heads/feature", OIDS[2], top.commit.label),), "id: new change id")


def test_a_detached_head_is_moved_itself() -> None:
    (*_, moves) = plan_new_id(stack(Head(None, OIDS[2])), 2).actions
    assert isinstance(moves, MoveRefs)
    assert [move.ref for move in moves.moves] == ["refs/heads/feature", "HEAD"]


def test_the_new_id_follows_from_the_commit_so_the_next_one_is_another() -> None:
    before = stack()
    first = plan_new_id(before, 0).actions[0]
    assert first == plan_new_id(before, 0).actions[0]
    rewritten = replace(before.changes[0], commit=replace(before.changes[0].commit, oid="8" * 40))
    second = plan_new_id(replace(before, changes=(rewritten, *before.changes[1:])), 0).actions[0]
    assert isinstance(first, WriteCommit) and isinstance(second, WriteCommit)
    assert first.change_id != second.change_id
