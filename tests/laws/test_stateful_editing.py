"""Random sequences of the commands that move in a stack and reshape it, against a model; every step taken back exactly.

A change owns files, and lines of a file that all share; whatever the order, nothing of it conflicts. There are always
a dirty and an untracked file. ``STACKR_TEST_EXAMPLES=500`` runs that many histories, random ones.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.cli.test_undo import local
from tests.support.git import WHEN, copy_workspace
from tests.support.world import Clone

EXAMPLES = int(os.environ.get("STACKR_TEST_EXAMPLES", "0"))
MOST = 6
SHARED = [f"shared {n}\n" for n in range(1500)]
DIRTY, UNTRACKED = "notes that are not committed\n", b"\0untracked\r\n"

spot = st.integers(0, 11)


@dataclass
class Model:
    """One change: its title, its id (``""``: none yet), its files, and its lines of the shared file."""

    title: str
    id: str
    files: dict[str, str] = field(default_factory=dict)
    lines: dict[int, str] = field(default_factory=dict)


def blob(text: str) -> str:
    return hashlib.sha1(f"blob {len(text)}\0{text}".encode()).hexdigest()


def tree_of(entries: Mapping[str, str]) -> str:
    """The id of a tree with these files (and folders, under ``name/``) in it."""
    raw = b"".join(
        f"{'40000' if name.endswith('/') else '100644'} {name.rstrip('/')}\0".encode() + bytes.fromhex(oid)
        for name, oid in sorted(entries.items())
    )
    return hashlib.sha1(b"tree %d\0" % len(raw) + raw).hexdigest()


class Histories(RuleBasedStateMachine):
    """Alice at work on her stack, without the network. ``template`` and ``root`` are set by the test."""

    template: Path
    root: Path
    numbers = itertools.count(1)

    @initialize(size=st.integers(2, 4))
    def begin(self, size: int) -> None:
        place = self.root / f"clone-{next(self.numbers)}"
        self.clone = Clone(copy_workspace(self.template, place).clone.path, "alice", "no token")
        self.clone.commit("Add shared", {"shared": "".join(SHARED)})
        self.clone.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.clone.git("checkout", "-q", "-b", "feature")
        self.base = dict(row.split(" ")[::-1] for row in self.rows("HEAD"))
        self.changes: list[Model] = []
        self.here = -1
        self.count = 0
        for _ in range(size):
            self.commit_by_hand()
        self.clone.write("notes.txt", DIRTY)
        self.clone.write("untracked", UNTRACKED)

    def rows(self, revision: str) -> list[str]:
        """``oid name`` of what is in a tree, folders with a slash."""
        rows = (row.split() for row in self.clone.git("ls-tree", revision).splitlines())
        return [f"{oid} {name}{'/' if kind == 'tree' else ''}" for _, kind, oid, name in rows]

    def commit_by_hand(self) -> None:
        change = self.fresh()
        message = f"{change.title}\n\nChange-Id: {change.id}\n"
        self.write(change)
        self.clone.git("add", *change.files, "shared")
        self.clone.git("commit", "-q", "-m", message, env={"GIT_AUTHOR_DATE": WHEN})
        self.changes.append(change)
        self.here += 1

    def fresh(self) -> Model:
        self.count += 1
        n = self.count
        change_id = "I" + hashlib.sha1(str(n).encode()).hexdigest()
        files = {f"{part}{n}": f"{part} {n}\n" * 3 for part in "ab"}
        return Model(f"Change {n}", change_id, files, {n * 11: f"line of {n}\n"})

    def write(self, *more: Model) -> None:
        """Let the files be what the changes up to HEAD and ``more`` make of them."""
        changes = [*self.changes[: self.here + 1], *more]
        for change in changes:
            for name, text in change.files.items():
                self.clone.write(name, text)
        self.clone.write("shared", self.shared(changes))

    def shared(self, changes: Sequence[Model]) -> str:
        lines = {number: text for change in changes for number, text in change.lines.items()}
        return "".join(lines.get(number, text) for number, text in enumerate(SHARED))

    # what a step is, and that it can be taken back

    def step(self, *args: str) -> None:
        """Run a command, take it back, and do it again; nothing else may be different then."""
        before = local(self.clone)
        self.clone.stackr(*args)
        after = local(self.clone)
        assert after["branches"] != before["branches"] or after["head"] != before["head"]
        self.clone.stackr("undo")
        assert local(self.clone) == before
        self.clone.stackr("undo")
        assert local(self.clone) == after

    def name(self, index: int) -> str:
        """A change as the command line takes it."""
        change = self.changes[index]
        return change.id[:12] if change.id and index % 2 else f"feature~{len(self.changes) - 1 - index}"

    def below(self, at: int) -> int:
        """A change at HEAD or below."""
        return at % (self.here + 1)

    def edit(self, index: int, what: int) -> None:
        """Change something that belongs to a change, in the work tree and in the model."""
        change = self.changes[index]
        self.count += 1
        if change.lines and (what % 3 == 0 or not change.files):
            change.lines = dict.fromkeys(change.lines, f"line {self.count}\n")
        else:
            name = sorted(change.files)[what % len(change.files)]
            change.files[name] = change.files[name].split("\n")[0] + f"\nedited {self.count}\n"
        self.write()

    # rules

    @rule(at=spot, what=spot, everything=st.booleans())
    def amend(self, at: int, what: int, everything: bool) -> None:
        index = self.below(at)
        self.edit(index, what)
        if everything:
            self.clone.git("checkout", "-q", "notes.txt")
            self.step("amend", self.name(index), "--all")
            self.clone.write("notes.txt", DIRTY)
        else:
            self.clone.git("add", *self.changes[index].files, "shared")
            self.step("amend", *([] if index == self.here else [self.name(index)]))

    @rule(spots=st.lists(spot, min_size=1, max_size=3), what=spot)
    def absorb(self, spots: Sequence[int], what: int) -> None:
        for index in {self.below(at) for at in spots}:
            self.edit(index, what)
            self.clone.git("add", *self.changes[index].files, "shared")
        self.step("absorb")

    @precondition(lambda self: len(self.changes) < MOST)
    @rule(at=spot)
    def insert(self, at: int) -> None:
        index = self.below(at)
        change = self.fresh()
        change.id = ""
        self.write(change)
        self.clone.git("add", *change.files, "shared")
        self.step("insert", self.name(index), "-m", change.title)
        self.changes.insert(index + 1, change)
        self.here += 1

    @rule(at=spot)
    def reword(self, at: int) -> None:
        change = self.changes[at % len(self.changes)]
        title = f"Reworded {self.count}"
        self.count += 1
        self.step("reword", self.name(at % len(self.changes)), "-m", title)
        change.title = title

    @precondition(lambda self: len(self.changes) > 1)
    @rule(at=spot)
    def fold(self, at: int) -> None:
        index = 1 + at % (len(self.changes) - 1)
        self.step("fold", self.name(index))
        upper, lower = self.changes.pop(index), self.changes[index - 1]
        lower.files |= upper.files
        lower.lines |= upper.lines
        self.here -= self.here >= index

    @precondition(lambda self: len(self.changes) > 1)
    @rule(at=spot)
    def drop(self, at: int) -> None:
        index = at % len(self.changes)
        self.step("drop", self.name(index))
        del self.changes[index]
        self.here = max(0, self.here - (self.here >= index))

    @precondition(lambda self: len(self.changes) > 1)
    @rule(data=st.data())
    def reorder(self, data: st.DataObject) -> None:
        size = len(self.changes)
        order = data.draw(st.permutations(range(size)).filter(lambda order: list(order) != list(range(size))))
        is_at_top = self.clone.git("symbolic-ref", "-q", "HEAD", check=False) != ""
        self.step("reorder", *(self.name(index) for index in order))
        at_head = self.changes[self.here]
        self.changes = [self.changes[index] for index in order]
        self.here = size - 1 if is_at_top else next(i for i, change in enumerate(self.changes) if change is at_head)

    @precondition(lambda self: len(self.changes) < MOST and any(len(change.files) > 1 for change in self.changes))
    @rule(at=spot)
    def split(self, at: int) -> None:
        fitting = [index for index, change in enumerate(self.changes) if len(change.files) > 1]
        index = fitting[at % len(fitting)]
        whole = self.changes[index]
        name = sorted(whole.files)[0]
        self.count += 1
        self.step("split", self.name(index), name, "-m", f"Rest {self.count}")
        rest = Model(f"Rest {self.count}", "", {other: whole.files[other] for other in whole.files if other != name})
        rest.lines, whole.lines, whole.files = whole.lines, {}, {name: whole.files[name]}
        self.changes.insert(index + 1, rest)
        self.here += self.here >= index

    @precondition(lambda self: len(self.changes) > 1)
    @rule(at=spot)
    def move(self, at: int) -> None:
        target = at % len(self.changes)
        if target == self.here:
            target = (target + 1) % len(self.changes)
        by = target - self.here
        ends = {0: "bottom", len(self.changes) - 1: "top"}
        words = ("up" if by > 0 else "down", str(abs(by))) if at % 2 else ("goto", self.name(target))
        self.step(*((ends[target],) if target in ends and at > 5 else words))
        self.here = target

    # laws

    @invariant()
    def the_stack_is_as_it_should_be(self) -> None:
        rows = self.clone.git(
            *("log", "--reverse", "--format=%H%x00%T%x00%s%x00%(trailers:key=Change-Id,valueonly,separator=%x2c)"),
            "origin/main..feature",
        ).splitlines()
        found = [row.split("\0") for row in rows]
        wanted = [[self.tree(index), change.title, change.id] for index, change in enumerate(self.changes)]
        assert [row[1:] for row in found] == wanted
        assert self.clone.oid() == found[self.here][0]
        is_on_branch = self.clone.git("symbolic-ref", "-q", "HEAD", check=False) == "refs/heads/feature"
        assert is_on_branch or self.here < len(self.changes) - 1 or self.clone.oid() == self.clone.oid("feature")

    @invariant()
    def what_is_not_committed_is_there(self) -> None:
        assert (self.clone.path / "untracked").read_bytes() == UNTRACKED
        assert (self.clone.path / "notes.txt").read_text() == DIRTY
        assert self.clone.git("status", "--porcelain") == " M notes.txt\n?? untracked"

    def tree(self, index: int) -> str:
        changes = self.changes[: index + 1]
        files = {name: blob(text) for change in changes for name, text in change.files.items()}
        return tree_of({**self.base, **files, "shared": blob(self.shared(changes))})


def test_whatever_is_done_to_a_stack_it_is_as_it_should_be_and_can_be_taken_back(
    workspace_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Histories, "template", workspace_template, raising=False)
    monkeypatch.setattr(Histories, "root", tmp_path, raising=False)
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Histories,
        settings=settings(
            max_examples=EXAMPLES or 2,
            stateful_step_count=20 if EXAMPLES else 10,
            derandomize=not EXAMPLES,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
