"""The buttons of a pull request: each is one call of the engine's rules, with the visitor's own rights.

An action takes the engine, who acts, the pull request and the form, and returns a key of ``forms.NOTICES``; what the
engine refuses goes through as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from stackr.sandbox import accounts, asyncmerge, checks, issues, mergequeue, merging, pulls, refs, reviews
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, sign_in
from stackr.sandbox.model import PullRequest, User
from stackr.sandbox.pulls import UNSET
from stackr.sandbox.web import suggestion
from stackr.sandbox.web.forms import Values

Action = Callable[[Engine, User | None, PullRequest, Values], str]
CHECK_STATES = ("success", "failure", "in_progress", "skipped", "neutral")


def approve(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Approve the head that the page showed."""
    reviews.add_review(engine, user, pull, event="APPROVE", body=form.get("body", ""), oid=_seen_head(pull, form))
    return "approved"


def request_changes(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Request changes of the head that the page showed."""
    body = form.get("body", "")
    reviews.add_review(engine, user, pull, event="REQUEST_CHANGES", body=body, oid=_seen_head(pull, form))
    return "changes-requested"


def _seen_head(pull: PullRequest, form: Values) -> str:
    """The head as it was on the page; 409 if it has moved, so that nobody approves what he has not seen."""
    if form.get("head") != pull.head_oid:
        raise ApiError(409, "Head branch was modified. Look at the new commits and review again.")
    return pull.head_oid


def comment(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Comment."""
    issues.add_comment(engine, user, pull, form.get("body", ""))
    return "commented"


def set_check(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Play the CI: report a check on the head."""
    name, state = form.get("name", "").strip(), form.get("state", "")
    if not name or state not in CHECK_STATES:
        raise ApiError(422, "A check needs a name and one of the states offered.")
    running = state == "in_progress"
    checks.add_check_run(
        engine,
        user,
        pulls.repository_of(engine, pull),
        oid=_seen_head(pull, form),
        name=name,
        status="in_progress" if running else "completed",
        conclusion=None if running else state,
    )
    return "check-set"


def merge(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Merge the head that the page showed, by the method chosen."""
    method = form.get("method", "")
    # Only the two methods that write a message have fields for one; an empty field means GitHub's own text.
    title = form.get("title", "").strip() or None
    message = _lines(form.get("message", "")).strip() or None
    merging.merge_pull(engine, user, pull, method=method, sha=form.get("head"), title=title, message=message)
    return "merged"


def enqueue(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Put the head that the page showed into the merge queue."""
    mergequeue.enqueue(engine, _somebody(user), pull, expected_head=form.get("head"))
    return "enqueued"


def dequeue(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Take it out of the merge queue."""
    mergequeue.dequeue(engine, _somebody(user), pull)
    return "dequeued"


def _somebody(user: User | None) -> User:
    if user is None:
        raise sign_in()
    return user


def _lines(text: str) -> str:
    """A text field's text: browsers send CRLF, and git commits want LF."""
    return text.replace("\r\n", "\n")


def merge_stack(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Merge a native stack up to here: ask as the API does, and look until it is done."""
    queue = mergequeue.has_queue(engine, pulls.repository_of(engine, pull), pulls.target_branch(engine, pull))
    method = "default" if queue else form.get("method", "")  # a queue has its own
    answer, _ = asyncmerge.request_merge(engine, _somebody(user), pull, method=method, sha=form.get("head"))
    while answer["status"] == "pending":
        answer = asyncmerge.result(engine, pull, answer["details"]["uuid"])
    if answer["status"] == "failed":
        raise ApiError(405, answer["details"]["message"])
    return str(answer["status"])


def close(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Close it."""
    pulls.close_pull(engine, user, pull)
    return "closed"


def reopen(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Open it again."""
    pulls.reopen_pull(engine, user, pull)
    return "reopened"


def draft(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Make it a draft."""
    pulls.convert_to_draft(engine, user, pull)
    return "draft"


def ready(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Make it ready for review."""
    pulls.ready_for_review(engine, user, pull)
    return "ready"


def edit(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Edit title, description and base; what is as before is not sent, as a stack refuses any base (protocol 5.4)."""
    base = form.get("base", "")
    pulls.update_pull(
        engine,
        user,
        pull,
        title=form.get("title", ""),
        body=form.get("body", "") if _lines(form.get("body", "")) != _lines(pull.body or "") else UNSET,
        base=base if base and base != pull.base_ref else None,
    )
    return "edited"


def delete_branch(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Delete the head branch of one that is merged or closed; of a merged one as GitHub's own button does."""
    repo = engine.store.repositories.get(pull.head_repo_id)
    if repo is None or pull.state == "open":
        raise ApiError(422, "Only the branch of a closed or merged pull request can be deleted here.")
    accounts.require(engine, user, repo, "write")
    retarget = {pull.head_ref: pull.base_ref} if pull.merged and repo.id == pull.repo_id else None
    refs.delete_branch(engine, user, repo, pull.head_ref, retarget=retarget)
    return "branch-deleted"


def commit_edit(engine: Engine, user: User | None, pull: PullRequest, form: Values) -> str:
    """Commit an edit of one file to the head branch, as the person chosen in the form."""
    login = form.get("committer", "")
    person = accounts.user_by_login(engine, login) if login else user
    if login and person is None:
        raise ApiError(422, f"There is nobody called {login}.")
    suggestion.commit_edit(
        engine,
        person,
        pull,
        path=form.get("path", ""),
        seen=form.get("blob", ""),
        text=form.get("text", ""),
        message=form.get("message", ""),
    )
    return "committed"


ACTIONS: dict[str, Action] = {
    "approve": approve,
    "request-changes": request_changes,
    "comment": comment,
    "check": set_check,
    "merge": merge,
    "enqueue": enqueue,
    "dequeue": dequeue,
    "merge-stack": merge_stack,
    "close": close,
    "reopen": reopen,
    "draft": draft,
    "ready": ready,
    "edit": edit,
    "delete-branch": delete_branch,
}
EDIT_ACTIONS: dict[str, Action] = {"commit": commit_edit}
