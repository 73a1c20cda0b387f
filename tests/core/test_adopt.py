"""Taking over another tool's stack: whose head it is, what is recorded, what cannot be told, what may be removed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core import adopt
from stackr.core.fates import Fate, fates
from stackr.core.model import Change, Commit, PullState, Stack
from stackr.core.options import SubmitOptions
from stackr.core.plan import DeleteRefs, MoveRefs, Park, Plan, PushRefs, RefMove, UpdatePull
from stackr.core.submit import plan_submit
from stackr.errors import Refused
from tests.support.builders import cid, commit, live, new, pull, ref, stack

TREES = {letter: letter * 40 for letter in "abc"}


def head_ref(letter: str) -> str:
    return f"gh/alice/{ord(letter) - 64}/head"


def url(letter: str) -> str:
    return pull(letter).url


def submitted_by_ghstack(oid: str, parent: str, source: str = "", **more: object) -> Change:
    """A change as ghstack leaves it: ``a2`` belongs to A, its branch is at ``oa``, and nothing is recorded."""
    letter = oid[0].upper()
    tree = TREES[source or oid[0]]
    text = f"Add {letter}\n\nghstack-source-id: {tree}\nPull-Request: {url(letter)}\n"
    made = pull(letter, f"gh/alice/{ord(letter) - 64}/base", f"o{oid[0]}", head_ref=head_ref(letter), body="")
    change = live(oid, parent, remote=f"o{oid[0]}", commit=commit(oid, parent, text), head_ref=head_ref(letter))
    return replace(change, accepted=None, pull=made, **more)  # type: ignore[arg-type]


def ghstacks(*changes: Change) -> Stack:
    """Such changes with the history of their branches, whose tips have the trees of the local commits."""
    letters = [change.commit.oid[0] for change in changes if change.remote_head]
    history = {f"o{each}": (f"i{each}",) for each in letters} | {f"i{each}": ("t1",) for each in letters}
    trees = {f"o{change.commit.oid[0]}": change.commit.tree for change in changes if change.remote_head}
    return stack(*changes, history=history, trees=trees)


def adopted(made: Stack) -> tuple[Stack, tuple[RefMove, ...]]:
    return adopt.taken_over(made, {change.id: adopt.own_head(change, made, {}) for change in made.changes})


def test_names_and_heads_are_recorded_before_anything_else() -> None:
    ready, records = adopted(ghstacks(submitted_by_ghstack("a1", "t1"), new("b1", "a1")))
    assert records == (
        RefMove(f"refs/stackr/heads/{cid('A')}", None, "oa"),
        RefMove("refs/stackr/branches/gh/alice/1/head", None, "oa"),
        RefMove(f"refs/stackr/names/{cid('A')}/gh/alice/1/head", None, "oa"),
    )
    assert ready.changes[0].commit.message == b"Add A\n"
    plan = adopt.plan_adopt(records, plan_submit(ready, SubmitOptions(upto="a1", taken_over=True)))
    assert plan.actions[0] == MoveRefs(records, "adopt")
    assert not any(isinstance(action, PushRefs) for action in plan.actions)
    assert adopted(ready)[1] == ()
    assert adopt.plan_adopt((), Plan("submit")) == Plan("adopt")


def test_a_branch_that_tells_its_change_needs_no_name() -> None:
    made = replace(stack(live("a1", "t1")), own_refs={})
    assert [move.ref for move in adopted(made)[1]] == [
        f"refs/stackr/heads/{cid('A')}",
        f"refs/stackr/branches/{ref('A')}",
    ]


def test_an_upper_head_gets_the_one_below_before_it_is_its_base() -> None:
    ready, _ = adopted(ghstacks(submitted_by_ghstack("a1", "t1"), submitted_by_ghstack("b1", "a1")))
    plan = plan_submit(ready, SubmitOptions(taken_over=True))
    (push,) = (action for action in plan.actions if isinstance(action, PushRefs))
    assert [each.ref for each in push.pushes] == ["refs/heads/gh/alice/2/head"]
    updates = [action for action in plan.actions if isinstance(action, UpdatePull)]
    assert [update.base_ref for update in updates] == ["main", "gh/alice/1/head"]
    assert plan.actions.index(push) < plan.actions.index(updates[0])


def test_what_this_clone_submitted_last_is_found_by_the_tree_it_noted() -> None:
    made = replace(ghstacks(submitted_by_ghstack("a2", "t1", source="a")), trees={"oa": "x", "ia": TREES["a"]})
    commits = {"oa": Commit("oa", "x", ("ia",), b"", b"", b""), "ia": Commit("ia", TREES["a"], ("t1",), b"", b"", b"")}
    (change,) = made.changes
    assert adopt.own_head(change, made, commits) == "ia"
    assert adopt.own_head(change, made, {}) is None
    assert adopt.own_head(replace(change, accepted="ia"), made, commits) == "ia"
    assert adopt.own_head(replace(change, remote_head=None), made, commits) is None
    refused = refusal(lambda: adopt.refuse_adoption(made, fates(made)))
    assert refused == '"Add A" (a2) and its branch differ, and nothing tells which of them is newer'


def refusal(act: object) -> str:
    with pytest.raises(Refused) as caught:
        act()  # type: ignore[operator]
    return caught.value.message


def test_a_stack_without_the_other_tools_marks_is_not_taken_over() -> None:
    assert refusal(lambda: adopt.top(stack(live("a1", "t1")))).startswith('no commit between "main" and HEAD')
    assert refusal(lambda: adopt.top(stack(new("a1", "t1")))).startswith('no commit between "main" and HEAD')
    assert adopt.top(ghstacks(submitted_by_ghstack("a1", "t1"), new("b1", "a1"))) == 0


def test_only_ones_own_pull_requests_are_taken_over() -> None:
    made = ghstacks(submitted_by_ghstack("a1", "t1"), submitted_by_ghstack("b1", "a1"))
    adopt.refuse_others(made, "Alice")
    assert refusal(lambda: adopt.refuse_others(made, "bob")) == (
        "this would take over what is not yours: #10 of alice and #11 of alice"
    )


def test_a_number_counts_only_in_the_repository_it_was_meant_for() -> None:
    change = submitted_by_ghstack("a1", "t1")
    assert change.pull is not None
    assert adopt.is_of(change.pull, change.commit)
    assert adopt.is_of(change.pull, commit("a1", "t1", "A\n\ngh-metadata: acme widgets 10 gh/alice/1/head\n"))
    assert not adopt.is_of(replace(change.pull, url="https://github.com/acme/other/pull/10"), change.commit)
    assert not adopt.is_of(replace(change.pull, head_ref="feature"), change.commit)


def test_commits_that_share_a_pull_request_or_have_lost_theirs_are_refused_by_name() -> None:
    first, second = submitted_by_ghstack("a1", "t1"), submitted_by_ghstack("b1", "a1")
    assert refusal(lambda: adopt.refuse_unclear(ghstacks(first, replace(second, pull=first.pull)))) == (
        '"Add A" (a1) and "Add B" (b1) both say that they are #10'
    )
    assert refusal(lambda: adopt.refuse_unclear(ghstacks(replace(first, pull=None)))) == (
        f'the pull request of "Add A" (a1), {url("A")}, is not in this repository'
    )
    adopt.refuse_unclear(ghstacks(first, second, new("c1", "b1")))


def test_a_gap_or_an_end_is_refused_unless_it_has_landed() -> None:
    gap = ghstacks(new("a1", "t1"), submitted_by_ghstack("b1", "a1"))
    assert refusal(lambda: adopt.refuse_adoption(gap, fates(gap))) == (
        '"Add A" (a1) has no pull request, and #11 "Add B" above it has one'
    )
    adopt.refuse_adoption(adopted(gap)[0], {cid("A"): Fate.LANDED, cid("B"): Fate.ALIVE})
    for state, how in ((PullState.CLOSED, "closed"), (PullState.MERGED, 'merged into "gh/alice/1/base"')):
        change = submitted_by_ghstack("a1", "t1")
        assert change.pull is not None
        ended = ghstacks(replace(change, pull=replace(change.pull, state=state)))
        assert refusal(lambda ended=ended: adopt.refuse_adoption(ended, fates(ended))) == (
            f'#10 "Add A" is {how}, and main has no commit that says it has landed'
        )
        adopt.refuse_adoption(ended, {cid("A"): Fate.LANDED})


def test_what_is_left_over_is_removed_last_and_only_what_nobody_targets() -> None:
    made = ghstacks(submitted_by_ghstack("a1", "t1"), new("b1", "a1"))
    names = adopt.leftover_names(made)
    assert names == ("gh/alice/1/base", "gh/alice/1/orig", "gh/alice/1/next")
    tips = {"gh/alice/1/base": "b", "gh/alice/1/orig": "o", "gh/alice/1/next": None}
    rest = Plan("submit", (UpdatePull(cid("A"), 10, "PR_10", "main"),))
    refs, notes = adopt.leftovers(made, rest, tips, [(10, "gh/alice/1/base")])
    assert (refs, notes) == ((("refs/heads/gh/alice/1/base", "b"), ("refs/heads/gh/alice/1/orig", "o")), ())
    assert adopt.plan_adopt((), rest, refs, ("said",)) == Plan("adopt", (*rest.actions, DeleteRefs(refs)), ("said",))
    parked = Plan("submit", (Park(10, "PR_10", "main"), UpdatePull(cid("A"), 10, "PR_10")))
    assert adopt.leftovers(made, parked, tips, [(10, "gh/alice/1/base")]) == (refs, notes)
    refs, notes = adopt.leftovers(made, rest, tips, [(10, "gh/alice/1/base"), (99, "gh/alice/1/base")])
    assert (refs, notes) == ((("refs/heads/gh/alice/1/orig", "o"),), ('"gh/alice/1/base" stays: #99 targets it',))
