"""Apps and workflows: what stands behind a check suite. The sandbox knows only their names."""

from __future__ import annotations

from stackr.sandbox import actions
from stackr.sandbox.graphql.binding import Fields
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.values import App, Workflow, WorkflowRun
from stackr.sandbox.ids import node_id

_SINCE = "2026-01-01T00:00:00Z"

app = Fields("App")
app.attributes("slug", name="slug")
app.constants(clientId=None, databaseId=None, description=None, logoBackgroundColor="ffffff")
app.constants(createdAt=_SINCE, updatedAt=_SINCE)
app.add("id", lambda value, _info: node_id("App", value.slug))
app.add("url", lambda value, info: f"{ctx(info).engine.url}/apps/{value.slug}")


@app
def logo_url(value: App, info: Info, size: int | None = None) -> str:
    """The app's picture."""
    return f"{ctx(info).engine.url}/avatars/app/{value.slug}" + (f"?s={size}" if size else "")


both = Fields("WorkflowRun", "Workflow")
both.attributes(createdAt="suite.created_at", updatedAt="suite.updated_at")
both.add("id", lambda value, _info: node_id(type(value).__name__, value.suite.id))
both.add("url", lambda value, info: url_of(ctx(info), value))
both.add("resourcePath", lambda value, info: ctx(info).path(url_of(ctx(info), value)))


def url_of(context: Context, value: WorkflowRun | Workflow) -> str:
    """The page of a run, or of its workflow."""
    suite = value.suite
    place = f"runs/{actions.run_number(suite)}" if isinstance(value, WorkflowRun) else f"workflows/{suite.workflow}"
    return f"{context.repository_url(context.repository(suite))}/actions/{place}"


run = Fields("WorkflowRun")
run.add("databaseId", lambda value, _info: actions.run_number(value.suite))
run.attributes(checkSuite="suite", runNumber="suite.id")
run.constants(event="pull_request")
run.add("workflow", lambda value, _info: Workflow(value.suite))
workflow = Fields("Workflow")
workflow.attributes(name="suite.workflow", databaseId="suite.id")
workflow.constants(state="ACTIVE")
