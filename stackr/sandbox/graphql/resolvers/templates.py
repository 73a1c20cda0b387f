"""Pull request templates, read from the default branch.

Source: https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/creating-a-pull-request-template-for-your-repository
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stackr.sandbox.graphql.binding import Fields
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.resolvers.git_objects import entries_of, entry_type, find_object
from stackr.sandbox.graphql.values import Blob, Tree, TreeEntry
from stackr.sandbox.model import Repository

_PLACES = ("", ".github", "docs")
_NAME = "pull_request_template"


@dataclass(frozen=True, slots=True)
class Template:
    """A template file."""

    repo: Repository
    filename: str
    body: str


@Fields("Repository")
def pull_request_templates(row: Repository, info: Info) -> list[Template]:
    """Single templates first, then those of template directories; names compare without case."""
    found = [
        Template(row, entry.name, blob.data.decode("utf-8", "replace"))
        for entry in candidates(ctx(info), row)
        if isinstance(blob := find_object(ctx(info), row, entry.oid), Blob)
    ]
    return [template for template in found if template.body.strip()]


def candidates(context: Context, row: Repository) -> Iterator[TreeEntry]:
    """The files that are templates by their place and name."""
    for place in _PLACES:
        folder = find_object(context, row, f"refs/heads/{row.default_branch}:{place}")
        for entry in entries_of(folder) if isinstance(folder, Tree) else ():
            stem = entry.name.rpartition(".")[0].lower()
            if entry_type(entry) == "tree" and entry.name.lower() == _NAME:
                yield from templates_in(context, row, entry)
            elif entry_type(entry) == "blob" and stem == _NAME:
                yield entry


def templates_in(context: Context, row: Repository, folder: TreeEntry) -> Iterator[TreeEntry]:
    """The files of a template directory."""
    found = find_object(context, row, folder.oid)
    if isinstance(found, Tree):
        yield from (entry for entry in entries_of(found) if entry.name.lower().endswith((".md", ".txt")))


template = Fields("PullRequestTemplate")
template.attributes("filename body", repository="repo")
