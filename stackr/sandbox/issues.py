"""What issues and pull requests share: comments, labels, assignees, milestones; and plain issues themselves.

Sources: https://docs.github.com/rest/issues/issues, .../comments, .../labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stackr.sandbox import accounts, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, forbidden, invalid, not_found, sign_in
from stackr.sandbox.model import Comment, Edit, Issue, Label, Milestone, Repository, User

BODY_LIMIT = 65_536


def find_issue(engine: Engine, repo: Repository, number: int) -> Issue:
    """The issue or pull request with this number; 404 without one."""
    found = engine.store.pulls.one(repo_id=repo.id, number=number) or engine.store.issues.one(
        repo_id=repo.id, number=number
    )
    if found is None:
        raise not_found()
    return found


def list_issues(engine: Engine, repo: Repository) -> list[Issue]:
    """Issues and pull requests together, by number: GitHub's REST lists mix them too."""
    rows: list[Issue] = [*engine.store.issues.by(repo_id=repo.id), *engine.store.pulls.by(repo_id=repo.id)]
    return sorted(rows, key=lambda row: row.number)


def repository_of(engine: Engine, issue: Issue) -> Repository:
    """The repository it belongs to."""
    return engine.store.repositories.need(issue.repo_id)


def create_issue(
    engine: Engine,
    viewer: User | None,
    repo: Repository,
    *,
    title: str,
    body: str | None = None,
    labels: Sequence[str] = (),
    assignees: Sequence[str] = (),
) -> Issue:
    """Open a plain issue; labels and assignees are silently left out for who may not set them, as on GitHub."""
    accounts.require(engine, viewer, repo, "read")
    if viewer is None:
        raise sign_in()
    if not title.strip():
        raise ApiError(
            422, "Validation Failed", errors=[{"resource": "Issue", "code": "missing_field", "field": "title"}]
        )
    _refuse_long("Issue", body)
    with engine.transaction():
        engine.limits.create_content(viewer)
        repo.last_number += 1
        engine.store.repositories.save(repo)
        now = engine.now()
        issue = engine.store.issues.add(
            Issue(
                repo_id=repo.id,
                number=repo.last_number,
                title=title,
                body=body,
                author_id=viewer.id,
                created_at=now,
                updated_at=now,
            )
        )
        if accounts.may(engine, viewer, repo, "triage"):
            add_labels(engine, viewer, issue, labels)
            assign(engine, viewer, issue, assignees)
        return issue


def _refuse_long(resource: str, body: str | None) -> None:
    if body is not None and len(body) > BODY_LIMIT:
        raise invalid(resource, "body", f"body is too long (maximum is {BODY_LIMIT} characters)")


def require_triage(engine: Engine, viewer: User | None, issue: Issue) -> None:
    """Labels, assignees, milestones and reviewers need triage rights."""
    accounts.require(engine, viewer, repository_of(engine, issue), "triage")


def update_issue(
    engine: Engine,
    viewer: User | None,
    issue: Issue,
    *,
    title: str | None = None,
    body: str | None = None,
    state: str | None = None,
    state_reason: str | None = None,
) -> None:
    """Edit a plain issue; only what is given changes."""
    repo = repository_of(engine, issue)
    accounts.require(engine, viewer, repo, "read")
    if viewer is None or (viewer.id != issue.author_id and not accounts.may(engine, viewer, repo, "triage")):
        raise forbidden("Resource not accessible by personal access token")
    _refuse_long("Issue", body)
    with engine.transaction():
        if title is not None and title != issue.title:
            timeline.record(engine, issue, "renamed", viewer, before=issue.title, after=title)
            issue.title = title
        if body is not None and body != issue.body:
            issue.body, issue.last_edited_at = body, engine.now()
            edit = Edit(
                repo_id=issue.repo_id,
                number=issue.number,
                editor_id=viewer.id,
                body=body,
                created_at=engine.now(),
            )
            engine.store.edits.add(edit)
        if state is not None and state != issue.state:
            _set_state(engine, viewer, issue, state, state_reason)
        issue.updated_at = engine.now()
        timeline.save(engine, issue)


def _set_state(engine: Engine, viewer: User, issue: Issue, state: str, reason: str | None) -> None:
    closing = state == "closed"
    issue.state = state
    issue.closed_at = engine.now() if closing else None
    issue.closed_by_id = viewer.id if closing else None
    issue.state_reason = (reason or "completed") if closing else "reopened"
    timeline.record(engine, issue, "closed" if closing else "reopened", viewer)


# -- labels --------------------------------------------------------------------------------------------


def find_label(engine: Engine, repo: Repository, name: str) -> Label | None:
    """A label by name, without case."""
    name = name.lower()
    return next((row for row in engine.store.labels.by(repo_id=repo.id) if row.name.lower() == name), None)


def ensure_label(engine: Engine, repo: Repository, name: str) -> Label:
    """A label, made in grey if there is none: REST does so when it is put on an issue by somebody with write rights."""
    return find_label(engine, repo, name) or engine.store.labels.add(Label(repo_id=repo.id, name=name))


def labels_of(engine: Engine, issue: Issue) -> list[Label]:
    """The labels on an issue or pull request, in the order they were put on."""
    return [label for key in issue.label_ids if (label := engine.store.labels.get(key))]


def add_labels(engine: Engine, viewer: User | None, issue: Issue, names: Iterable[str]) -> list[Label]:
    """Put labels on; those it has stay."""
    require_triage(engine, viewer, issue)
    repo = repository_of(engine, issue)
    with engine.transaction():
        for name in names:
            label = ensure_label(engine, repo, name)
            if label.id not in issue.label_ids:
                issue.label_ids.append(label.id)
                timeline.record(engine, issue, "labeled", viewer, label=label.name, color=label.color)
    return labels_of(engine, issue)


def remove_labels(engine: Engine, viewer: User | None, issue: Issue, names: Iterable[str]) -> list[Label]:
    """Take labels off; 404 for one that is not on it."""
    require_triage(engine, viewer, issue)
    with engine.transaction():
        for name in names:
            label = find_label(engine, repository_of(engine, issue), name)
            if label is None or label.id not in issue.label_ids:
                raise not_found("Label does not exist")
            issue.label_ids.remove(label.id)
            timeline.record(engine, issue, "unlabeled", viewer, label=label.name, color=label.color)
    return labels_of(engine, issue)


def set_labels(engine: Engine, viewer: User | None, issue: Issue, names: Sequence[str]) -> list[Label]:
    """Make the labels exactly these."""
    wanted = {name.lower() for name in names}
    with engine.transaction():
        surplus = [row.name for row in labels_of(engine, issue) if row.name.lower() not in wanted]
        remove_labels(engine, viewer, issue, surplus)
        return add_labels(engine, viewer, issue, names)


def assign(engine: Engine, viewer: User | None, issue: Issue, logins: Sequence[str], *, on: bool = True) -> None:
    """Assign or unassign people; who cannot be assigned is left out silently, as on GitHub."""
    require_triage(engine, viewer, issue)
    people = {user.login.lower(): user for user in accounts.assignable(engine, repository_of(engine, issue))}
    with engine.transaction():
        for login in logins:
            user = people.get(login.lower())
            if user is None or (user.id in issue.assignee_ids) == on:
                continue
            (issue.assignee_ids.append if on else issue.assignee_ids.remove)(user.id)
            timeline.record(engine, issue, "assigned" if on else "unassigned", viewer, assignee=user.login)


def add_milestone(engine: Engine, viewer: User, repo: Repository, title: str) -> Milestone:
    """Create a milestone."""
    accounts.require(engine, viewer, repo, "triage")
    with engine.transaction():
        return engine.store.milestones.add(
            Milestone(
                repo_id=repo.id,
                number=len(engine.store.milestones.by(repo_id=repo.id)) + 1,
                title=title,
                creator_id=viewer.id,
                created_at=engine.now(),
                updated_at=engine.now(),
            )
        )


def set_milestone(engine: Engine, viewer: User | None, issue: Issue, number: int | None) -> None:
    """Put an issue into a milestone, by the milestone's number, or take it out."""
    require_triage(engine, viewer, issue)
    rows = engine.store.milestones.by(repo_id=issue.repo_id)
    row = next((m for m in rows if m.number == number), None)
    if number is not None and row is None:
        raise ApiError(
            422,
            "Validation Failed",
            errors=[{"value": number, "resource": "Issue", "field": "milestone", "code": "invalid"}],
        )
    with engine.transaction():
        issue.milestone_id = row.id if row else None
        kind = "milestoned" if row else "demilestoned"
        timeline.record(engine, issue, kind, viewer, milestone=row.title if row else None)


# -- comments ------------------------------------------------------------------------------------------


def comments_of(engine: Engine, issue: Issue) -> list[Comment]:
    """The comments, oldest first."""
    return engine.store.comments.by(repo_id=issue.repo_id, number=issue.number)


def find_comment(engine: Engine, repo: Repository, comment_id: int) -> Comment:
    """A comment of this repository by its id; 404 without one."""
    comment = engine.store.comments.get(comment_id)
    if comment is None or comment.repo_id != repo.id:
        raise not_found()
    return comment


def add_comment(engine: Engine, viewer: User | None, issue: Issue, body: str) -> Comment:
    """Comment; who can read may."""
    accounts.require(engine, viewer, repository_of(engine, issue), "read")
    if viewer is None:
        raise sign_in()
    if not body.strip():
        raise ApiError(
            422,
            "Validation Failed",
            errors=[{"resource": "IssueComment", "code": "missing_field", "field": "body"}],
            texts=["Body can't be blank"],
        )
    _refuse_long("IssueComment", body)
    with engine.transaction():
        engine.limits.create_content(viewer)
        now = engine.now()
        issue.updated_at = now
        timeline.save(engine, issue)
        return engine.store.comments.add(
            Comment(
                repo_id=issue.repo_id,
                number=issue.number,
                author_id=viewer.id,
                body=body,
                created_at=now,
                updated_at=now,
            )
        )


def _require_own(engine: Engine, viewer: User | None, comment: Comment) -> None:
    repo = engine.store.repositories.need(comment.repo_id)
    accounts.require(engine, viewer, repo, "read")
    if viewer is None or (viewer.id != comment.author_id and not accounts.may(engine, viewer, repo, "write")):
        raise forbidden("Must have admin rights to Repository.")


def update_comment(engine: Engine, viewer: User | None, comment: Comment, body: str) -> Comment:
    """Edit a comment: its author may, and who may write."""
    _require_own(engine, viewer, comment)
    _refuse_long("IssueComment", body)
    with engine.transaction():
        comment.body, comment.updated_at = body, engine.now()
        return engine.store.comments.save(comment)


def delete_comment(engine: Engine, viewer: User | None, comment: Comment) -> None:
    """Delete a comment: its author may, and who may write."""
    _require_own(engine, viewer, comment)
    with engine.transaction():
        engine.store.comments.delete(comment)
