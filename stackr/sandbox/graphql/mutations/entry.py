"""The way into every mutation: server time, limits, the lock, and GitHub's words for a refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stackr.sandbox import issues
from stackr.sandbox.errors import ApiError
from stackr.sandbox.graphql.binding import Fields
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.resolvers.query import find_node
from stackr.sandbox.model import Issue, Label, Milestone, PullRequest, Repository, User

Json = dict[str, Any]
Body = Callable[[Context, Json], Json]

_FIELDS = Fields("Mutation")


def mutation(name: str) -> Callable[[Body], Body]:
    """Register a mutation under GitHub's name. Its function gets the context and the input, and returns the payload.

    ``clientMutationId`` is echoed for it. Every mutation takes its server time first; see
    ``Context.begin_mutation``.
    """

    def register(body: Body) -> Body:
        def resolve(_root: Any, info: Info, input_: Json) -> Json:
            context = ctx(info)
            context.begin_mutation()
            try:
                payload = body(context, given(input_))
            except ApiError as error:
                context.headers.update(error.headers)
                raise worded(context, error, name) from error
            return {"clientMutationId": input_.get("clientMutationId"), **payload}

        _FIELDS.add(name, resolve)
        return body

    return register


def given(input_: Json) -> Json:
    """The input without nulls: to GitHub's mutations, null says no more than leaving it out."""
    return {name: value for name, value in input_.items() if value is not None}


def worded(context: Context, error: ApiError, name: str) -> ApiError:
    """A missing permission as GraphQL says it; everything else is the engine's own text."""
    if error.status != 403 or error.graphql_type != "FORBIDDEN" or error.extensions:
        return error
    execute = name[0].upper() + name[1:]
    text = f"{context.viewer.login} does not have the correct permissions to execute `{execute}`"
    return ApiError(403, text, graphql_type="FORBIDDEN")


def needed(context: Context, node: str, kind: type[Any]) -> Any:
    """The row of a kind that a node id names; NOT_FOUND for another kind, as for nothing at all."""
    found = find_node(context, node)
    if isinstance(found, kind):
        return found
    text = f"Could not resolve to {_called(kind)} node with the global id of '{node}'."
    raise ApiError(404, text, graphql_type="NOT_FOUND")


def _called(kind: type[Any]) -> str:
    name = str(kind.__name__)
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def the_pull(context: Context, input_: Json) -> PullRequest:
    """The pull request of ``pullRequestId``."""
    found: PullRequest = needed(context, input_["pullRequestId"], PullRequest)
    return found


def the_repository(context: Context, input_: Json) -> Repository:
    """The repository of ``repositoryId``."""
    found: Repository = needed(context, input_["repositoryId"], Repository)
    return found


def the_issue(context: Context, node: str) -> Issue:
    """The issue or pull request that a node id names."""
    found: Issue = needed(context, node, Issue)
    return found


def labels_named(context: Context, nodes: list[str]) -> list[str]:
    """The names of labels by their node ids."""
    return [needed(context, node, Label).name for node in nodes]


def logins_named(context: Context, nodes: list[str]) -> list[str]:
    """The logins of accounts by their node ids."""
    return [needed(context, node, User).login for node in nodes]


def change_triage(context: Context, issue: Issue, given: Json) -> None:
    """Labels, assignees and milestone, where they are given: each replaces what is there."""
    engine, viewer = context.engine, context.viewer
    if "labelIds" in given:
        issues.set_labels(engine, viewer, issue, labels_named(context, given["labelIds"]))
    if "assigneeIds" in given:
        wanted = logins_named(context, given["assigneeIds"])
        present = [engine.store.users.need(user_id).login for user_id in issue.assignee_ids]
        issues.assign(engine, viewer, issue, [login for login in present if login not in wanted], on=False)
        issues.assign(engine, viewer, issue, wanted)
    if "milestoneId" in given:
        issues.set_milestone(engine, viewer, issue, needed(context, given["milestoneId"], Milestone).number)
