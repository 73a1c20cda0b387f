"""The root of queries: accounts, repositories, nodes by id or address, and the rate limit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any
from urllib.parse import urlsplit

from stackr.sandbox import accounts, checks
from stackr.sandbox.errors import ApiError, not_found
from stackr.sandbox.graphql.binding import Fields
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.resolvers.git_objects import find_commit, find_object
from stackr.sandbox.graphql.resolvers.lists import issue_or_pull_request
from stackr.sandbox.graphql.resolvers.merge_queue import find_queue
from stackr.sandbox.graphql.values import App, Ref
from stackr.sandbox.ids import parse_node_id
from stackr.sandbox.model import Repository, User

query = Fields("Query")
query.add("viewer", lambda _root, info: ctx(info).viewer)


def visible_repository(context: Context, owner: str, name: str) -> Repository:
    """A repository by owner and name; one that the viewer may not see does not exist for him."""
    context.refuse_without_sign_on()
    found = accounts.find_repository(context.engine, owner, name)
    if found is None or not context.sees(found):
        raise not_found(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
    return found


@query
def repository(_root: Any, info: Info, owner: str, name: str, **_renames: Any) -> Repository:
    """A repository by owner and name."""
    return visible_repository(ctx(info), owner, name)


def account(info: Info, login: str, kinds: tuple[str, ...], called: str) -> User:
    """An account of one of these types."""
    found = accounts.user_by_login(ctx(info).engine, login)
    if found is None or found.type not in kinds:
        raise not_found(f"Could not resolve to {called} with the login of '{login}'.")
    return found


query.add("user", lambda _root, info, login: account(info, login, ("User",), "a User"))
query.add("organization", lambda _root, info, login: account(info, login, ("Organization",), "an Organization"))


@query
def repository_owner(_root: Any, info: Info, login: str) -> User | None:
    """An account that may own repositories; None, without an error, if there is none."""
    found = accounts.user_by_login(ctx(info).engine, login)
    return found if found and found.type in {"User", "Organization"} else None


# -- nodes -------------------------------------------------------------------------------------------------

_TABLES = {
    "User": "users",
    "Organization": "users",
    "Bot": "users",
    "Repository": "repositories",
    "PullRequest": "pulls",
    "Issue": "issues",
    "IssueComment": "comments",
    "PullRequestReview": "reviews",
    "Label": "labels",
    "Milestone": "milestones",
    "CheckRun": "check_runs",
    "CheckSuite": "check_suites",
    "StatusContext": "statuses",
    "Event": "events",
    "UserContentEdit": "edits",
    "RepositoryRuleset": "rulesets",
    "BranchProtectionRule": "rulesets",
    "MergeQueueEntry": "queue_entries",
}


def find_node(context: Context, node: str) -> Any:
    """What a node id names and the viewer may see, else NOT_FOUND in GitHub's words."""
    parsed = parse_node_id(node)
    found = _look_up(context, *parsed) if parsed else None
    if found is None:
        raise not_found(f"Could not resolve to a node with the global id of '{node}'")
    return found


def _look_up(context: Context, kind: str, parts: list[str]) -> Any:
    if kind == "App":
        return App(parts[0])
    if kind in {"CheckRun", "CheckSuite"}:
        checks.require_checks_permission(context.engine, context.token)
    if kind in _TABLES:
        table = getattr(context.engine.store, _TABLES[kind])
        row = table.get(int(parts[0])) if parts[0].isdigit() else None
        return row if row is not None and _visible(context, row) else None
    context.refuse_without_sign_on()
    repo = context.engine.store.repositories.get(int(parts[0])) if parts[0].isdigit() else None
    if repo is None or not context.sees(repo) or kind not in _GIT:
        return None
    return _GIT[kind](context, repo, parts[1])


def _visible(context: Context, row: Any) -> bool:
    if isinstance(row, User):
        return True
    context.refuse_without_sign_on()
    return context.sees(row if isinstance(row, Repository) else context.repository(row))


def _ref(context: Context, repo: Repository, name: str) -> Ref | None:
    oid = context.git(repo).refs.get(name)
    return Ref(repo, name, oid) if oid else None


_GIT: dict[str, Callable[[Context, Repository, str], Any]] = {
    "Ref": _ref,
    "Commit": find_commit,
    "Tree": find_object,
    "Blob": find_object,
    "Tag": find_object,
    "MergeQueue": find_queue,
}

query.add("node", lambda _root, info, id_: find_node(ctx(info), id_))


@query
def nodes(_root: Any, info: Info, ids: list[str]) -> list[Any]:
    """Several nodes at once, 100 at most; each that is not found is an error of its own and null."""
    if len(ids) > 100:
        text = f"You may not provide more than 100 node ids; you provided {len(ids)}."
        raise ApiError(200, text, graphql_type="ARGUMENT_LIMIT")
    return [_node_or_error(ctx(info), node) for node in ids]


def _node_or_error(context: Context, node: str) -> Any:
    try:
        return find_node(context, node)
    except ApiError as error:
        # graphql-core takes an exception as an item of a list for the failure of that item.
        return error


@query
def resource(_root: Any, info: Info, url: str) -> Any:
    """What a page shows: an account, a repository, a branch, a commit, an issue or pull request."""
    parts = [part for part in urlsplit(url).path.split("/") if part]
    if len(parts) == 1:
        return accounts.user_by_login(ctx(info).engine, parts[0])
    if len(parts) < 2:
        return None
    repo = visible_repository(ctx(info), parts[0], parts[1])
    match parts[2:]:
        case []:
            return repo
        case ["pull" | "issues", number] if number.isdigit():
            return issue_or_pull_request(repo, info, int(number))
        case ["commit", oid]:
            return find_commit(ctx(info), repo, ctx(info).git(repo).resolve(oid))
        case _:
            return None


# -- the rate limit ----------------------------------------------------------------------------------------


@query
def rate_limit(_root: Any, info: Info, **_dry_run: Any) -> dict[str, Any]:
    """What is left of the hour, after this very query."""
    context = ctx(info)
    rate = context.engine.limits.rate(context.viewer, "graphql")
    return {
        "cost": context.cost,
        "nodeCount": context.node_count,
        "limit": rate.limit,
        "remaining": rate.remaining,
        "used": rate.used,
        "resetAt": datetime.fromtimestamp(rate.reset, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


for field in ("cost", "nodeCount", "limit", "remaining", "used", "resetAt"):
    Fields("RateLimit").add(field, lambda value, _info, field=field: value[field])
