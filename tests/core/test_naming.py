"""What a CHANGE on a command line means; revisions are resolved by a table."""

from __future__ import annotations

import pytest

from stackr.core.model import PullState, Stack
from stackr.core.naming import PullName, find_change, pull_number, pull_repository
from stackr.errors import UsageError
from tests.support.builders import cid, live, new, pull, ref, stack

URL = "https://github.com/acme/widgets"
REVISIONS = {
    "HEAD": "c1",
    "HEAD~1": "b1",
    "main": "0000000aaaa",
    "0000000": "0000000aaaa",
    "1234567": "b1",
    "Iffff": "a1",
}


def made() -> Stack:
    return stack(live("a1", "t1"), live("b1", "a1"), new("c1", "b1"))


def resolve(revision: str) -> str:
    if revision not in REVISIONS:
        raise UsageError(f'"{revision}" names no commit here')
    return REVISIONS[revision]


def found(text: str, known: tuple[PullName, ...] = ()) -> str:
    return find_change(made(), text, known, resolve).title


def refused(text: str, known: tuple[PullName, ...] = (), inside: Stack | None = None) -> tuple[str, str]:
    with pytest.raises(UsageError) as problem:
        find_change(inside or made(), text, known, resolve)
    return problem.value.message, problem.value.next_step


@pytest.mark.parametrize(
    ("text", "number", "repository"),
    [
        ("12", 12, None),
        ("#12", 12, None),
        (f"{URL}/pull/12", 12, URL),
        (f"{URL}/pull/12/files#r1", 12, URL),
        ("http://127.0.0.1:80/a/b/pull/3?x=1", 3, "http://127.0.0.1:80/a/b"),
        ("##12", None, None),
        ("12a", None, None),
        ("", None, None),
        (f"{URL}/issues/12", None, None),
        ("9" * 30, None, None),
    ],
)
def test_a_pull_request_is_named_by_number_or_address(text: str, number: int | None, repository: str | None) -> None:
    assert (pull_number(text), pull_repository(text)) == (number, repository)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("10", "Add A"),
        ("#11", "Add B"),
        (f"{URL}/pull/11/files", "Add B"),
        ("https://GITHUB.com/Acme/widgets/pull/10", "Add A"),
        (cid("C"), "Add C"),
        (cid("B")[:9], "Add B"),
        ("HEAD", "Add C"),
        ("HEAD~1", "Add B"),
        ("1234567", "Add B"),
        ("Iffff", "Add A"),
    ],
)
def test_a_change_is_found_by_each_of_its_names(text: str, title: str) -> None:
    assert found(text) == title


def test_numbers_that_this_clone_remembers_are_understood_without_github() -> None:
    known = PullName.of(pull("C", state=PullState.CLOSED))
    assert known == PullName(ref("C"), 12, f"{URL}/pull/12", "Add C", "closed")
    assert found("#12", (known,)) == found(f"{URL}/pull/12", (known,)) == "Add C"


def test_what_github_says_now_wins_over_what_is_remembered() -> None:
    stale = PullName(ref("C"), 10, f"{URL}/pull/10", "Old", "open")
    assert found("10", (stale,)) == "Add A"


def test_a_number_of_no_pull_request_of_the_stack_is_told_with_those_that_are() -> None:
    here = "its pull requests are #10, #11; stackr status shows the stack"
    assert refused("99") == ('"99" is no pull request of this stack', here)
    left = PullName(ref("Z"), 35, f"{URL}/pull/35", "Add Z", "open")
    assert refused("35", (left,)) == ('#35 "Add Z" is no pull request of this stack', here)
    assert refused("7", inside=stack(new("a1", "t1")))[1] == "stackr status shows the stack, and learns their numbers"


def test_an_address_of_another_repository_is_refused() -> None:
    text = "https://github.com/acme/gadgets/pull/10"
    assert refused(text)[0] == f'"{text}" is a pull request of another repository'


def test_a_prefix_of_several_ids_asks_for_more_digits() -> None:
    twins = stack(new("a1", "t1", id="Iaaaa1"), new("b1", "a1", id="Iaaaa2"))
    message = '"Iaaaa" is the beginning of several ids: Iaaaa1 "Add A" and Iaaaa2 "Add B"'
    assert refused("Iaaaa", inside=twins) == (message, "write more digits of it")


def test_a_commit_outside_of_the_stack_is_told() -> None:
    out = (
        'is not in the stack above "main"',
        "stackr status shows the stack; check out the branch that holds the commit",
    )
    assert refused("main") == (f'"main" (0000000) {out[0]}', out[1])
    assert refused("1234567", inside=stack(new("a1", "t1")))[0] == '"1234567" (b1) is not in the stack above "main"'
    assert refused("0000000")[0] == 'commit 0000000 is not in the stack above "main"'


def test_what_names_nothing_is_told_with_what_comes_near() -> None:
    near = 'did you mean b1 "Add B"? stackr status shows the stack'
    assert refused("add b") == ('"add b" names no change of this stack', near)
    assert "Add A" in refused("Adds A")[1]
    assert refused("nonsense at all")[1] == "stackr status shows the stack"
