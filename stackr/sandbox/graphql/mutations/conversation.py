"""Labels, assignees, comments, reviews and plain issues.

Source: https://docs.github.com/en/graphql/reference/mutations.
"""

from __future__ import annotations

from stackr.sandbox import accounts, issues, reviews
from stackr.sandbox.errors import ApiError
from stackr.sandbox.graphql.context import Context
from stackr.sandbox.graphql.mutations.entry import (
    Json,
    change_triage,
    labels_named,
    logins_named,
    mutation,
    needed,
    the_issue,
    the_pull,
    the_repository,
)
from stackr.sandbox.graphql.paging import Edge, cursor
from stackr.sandbox.graphql.resolvers.conversation import subject_of
from stackr.sandbox.model import Comment, Issue, Label, PullRequest, Review, User

# -- labels and assignees ----------------------------------------------------------------------------------


@mutation("addLabelsToLabelable")
def add_labels(context: Context, given: Json) -> Json:
    """Put labels on, in addition to those that are there."""
    issue = the_issue(context, given["labelableId"])
    issues.add_labels(context.engine, context.viewer, issue, labels_named(context, given["labelIds"]))
    return {"labelable": issue}


@mutation("removeLabelsFromLabelable")
def remove_labels(context: Context, given: Json) -> Json:
    """Take labels off; those that are not on are passed over."""
    issue = the_issue(context, given["labelableId"])
    present = {label.name for label in issues.labels_of(context.engine, issue)}
    names = [name for name in labels_named(context, given["labelIds"]) if name in present]
    issues.remove_labels(context.engine, context.viewer, issue, names)
    return {"labelable": issue}


@mutation("clearLabelsFromLabelable")
def clear_labels(context: Context, given: Json) -> Json:
    """Take all labels off."""
    issue = the_issue(context, given["labelableId"])
    issues.set_labels(context.engine, context.viewer, issue, [])
    return {"labelable": issue}


@mutation("createLabel")
def create_label(context: Context, given: Json) -> Json:
    """A new label for a repository; for those with write access."""
    engine, repo = context.engine, the_repository(context, given)
    accounts.require(engine, context.viewer, repo, "write")
    if issues.find_label(engine, repo, given["name"]) is not None:
        raise ApiError(422, "Name has already been taken")
    label = Label(repo_id=repo.id, name=given["name"], color=given["color"], description=given.get("description"))
    with engine.transaction():
        return {"label": engine.store.labels.add(label)}


@mutation("addAssigneesToAssignable")
def add_assignees(context: Context, given: Json) -> Json:
    """Assign people, in addition to those who are."""
    issue = the_issue(context, given["assignableId"])
    issues.assign(context.engine, context.viewer, issue, logins_named(context, given["assigneeIds"]))
    return {"assignable": issue}


@mutation("removeAssigneesFromAssignable")
def remove_assignees(context: Context, given: Json) -> Json:
    """Unassign people."""
    issue = the_issue(context, given["assignableId"])
    issues.assign(context.engine, context.viewer, issue, logins_named(context, given["assigneeIds"]), on=False)
    return {"assignable": issue}


# -- comments ----------------------------------------------------------------------------------------------


@mutation("addComment")
def add_comment(context: Context, given: Json) -> Json:
    """Comment on an issue or pull request."""
    issue = the_issue(context, given["subjectId"])
    comment = issues.add_comment(context.engine, context.viewer, issue, given["body"])
    comments = issues.comments_of(context.engine, issue)
    return {"subject": issue, "commentEdge": Edge(cursor(comments, len(comments) - 1), comment)}


@mutation("updateIssueComment")
def update_comment(context: Context, given: Json) -> Json:
    """Change a comment's text."""
    comment: Comment = needed(context, given["id"], Comment)
    issues.update_comment(context.engine, context.viewer, comment, given["body"])
    return {"issueComment": comment}


@mutation("deleteIssueComment")
def delete_comment(context: Context, given: Json) -> Json:
    """Remove a comment."""
    issues.delete_comment(context.engine, context.viewer, needed(context, given["id"], Comment))
    return {}


# -- reviews -----------------------------------------------------------------------------------------------


@mutation("requestReviews")
def request_reviews(context: Context, given: Json) -> Json:
    """Ask for reviews: in place of those asked before, unless ``union``."""
    if given.get("teamIds"):
        raise ApiError(404, "Could not resolve to Team node.", graphql_type="NOT_FOUND")
    pull = the_pull(context, given)
    people: list[User] = [needed(context, node, User) for node in given.get("userIds", [])]
    replace = not given.get("union", False)
    reviews.request_reviewers(context.engine, context.viewer, pull, people, replace=replace)
    edge = Edge(cursor(people, len(people) - 1), people[-1]) if people else None
    return {"pullRequest": pull, "actor": context.viewer, "requestedReviewersEdge": edge}


@mutation("addPullRequestReview")
def add_review(context: Context, given: Json) -> Json:
    """Review at once. The sandbox keeps no pending reviews, so unlike on GitHub an event is required."""
    pull = the_pull(context, given)
    event = given.get("event")
    if event not in {"APPROVE", "REQUEST_CHANGES", "COMMENT"}:
        raise ApiError(422, "the sandbox keeps no pending reviews: give APPROVE, REQUEST_CHANGES or COMMENT")
    review = reviews.add_review(
        context.engine, context.viewer, pull, event=event, body=given.get("body", ""), oid=given.get("commitOID")
    )
    found = reviews.list_reviews(context.engine, pull)
    return {"pullRequestReview": review, "reviewEdge": Edge(cursor(found, len(found) - 1), review)}


@mutation("dismissPullRequestReview")
def dismiss_review(context: Context, given: Json) -> Json:
    """Take the force from an approval or a request for changes."""
    review: Review = needed(context, given["pullRequestReviewId"], Review)
    pull = subject_of(context, review)
    assert isinstance(pull, PullRequest), "a review of a plain issue"
    reviews.dismiss_review(context.engine, context.viewer, pull, review, given["message"])
    return {"pullRequestReview": review}


# -- plain issues ------------------------------------------------------------------------------------------


@mutation("createIssue")
def create_issue(context: Context, given: Json) -> Json:
    """Open a plain issue."""
    issue = issues.create_issue(
        context.engine,
        context.viewer,
        the_repository(context, given),
        title=given["title"],
        body=given.get("body"),
    )
    change_triage(context, issue, given)
    return {"issue": issue}


@mutation("updateIssue")
def update_issue(context: Context, given: Json) -> Json:
    """Edit a plain issue."""
    issue = plain_issue(context, given["id"])
    state = given.get("state")
    issues.update_issue(
        context.engine,
        context.viewer,
        issue,
        title=given.get("title"),
        body=given.get("body"),
        state=state.lower() if state else None,
    )
    change_triage(context, issue, given)
    return {"issue": issue, "actor": context.viewer}


def plain_issue(context: Context, node: str) -> Issue:
    """An issue that is no pull request."""
    issue = the_issue(context, node)
    if isinstance(issue, PullRequest):
        raise ApiError(
            404, f"Could not resolve to an Issue node with the global id of '{node}'.", graphql_type="NOT_FOUND"
        )
    return issue


@mutation("closeIssue")
def close_issue(context: Context, given: Json) -> Json:
    """Close a plain issue, with a reason."""
    issue = plain_issue(context, given["issueId"])
    reason = given.get("stateReason", "COMPLETED").lower()
    issues.update_issue(context.engine, context.viewer, issue, state="closed", state_reason=reason)
    return {"issue": issue}


@mutation("reopenIssue")
def reopen_issue(context: Context, given: Json) -> Json:
    """Open a closed issue again."""
    issue = plain_issue(context, given["issueId"])
    issues.update_issue(context.engine, context.viewer, issue, state="open")
    return {"issue": issue}
