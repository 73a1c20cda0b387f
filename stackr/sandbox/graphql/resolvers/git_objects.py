"""Refs, trees, blobs, tags, and how an object is found; commits are in ``commits``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stackr.sandbox.git import HEADS
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.values import Blob, Commit, Ref, Tag, Tree, TreeEntry
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Repository
from stackr.sandbox.objects import Person, parse_person

for kind in (Commit, Tree, Blob, Tag, Ref):
    names(kind, kind.__name__)

_PREFIXES = (HEADS, "refs/tags/", "refs/")
_KINDS = {"040000": "tree", "160000": "commit"}


def find_ref(context: Context, repo: Repository, name: str) -> Ref | None:
    """A ref by its full name, or by what follows ``refs/`` or ``refs/heads/``; None if there is none."""
    refs = context.git(repo).refs
    for candidate in (name, f"refs/{name}", HEADS + name, f"refs/tags/{name}"):
        if candidate in refs and candidate.startswith("refs/"):
            return Ref(repo, candidate, refs[candidate])
    return None


def find_commit(context: Context, repo: Repository, oid: str | None) -> Commit | None:
    """A commit by its full oid."""
    info = context.git(repo).commit(oid) if oid else None
    return Commit(repo, info) if info else None


def find_object(context: Context, repo: Repository, expression: str) -> Commit | Tree | Blob | Tag | None:
    """What a revision expression names (``main:README.md``, an oid, a branch)."""
    ref = find_ref(context, repo, expression)
    found = context.git(repo).object(ref.oid if ref else expression)
    if found is None:
        return None
    oid, kind, data = found
    if kind == "commit":
        return find_commit(context, repo, oid)
    if kind == "tree":
        return Tree(repo, oid, data)
    return Blob(repo, oid, data) if kind == "blob" else Tag(repo, oid, data)


# -- refs --------------------------------------------------------------------------------------------------

ref = Fields("Ref")
ref.attributes(repository="repo")
ref.add("id", lambda value, _info: node_id("Ref", value.repo.id, value.name))


def ref_prefix(value: Ref) -> str:
    """``refs/heads/``, ``refs/tags/`` or ``refs/``."""
    return next(prefix for prefix in _PREFIXES if value.name.startswith(prefix))


ref.add("prefix", lambda value, _info: ref_prefix(value))
ref.add("name", lambda value, _info: value.name[len(ref_prefix(value)) :])


@ref
def target(value: Ref, info: Info) -> Commit | Tree | Blob | Tag | None:
    """What the ref points at."""
    return find_object(ctx(info), value.repo, value.oid)


# -- what all git objects have -----------------------------------------------------------------------------

git_object = Fields("Commit", "Tree", "Blob", "Tag")
git_object.attributes(repository="repo")


def oid_of(value: Commit | Tree | Blob | Tag) -> str:
    """The object's name."""
    return value.info.oid if isinstance(value, Commit) else value.oid


def object_url(context: Context, value: Commit | Tree | Blob | Tag, page: str = "commit") -> str:
    """The page of an object; GitHub shows every kind below ``commit``."""
    return f"{context.repository_url(value.repo)}/{page}/{oid_of(value)}"


git_object.add("oid", lambda value, _info: oid_of(value))
git_object.add("abbreviatedOid", lambda value, _info: oid_of(value)[:7])
git_object.add("id", lambda value, _info: node_id(type(value).__name__, value.repo.id, oid_of(value)))
git_object.add("commitUrl", lambda value, info: object_url(ctx(info), value))
git_object.add("commitResourcePath", lambda value, info: ctx(info).path(object_url(ctx(info), value)))


# -- trees and blobs ---------------------------------------------------------------------------------------

tree = Fields("Tree")
entry = Fields("TreeEntry")
entry.attributes("mode name oid path", repository="repo")


def entries_of(value: Tree) -> Iterator[TreeEntry]:
    """The entries of a raw tree object, in git's order: ``mode SP name NUL oid``."""
    at = 0
    while at < len(value.data):
        end = value.data.index(b"\0", at)
        mode, _, name = value.data[at:end].partition(b" ")
        oid = value.data[end + 1 : end + 21].hex()
        text = name.decode("utf-8", "replace")
        path = f"{value.path}/{text}" if value.path else text
        yield TreeEntry(value.repo, int(mode, 8), text, path, oid)
        at = end + 21


def entry_type(value: TreeEntry) -> str:
    """blob, tree, or commit (a submodule)."""
    return _KINDS.get(f"{value.mode:06o}", "blob")


tree.add("entries", lambda value, _info: list(entries_of(value)))
entry.add("type", lambda value, _info: entry_type(value))
entry.add("extension", lambda value, _info: "." + value.name.rpartition(".")[2] if "." in value.name else "")


def entry_object(value: TreeEntry, info: Info) -> Any:
    """The entry's tree or blob; None for a submodule, whose commit is elsewhere."""
    if entry_type(value) == "commit":
        return None
    found = find_object(ctx(info), value.repo, value.oid)
    return Tree(found.repo, found.oid, found.data, value.path) if isinstance(found, Tree) else found


def entry_size(value: TreeEntry, info: Info) -> int:
    """Bytes of a blob, 0 for anything else."""
    found = entry_object(value, info)
    return len(found.data) if isinstance(found, Blob) else 0


entry.add("object", entry_object)
entry.add("size", entry_size)

blob = Fields("Blob")
blob.constants(isTruncated=False)
blob.add("byteSize", lambda value, _info: len(value.data))
blob.add("isBinary", lambda value, _info: b"\0" in value.data)


@blob
def text(value: Blob, _info: Info) -> str | None:
    """The content as text; None for a binary file."""
    return None if b"\0" in value.data else value.data.decode("utf-8", "replace")


# -- annotated tags ----------------------------------------------------------------------------------------

tag = Fields("Tag")


def tag_header(value: Tag, key: str) -> str:
    """A header of a tag object."""
    head = value.data.partition(b"\n\n")[0].decode("utf-8", "replace")
    return next((line[len(key) + 1 :] for line in head.split("\n") if line.startswith(key + " ")), "")


@tag
def tagger(value: Tag, _info: Info) -> Person | None:
    """Who made the tag."""
    line = tag_header(value, "tagger")
    return parse_person(line) if line else None


tag.add("name", lambda value, _info: tag_header(value, "tag"))
tag.add("message", lambda value, _info: value.data.partition(b"\n\n")[2].decode("utf-8", "replace"))
tag.add("target", lambda value, info: find_object(ctx(info), value.repo, tag_header(value, "object")))
