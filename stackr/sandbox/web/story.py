"""The conversation of a pull request: events, reviews and comments in one line, as sentences.

Every sentence is made with ``Markup.format``, which escapes what is put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from stackr.sandbox import accounts, issues, reviews, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.model import Event, Issue, Json, PullRequest, Review
from stackr.sandbox.objects import CommitInfo
from stackr.sandbox.web import history
from stackr.sandbox.web.markdown import Links, render
from stackr.sandbox.web.text import short, visible

_REVIEWED = {
    "APPROVED": "approved these changes",
    "CHANGES_REQUESTED": "requested changes",
    "COMMENTED": "reviewed",
    "DISMISSED": "reviewed (dismissed since)",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One entry: who, what (a sentence without the subject), when; ``body`` for comments, ``commits`` for pushes."""

    kind: str
    who: str
    what: Markup
    when: str
    body: Markup | None = None
    commits: tuple[CommitInfo, ...] = ()


def tell(engine: Engine, issue: Issue, links: Links) -> list[Item]:
    """Everything that happened, oldest first; a comment comes after the events of the same second."""
    items = [*_events(engine, issue, links), *_comments(engine, issue, links)]
    return sorted(items, key=lambda item: item.when)


def _comments(engine: Engine, issue: Issue, links: Links) -> Iterator[Item]:
    for comment in issues.comments_of(engine, issue):
        who = accounts.user(engine, comment.author_id).login
        yield Item("comment", who, Markup("commented"), comment.created_at, render(comment.body, links))


def _events(engine: Engine, issue: Issue, links: Links) -> Iterator[Item]:
    merged_at = None
    for event in timeline.events_of(engine, issue):
        if event.kind == "closed" and event.created_at == merged_at:
            continue  # GitHub notes both, and shows one
        merged_at = event.created_at if event.kind == "merged" else merged_at
        yield _item(engine, issue, event, links)


def _item(engine: Engine, issue: Issue, event: Event, links: Links) -> Item:
    who = accounts.user(engine, event.actor_id).login
    if event.kind == "reviewed" and isinstance(issue, PullRequest):
        review = reviews.find_review(engine, issue, event.data["review_id"])
        return _review_item(issue, review, who, links)
    commits = _pushed(engine, issue, event) if isinstance(issue, PullRequest) else ()
    return Item(event.kind, who, _sentence(event), event.created_at, None, commits)


def _sentence(event: Event) -> Markup:
    known = _SENTENCES.get(event.kind)
    return known(event.data) if known else Markup("{}").format(event.kind.replace("_", " "))


def _review_item(pull: PullRequest, review: Review, who: str, links: Links) -> Item:
    what = Markup("{}").format(_REVIEWED[review.state])
    if review.oid != pull.head_oid:
        what += Markup(" at <code>{}</code>, an older head").format(short(review.oid))
    body = render(review.body, links) if review.body else None
    return Item(f"review {review.state.lower()}", who, what, review.submitted_at, body)


def _pushed(engine: Engine, pull: PullRequest, event: Event) -> tuple[CommitInfo, ...]:
    if event.kind != "pushed":
        return ()
    git = engine.git(engine.store.repositories.need(pull.repo_id))
    return tuple(history.first_parents(git, event.data["before"], event.data["after"]))


def _code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(visible(text))


def _moved(words: str) -> Callable[[Json], Markup]:
    """A sentence for a ref that went from one commit to another."""

    def sentence(data: Json) -> Markup:
        sides = _code(short(data["before"])), _code(short(data["after"]))
        ref = Markup("{} ").format(_code(data["ref"])) if "ref" in data else Markup("")
        return Markup("{} {}from {} to {}").format(words, ref, *sides)

    return sentence


def _with(words: str, *names: str) -> Callable[[Json], Markup]:
    """A sentence with the named data in its places."""
    pattern = Markup(words)  # noqa: S704 - the texts below
    return lambda data: pattern.format(*(_code(str(data[name])) for name in names))


_SENTENCES: dict[str, Callable[[Json], Markup]] = {
    "renamed": lambda data: Markup("changed the title from <del>{}</del> to <ins>{}</ins>").format(
        visible(data["before"]), visible(data["after"])
    ),
    "labeled": _with("added the label {}", "label"),
    "unlabeled": _with("removed the label {}", "label"),
    "assigned": _with("assigned {}", "assignee"),
    "unassigned": _with("unassigned {}", "assignee"),
    "milestoned": _with("set the milestone {}", "milestone"),
    "demilestoned": _with("removed the milestone"),
    "review_requested": _with("asked {} for a review", "reviewer"),
    "review_request_removed": _with("no longer asks {} for a review", "reviewer"),
    "review_dismissed": lambda data: Markup("dismissed a review ({}): {}").format(
        data["state"].replace("_", " "), data["message"]
    ),
    "pushed": _moved("pushed"),
    "head_ref_force_pushed": _moved("force-pushed"),
    "base_ref_force_pushed": _moved("force-pushed the base"),
    "branch_updated": _moved("brought the branch up to date with its base,"),
    "base_ref_changed": _with("changed the base branch from {} to {}", "old_base", "new_base"),
    "automatic_base_change_succeeded": _with(
        "had the base branch changed by GitHub from {} to {}", "old_base", "new_base"
    ),
    "base_ref_deleted": _with("deleted the base branch {}", "ref"),
    "head_ref_deleted": _with("deleted the branch {}", "ref"),
    "merged": lambda data: Markup("merged commit {} into {}").format(
        _code(short(data["commit_id"])), _code(data["ref"])
    ),
    "closed": _with("closed this"),
    "reopened": _with("reopened this"),
    "convert_to_draft": _with("made this a draft"),
    "ready_for_review": _with("marked this as ready for review"),
    "auto_merge_enabled": _with("switched on auto-merge"),
    "auto_squash_enabled": _with("switched on auto-merge (squash)"),
    "auto_rebase_enabled": _with("switched on auto-merge (rebase)"),
    "auto_merge_disabled": lambda data: Markup("switched off auto-merge{}").format(
        f": {data['reason']}" if data["reason"] else ""
    ),
    "added_to_merge_queue": _with("added this to the merge queue"),
    "removed_from_merge_queue": _with("removed this from the merge queue: {}", "reason"),
    "added_to_stack": _with("added this to the stack {}", "stack"),
    "removed_from_stack": _with("took this out of the stack {}", "stack"),
}
