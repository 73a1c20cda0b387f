"""Accounts: User, Organization, Bot."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import accounts
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Info, ctx
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Repository, User

names(User, lambda user: user.type)

actor = Fields("User", "Organization", "Bot")
actor.attributes("login created_at", updatedAt="created_at", databaseId="id")
owner = Fields("User", "Organization")
owner.attributes("name")
user = Fields("User")
user.constants(isSiteAdmin=False)
organization = Fields("Organization")
organization.attributes("email")
organization.constants(description=None, team=None)

actor.add("id", lambda row, _info: node_id(row.type, row.id))
actor.add("resourcePath", lambda row, _info: f"/{row.login}")
actor.add("url", lambda row, info: f"{ctx(info).engine.url}/{row.login}")
user.add("email", lambda row, _info: row.email or "")
user.add("isViewer", lambda row, info: row is ctx(info).viewer)


@actor
def avatar_url(row: User, info: Info, size: int | None = None) -> str:
    """The picture's address; ``size`` as GitHub passes it on."""
    return f"{ctx(info).engine.url}/avatars/u/{row.id}" + (f"?s={size}" if size else "")


@owner
def repository(row: User, info: Info, name: str, **_renames: Any) -> Repository | None:
    """A repository of this owner that the viewer may see."""
    found = accounts.find_repository(ctx(info).engine, row.login, name)
    return found if found and ctx(info).sees(found) else None


@organization
def viewer_is_a_member(row: User, info: Info) -> bool:
    """Whether the viewer has a level of his own in one of the organization's repositories."""
    store = ctx(info).engine.store
    owned = {repo.id for repo in store.repositories.all() if repo.owner_id == row.id}
    return any(p.repo_id in owned and p.user_id == ctx(info).viewer.id for p in store.permissions.all())
