"""Comments: every page is read, and what is written is written once."""

from __future__ import annotations

from typing import Any

import pytest

from stackr.core.sticky import Comment
from stackr.errors import GitHubError
from stackr.github import comments
from stackr.github.api import GitHub
from tests.support.canned_github import CannedGitHub
from tests.support.canned_http import Asked, Canned, CannedServer

CONVERSATION = "/api/v3/repos/acme/widgets/issues/12/comments"


def entry(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "user": {"login": "alice"},
        "body": f"text {number}",
        "html_url": f"https://c/{number}",
        **more,
    }


def test_comments_of_all_pages_are_read_in_order(github: GitHub, server: CannedServer) -> None:
    def answer(asked: Asked) -> Canned:
        if asked.params.get("page") == "2":
            return Canned(body=[entry(3, user=None), entry(4, body=None)])
        link = f'<{server.url}{CONVERSATION}?per_page=100&page=2>; rel="next"'
        return Canned(body=[entry(1), entry(2)], headers={"Link": link})

    server.answer = answer
    found = comments.list_comments(github.http, 12)
    assert [(each.id, each.author, each.body) for each in found] == [
        (1, "alice", "text 1"),
        (2, "alice", "text 2"),
        (3, "", "text 3"),
        (4, "alice", ""),
    ]
    assert [(asked.path, asked.params["per_page"]) for asked in server.requests] == [(CONVERSATION, "100")] * 2


def test_a_comment_is_created_and_changed(github: GitHub, server: CannedServer) -> None:
    server.answer = lambda asked: Canned(201, entry(5, body=asked.json["body"]))
    made = comments.create_comment(github.http, 12, "new")
    assert made == Comment(5, "alice", "new", "https://c/5")
    assert comments.update_comment(github.http, made, "newer").body == "newer"
    assert [(asked.method, asked.path) for asked in server.requests] == [
        ("POST", CONVERSATION),
        ("PATCH", "/api/v3/repos/acme/widgets/issues/comments/5"),
    ]


def test_a_comment_whose_answer_was_lost_is_not_written_again(github: GitHub, server: CannedServer) -> None:
    server.answer = lambda asked: Canned(drop=True)
    with pytest.raises(GitHubError) as caught:
        comments.create_comment(github.http, 12, "new")
    assert caught.value.safe == "what was asked may have happened or not; the next run looks before it writes"
    assert len(server.requests) == 1


@pytest.mark.parametrize("broken", [[], {"message": "?"}, {"id": "5"}])
def test_what_is_no_comment_is_an_error(github: GitHub, server: CannedServer, broken: Any) -> None:
    server.answer = lambda asked: Canned(201, broken)
    with pytest.raises(GitHubError, match="no comment"):
        comments.create_comment(github.http, 12, "new")


def test_a_comment_that_nobody_will_look_for_is_written_once(
    github: GitHub, server: CannedServer, forge: CannedGitHub
) -> None:
    pull = forge.add("s/one", comments={"nodes": [{"viewerDidAuthor": False, "body": "new\nline"}, None]})
    lost = [Canned(502, "<html>"), Canned(drop=True)]

    def answer(asked: Asked) -> Canned:
        if asked.path.endswith("/graphql"):
            return forge.answer(asked)
        assert asked.path == "/api/v3/repos/acme/widgets/issues/1/comments"
        if len(lost) == 1:
            written = asked.json["body"].replace("\n", "\r\n")
            pull["comments"]["nodes"].append({"viewerDidAuthor": True, "body": written})
        return lost.pop(0) if lost else Canned(201, entry(2))

    server.answer = answer
    github.add_comment(1, "new\nline\n")
    assert [asked.path.rpartition("/")[2] for asked in server.requests] == ["graphql", *["comments", "graphql"] * 2]
    github.add_comment(1, "another")
    assert forge.operations() == ["StackrComments"] * 4 and len(server.requests) == 7
    # A run that was refused afterwards says it again, and nothing is written.
    github.add_comment(1, "new\nline\n")
    assert len(server.requests) == 8
