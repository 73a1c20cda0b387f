"""The laws of ``stackr adopt`` over random stacks of ghstack's, in a model of git and GitHub.

Killed at any write and run again it ends where an unbroken run ends; nothing is closed, merged or forced, in whichever
order GitHub sees the branches of a push; each pull request's diff is its commit's; a submit then has nothing to do.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stackr.core import adopt
from stackr.core.fates import fates
from stackr.core.guards import refuse_submit
from stackr.core.model import PullRequest, PullState
from stackr.core.options import SubmitOptions
from stackr.core.submit import plan_submit
from stackr.execute import execute
from stackr.observe import observe
from stackr.observe.claims import read_claims
from stackr.stories import adopting
from tests.laws.test_pure_submit import check_lists, check_pulls, view
from tests.support.pure_git import Gate, Killed
from tests.support.pure_work import ALICE, WANTED, Quiet, Step, World, edited, new_world

EXAMPLES = int(os.environ.get("STACKR_TEST_EXAMPLES", "50"))
LIST = "Stack from [ghstack](https://github.com/ezyang/ghstack/tree/0.18.0) (oldest at bottom):"
URL = "https://github.com/acme/widgets/pull/"
_TRAILERS = re.compile(rb"\n\nghstack-source-id: (\S+)\nPull-Request: \S+/(\d+)\n$")


def ghstack(world: World) -> None:
    """``ghstack submit`` of the stack: synthetic bases, heads appended to, trailers in the commits."""
    github, objects = world.github, world.github.objects
    commits = world.repo.list_commits([world.repo.tip], [world.point])
    below = objects.commits[world.point].tree
    steps = []
    for commit, step in zip(commits, world.steps(), strict=True):
        objects.files |= world.repo.objects.files
        found = _TRAILERS.search(commit.message)
        number = int(found[2]) if found else len(github.pulls) + 1
        _push(world, number, commit.tree, below)
        if not found:
            _open(world, number, commit.subject)
        bare = _TRAILERS.sub(b"", commit.message).rstrip()
        trailers = f"\n\nghstack-source-id: {commit.tree}\nPull-Request: {URL}{number}\n"
        steps.append(edited(step, message=bare + trailers.encode()))
        below = commit.tree
    world.replay(steps)
    members = [int(found[2]) for step in reversed(steps) if (found := _TRAILERS.search(step.message))]
    for mine in members:
        rows = "".join(f"* {'__->__ ' if number == mine else ''}#{number}\n" for number in members)
        github.pulls[mine] = replace(github.pulls[mine], body=f"{LIST}\n{rows}\n")
    world.fetch()


def _push(world: World, number: int, tree: str, below: str) -> None:
    branches, objects = world.github.branches, world.github.objects
    base, head = f"gh/alice/{number}/base", f"gh/alice/{number}/head"
    old = [branches[base]] if base in branches else []
    is_on_trunk = bool(old) and world.point in objects.ancestors(old[0])
    if not is_on_trunk or objects.commits[old[0]].tree != below:
        parents = [*old, *([] if is_on_trunk else [world.point])]
        branches[base] = objects.add(below, parents, b"Update (base update)\n", ALICE, ALICE)
    onto = [branches[head]] if head in branches else []
    lacks = not onto or branches[base] not in objects.ancestors(onto[0])
    if lacks or objects.commits[onto[0]].tree != tree:
        parents = [*onto, *([branches[base]] if lacks else [])]
        branches[head] = objects.add(tree, parents, b"Update\n", ALICE, ALICE)


def _open(world: World, number: int, title: str) -> None:
    head, base = f"gh/alice/{number}/head", f"gh/alice/{number}/base"
    oid = world.github.branches[head]
    world.github.pulls[number] = PullRequest(
        number, f"PR_{number}", f"{URL}{number}", PullState.OPEN, False, head, oid, base, title, ""
    )


def take_over(world: World, gate: Gate) -> None:
    """``stackr adopt``; with a ``gate`` it may die at one of its writes."""
    world.repo.gate = world.github.gate = gate
    claims = read_claims(world.repo, world.github, WANTED)
    stack = observe(world.repo, world.github, replace(WANTED, claims=claims)).stack
    adopt.refuse_unclear(stack)
    options = SubmitOptions(upto=stack.changes[adopt.top(stack)].commit.oid, taken_over=True)
    stack, records = adopting.taken_over(world.repo, stack)
    adopt.refuse_adoption(stack, fates(stack))
    refuse_submit(stack, options)
    execute(adopt.plan_adopt(records, plan_submit(stack, options)), stack, world.repo, world.github, Quiet())


edits = st.lists(
    st.one_of(
        st.tuples(st.just("amend"), st.integers(0, 4)),
        st.tuples(st.just("reorder"), st.permutations(range(5))),
        st.tuples(st.just("rebase"), st.none()),
        st.tuples(st.just("ghstack"), st.none()),
    ),
    max_size=5,
)
kills = st.lists(st.tuples(st.integers(1, 20), st.booleans()), max_size=3)


def step(n: int) -> Step:
    return Step(b"Add %d\n" % n, {f"a{n}": f"a {n}", "shared": f"by {n}"})


def edit(world: World, kind: str, what: object, n: int) -> None:
    """One thing that a user of ghstack does to the stack."""
    steps = world.steps()
    if kind == "amend" and isinstance(what, int):
        i = what % len(steps)
        steps[i] = edited(steps[i], edits={**steps[i].edits, sorted(steps[i].edits)[0]: f"amended {n}"})
        world.replay(steps)
    elif kind == "reorder" and isinstance(what, list):
        world.replay([steps[i] for i in what if i < len(steps)])
    elif kind == "rebase":
        world.move_trunk({"readme": f"{n}"})
        world.fetch()
        world.replay(steps, world.github.branches["main"])
    else:
        ghstack(world)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(size=st.integers(1, 4), done=edits, dying=kills, order=st.integers(0, 10_000), grown=st.booleans(), later=edits)
def test_any_stack_of_ghstacks_goes_on_as_ours_wherever_the_run_was_killed(
    size: int,
    done: list[tuple[str, object]],
    dying: list[tuple[int, bool]],
    order: int,
    grown: bool,
    later: list[tuple[str, object]],
) -> None:
    world = new_world()
    world.replay([step(n) for n in range(size)])
    ghstack(world)
    for n, (kind, what) in enumerate(done):
        edit(world, kind, what, n)
    if grown:
        world.replay([*world.steps(), step(99)])
    unbroken = world.copy(order)
    take_over(unbroken, Gate())
    for at, after in dying:
        with contextlib.suppress(Killed):
            take_over(world, Gate(at, after))
    take_over(world, Gate())
    assert view(world) == view(unbroken)
    check(world, size)
    assert len(world.github.pulls) == size
    for n, (kind, what) in enumerate(later):
        if kind != "ghstack":
            edit(world, kind, what, 100 + n)
    world.submit()
    check(world, size + grown)


def check(world: World, active: int) -> None:
    """What must be true of the ``active`` lowest changes, and of all pull requests."""
    assert {pull.state for pull in world.github.pulls.values()} == {PullState.OPEN}
    assert world.github.forced == []
    check_pulls(world, range(active))
    check_lists(world)
    top = world.repo.list_commits([world.repo.tip], [world.point])[active - 1]
    assert world.plan(upto=top.oid).is_empty
