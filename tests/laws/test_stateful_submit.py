"""The laws of submit over random histories, with the real command, real git and the sandbox (architecture, "Laws").

Slower and shorter than the same laws in a model (``test_pure_submit``): what it adds is everything that the model
leaves out. ``STACKR_TEST_EXAMPLES=500`` runs that many histories, random ones.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence
from dataclasses import replace
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

from stackr.sandbox import reviews
from stackr.ui.console import Console
from tests.support.laws import BLOCK, FORBIDDEN_EVENTS, Seen, check_diff, check_laws
from tests.support.stories import Stage
from tests.support.workbench import Bench, Step
from tests.support.world import Result

EXAMPLES = int(os.environ.get("STACKR_TEST_EXAMPLES", "0"))
MOST = 6

spot = st.integers(0, 7)
then = st.sampled_from(["submit", "submit", "go on"])
"""What alice does after reshaping the stack."""


class Histories(RuleBasedStateMachine):
    """Alice and her stack, a colleague, and a trunk that moves. ``stage`` and ``root`` are set by the test."""

    stage: Stage
    root: Path
    numbers = itertools.count(1)

    def __init__(self) -> None:
        super().__init__()
        scene = self.stage.scene("bare branch", self.root)
        self.world, self.clone = scene.world, scene.clone
        self.bench = Bench(self.clone)
        self.count = 0
        self.is_rewriting = False
        self.titles: dict[int, str] = {}
        self.words: dict[int, str] = {}
        self.approvals: list[tuple[int, str]] = []
        self.suggestions: dict[str, str] = {}

    # what alice does to the stack

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def step(self) -> Step:
        n = self.fresh()
        return Step(
            f"Add {n}\n\nWhy {n}.\n".encode(), {f"a{n}": f"a {n}\n", f"b{n}": f"b {n}\n", "shared": f"by {n}\n"}
        )

    @initialize(size=st.integers(1, 4), is_rewriting=st.sampled_from([False, False, True]))
    def begin(self, size: int, is_rewriting: bool) -> None:
        self.is_rewriting = is_rewriting
        if is_rewriting:
            self.clone.git("config", "stackr.style", "rewrite")
        self.bench.put([self.step() for _ in range(size)])
        self.submit()

    @property
    def steps(self) -> list[Step]:
        return list(self.bench.steps)

    def put(self, steps: Sequence[Step], then: str) -> None:
        self.bench.put(steps)
        if then == "submit":
            self.submit()

    @precondition(lambda self: len(self.steps) < MOST)
    @rule(where=spot, then=then)
    def insert(self, where: int, then: str) -> None:
        steps = self.steps
        steps.insert(where % (len(steps) + 1), self.step())
        self.put(steps, then)

    @rule(where=spot, then=then)
    def amend(self, where: int, then: str) -> None:
        steps = self.steps
        i, n = where % len(steps), self.fresh()
        path = sorted(steps[i].edits)[0]
        steps[i] = replace(steps[i], edits={**steps[i].edits, path: f"amended {n}\n"})
        self.put(steps, then)

    @rule(where=spot, what=st.sampled_from(["title", "text"]), then=then)
    def reword(self, where: int, what: str, then: str) -> None:
        steps = self.steps
        i, n = where % len(steps), self.fresh()
        title, _, rest = steps[i].message.partition(b"\n")
        changed = re.sub(rb"Why [^\n]*", b"Why else %d" % n, rest)
        steps[i] = replace(
            steps[i], message=(b"Retitle %d\n" % n + rest) if what == "title" else title + b"\n" + changed
        )
        self.put(steps, then)

    @precondition(lambda self: len(self.steps) > 1)
    @rule(order=st.permutations(range(MOST)), then=then)
    def reorder(self, order: list[int], then: str) -> None:
        steps = self.steps
        self.put([steps[i] for i in order if i < len(steps)], then)

    @precondition(lambda self: len(self.steps) > 2)
    @rule(where=spot, then=then)
    def drop(self, where: int, then: str) -> None:
        steps = self.steps
        del steps[where % len(steps)]
        self.put(steps, then)

    @precondition(lambda self: len(self.steps) > 2)
    @rule(where=spot, how=st.sampled_from(["squash", "fixup", "fixup -C"]), then=then)
    def squash(self, where: int, how: str, then: str) -> None:
        steps = self.steps
        i = where % (len(steps) - 1)
        lower, upper = steps[i], steps[i + 1]
        messages = {"squash": lower.message + b"\n" + upper.message, "fixup": lower.message, "fixup -C": upper.message}
        steps[i : i + 2] = [Step(messages[how], {**lower.edits, **upper.edits})]
        self.put(steps, then)

    @precondition(lambda self: len(self.steps) < MOST)
    @rule(where=spot, keeps=st.sampled_from(["lower", "upper"]), then=then)
    def split(self, where: int, keeps: str, then: str) -> None:
        steps = self.steps
        i, n = where % len(steps), self.fresh()
        (first, *others) = sorted(steps[i].edits)
        if not others:
            return
        edits = steps[i].edits
        messages = [steps[i].message, b"Split %d\n" % n]
        if keeps == "upper":
            messages.reverse()
        parts = [{first: edits[first]}, {path: edits[path] for path in others}]
        steps[i : i + 1] = [Step(message, part) for message, part in zip(messages, parts, strict=True)]
        self.put(steps, then)

    @rule(does_rebase=st.booleans())
    def trunk_moves(self, does_rebase: bool) -> None:
        self.world.advance(f"trunk{self.fresh()}")
        if does_rebase:
            self.clone.git("fetch", "-q", str(self.world.bare.path), "+refs/heads/main:refs/remotes/origin/main")
            self.bench.put(self.steps, self.clone.oid("origin/main"))
            self.submit()

    # what others do

    @precondition(lambda self: self.world.pulls())
    @rule(where=spot)
    def bob_edits_a_text(self, where: int) -> None:
        pulls, n = self.world.pulls(), self.fresh()
        pull = pulls[where % len(pulls)]
        if n % 2:
            self.titles[pull.number] = f"Edited {n}"
            self.world.edit(pull.number, title=f"Edited {n}")
        else:
            found = BLOCK.search(pull.body or "")
            assert found is not None
            self.words[pull.number] = f"Bob's words {n}."
            self.world.edit(pull.number, body=f"{found[0]}\r\n\r\nBob's words {n}.\r\n")

    @precondition(lambda self: self.world.pulls() and not self.is_rewriting)
    @rule(where=spot)
    def carol_approves(self, where: int) -> None:
        pulls = self.world.pulls()
        pull = pulls[where % len(pulls)]
        engine = self.world.server.engine
        reviews.add_review(engine, self.world.server.user("carol"), pull, event="APPROVE")
        self.approvals.append((pull.number, pull.head_oid))

    @precondition(lambda self: any(self.branches()) and not self.is_rewriting)
    @rule(where=spot)
    def bob_commits_a_suggestion(self, where: int) -> None:
        live = [branch for branch in self.branches() if branch]
        branch = live[where % len(live)]
        self.suggestions[branch] = self.world.suggest(branch, f"suggestion{self.fresh()}", "better\n")

    def branches(self) -> list[str]:
        """The branch of every commit of the stack, ``""`` where there is none yet."""
        names = [name.removeprefix("refs/heads/") for name in self.world.bare.refs("refs/heads")]
        return [next((name for name in names if name.endswith("/" + change)), "") for change in self.ids()]

    def ids(self) -> list[str]:
        """The part of every id that is in a branch name; of several ids the first counts."""
        found = (re.search(rb"^Change-Id: I([0-9a-f]{10})", step.message, re.MULTILINE) for step in self.steps)
        return [match[1].decode() if match else "-" for match in found]

    # stackr submit

    @rule(message=st.sampled_from(["", "my words"]))
    def submit(self, message: str = "") -> None:
        self.insist(range(len(self.steps)), *(["-m", message] if message else []))
        check_laws(self.world, self.clone, forced=self.is_rewriting)

    @rule(where=spot)
    def submit_a_part(self, where: int) -> None:
        i = where % len(self.steps)
        self.insist(range(i + 1), self.clone.stack()[i])
        self.check(range(i + 1))

    @rule(where=spot)
    def submit_only_one(self, where: int) -> None:
        i = where % len(self.steps)
        result = self.run(self.clone.stack()[i], "--only", code=None)
        assert result.code in (0, 3), str(result)
        if result.code == 0:
            self.check([i])

    @rule(
        k=st.integers(1, 4),
        kind=st.sampled_from(["drop", "500", "cut-json", "401"]),
        when=st.sampled_from(["before", "after"]),
    )
    def submit_breaks_off(self, k: int, kind: str, when: str) -> None:
        faults = self.world.server.faults
        faults.add(kind, k, when=when, selector="write", times=99)
        result = self.run(code=None)
        faults.clear()
        assert result.code in (0, 3, 5, 7), str(result)

    def insist(self, active: Sequence[int], *args: str) -> None:
        """Submit; where bob has committed something, that is refused first, and then has to be overwritten."""
        branches = self.branches()
        tips = self.world.bare.refs("refs/heads")
        foreign = [
            branches[i]
            for i in active
            if self.suggestions.get(branches[i]) == tips.get(f"refs/heads/{branches[i]}", "-")
        ]
        result = self.run(*args, code=None)
        if foreign:
            assert result.code == 3, str(result)
            assert "Apply suggestion" in result.err, str(result)
            result = self.run(*args, "--overwrite", code=None)
        assert result.code == 0, str(result)

    def run(self, *args: str, code: int | None) -> Result:
        try:
            return self.clone.stackr("submit", *args, code=code)
        finally:
            self.bench.read_messages()

    def check(self, active: Sequence[int]) -> None:
        """What must be true of the part that was submitted."""
        branches = self.branches()
        for i, commit in enumerate(self.clone.stack()):
            if i in active:
                (pull,) = (pull for pull in self.world.pulls() if pull.head_ref == branches[i])
                assert pull.base_ref == (branches[i - 1] if i else "main")
                check_diff(self.world, self.clone, Seen(commit, "", pull))

    # laws that hold at every moment

    @invariant()
    def nothing_was_closed_or_merged_or_forced(self) -> None:
        forbidden = FORBIDDEN_EVENTS - ({"head_ref_force_pushed"} if self.is_rewriting else set())
        for pull in self.world.pulls():
            assert self.world.state(pull.number) == "open"
            assert not forbidden & set(self.world.events(pull.number))

    @invariant()
    def what_bob_wrote_stands(self) -> None:
        for number, title in self.titles.items():
            assert self.world.pull(number).title == title
        for number, words in self.words.items():
            assert words in (self.world.pull(number).body or "")

    @invariant()
    def every_approval_and_every_suggestion_is_still_in_the_branch(self) -> None:
        pulls = {pull.number: pull.head_oid for pull in self.world.pulls()}
        graph = self.world.server.engine.git(self.world.server.repository(self.world.name)).graph
        for number, oid in self.approvals:
            assert graph.is_ancestor(oid, pulls[number])
        for number, pull in ((pull.number, pull) for pull in self.world.pulls()):
            if pull.head_ref in self.suggestions:
                assert graph.is_ancestor(self.suggestions[pull.head_ref], pulls[number])


def test_whatever_becomes_of_a_stack_every_law_holds(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Console, "wait", lambda console, seconds, reason: None)
    monkeypatch.setattr(Histories, "stage", stage, raising=False)
    monkeypatch.setattr(Histories, "root", tmp_path, raising=False)
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Histories,
        settings=settings(
            max_examples=EXAMPLES or 3,
            stateful_step_count=30 if EXAMPLES else 14,
            derandomize=not EXAMPLES,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
