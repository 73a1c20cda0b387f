"""Editing one file on the head branch of a pull request, as a suggestion does that is committed on the page.

The edit becomes one commit on top of the head, by whoever commits it; the branch moves by the rules for every ref.
https://docs.github.com/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/incorporating-feedback-in-your-pull-request
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stackr.sandbox import accounts, merging, refs
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.git import HEADS, GitRepo
from stackr.sandbox.model import PullRequest, Repository, User
from stackr.sandbox.objects import write_object

MESSAGE = "Apply suggestions from code review"
SIZE_LIMIT = 200_000  # bytes; larger files are no pleasure in a text field
_FILES = (b"100644", b"100755")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file of the head: its path, the blob it is, and its text with ``\\n`` as line end."""

    path: str
    oid: str
    text: str
    crlf: bool


def editable_file(engine: Engine, pull: PullRequest, path: str) -> TextFile:
    """The file at ``path`` in the head; 422 if there is no text to edit there."""
    repo = head_repository(engine, pull)
    found = engine.git(repo).object(f"{pull.head_oid}:{path}") if path else None
    if found is None or found[1] != "blob":
        raise ApiError(422, f"There is no file {path!r} on this branch.")
    if len(found[2]) > SIZE_LIMIT or b"\0" in found[2]:
        raise ApiError(422, f"{path} cannot be edited here: it is binary or too large.")
    try:
        text = found[2].decode()
    except UnicodeDecodeError as error:
        raise ApiError(422, f"{path} cannot be edited here: it is not UTF-8.") from error
    # Only where every line ends so: a mixed file would be changed from top to bottom.
    crlf = "\r\n" in text and text.count("\r\n") == text.count("\n")
    return TextFile(path, found[0], _unix(text), crlf)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")


def head_repository(engine: Engine, pull: PullRequest) -> Repository:
    """Where the head branch is; 422 when the branch cannot be written to any more."""
    repo = engine.store.repositories.get(pull.head_repo_id)
    if repo is None or engine.git(repo).branch(pull.head_ref) != pull.head_oid or pull.state == "closed":
        raise ApiError(422, f"The branch {pull.head_ref} of this pull request is closed or gone.")
    return repo


def committers(engine: Engine, pull: PullRequest) -> list[User]:
    """Who may push to the head branch."""
    repo = engine.store.repositories.get(pull.head_repo_id)
    people = accounts.assignable(engine, repo) if repo else []
    return [user for user in people if repo and accounts.may(engine, user, repo, "write")]


def commit_edit(
    engine: Engine, user: User | None, pull: PullRequest, *, path: str, seen: str, text: str, message: str
) -> str:
    """Commit the new text of a file to the head branch and return the new head.

    ``seen`` is the blob that was edited; 409 if it is no longer the file's, as somebody else's work would be lost.
    """
    repo = head_repository(engine, pull)
    accounts.require(engine, user, repo, "write")
    if user is None:  # pragma: no cover - require has refused already
        raise ApiError(401, "Requires authentication")
    with engine.transaction():
        file = editable_file(engine, pull, path)
        if file.oid != seen:
            raise ApiError(409, f"{path} has changed since you opened it; your text is still below.")
        if _unix(text) == file.text:
            raise ApiError(422, "Nothing was changed, so there is nothing to commit.")
        git = engine.git(repo)
        written = _unix(text).replace("\n", "\r\n") if file.crlf else _unix(text)
        tree = _with_file(git, git.need(pull.head_oid).tree, path.encode().split(b"/"), written.encode())
        author, web = merging.person(engine, user), merging.signature(engine, *merging.WEB_FLOW)
        oid = git.write_commit(tree, (pull.head_oid,), author, web, _unix(message).strip() or MESSAGE)
        refs.update_refs(engine, user, repo, [refs.RefChange(HEADS + pull.head_ref, oid, pull.head_oid)])
        return oid


def _with_file(git: GitRepo, tree: str, parts: list[bytes], data: bytes) -> str:
    """The tree with another content in one of its files; trees and blob are written, all else is shared."""
    lines = []
    for mode, name, oid in _entries(git, tree):
        if name == parts[0] and len(parts) > 1:
            oid = _with_file(git, oid, parts[1:], data)
        elif name == parts[0]:
            if mode not in _FILES:
                raise ApiError(422, "Only regular files can be edited here.")
            oid = write_object(git.directory, "blob", data)
        lines.append(mode + b" " + name + b"\0" + bytes.fromhex(oid))
    return _write_tree(git, b"".join(lines))


def _write_tree(git: GitRepo, data: bytes) -> str:
    return write_object(git.directory, "tree", data)


def _entries(git: GitRepo, tree: str) -> Iterator[tuple[bytes, bytes, str]]:
    """Mode, name and oid of each entry (https://git-scm.com/docs/git-ls-tree; the format is binary)."""
    found = git.object(tree)
    rest = found[2] if found else b""
    while rest:
        head, _, rest = rest.partition(b"\0")
        mode, _, name = head.partition(b" ")
        yield mode, name, rest[:20].hex()
        rest = rest[20:]
