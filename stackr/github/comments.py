"""Comments on a pull request: all of them, a new one, another text for one.

Not here: which of them is ours and what it should say (``stackr.core.sticky``).
https://docs.github.com/en/rest/issues/comments
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stackr.core.sticky import Comment
from stackr.errors import GitHubError
from stackr.github.failures import Lost
from stackr.github.graphql import GraphQL
from stackr.github.http import Http
from stackr.github.reading import Reader
from stackr.github.together import persist, value


def list_comments(http: Http, number: int) -> list[Comment]:
    """Every comment of the conversation, oldest first; one request for each hundred."""
    return [_comment(entry) for entry in http.get_pages(f"{_here(http)}/issues/{number}/comments")]


def create_comment(http: Http, number: int, body: str) -> Comment:
    """A new comment. An answer that was lost raises GitHubError: the next run looks before it writes."""
    return _comment(http.rest("POST", f"{_here(http)}/issues/{number}/comments", json={"body": body}).data)


def add_comment(graph: GraphQL, reader: Reader, number: int, text: str) -> None:
    """Say something once: our own newest comments are looked at before it is written, and again if the answer is lost.

    So a command that was refused afterwards, or stopped, does not repeat itself.
    """
    http = graph.http
    url = f"{http.host.rest}{_here(http)}/issues/{number}/comments"

    def is_there() -> bool:
        return _plain(text) in map(_plain, reader.own_comments(number))

    def attempt() -> None:
        try:
            http.send("POST", url, json={"body": text})
        except Lost as lost:
            if not lost.sent or not is_there():
                raise

    if not is_there():
        value(persist([attempt], http.patience())[0])


def _plain(text: str) -> str:
    """A text without what a server may change: kinds of line ends, blanks around it."""
    return text.replace("\r\n", "\n").strip()


def update_comment(http: Http, comment: Comment, body: str) -> Comment:
    """The comment with another text."""
    return _comment(http.rest("PATCH", f"{_here(http)}/issues/comments/{comment.id}", json={"body": body}).data)


def _here(http: Http) -> str:
    return f"/repos/{http.host.owner}/{http.host.name}"


def _comment(entry: Any) -> Comment:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("id"), int):
        raise GitHubError("github answered with something that is no comment")
    author = entry.get("user") or {}
    return Comment(entry["id"], author.get("login") or "", entry.get("body") or "", entry.get("html_url") or "")
