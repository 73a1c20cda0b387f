"""The JSON of issues, pull requests and what hangs on them: labels, comments, reviews, milestones."""

from __future__ import annotations

from stackr.sandbox import accounts, issues, merging, native, pulls
from stackr.sandbox.engine import Engine
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Comment, Issue, Json, Label, Milestone, PullRequest, Repository, Review, User
from stackr.sandbox.rest import people
from stackr.sandbox.rest.people import association, repo_api, repo_page, simple_user


def label(engine: Engine, repo: Repository, row: Label) -> Json:
    """Schema label."""
    return {
        "id": row.id,
        "node_id": node_id("Label", row.id),
        "url": repo_api(engine, repo, f"/labels/{row.name.replace(' ', '%20')}"),
        "name": row.name,
        "color": row.color,
        "default": row.name in {"bug", "documentation", "enhancement"},
        "description": row.description,
    }


def milestone(engine: Engine, repo: Repository, row: Milestone) -> Json:
    """Schema milestone."""
    inside = [i for i in issues.list_issues(engine, repo) if i.milestone_id == row.id]
    url = repo_api(engine, repo, f"/milestones/{row.number}")
    return {
        "url": url,
        "html_url": repo_page(engine, repo, f"/milestone/{row.number}"),
        "labels_url": f"{url}/labels",
        "id": row.id,
        "node_id": node_id("Milestone", row.id),
        "number": row.number,
        "title": row.title,
        "description": row.description,
        "creator": simple_user(engine, accounts.user(engine, row.creator_id)),
        "open_issues": sum(i.state == "open" for i in inside),
        "closed_issues": sum(i.state == "closed" for i in inside),
        "state": row.state,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "due_on": None,
        "closed_at": None,
    }


def _shared(engine: Engine, repo: Repository, row: Issue) -> Json:
    """What an issue and a pull request both show."""
    people_of = [simple_user(engine, accounts.user(engine, key)) for key in row.assignee_ids]
    inside = engine.store.milestones.get(row.milestone_id)
    return {
        "number": row.number,
        "state": row.state,
        "locked": row.locked,
        "title": row.title,
        "user": simple_user(engine, accounts.user(engine, row.author_id)),
        "body": row.body,
        "labels": [label(engine, repo, one) for one in issues.labels_of(engine, row)],
        "milestone": milestone(engine, repo, inside) if inside else None,
        "active_lock_reason": None,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "closed_at": row.closed_at,
        "assignee": people_of[0] if people_of else None,
        "assignees": people_of,
        "author_association": association(engine, repo, row.author_id),
    }


def _side(engine: Engine, repo: Repository | None, ref: str, oid: str, viewer: User | None) -> Json:
    owner = accounts.owner(engine, repo) if repo else None
    return {
        "label": f"{owner.login if owner else 'unknown'}:{ref}",
        "ref": ref,
        "sha": oid,
        "user": simple_user(engine, owner) if owner else None,
        "repo": people.repository(engine, repo, viewer) if repo else None,
    }


def pull_simple(engine: Engine, row: PullRequest, viewer: User | None) -> Json:
    """Schema pull-request-simple: what lists hold."""
    repo = engine.store.repositories.need(row.repo_id)
    url = repo_api(engine, repo, f"/pulls/{row.number}")
    page = repo_page(engine, repo, f"/pull/{row.number}")
    issue_url = repo_api(engine, repo, f"/issues/{row.number}")
    links = {
        "self": url,
        "html": page,
        "issue": issue_url,
        "comments": f"{issue_url}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": repo_api(engine, repo, "/pulls/comments{/number}"),
        "commits": f"{url}/commits",
        "statuses": repo_api(engine, repo, f"/statuses/{row.head_oid}"),
    }
    head_repo = engine.store.repositories.get(row.head_repo_id)
    return {
        "url": url,
        "id": row.id,
        "node_id": node_id("PullRequest", row.id),
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue_url,
        **_shared(engine, repo, row),
        "merged_at": row.merged_at,
        "merge_commit_sha": row.merge_oid,
        "requested_reviewers": [simple_user(engine, accounts.user(engine, k)) for k in row.reviewer_ids],
        "requested_teams": [],
        "draft": row.draft,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
        "head": _side(engine, head_repo, row.head_ref, row.head_oid, viewer),
        "base": _side(engine, repo, row.base_ref, row.base_oid, viewer),
        "_links": {name: {"href": link} for name, link in links.items()},
        "auto_merge": _auto_merge(engine, row),
        **({"stack": native.on_pull(engine, row)} if repo.stacks_enabled else {}),
    }


def _auto_merge(engine: Engine, row: PullRequest) -> Json | None:
    """Schema auto-merge; texts that were not given are those that GitHub would write."""
    if row.auto_merge is None:
        return None
    headline, body = merging.default_message(engine, row, row.auto_merge["method"])
    return {
        "enabled_by": simple_user(engine, accounts.user(engine, row.auto_merge["enabled_by_id"])),
        "merge_method": row.auto_merge["method"],
        "commit_title": row.auto_merge["headline"] or headline,
        "commit_message": body if row.auto_merge["body"] is None else row.auto_merge["body"],
    }


def pull_full(engine: Engine, row: PullRequest, viewer: User | None, *, look: bool = True) -> Json:
    """Schema pull-request. A look at it makes GitHub compute mergeability; the answer to a write is none."""
    can = merging.mergeable(engine, row) if look else merging.known_mergeable(engine, row)
    changed = pulls.files(engine, row)
    merger = engine.store.users.get(row.merged_by_id) if row.merged else None
    return {
        **pull_simple(engine, row, viewer),
        "merged": row.merged,
        "mergeable": can,
        "rebaseable": can,
        "mergeable_state": merging.merge_state(engine, row),
        "merged_by": simple_user(engine, merger) if merger else None,
        "comments": len(issues.comments_of(engine, row)),
        "review_comments": 0,
        "maintainer_can_modify": row.maintainer_can_modify,
        "commits": len(pulls.commits(engine, row)),
        "additions": sum(change.additions for change in changed),
        "deletions": sum(change.deletions for change in changed),
        "changed_files": len(changed),
    }


def issue(engine: Engine, row: Issue) -> Json:
    """Schema issue; a pull request seen as an issue has ``pull_request``."""
    repo = engine.store.repositories.need(row.repo_id)
    url = repo_api(engine, repo, f"/issues/{row.number}")
    is_pull = isinstance(row, PullRequest)
    page = repo_page(engine, repo, f"/{'pull' if is_pull else 'issues'}/{row.number}")
    closer = engine.store.users.get(row.closed_by_id)
    found = {
        "url": url,
        "repository_url": repo_api(engine, repo),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": page,
        "id": row.id,
        "node_id": node_id("PullRequest" if is_pull else "Issue", row.id),
        **_shared(engine, repo, row),
        "comments": len(issues.comments_of(engine, row)),
        "closed_by": simple_user(engine, closer) if closer else None,
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": None,
        "state_reason": row.state_reason,
        "reactions": _no_reactions(url),
    }
    if isinstance(row, PullRequest):
        found["draft"] = row.draft
        found["pull_request"] = {
            "url": repo_api(engine, repo, f"/pulls/{row.number}"),
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": row.merged_at,
        }
    return found


def _no_reactions(url: str) -> Json:
    names = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
    return {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(names, 0)}


def comment(engine: Engine, row: Comment) -> Json:
    """Schema issue-comment."""
    repo = engine.store.repositories.need(row.repo_id)
    url = repo_api(engine, repo, f"/issues/comments/{row.id}")
    kind = "pull" if engine.store.pulls.one(repo_id=row.repo_id, number=row.number) else "issues"
    return {
        "url": url,
        "html_url": repo_page(engine, repo, f"/{kind}/{row.number}#issuecomment-{row.id}"),
        "issue_url": repo_api(engine, repo, f"/issues/{row.number}"),
        "id": row.id,
        "node_id": node_id("IssueComment", row.id),
        "user": simple_user(engine, accounts.user(engine, row.author_id)),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "body": row.body,
        "author_association": association(engine, repo, row.author_id),
        "reactions": _no_reactions(url),
        "performed_via_github_app": None,
    }


def review(engine: Engine, pull: PullRequest, row: Review) -> Json:
    """Schema pull-request-review."""
    repo = engine.store.repositories.need(row.repo_id)
    url = repo_api(engine, repo, f"/pulls/{pull.number}")
    page = repo_page(engine, repo, f"/pull/{pull.number}#pullrequestreview-{row.id}")
    return {
        "id": row.id,
        "node_id": node_id("PullRequestReview", row.id),
        "user": simple_user(engine, accounts.user(engine, row.author_id)),
        "body": row.body,
        "state": row.state,
        "html_url": page,
        "pull_request_url": url,
        "author_association": association(engine, repo, row.author_id),
        "_links": {"html": {"href": page}, "pull_request": {"href": url}},
        "submitted_at": row.submitted_at,
        "commit_id": row.oid,
    }
