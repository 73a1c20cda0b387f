"""What ghstack leaves, of every generation: read, and removed without touching what people wrote."""

from __future__ import annotations

import pytest

from stackr.core import ghstack, mergify

TREE = "6e4b113994081a263b31a3ead76aba27a541cf6d"
URL = "https://github.com/acme/search/pull/12"
LINES = f"ghstack-source-id: {TREE}\nPull-Request: {URL}"
LIST = "Stack from [ghstack](https://github.com/ezyang/ghstack/tree/0.18.0) (oldest at bottom):"


@pytest.mark.parametrize(
    ("message", "bare"),
    [
        (f"Add a\n\n{LINES}", "Add a\n"),
        (f"Add a\n\nWhy.\n\n{LINES}\n", "Add a\n\nWhy.\n"),
        (f"Add a\n\nWhy.\n\nTopic: t\n{LINES}\n", "Add a\n\nWhy.\n\nTopic: t\n"),
        (f"Add a\n\nWhy.\n\n{LINES}\nReviewed-by: Bob\n", "Add a\n\nWhy.\n\nReviewed-by: Bob\n"),
        (f"Add a\n\nghstack-source-id: {TREE}\nghstack-comment-id: 99\nPull-Request: {URL}", "Add a\n"),
        (f"Add a\n\nghstack-source-id: {TREE}\nPull Request resolved: {URL}", "Add a\n"),
        (f"Add a\n\nghstack-source-id: {TREE}\nPull-Request-resolved: {URL}", "Add a\n"),
        ("Add a\n\ngh-metadata: acme search 12 gh/alice/3/head", "Add a\n"),
        (
            f"Add a\n\n{LINES}\n\nPull-Request: https://github.com/acme/other/pull/1\n",
            "Add a\n\nPull-Request: https://github.com/acme/other/pull/1\n",
        ),
    ],
)
def test_only_its_own_lines_leave_a_message(message: str, bare: str) -> None:
    assert ghstack.pull_number(message.encode()) == 12
    assert ghstack.without_trailers(message.encode()) == bare.encode()
    assert ghstack.without_trailers(bare.encode()) == bare.encode()


def test_a_person_may_name_a_pull_request() -> None:
    message = f"Add a\n\nPull-Request: {URL}\n".encode()
    assert ghstack.pull_number(message) is None
    assert ghstack.without_trailers(message) == message
    assert ghstack.pull_number(b"Add a\n") is None


def test_a_commit_tells_its_address_and_the_tree_it_was_submitted_with() -> None:
    assert ghstack.pull_address(f"Add a\n\n{LINES}\n".encode()) == URL
    assert ghstack.pull_address(b"Add a\n\ngh-metadata: acme search 12 gh/alice/3/head\n") is None
    assert ghstack.pull_address(b"Add a\n") is None
    assert ghstack.source_tree(f"Add a\n\n{LINES}\n".encode()) == TREE
    assert ghstack.source_tree(b"Add a\n") is None


def test_an_address_means_the_same_pull_request_whatever_its_scheme() -> None:
    assert ghstack.is_address_of(URL, "http://github.com/Acme/search/pull/12")
    assert not ghstack.is_address_of(URL, "https://github.com/acme/search/pull/1")
    assert not ghstack.is_address_of(None, URL)


def test_branches_are_told_by_their_names() -> None:
    assert ghstack.orig_of("gh/alice/3/head") == "gh/alice/3/orig"
    assert ghstack.orig_of("gh/alice/3/base") is None
    assert ghstack.orig_of("feature") is None
    assert tuple(ghstack.siblings("gh/alice/3/head")) == ("gh/alice/3/base", "gh/alice/3/orig", "gh/alice/3/next")
    assert not (*ghstack.siblings("gh/alice/3/orig"), *ghstack.siblings("stackr/alice/0123456789"))
    assert ghstack.is_base("gh/alice/3/base")
    assert not any(map(ghstack.is_base, ("gh/alice/3/head", "gh/alice/base", "main")))


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        (f"{LIST}\n* #3\n* __->__ #2\n* #1\n\nWhy.\n\n* one\n", "Why.\n\n* one"),
        (f"{LIST}\n* __->__ #1\n\n----\n\n* one\n* two", "* one\n* two"),
        (f"{LIST}\n* (to be filled)\n\nWhy.", "Why."),
        (f"{LIST}\n* #2\n* __->__ #1", ""),
        ("Stack from [ghstack](https://github.com/ezyang/ghstack):\n* **#2 Add b**\n* #1 Add a\n\nWhy.", "Why."),
        (f"Bob was here.\n\n{LIST}\n* __->__ #1\n\nWhy.", "Bob was here.\n\nWhy."),
    ],
)
def test_its_list_leaves_a_description(text: str, bare: str) -> None:
    assert ghstack.without_list(text) == bare


@pytest.mark.parametrize("text", ["", "Why.", "Stack from stackr:\n* #1\n", f"> {LIST}\n> * #1\n", "Stack:\n* #1"])
def test_other_text_is_left_alone(text: str) -> None:
    assert ghstack.without_list(text) == text


def test_a_branch_of_mergifys_is_found_by_the_id() -> None:
    change = "I0123456789abcdef0123456789abcdef01234567"
    new, old = "stack/alice/feature/add-a--01234567", f"stack/alice/feature/{change}"
    assert mergify.head_of(change, ["main", "x--76543210", new]) == new
    assert mergify.head_of(change, [old]) == old
    assert mergify.head_of(change, ["stackr/alice/0123456789"]) is None


def test_the_line_that_names_the_pull_request_below_leaves_a_description() -> None:
    assert mergify.without_dependency("Why.\n\nDepends-On: #4\n", {4}) == "Why."
    assert mergify.without_dependency("Depends-On: #4", {4}) == ""
    for text in ("Why.\n\nDepends-On: #5", "Depends-On: #4\n\nWhy.", "Why."):
        assert mergify.without_dependency(text, {4}) == text
