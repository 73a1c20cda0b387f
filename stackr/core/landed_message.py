"""The message a change lands with: what its pull request says on GitHub now, so late edits by reviewers are not lost.

docs/internals/protocol.md 7.5: title, text without the stack block, trailers, ``(#123)``.
"""

from __future__ import annotations

from stackr.core import body, identity
from stackr.core.model import PullRequest


def landed_message(change_id: str, pull: PullRequest) -> tuple[str, str]:
    """(first line, the rest) of the commit that lands; the rest ends in the trailers, Change-Id among them."""
    title = f"{' '.join(pull.title.split())} (#{pull.number})"
    whole = f"{title}\n\n{body.parse(pull.body).text}".rstrip() + "\n"
    named = identity.with_change_id(whole.encode("utf-8", "surrogatepass"), change_id)
    return title, named.decode("utf-8", "surrogatepass").partition("\n")[2].strip()


def whole_message(change_id: str, pull: PullRequest) -> bytes:
    """The same as one commit message, as git stores it."""
    title, rest = landed_message(change_id, pull)
    return f"{title}\n\n{rest}\n".encode("utf-8", "replace")
