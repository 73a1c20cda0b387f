"""By which way a stack lands, and what is said of a way that cannot be used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core.methods import choose_method, list_usable, merge_kind
from stackr.core.rules import LandingFacts, Method, TrunkRules
from stackr.errors import Refused

ALL = LandingFacts(auto=True)


def facts(**rules: object) -> LandingFacts:
    return replace(ALL, rules=TrunkRules(**rules))  # type: ignore[arg-type]


def chosen(facts: LandingFacts, asked: Method | None = None, *, is_native: bool = False) -> Method:
    return choose_method(asked, facts, "main", is_native=is_native)


def refused(facts: LandingFacts, asked: Method | None = None, *, is_native: bool = False) -> tuple[str, str]:
    with pytest.raises(Refused) as caught:
        chosen(facts, asked, is_native=is_native)
    return caught.value.message, caught.value.next_step


def test_the_default_is_the_first_that_the_repository_allows() -> None:
    assert chosen(ALL) is Method.SQUASH
    assert chosen(replace(ALL, methods=frozenset((Method.MERGE, Method.REBASE)))) is Method.REBASE
    assert chosen(replace(ALL, methods=frozenset((Method.MERGE,)))) is Method.MERGE
    assert chosen(facts(queue=True)) is Method.QUEUE
    assert chosen(facts(queue=True), is_native=True) is Method.NATIVE


def test_what_is_asked_for_wins_where_it_can_be_used() -> None:
    for method in (Method.MERGE, Method.AUTO, Method.PUSH):
        assert chosen(ALL, method) is method
    assert chosen(ALL, Method.PUSH, is_native=True) is Method.PUSH


@pytest.mark.parametrize(
    ("known", "method", "reason"),
    [
        (
            replace(ALL, methods=frozenset((Method.SQUASH,))),
            Method.REBASE,
            "it is switched off in this repository's settings",
        ),
        (facts(linear=True, sources={"linear": 'ruleset "main"'}), Method.MERGE, 'ruleset "main" does not allow it'),
        (facts(methods=frozenset((Method.SQUASH,))), Method.MERGE, "a rule does not allow it"),
        (facts(queue=True), Method.SQUASH, "a rule wants everything to go through the merge queue"),
        (
            facts(pushable=False, sources={"pushable": "branch protection"}),
            Method.PUSH,
            "branch protection forbids pushing to it",
        ),
        (facts(signed=True), Method.REBASE, "a rule wants signed commits, and GitHub signs none that it rebases"),
        (facts(signed=True), Method.PUSH, "a rule wants signed commits, and git signs none here (commit.gpgSign)"),
        (ALL, Method.QUEUE, "it has no merge queue"),
        (replace(ALL, auto=False), Method.AUTO, "auto-merge is off in this repository"),
        (replace(ALL, methods=frozenset()), Method.AUTO, "none of squash, rebase and merge is allowed"),
        (ALL, Method.NATIVE, "this stack is not registered with GitHub's own stacks"),
    ],
)
def test_a_way_that_cannot_be_used_is_refused_by_name(known: LandingFacts, method: Method, reason: str) -> None:
    message, next_step = refused(known, method)
    assert message == f'"{method.value}" cannot be used for "main": {reason}'
    usable = [each.value for each in list_usable(known, is_native=False)]
    assert next_step == f"stackr land --method {usable[0]} (possible here: {', '.join(usable)})"


@pytest.mark.parametrize(
    ("known", "method"),
    [
        (ALL, Method.REBASE),
        (ALL, Method.PUSH),
        (facts(queue=True, queue_method=Method.REBASE), Method.QUEUE),
        (facts(methods=frozenset((Method.REBASE,))), Method.AUTO),
    ],
)
def test_a_way_that_moves_heads_is_refused_where_a_rule_forbids_force_pushes(
    known: LandingFacts, method: Method
) -> None:
    message, _ = refused(replace(known, forced_heads=False), method)
    why = "it moves the stack's own branches, and a rule forbids force-pushes to those"
    assert message == f'"{method.value}" cannot be used for "main": {why}'
    assert chosen(known, method) is method


def test_what_is_signed_here_may_be_pushed_where_a_rule_wants_that() -> None:
    assert choose_method(Method.PUSH, facts(signed=True), "main", is_native=False, signs=True) is Method.PUSH


def test_where_heads_stay_put_the_other_ways_are_left() -> None:
    fixed = replace(ALL, forced_heads=False)
    assert refused(fixed, Method.REBASE)[1] == "stackr land --method squash (possible here: squash, merge, auto)"
    assert chosen(replace(fixed, methods=frozenset((Method.REBASE, Method.MERGE)))) is Method.MERGE
    queued = replace(facts(queue=True, queue_method=Method.REBASE), forced_heads=False, auto=False)
    assert refused(replace(queued, rules=replace(queued.rules, pushable=False)))[0].startswith(
        'nothing lands on "main": it moves the stack\'s own branches'
    )


def test_a_registered_stack_is_merged_as_a_whole_only() -> None:
    message, _ = refused(ALL, Method.SQUASH, is_native=True)
    assert message == '"squash" cannot be used for "main": GitHub merges a registered stack as a whole only'


def test_where_nothing_can_land_it_says_whom_to_ask() -> None:
    message, next_step = refused(replace(facts(pushable=False), methods=frozenset(), auto=False))
    assert message == 'nothing lands on "main": it is switched off in this repository\'s settings'
    assert next_step.startswith("ask somebody who may change the repository's rules")


def test_github_merges_later_by_the_first_direct_way_that_is_allowed() -> None:
    assert merge_kind(ALL) is Method.SQUASH
    assert merge_kind(replace(ALL, methods=frozenset((Method.MERGE,)))) is Method.MERGE
    assert merge_kind(replace(ALL, methods=frozenset())) is Method.SQUASH
    assert merge_kind(facts(queue=True, queue_method=Method.REBASE)) is Method.REBASE
