"""Which pull requests make a stack, from base and head branches alone."""

from __future__ import annotations

from stackr.core.body import Description, Row, new_body
from stackr.core.model import PullRequest
from stackr.core.overview import Place, PullStack, group
from tests.support.builders import pull, ref


def numbers(stacks: tuple[PullStack, ...]) -> list[list[int]]:
    return [[each.number for each in stack.pulls] for stack in stacks]


def test_pull_requests_that_build_on_one_another_make_a_stack_newest_first() -> None:
    made = [pull("A"), pull("C", "develop"), pull("B", ref("A"))]
    assert group(made, "main") == (
        PullStack("develop", (made[1],)),
        PullStack("main", (made[0], made[2])),
    )
    assert group([], "main") == ()


def test_two_stacks_that_share_their_lower_part_both_show_it() -> None:
    made = [pull("A"), pull("B", ref("A")), pull("C", ref("A"))]
    assert numbers(group(made, "main")) == [[10, 12], [10, 11]]


def test_pull_requests_in_a_circle_make_one_stack() -> None:
    circle = [pull("A", ref("B")), pull("B", ref("A"))]
    assert numbers(group(circle, "main")) == [[11, 10]]


def test_a_pull_request_of_trunk_itself_carries_no_stack() -> None:
    release: PullRequest = pull("B", "production", head_ref="main")
    assert numbers(group([pull("A"), release], "main")) == [[11], [10]]


def from_fork(letter: str, text: str = "", base: str = "main") -> PullRequest:
    return pull(letter, base, cross_repository=True, body=text)


def test_pull_requests_from_forks_make_the_stacks_that_their_lists_name() -> None:
    listed = new_body(Description("", "", "", tuple(Row(number=number) for number in (10, 11, 13, 99))), {})
    # A branch of the same name in the repository itself is another one.
    made = [from_fork("A"), from_fork("B", listed), pull("C", head_ref=ref("A")), from_fork("D", listed)]
    assert numbers(group(made, "main")) == [[10, 11, 13], [12]]
    alone = [from_fork("A", listed), from_fork("E", listed)]
    assert numbers(group(alone, "main")) == [[14], [10]]
    assert numbers(group([pull("A"), from_fork("B", base=ref("A"))], "main")) == [[10, 11]]


def test_a_stack_names_the_local_branches_in_it_and_where_head_is() -> None:
    made = [pull("A"), pull("B", ref("A")), pull("C")]
    places = [
        Place("twin", ref("B")),
        Place("feature", ref("B")),
        Place(None, ref("A"), is_head=True),
        Place("main", ""),
    ]
    (lone, pair) = group(made, "main", places)
    assert (pair.branches, pair.head) == (("feature", "twin"), 10)
    assert (lone.branches, lone.head) == ((), None)
