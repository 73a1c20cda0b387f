"""The laws of submit over random histories, in a model of git and GitHub (docs/internals/architecture.md, "Laws").

A second submit plans nothing; a run killed at any write and run again ends where an unbroken run ends; no open pull
request is ever closed or merged; each pull request's diff on GitHub is its commit's diff; no branch is forced; GitHub's
own stack, where enabled, is this one.
``STACKR_TEST_EXAMPLES=5000`` tries so many histories.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from stackr.core import body
from stackr.core.identity import change_id
from stackr.core.model import Commit, PullState
from stackr.errors import Refused
from tests.support.pure_git import Gate, Killed
from tests.support.pure_work import BOB, Step, World, edited, new_world

EXAMPLES = int(os.environ.get("STACKR_TEST_EXAMPLES", "50"))
spot = st.integers(0, 7)
chance = st.integers(0, 10_000)


class Histories(RuleBasedStateMachine):
    """One person, one stack, one colleague, and a trunk that moves."""

    def __init__(self) -> None:
        super().__init__()
        self.world = new_world()
        self.count = 0
        self.colleagues: dict[str, str] = {}
        self.edited: dict[int, tuple[str, str]] = {}
        self.is_second_machine = False

    # what a person does to the stack

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def step(self) -> Step:
        n = self.fresh()
        return Step(f"Add {n}\n\nWhy {n}.\n".encode(), {f"a{n}": f"a {n}", f"b{n}": f"b {n}", "shared": f"by {n}"})

    @initialize(size=st.sampled_from([3, 4, 2, 5, 1]), is_submitted=st.booleans(), is_native=st.booleans())
    def begin(self, size: int, is_submitted: bool, is_native: bool) -> None:
        self.world.github.stacks = {} if is_native else None
        self.world.replay([self.step() for _ in range(size)])
        if is_submitted:
            self.submit(None)

    def steps(self) -> list[Step]:
        return self.world.steps()

    def at(self, steps: Sequence[Step], where: int) -> int:
        return where % len(steps)

    @precondition(lambda self: len(self.steps()) < 6)
    @rule(where=spot)
    def insert(self, where: int) -> None:
        steps = self.steps()
        steps.insert(where % (len(steps) + 1), self.step())
        self.world.replay(steps)

    @rule(where=spot, what=st.sampled_from(["code", "message", "both"]))
    def amend(self, where: int, what: str) -> None:
        steps = self.steps()
        i, n = self.at(steps, where), self.fresh()
        if what != "message":
            path = sorted(steps[i].edits)[0]
            steps[i] = edited(steps[i], edits={**steps[i].edits, path: f"amended {n}"})
        if what != "code":
            _, _, rest = steps[i].message.partition(b"\n")
            steps[i] = edited(steps[i], message=b"Reword %d\n" % n + rest)
        self.world.replay(steps)

    @precondition(lambda self: len(self.steps()) > 1)
    @rule(order=st.permutations(range(6)))
    def reorder(self, order: list[int]) -> None:
        steps = self.steps()
        self.world.replay([steps[i] for i in order if i < len(steps)])

    @precondition(lambda self: len(self.steps()) > 1)
    @rule(where=spot, to=spot)
    def move_one(self, where: int, to: int) -> None:
        steps = self.steps()
        steps.insert(to % len(steps), steps.pop(self.at(steps, where)))
        self.world.replay(steps)

    @precondition(lambda self: len(self.steps()) > 2)
    @rule(where=spot)
    def drop(self, where: int) -> None:
        steps = self.steps()
        del steps[self.at(steps, where)]
        self.world.replay(steps)

    @precondition(lambda self: len(self.steps()) > 2)
    @rule(where=spot)
    def squash(self, where: int) -> None:
        steps = self.steps()
        i = where % (len(steps) - 1)
        lower, upper = steps[i], steps[i + 1]
        steps[i : i + 2] = [Step(lower.message + b"\n" + upper.message, {**lower.edits, **upper.edits})]
        self.world.replay(steps)

    @precondition(lambda self: len(self.steps()) < 6)
    @rule(where=spot, keeps=st.sampled_from(["lower", "upper"]))
    def split(self, where: int, keeps: str) -> None:
        steps = self.steps()
        i, n = self.at(steps, where), self.fresh()
        paths = sorted(steps[i].edits)
        if len(paths) < 2:
            return
        parts = [{paths[0]: steps[i].edits[paths[0]]}, {path: steps[i].edits[path] for path in paths[1:]}]
        messages = [steps[i].message, b"Split %d\n" % n]
        if keeps == "upper":
            messages.reverse()
        steps[i : i + 1] = [Step(m, e) for m, e in zip(messages, parts, strict=True)]
        self.world.replay(steps)

    @rule(does_rebase=st.booleans())
    def trunk_moves(self, does_rebase: bool) -> None:
        n = self.fresh()
        self.world.move_trunk({"readme": f"{n}", f"trunk{n}": "new"})
        if does_rebase:
            self.world.fetch()
            self.world.replay(self.steps(), self.world.github.branches["main"])

    # what others do

    @precondition(lambda self: self.world.github.pulls)
    @rule(where=spot)
    def somebody_edits_a_text(self, where: int) -> None:
        numbers = sorted(self.world.github.pulls)
        number, n = numbers[where % len(numbers)], self.fresh()
        pull = self.world.github.pulls[number]
        before, text = body.normalise(pull.body), body.parse(pull.body).text
        title, words = (f"Edited {n}", text) if n % 2 else (pull.title, f"Edited {n}\n\n{text}".strip())
        after = before.replace(text, words) if text else f"{before}\n\n{words}"
        self.world.github.set_text(number, title, after)
        self.edited[number] = (title if n % 2 else "", "" if n % 2 else words)

    @precondition(lambda self: self.live())
    @rule(where=spot)
    def a_colleague_pushes(self, where: int) -> None:
        live = self.live()
        name = live[where % len(live)]
        self.colleagues[name] = self.world.github.commit_on(name, {"colleague": f"{self.fresh()}"}, BOB)

    def live(self) -> list[str]:
        """Branches of the local stack that are on GitHub."""
        branches = (self.branch(step) for step in self.steps())
        return [name for name in branches if name is not None]

    def branch(self, step: Step) -> str | None:
        ending = change_id(step.message)[1:11]
        return next((name for name in self.world.github.branches if ending and name.endswith(ending)), None)

    @rule()
    def another_machine(self) -> None:
        self.world.fetch()
        self.world.forget()
        self.is_second_machine = True

    # stackr submit

    def commits(self) -> Sequence[Commit]:
        return self.world.repo.list_commits([self.world.repo.tip], [self.world.point])

    @rule(message=st.none() | st.just("my words"))
    def submit(self, message: str | None) -> None:
        choices = self.settled(message=message)
        self.world.submit(**choices)
        self.check(range(len(self.commits())), choices)

    @rule(where=spot, only=st.booleans())
    def submit_a_part(self, where: int, only: bool) -> None:
        commits = self.commits()
        i = where % len(commits)
        choices = {"upto": commits[i].oid, "only": only}
        if only and self.refused(**choices, overwrite=True):
            return
        choices = self.settled(**choices)
        self.world.submit(**choices)
        self.check(range(i if only else 0, i + 1), {**choices, "upto": self.commits()[i].oid})

    @rule(kills=st.lists(st.tuples(st.integers(1, 20), st.booleans()), min_size=1, max_size=2), order=chance)
    def submit_killed_and_submit_again(self, kills: list[tuple[int, bool]], order: int) -> None:
        choices = self.settled()
        unbroken = self.world.copy(order)
        unbroken.submit(**choices)
        for kill in kills:
            self.submit_killed(*kill, choices)
        # Insisting is over once it was done: the next run knows its own commit.
        self.world.submit(**choices)
        assert view(self.world) == view(unbroken)
        self.check(range(len(self.commits())), choices)

    @rule(k=st.integers(1, 20), after=st.booleans())
    def submit_killed_and_go_on_working(self, k: int, after: bool) -> None:
        self.submit_killed(k, after, self.settled())

    def submit_killed(self, k: int, after: bool, choices: dict[str, object]) -> None:
        try:
            self.world.submit(Gate(k, after), **choices)
        except Killed:
            event("killed")

    def settled(self, **choices: object) -> dict[str, object]:
        """The choices that will pass: a colleague's commit is refused until we insist."""
        words = self.refused(**choices)
        if self.foreign(**choices):
            assert words.startswith("somebody else pushed"), words
        elif words:
            # Without records, a branch that differs from the local commit may be anybody's.
            assert self.is_second_machine and words.startswith("somebody else pushed"), words
        return {**choices, "overwrite": bool(words)}

    def refused(self, **choices: object) -> str:
        try:
            self.world.plan(**choices)
        except Refused as error:
            return error.message
        return ""

    def foreign(self, **choices: object) -> bool:
        """Whether a colleague's commit is the tip of a branch that is about to be submitted."""
        names = [self.branch(step) for step in self.steps()]
        if choices.get("upto") is not None:
            last = [step.was for step in self.steps()].index(str(choices["upto"]))
            names = names[last if choices.get("only") else 0 : last + 1]
        return any(name in names and self.world.github.branches[name] == oid for name, oid in self.colleagues.items())

    def check(self, active: Sequence[int], choices: dict[str, object]) -> None:
        """What must be true right after a submit of the ``active`` part."""
        check_pulls(self.world, active)
        check_lists(self.world)
        assert self.world.plan(**{**choices, "overwrite": False}).is_empty
        if len(active) == len(self.commits()):
            check_native(self.world)
        if len(active) == len(self.commits()):
            self.is_second_machine = False

    # laws that hold at every moment

    @invariant()
    def no_pull_request_was_closed_or_merged(self) -> None:
        assert {pull.state for pull in self.world.github.pulls.values()} <= {PullState.OPEN}

    @invariant()
    def nothing_was_forced(self) -> None:
        assert self.world.github.forced == []

    @invariant()
    def what_a_person_wrote_stands(self) -> None:
        for number, (title, words) in self.edited.items():
            pull = self.world.github.pulls[number]
            assert not title or pull.title == title
            assert not words or body.parse(pull.body).text == words


def view(world: World) -> list[tuple[object, ...]]:
    """Everything a person sees on GitHub."""
    github = world.github
    return [
        (n, p.state, p.title, p.body, p.base_ref, github.objects.commits[github.branches[p.head_ref]].tree)
        for n, p in sorted(github.pulls.items())
    ]


def check_pulls(world: World, active: Sequence[int]) -> None:
    """Bases chain, and what the page shows is what the commit changes."""
    github = world.github
    commits = world.repo.list_commits([world.repo.tip], [world.point])
    for index in active:
        number = world.pull_of(commits[index].message)
        assert number is not None
        below = world.pull_of(commits[index - 1].message) if index else None
        assert github.pulls[number].base_ref == ("main" if below is None else github.pulls[below].head_ref)
        assert github.shown_diff(number) == world.repo.objects.diff(commits[index].parents[0], commits[index].oid)
    heads = [pull.head_ref for pull in github.pulls.values()]
    assert len(set(heads)) == len(heads), "a duplicate"


def check_native(world: World) -> None:
    """Where GitHub's own stacks are enabled there is one, with the pull requests of this stack and no others."""
    commits = world.repo.list_commits([world.repo.tip], [world.point])
    numbers = [world.pull_of(commit.message) for commit in commits]
    stacks = [members for members in (world.github.stacks or {}).values() if set(members) & set(numbers)]
    assert stacks == ([numbers] if len(numbers) > 1 and world.github.stacks is not None else [])


def check_lists(world: World) -> None:
    """Every pull request of the stack has the current list, and the id of its commit in the marker."""
    commits = world.repo.list_commits([world.repo.tip], [world.point])
    numbers = {number: c for c in commits if (number := world.pull_of(c.message)) is not None}
    for number, commit in numbers.items():
        block = body.parse(world.github.pulls[number].body).block
        assert block is not None and block.id == change_id(commit.message)
        assert [row.number for row in block.rows] == (list(numbers) if len(numbers) > 1 else [])


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
