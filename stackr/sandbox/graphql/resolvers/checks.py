"""Commit statuses, check runs, check suites, and what they add up to."""

from __future__ import annotations

from collections import Counter
from typing import Any

from stackr.sandbox import checks
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.git_objects import find_commit
from stackr.sandbox.graphql.values import CombinedStatus, Commit, Rollup
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import CheckRun, PullRequest, Status

names(CheckRun, "CheckRun")
names(Status, "StatusContext")
names(Rollup, "StatusCheckRollup")
names(CombinedStatus, "Status")

# -- the sum of everything on a commit ---------------------------------------------------------------------


def rollup_of(context: Context, commit: Commit) -> Rollup | None:
    """All checks of a commit; None where nothing was ever reported.

    Raises FORBIDDEN for tokens that may not read checks, as GitHub does for fine-grained ones (cli/cli#12597).
    """
    engine, repo, oid = context.engine, commit.repo, commit.info.oid
    checks.require_checks_permission(engine, context.token)
    state = checks.rollup(engine, repo, oid)
    if state is None:
        return None
    runs, statuses = checks.check_runs(engine, repo, oid), checks.latest_statuses(engine, repo, oid)
    return Rollup(commit, state, tuple(runs), tuple(statuses))


Fields("Commit").add("statusCheckRollup", lambda commit, info: rollup_of(ctx(info), commit))


@Fields("PullRequest")
def status_check_rollup(row: PullRequest, info: Info) -> Rollup | None:
    """The checks of its head commit."""
    head = find_commit(ctx(info), ctx(info).repository(row), row.head_oid)
    return rollup_of(ctx(info), head) if head else None


both = Fields("StatusCheckRollup", "Status")
both.attributes("commit state")
both.add("id", lambda value, _info: node_id(id_kind(value), value.commit.repo.id, value.commit.info.oid))


def id_kind(value: Rollup | CombinedStatus) -> str:
    """The kind of node id of a sum."""
    return "StatusCheckRollup" if isinstance(value, Rollup) else "Status"


Fields("StatusCheckRollup").add(
    "contexts", lambda value, info, **a: page(info, [*value.checks, *value.statuses], a, owner=value)
)

contexts = Fields("StatusCheckRollupContextConnection")


def runs_in(connection: Connection) -> list[CheckRun]:
    """The check runs among all contexts, also those of other pages."""
    return [item for item in connection.items if isinstance(item, CheckRun)]


def statuses_in(connection: Connection) -> list[Status]:
    """The commit statuses among all contexts, also those of other pages."""
    return [item for item in connection.items if isinstance(item, Status)]


def counted(states: list[str]) -> list[dict[str, Any]]:
    """How often each state occurs, by name."""
    return [{"state": state, "count": count} for state, count in sorted(Counter(states).items())]


contexts.add("checkRunCount", lambda connection, _info: len(runs_in(connection)))
contexts.add("statusContextCount", lambda connection, _info: len(statuses_in(connection)))
contexts.add(
    "checkRunCountsByState",
    lambda connection, _info: counted([(run.conclusion or run.status).upper() for run in runs_in(connection)]),
)
contexts.add(
    "statusContextCountsByState",
    lambda connection, _info: counted([status.state.upper() for status in statuses_in(connection)]),
)
count = Fields("CheckRunStateCount", "StatusContextStateCount")
count.add("state", lambda value, _info: value["state"])
count.add("count", lambda value, _info: value["count"])

# -- commit statuses ---------------------------------------------------------------------------------------


@Fields("Commit")
def status(commit: Commit, info: Info) -> CombinedStatus | None:
    """The statuses of a commit, without check runs; None where there are none."""
    found = tuple(checks.latest_statuses(ctx(info).engine, commit.repo, commit.info.oid))
    return CombinedStatus(commit, checks.combined([row.state for row in found]).upper(), found) if found else None


combined_status = Fields("Status")
combined_status.add("contexts", lambda value, _info: value.statuses)
combined_status.add("combinedContexts", lambda value, info, **a: page(info, value.statuses, a))
combined_status.add(
    "context", lambda value, _info, name: next((row for row in value.statuses if row.context == name), None)
)

context = Fields("StatusContext")
context.attributes("context description target_url created_at")
context.add("id", lambda row, _info: node_id("StatusContext", row.id))
context.add("state", lambda row, _info: row.state.upper())
context.add("creator", lambda row, info: ctx(info).user(row.creator_id))
context.add("commit", lambda row, info: find_commit(ctx(info), ctx(info).repository(row), row.oid))


@context
def avatar_url(row: Status, info: Info, size: int | None = None) -> str:
    """The picture of whoever set the status."""
    return f"{ctx(info).engine.url}/avatars/u/{row.creator_id}" + (f"?s={size}" if size else "")
