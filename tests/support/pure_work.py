"""A person at work in the model world: a stack edited as ``git rebase -i`` would, and ``stackr submit`` run on it.

Here: the local edits and the straight line observe, guards, plan, execute of the submit command. Not here: checks.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from stackr.core.guards import refuse_submit
from stackr.core.identity import change_id
from stackr.core.model import Stack
from stackr.core.options import SubmitOptions
from stackr.core.plan import Plan
from stackr.core.submit import plan_submit
from stackr.execute import execute
from stackr.observe import Wanted, observe
from tests.support.pure_git import Gate, Objects, PureRepo
from tests.support.pure_github import PureGitHub

ALICE = b"Alice <alice@example.com> 1700000000 +0000"
BOB = b"Bob <bob@example.com> 1700000000 +0000"
WANTED = Wanted("origin", "alice", "stackr/{user}/{id}", writes=True, native=True)


@dataclass(frozen=True)
class Step:
    """A commit as a patch: what ``git rebase -i`` has in its list. ``edits`` maps paths to their new content."""

    message: bytes
    edits: dict[str, str | None]
    was: str = ""


@dataclass
class Quiet:
    """A ``Ui`` that remembers what it was told."""

    said: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.said.append(text)

    warn = step = note

    def wait(self, seconds: float, reason: str) -> None:
        raise AssertionError("nothing here makes anybody wait")


@dataclass
class World:
    """GitHub, one clone, and the trunk commit on which the clone's stack stands."""

    github: PureGitHub
    repo: PureRepo
    point: str

    def copy(self, order: int = 0) -> World:
        """A second world just like this one, in which GitHub sees refs in another order."""
        old = self.github
        chance = random.Random(order)
        github = PureGitHub(old.objects.copy(), dict(old.branches), dict(old.pulls), list(old.forced), chance)
        github.stacks = old.stacks if old.stacks is None else {key: [*each] for key, each in old.stacks.items()}
        mine = self.repo
        repo = PureRepo(github, mine.objects.copy(), dict(mine.refs), Gate(), dict(mine.config), mine.ticks)
        return World(github, repo, self.point)

    # the stack

    def steps(self) -> list[Step]:
        """The stack as patches, bottom first."""
        objects = self.repo.objects
        found = []
        for commit in self.repo.list_commits([self.repo.tip], [self.point]):
            diff = objects.diff(commit.parents[0], commit.oid)
            found.append(Step(commit.message, {path: after for path, (_, after) in diff.items()}, commit.oid))
        return found

    def replay(self, steps: Sequence[Step], point: str | None = None) -> None:
        """Make these patches the stack, on another trunk commit if one is given; what does not change is kept."""
        self.point = parent = point or self.point
        for step in steps:
            parent = self._pick(step, parent)
        self.repo.refs["refs/heads/feature"] = parent

    def _pick(self, step: Step, parent: str) -> str:
        objects = self.repo.objects
        files = dict(objects.content(parent))
        for path, text in step.edits.items():
            if text is None:
                files.pop(path, None)
            else:
                files[path] = text
        tree = objects.tree(files)
        old = objects.commits.get(step.was)
        if old is not None and (old.parents, old.tree, old.message) == ((parent,), tree, step.message):
            return old.oid
        return objects.add(tree, [parent], step.message, ALICE, self.repo.now())

    # stackr

    def observe(self) -> Stack:
        """What stackr sees."""
        return observe(self.repo, self.github, WANTED).stack

    def plan(self, **choices: object) -> Plan:
        """What a submit would do now; raises what its guards refuse."""
        stack, options = self.observe(), SubmitOptions(**choices)  # type: ignore[arg-type]
        refuse_submit(stack, options)
        return plan_submit(stack, options)

    def submit(self, gate: Gate | None = None, **choices: object) -> Quiet:
        """``stackr submit``; with a ``gate`` it may die at one of its writes."""
        self.repo.gate = self.github.gate = gate or Gate()
        stack, options = self.observe(), SubmitOptions(**choices)  # type: ignore[arg-type]
        refuse_submit(stack, options)
        talk = Quiet()
        execute(plan_submit(stack, options), stack, self.repo, self.github, talk)
        return talk

    # the world around

    def move_trunk(self, edits: dict[str, str]) -> None:
        """Somebody lands something else."""
        self.github.commit_on("main", edits, BOB, b"Land something\n")

    def fetch(self) -> None:
        """``git fetch``: every branch of the remote."""
        self.repo.fetch("origin", [f"refs/heads/{name}" for name in self.github.branches])

    def forget(self) -> None:
        """A second machine: the same commits, and nothing that stackr noted."""
        self.repo.refs = {ref: oid for ref, oid in self.repo.refs.items() if not ref.startswith("refs/stackr/")}

    def pull_of(self, message: bytes) -> int | None:
        """The number of the pull request of the commit with this message, if it has been submitted."""
        change = change_id(message)
        pulls = self.github.pulls.items() if change else ()
        # A branch that another tool named does not tell the change, but the description does.
        return next((n for n, p in pulls if p.head_ref.endswith(change[1:11]) or f'v1 id="{change}"' in p.body), None)


def new_world() -> World:
    """A repository with two commits on trunk and a clone whose branch ``feature`` has nothing of its own yet."""
    objects = Objects()
    first = objects.add(objects.tree({"readme": "0"}), [], b"Begin\n", BOB, BOB)
    second = objects.add(objects.tree({"readme": "1"}), [first], b"Go on\n", BOB, BOB)
    github = PureGitHub(objects, {"main": second})
    refs = {"refs/heads/feature": second, "refs/remotes/origin/main": second}
    return World(github, PureRepo(github, objects.copy(), refs), second)


def edited(step: Step, **changes: object) -> Step:
    """The step with something changed."""
    return replace(step, **changes)  # type: ignore[arg-type]
