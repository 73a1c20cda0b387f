"""Check runs one by one, with their suites, apps, workflows and annotations."""

from __future__ import annotations

from typing import Any

from stackr.sandbox import actions, checks, protection, pulls
from stackr.sandbox.errors import ApiError
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.git_objects import find_commit, find_ref
from stackr.sandbox.graphql.resolvers.lists import paged_pulls
from stackr.sandbox.graphql.values import App, Commit, Ref, Workflow, WorkflowRun
from stackr.sandbox.ids import node_id, parse_node_id
from stackr.sandbox.model import CheckRun, CheckSuite, PullRequest, Status

names(CheckSuite, "CheckSuite")
names(App, "App")
names(Workflow, "Workflow")
names(WorkflowRun, "WorkflowRun")

# -- runs --------------------------------------------------------------------------------------------------

run = Fields("CheckRun")
run.attributes("name started_at completed_at", databaseId="id")
run.add("id", lambda row, _info: node_id("CheckRun", row.id))
run.add("externalId", lambda row, _info: row.external_id or None)
run.add("status", lambda row, _info: row.status.upper())
run.add("conclusion", lambda row, _info: row.conclusion.upper() if row.conclusion else None)
run.add("repository", lambda row, info: ctx(info).repository(row))
run.add("checkSuite", lambda row, info: ctx(info).engine.store.check_suites.need(row.suite_id))
run.add("url", lambda row, info: run_url(ctx(info), row))
run.add("permalink", lambda row, info: run_url(ctx(info), row))
run.add("resourcePath", lambda row, info: ctx(info).path(run_url(ctx(info), row)))
run.add("detailsUrl", lambda row, info: row.details_url or run_url(ctx(info), row))
for part in ("title", "summary", "text"):
    run.add(part, lambda row, _info, part=part: row.output.get(part))


def run_url(context: Context, row: CheckRun) -> str:
    """The page of a check run."""
    return f"{context.repository_url(context.repository(row))}/runs/{row.id}"


# -- required by a pull request ----------------------------------------------------------------------------


def is_required(
    row: CheckRun | Status,
    info: Info,
    pull_request_id: str | None = None,
    pull_request_number: int | None = None,
) -> bool:
    """Whether a rule for the pull request's base asks for this check by name."""
    pull = asked_pull(ctx(info), row, pull_request_id, pull_request_number)
    engine, repo = ctx(info).engine, ctx(info).repository(pull)
    rule = protection.parameters(engine, repo, pulls.target_branch(engine, pull), "required_status_checks") or {}
    name = row.name if isinstance(row, CheckRun) else row.context
    return any(wanted["context"] == name for wanted in rule.get("required_status_checks", []))


def asked_pull(context: Context, row: CheckRun | Status, pull_id: str | None, number: int | None) -> PullRequest:
    """The pull request that the arguments name."""
    store = context.engine.store
    parsed = parse_node_id(pull_id) if pull_id else None
    if parsed and parsed[0] == "PullRequest":
        found = store.pulls.get(int(parsed[1][0]))
    else:
        found = store.pulls.one(repo_id=row.repo_id, number=number) if number else None
    if found is None:
        raise ApiError(200, "A valid pull request ID or pull request number is required.")
    return found


Fields("CheckRun", "StatusContext").add("isRequired", is_required)

# -- annotations -------------------------------------------------------------------------------------------

run.add("annotations", lambda row, info, **a: page(info, row.annotations, a, node=lambda one: (row, one)))

annotation = Fields("CheckAnnotation")
annotation.constants(databaseId=None)
annotation.add("annotationLevel", lambda pair, _info: (pair[1].get("annotation_level") or "notice").upper())
annotation.add("location", lambda pair, _info: pair[1])
for field, key in (("message", "message"), ("path", "path"), ("rawDetails", "raw_details"), ("title", "title")):
    annotation.add(field, lambda pair, _info, key=key: pair[1].get(key))


@annotation
def blob_url(pair: tuple[CheckRun, dict[str, Any]], info: Info) -> str:
    """The annotated file at the commit."""
    row, one = pair
    return f"{ctx(info).repository_url(ctx(info).repository(row))}/blob/{row.oid}/{one['path']}"


span = Fields("CheckAnnotationSpan")
span.add("start", lambda one, _info: (one.get("start_line"), one.get("start_column")))
span.add("end", lambda one, _info: (one.get("end_line", one.get("start_line")), one.get("end_column")))
position = Fields("CheckAnnotationPosition")
position.add("line", lambda place, _info: place[0])
position.add("column", lambda place, _info: place[1])

# -- steps of jobs -----------------------------------------------------------------------------------------


@run
def steps(row: CheckRun, info: Info, number: int | None = None, **arguments: Any) -> Connection:
    """The steps of a job of GitHub Actions; other apps' runs have none."""
    numbered = [(row, i, one) for i, one in enumerate(row.steps, 1) if number in (None, i)]
    return page(info, numbered, arguments)


step = Fields("CheckStep")
step.constants(externalId=None, secondsToCompletion=None)
step.add("number", lambda found, _info: found[1])
step.add("name", lambda found, _info: found[2]["name"])
step.add("conclusion", lambda found, _info: (found[2].get("conclusion") or "").upper() or None)
step.add("status", lambda found, _info: "COMPLETED" if found[2].get("conclusion") else "IN_PROGRESS")
step.add("startedAt", lambda found, _info: found[0].started_at)
step.add("completedAt", lambda found, _info: found[0].completed_at)

# -- suites ------------------------------------------------------------------------------------------------


@Fields("Commit")
def check_suites(commit: Commit, info: Info, filter_by: dict[str, Any] | None = None, **arguments: Any) -> Connection:
    """The check suites of a commit; ``checkName`` keeps those with a run of that name."""
    checks.require_checks_permission(ctx(info).engine, ctx(info).token)
    found = checks.suites(ctx(info).engine, commit.repo, commit.info.oid)
    name = (filter_by or {}).get("checkName")
    if name is not None:
        found = [suite for suite in found if any(r.name == name for r in runs_of(ctx(info), suite))]
    return page(info, found, arguments)


def runs_of(context: Context, suite: CheckSuite) -> list[CheckRun]:
    """The runs of a suite, oldest first."""
    return context.engine.store.check_runs.by(suite_id=suite.id)


suite = Fields("CheckSuite")
suite.attributes("created_at updated_at", databaseId="id")
suite.constants(creator=None)
suite.add("id", lambda row, _info: node_id("CheckSuite", row.id))
suite.add("app", lambda row, _info: App(row.app))
suite.add("workflowRun", lambda row, _info: WorkflowRun(row) if row.workflow else None)
suite.add("repository", lambda row, info: ctx(info).repository(row))
suite.add("commit", lambda row, info: find_commit(ctx(info), ctx(info).repository(row), row.oid))
suite.add("url", lambda row, info: suite_url(ctx(info), row))
suite.add("resourcePath", lambda row, info: ctx(info).path(suite_url(ctx(info), row)))


def suite_url(context: Context, row: CheckSuite) -> str:
    """The page of a check suite: that of its workflow run, if it has one."""
    place = f"actions/runs/{actions.run_number(row)}" if row.workflow else f"commit/{row.oid}/checks"
    return f"{context.repository_url(context.repository(row))}/{place}"


@suite
def branch(row: CheckSuite, info: Info) -> Ref | None:
    """The branch it ran for."""
    return find_ref(ctx(info), ctx(info).repository(row), f"refs/heads/{row.branch}") if row.branch else None


@suite
def status(row: CheckSuite, info: Info) -> str:
    """A CheckStatusState."""
    return checks.suite_state(ctx(info).engine, row)[0].upper()


@suite
def conclusion(row: CheckSuite, info: Info) -> str | None:
    """The worst of its runs once all are completed."""
    found = checks.suite_state(ctx(info).engine, row)[1]
    return found.upper() if found else None


@suite
def check_runs(row: CheckSuite, info: Info, filter_by: dict[str, Any] | None = None, **arguments: Any) -> Connection:
    """The runs of a suite; by default, as on GitHub, the latest of each name."""
    wanted = filter_by or {}
    found = runs_of(ctx(info), row)
    if wanted.get("checkType", "LATEST") == "LATEST":
        found = list({r.name: r for r in found}.values())
    statuses = wanted.get("statuses") or ([wanted["status"]] if wanted.get("status") else [])
    found = [
        r
        for r in found
        if wanted.get("checkName") in (None, r.name)
        and (not statuses or r.status.upper() in statuses)
        and (not wanted.get("conclusions") or (r.conclusion or "").upper() in wanted["conclusions"])
    ]
    return page(info, found, arguments)


@suite
def matching_pull_requests(row: CheckSuite, info: Info, **arguments: Any) -> Connection:
    """The pull requests whose head is the suite's commit."""
    rows = [p for p in ctx(info).engine.store.pulls.by(repo_id=row.repo_id) if p.head_oid == row.oid]
    return paged_pulls(info, rows, arguments, head_ref_name=arguments.pop("head_ref_name", None))
