"""Repositories: settings, people, refs. Their pull requests and issues are in ``lists``."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import accounts
from stackr.sandbox.errors import forbidden
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.git_objects import find_object, find_ref, ref_prefix
from stackr.sandbox.graphql.values import Ref
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Repository, User

names(Repository, "Repository")

repo = Fields("Repository")
repo.attributes(
    "name description created_at updated_at",
    databaseId="id",
    isPrivate="private",
    isArchived="archived",
    mergeCommitAllowed="allow_merge_commit",
    squashMergeAllowed="allow_squash_merge",
    rebaseMergeAllowed="allow_rebase_merge",
    autoMergeAllowed="allow_auto_merge",
    allowUpdateBranch="allow_update_branch",
    deleteBranchOnMerge="delete_branch_on_merge",
    mergeCommitTitle="merge_commit_title",
    mergeCommitMessage="merge_commit_message",
    squashMergeCommitTitle="squash_merge_commit_title",
    squashMergeCommitMessage="squash_merge_commit_message",
)
repo.constants(
    archivedAt=None,
    hasIssuesEnabled=True,
    isDisabled=False,
    isLocked=False,
    isMirror=False,
    isTemplate=False,
)
repo.add("id", lambda row, _info: node_id("Repository", row.id))
repo.add("pushedAt", lambda row, _info: row.pushed_at or None)
repo.add("owner", lambda row, info: accounts.owner(ctx(info).engine, row))
repo.add("nameWithOwner", lambda row, info: accounts.full_name(ctx(info).engine, row))
repo.add("url", lambda row, info: ctx(info).repository_url(row))
repo.add("resourcePath", lambda row, info: ctx(info).path(ctx(info).repository_url(row)))
repo.add("isFork", lambda row, _info: row.parent_id is not None)
repo.add("isEmpty", lambda row, info: not ctx(info).git(row).refs)
repo.add("isInOrganization", lambda row, info: accounts.owner(ctx(info).engine, row).type == "Organization")
repo.add("visibility", lambda row, _info: "PRIVATE" if row.private else "PUBLIC")
repo.add("viewerCanAdminister", lambda row, info: ctx(info).level(row) == "admin")


@repo
def ssh_url(row: Repository, info: Info) -> str:
    """The scp-like address. The sandbox answers on http only; the form is GitHub's."""
    return f"git@127.0.0.1:{accounts.full_name(ctx(info).engine, row)}.git"


@repo
def parent(row: Repository, info: Info) -> Repository | None:
    """What it was forked from, if the viewer may see that."""
    found = ctx(info).engine.store.repositories.get(row.parent_id)
    return found if found and ctx(info).sees(found) else None


@repo
def viewer_permission(row: Repository, info: Info) -> str | None:
    """A RepositoryPermission."""
    level = ctx(info).level(row)
    return None if level == "none" else level.upper()


@repo
def viewer_default_merge_method(row: Repository, _info: Info) -> str:
    """The first method that is allowed, in the order of GitHub's button."""
    if row.allow_merge_commit:
        return "MERGE"
    return "SQUASH" if row.allow_squash_merge else "REBASE"


# -- refs and objects --------------------------------------------------------------------------------------


@repo
def default_branch_ref(row: Repository, info: Info) -> Ref | None:
    """None while the default branch has no commit."""
    return find_ref(ctx(info), row, f"refs/heads/{row.default_branch}")


@repo
def ref(row: Repository, info: Info, qualified_name: str) -> Ref | None:
    """A ref by its full name, or without ``refs/`` or ``refs/heads/``."""
    return find_ref(ctx(info), row, qualified_name)


@repo
def refs(
    row: Repository,
    info: Info,
    *,
    ref_prefix: str,
    query: str | None = None,
    direction: str | None = None,
    order_by: dict[str, str] | None = None,
    **arguments: Any,
) -> Connection:
    """The refs below a prefix, by name unless told otherwise."""
    git = ctx(info).git(row)
    found = [Ref(row, name, git.refs[name]) for name in sorted(git.refs) if name.startswith(ref_prefix)]
    found = [value for value in found if not query or query.lower() in short_name(value).lower()]
    if order_by and order_by["field"] == "TAG_COMMIT_DATE":
        found.sort(key=lambda value: git.need(git.resolve(value.name) or "").committer.when)
    if (order_by["direction"] if order_by else direction) == "DESC":
        found.reverse()
    return page(info, found, arguments)


def short_name(value: Ref) -> str:
    """The name without its prefix."""
    return value.name[len(ref_prefix(value)) :]


repo.add(
    "object",
    lambda row, info, oid=None, expression=None: find_object(ctx(info), row, oid or expression or ""),
)

# -- people ------------------------------------------------------------------------------------------------


def matching(users: list[User], query: str | None) -> list[User]:
    """The accounts whose login or name holds the text."""
    text = (query or "").lower()
    return [user for user in users if text in user.login.lower() or text in (user.name or "").lower()]


def people(row: Repository, info: Info, query: str | None = None, **arguments: Any) -> Connection:
    """Who can be asked for a review or assigned."""
    return page(info, matching(accounts.assignable(ctx(info).engine, row), query), arguments)


repo.add("assignableUsers", people)
repo.add("mentionableUsers", people)


@repo
def collaborators(
    row: Repository,
    info: Info,
    affiliation: str | None = None,
    login: str | None = None,
    query: str | None = None,
    **arguments: Any,
) -> Connection:
    """Everybody with a level of his own; only for those who may push, as on GitHub."""
    if not ctx(info).writes(row):
        raise forbidden("You do not have permission to view repository collaborators.")
    users = matching(accounts.assignable(ctx(info).engine, row), query)
    if affiliation == "OUTSIDE":
        users = [user for user in users if user.id != row.owner_id]
    return page(info, [user for user in users if login in (None, user.login)], arguments, owner=row)


@Fields("RepositoryCollaboratorEdge")
def permission(edge: Any, info: Info) -> str:
    """The collaborator's RepositoryPermission."""
    return accounts.permission(ctx(info).engine, edge.node, edge.owner).upper()
