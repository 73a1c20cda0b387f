"""What a merge or squash commit says by default.

https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/configuring-commit-squashing-for-pull-requests
"""

from __future__ import annotations

from collections.abc import Sequence

from stackr.sandbox import accounts, pulls
from stackr.sandbox.engine import Engine
from stackr.sandbox.model import PullRequest, Repository
from stackr.sandbox.objects import CommitInfo


def default_message(engine: Engine, pull: PullRequest, method: str) -> tuple[str, str]:
    """Headline and body that GitHub would fill in for a merge or squash."""
    repo = pulls.repository_of(engine, pull)
    if method == "squash":
        return _squash(engine, repo, pull)
    return _merge(engine, repo, pull)


def for_merge(
    engine: Engine, repo: Repository, pull: PullRequest, method: str, title: str | None, body: str | None
) -> str:
    """The whole message, what is given taking the place of the default."""
    headline, text = default_message(engine, pull, method)
    headline = title if title else headline
    text = body if body is not None else text
    return f"{headline}\n\n{text}" if text else headline


def _merge(engine: Engine, repo: Repository, pull: PullRequest) -> tuple[str, str]:
    owner = pulls.head_owner(engine, pull)
    headline = f"Merge pull request #{pull.number} from {owner.login if owner else 'unknown'}/{pull.head_ref}"
    if repo.merge_commit_title == "PR_TITLE":
        headline = f"{pull.title} (#{pull.number})"
    bodies = {"PR_TITLE": pull.title, "PR_BODY": pull.body or "", "BLANK": ""}
    return headline, bodies[repo.merge_commit_message]


def _squash(engine: Engine, repo: Repository, pull: PullRequest) -> tuple[str, str]:
    found = pulls.commits(engine, pull)
    headline = pull.title
    if repo.squash_merge_commit_title == "COMMIT_OR_PR_TITLE" and len(found) == 1:
        headline = found[0].headline
    bodies = {
        "COMMIT_MESSAGES": _joined(found),
        "PR_BODY": pull.body or "",
        "BLANK": "",
    }
    body = bodies[repo.squash_merge_commit_message]
    return f"{headline} (#{pull.number})", _with_co_authors(engine, pull, found, body)


def _joined(found: Sequence[CommitInfo]) -> str:
    if len(found) == 1:
        return found[0].body
    return "\n\n".join(f"* {c.headline}\n\n{c.body}" if c.body else f"* {c.headline}" for c in found)


def _with_co_authors(engine: Engine, pull: PullRequest, found: Sequence[CommitInfo], body: str) -> str:
    """GitHub credits everybody who wrote a squashed commit but is not its author."""
    own = accounts.user(engine, pull.author_id).email
    people = {c.author.email: c.author.name for c in found if c.author.email != own}
    if not people or len(found) == 1:
        return body
    lines = [f"Co-authored-by: {name} <{email}>" for email, name in people.items()]
    missing = [line for line in lines if line not in body]
    return "\n".join([f"{body}\n\n---------\n" if body else "", *missing]).lstrip("\n") if missing else body
