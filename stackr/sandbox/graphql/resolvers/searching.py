"""``search(type: ISSUE)``: the qualifiers that tools use, and words of the title or text.

Source: https://docs.github.com/en/search-github/searching-on-github/searching-issues-and-pull-requests
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from stackr.sandbox import accounts
from stackr.sandbox.errors import ApiError
from stackr.sandbox.graphql.binding import Fields
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.lists import has_label, pull_state
from stackr.sandbox.model import Issue, PullRequest, Repository, User

_WORD = re.compile(r'(-?)(?:([a-z-]+):)?(?:"([^"]*)"|(\S+))')
Test = Callable[[Context, Issue, str], bool]


def _login(account: User | None) -> str:
    return account.login.lower() if account else ""


def _is_me(context: Context, account: User | None, value: str) -> bool:
    wanted = context.viewer.login if value == "@me" else value
    return _login(account) == wanted.lower()


def _merged(issue: Issue) -> bool:
    return isinstance(issue, PullRequest) and pull_state(issue) == "MERGED"


IS: dict[str, Callable[[Context, Issue], bool]] = {
    "pr": lambda _c, i: isinstance(i, PullRequest),
    "issue": lambda _c, i: not isinstance(i, PullRequest),
    "open": lambda _c, i: i.state == "open",
    "closed": lambda _c, i: i.state == "closed",
    "merged": lambda _c, i: _merged(i),
    "unmerged": lambda _c, i: isinstance(i, PullRequest) and not _merged(i),
    "draft": lambda _c, i: isinstance(i, PullRequest) and i.draft,
    "private": lambda c, i: c.repository(i).private,
    "public": lambda c, i: not c.repository(i).private,
}


def _is(context: Context, issue: Issue, value: str) -> bool:
    return IS[value](context, issue)


def _pull(test: Callable[[Context, PullRequest, str], bool]) -> Test:
    return lambda context, issue, value: isinstance(issue, PullRequest) and test(context, issue, value)


def _asked(context: Context, pull: PullRequest, value: str) -> bool:
    return any(_is_me(context, context.user(user_id), value) for user_id in pull.reviewer_ids)


QUALIFIERS: dict[str, Test] = {
    "is": _is,
    "type": _is,
    "state": _is,
    "repo": lambda c, i, v: accounts.full_name(c.engine, c.repository(i)).lower() == v.lower(),
    "user": lambda c, i, v: _login(c.user(c.repository(i).owner_id)) == v.lower(),
    "org": lambda c, i, v: _login(c.user(c.repository(i).owner_id)) == v.lower(),
    "author": lambda c, i, v: _is_me(c, c.user(i.author_id), v),
    "assignee": lambda c, i, v: any(_is_me(c, c.user(user_id), v) for user_id in i.assignee_ids),
    "label": lambda c, i, v: has_label(c, i, [v]),
    "archived": lambda c, i, v: c.repository(i).archived == (v == "true"),
    "head": _pull(lambda _c, p, v: p.head_ref.startswith(v)),
    "base": _pull(lambda _c, p, v: p.base_ref.startswith(v)),
    "draft": _pull(lambda _c, p, v: p.draft == (v == "true")),
    "review-requested": _pull(_asked),
    "sha": _pull(lambda _c, p, v: p.head_oid.startswith(v)),
}


def _unknown(word: str) -> ApiError:
    return ApiError(422, f"the sandbox's search does not know {word!r}", graphql_type="UNPROCESSABLE")


def _contains(_context: Context, issue: Issue, word: str) -> bool:
    return word.lower() in f"{issue.title}\n{issue.body or ''}".lower()


def found_by(context: Context, text: str) -> list[Issue]:
    """Issues and pull requests that every word of the search fits, newest first."""
    tests: list[tuple[bool, Test, str]] = []
    order = ("created_at", True)
    for minus, qualifier, quoted, bare in _WORD.findall(text):
        value = quoted or bare
        if qualifier == "sort":
            order = _order(value)
            continue
        unheard_of = QUALIFIERS.get(qualifier) is _is and value not in IS
        if qualifier and (qualifier not in QUALIFIERS or unheard_of):
            raise _unknown(f"{qualifier}:{value}")
        tests.append((not minus, QUALIFIERS.get(qualifier, _contains), value))
    rows = [row for row in _everything(context) if all(test(context, row, v) == yes for yes, test, v in tests)]
    return sorted(rows, key=lambda row: (getattr(row, order[0]), row.number), reverse=order[1])


def _order(value: str) -> tuple[str, bool]:
    field, _, direction = value.partition("-")
    return f"{field}_at" if field in {"created", "updated"} else "number", direction != "asc"


def _everything(context: Context) -> list[Issue]:
    store = context.engine.store
    if context.token is not None and context.token.sso_required:
        return []  # left out without a word
    rows: list[Issue] = [*store.issues.all(), *store.pulls.all()]
    return [row for row in rows if context.sees(context.repository(row))]


@Fields("Query")
def search(_root: Any, info: Info, *, query: str, type_: str, **arguments: Any) -> Connection:
    """ISSUE finds issues and pull requests; USER and REPOSITORY by name; discussions there are none."""
    context = ctx(info)
    word = query.lower()
    if type_ == "ISSUE":
        return page(info, found_by(context, query), arguments, owner=type_)
    if type_ == "USER":
        users = [u for u in context.engine.store.users.all() if word in u.login.lower() and u.type != "Bot"]
        return page(info, users, arguments, owner=type_)
    repos: list[Repository] = []
    if type_ == "REPOSITORY":
        repos = [r for r in context.engine.store.repositories.all() if word in r.name.lower() and context.sees(r)]
    return page(info, repos, arguments, owner=type_)


for field, type_name in (
    ("issueCount", "ISSUE"),
    ("userCount", "USER"),
    ("repositoryCount", "REPOSITORY"),
    ("discussionCount", "DISCUSSION"),
    ("codeCount", ""),
    ("wikiCount", ""),
):
    Fields("SearchResultItemConnection").add(
        field, lambda c, _info, kind=type_name: len(c.items) if c.owner == kind else 0
    )
