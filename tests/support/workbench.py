"""A stack as a list of patches, put into a real clone by one ``git fast-import``: any reshaping, without conflicts.

What ``git rebase -i`` does to a stack, for tests that do it hundreds of times. Not here: which reshaping, and laws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tests.support.git import WHEN, git_bytes
from tests.support.world import Clone

BRANCH = "refs/heads/feature"


@dataclass(frozen=True)
class Step:
    """A commit as a patch: its message, and the whole new content of the files it touches."""

    message: bytes
    edits: Mapping[str, str]

    @property
    def title(self) -> str:
        """The first line."""
        return self.message.split(b"\n")[0].decode()


class Bench:
    """The stack of a clone, bottom first, and the trunk commit on which it stands."""

    def __init__(self, clone: Clone) -> None:
        self.clone = clone
        self.point = clone.oid("origin/main")
        self.steps: list[Step] = []

    def put(self, steps: Sequence[Step], point: str | None = None) -> None:
        """Let the branch consist of these commits; work tree and index follow."""
        self.point = point or self.point
        self.steps = list(steps)
        parts = [_commit(self.clone, step, number, self.point) for number, step in enumerate(steps, 1)]
        self.clone.git("fast-import", "--quiet", "--force", "--date-format=raw", stdin=b"".join(parts))
        self.clone.git("reset", "-q", "--hard")

    def read_messages(self) -> None:
        """Take in the messages as they are now: a submit adds ids."""
        raw = git_bytes(self.clone.path, "log", "--reverse", "-z", "--format=%B", f"{self.point}..HEAD")
        messages = [message.strip(b"\n") + b"\n" for message in raw.split(b"\0") if message.strip()]
        self.steps = [replace(step, message=text) for step, text in zip(self.steps, messages, strict=True)]


def _commit(clone: Clone, step: Step, number: int, point: str) -> bytes:
    """One commit of the stream, on the one before (git-fast-import(1))."""
    parent = f":{number - 1}" if number > 1 else point
    who = f"{clone.login.title()} Author <{clone.login}@example.com> {WHEN}"
    head = f"commit {BRANCH}\nmark :{number}\nauthor {who}\ncommitter {who}\n"
    files = b"".join(f"M 100644 inline {path}\n".encode() + _data(text.encode()) for path, text in step.edits.items())
    return head.encode() + _data(step.message) + f"from {parent}\n".encode() + files + b"\n"


def _data(content: bytes) -> bytes:
    return f"data {len(content)}\n".encode() + content + b"\n"
