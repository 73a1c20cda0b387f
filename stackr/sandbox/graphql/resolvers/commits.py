"""Commits, their authors, and comparing two of them."""

from __future__ import annotations

import re
from typing import Any

from stackr.sandbox import pulls
from stackr.sandbox.diffs import EMPTY_TREE, FileChange
from stackr.sandbox.errors import not_found
from stackr.sandbox.graphql.binding import Fields, names
from stackr.sandbox.graphql.context import Context, Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.resolvers.git_objects import find_commit, object_url
from stackr.sandbox.graphql.resolvers.lists import ordered
from stackr.sandbox.graphql.values import Commit, Comparison, Ref, Tree
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import PullRequest, User
from stackr.sandbox.objects import Person

names(Comparison, "Comparison")

_CO_AUTHOR = re.compile(r"^co-authored-by: *(.*?) *<([^>]*)>", re.IGNORECASE | re.MULTILINE)

# -- people ------------------------------------------------------------------------------------------------

git_actor = Fields("GitActor")
git_actor.attributes("name email")
git_actor.add("date", lambda person, _info: person.local_iso.replace("+00:00", "Z"))
git_actor.add("user", lambda person, info: account_of(ctx(info), person))


def account_of(context: Context, person: Person) -> User | None:
    """The account whose address a commit bears."""
    return next((u for u in context.engine.store.users.all() if u.email == person.email), None)


@git_actor
def avatar_url(person: Person, info: Info, size: int | None = None) -> str:
    """The picture of the account, or GitHub's picture for nobody."""
    account = account_of(ctx(info), person)
    return f"{ctx(info).engine.url}/avatars/u/{account.id if account else 0}" + (f"?s={size}" if size else "")


# -- commits -----------------------------------------------------------------------------------------------

commit = Fields("Commit")
commit.attributes(
    message="info.message",
    messageHeadline="info.headline",
    messageBody="info.body",
    author="info.author",
    committer="info.committer",
    authoredDate="info.author.date_iso",
    committedDate="info.committer.date_iso",
)
commit.add("authoredByCommitter", lambda c, _info: c.info.author.email == c.info.committer.email)
# The sandbox's own merges are made as GitHub makes them, by its web-flow account.
commit.add("committedViaWeb", lambda c, _info: c.info.committer.email == "noreply@github.com")
commit.add("url", lambda c, info: object_url(ctx(info), c))
commit.add("resourcePath", lambda c, info: ctx(info).path(object_url(ctx(info), c)))
commit.add("treeUrl", lambda c, info: object_url(ctx(info), c, "tree"))
commit.add("treeResourcePath", lambda c, info: ctx(info).path(object_url(ctx(info), c, "tree")))
commit.add("additions", lambda c, info: sum(f.additions for f in changes_of(ctx(info), c)))
commit.add("deletions", lambda c, info: sum(f.deletions for f in changes_of(ctx(info), c)))
commit.add("changedFilesIfAvailable", lambda c, info: len(changes_of(ctx(info), c)))


def changes_of(context: Context, value: Commit) -> list[FileChange]:
    """What a commit changed against its first parent."""
    parents = value.info.parents
    return context.git(value.repo).diff(parents[0] if parents else EMPTY_TREE, value.info.oid)


@commit
def tree(value: Commit, info: Info) -> Tree:
    """The root tree."""
    found = ctx(info).git(value.repo).object(value.info.tree)
    assert found is not None, "a commit without its tree"
    return Tree(value.repo, found[0], found[2])


@commit
def authors(value: Commit, info: Info, **arguments: Any) -> Connection:
    """The author, then everybody named by a Co-authored-by trailer."""
    others = [Person(*found) for found in _CO_AUTHOR.findall(value.info.message)]
    return page(info, [value.info.author, *others], arguments)


def commits_page(info: Info, value: Commit, oids: Any, arguments: dict[str, Any]) -> Connection:
    """A connection of commits of one repository, read only as far as they are shown."""
    return page(info, oids, arguments, node=lambda oid: find_commit(ctx(info), value.repo, oid), owner=value)


@commit
def parents(value: Commit, info: Info, **arguments: Any) -> Connection:
    """The parents, first parent first."""
    return commits_page(info, value, value.info.parents, arguments)


@commit
def history(
    value: Commit,
    info: Info,
    *,
    author: dict[str, Any] | None = None,
    path: str | None = None,
    since: str | None = None,
    until: str | None = None,
    **arguments: Any,
) -> Connection:
    """``git log`` of the commit, narrowed by git itself."""
    git = ctx(info).git(value.repo)
    if not (author or path or since or until):
        return commits_page(info, value, git.graph.history(value.info.oid), arguments)
    words = [f"--{name}={date}" for name, date in (("since", since), ("until", until)) if date]
    words += [f"--author=<{re.escape(email)}>" for email in emails_of(ctx(info), author or {})]
    out = git.run("rev-list", "--extended-regexp", *words, value.info.oid, "--", *([path] if path else []))
    return commits_page(info, value, out.decode().split(), arguments)


def emails_of(context: Context, author: dict[str, Any]) -> list[str]:
    """The addresses that a CommitAuthor means."""
    users = context.engine.store.users.all()
    named = [u.email or "" for u in users if author.get("id") == node_id(u.type, u.id)]
    return [*named, *(author.get("emails") or [])]


@commit
def associated_pull_requests(
    value: Commit, info: Info, order_by: dict[str, str] | None = None, **arguments: Any
) -> Connection:
    """Pull requests that hold the commit, or that were merged as it."""
    table = ctx(info).engine.store.pulls
    found = [pull for pull in table.by(repo_id=value.repo.id) if belongs(ctx(info), value, pull)]
    return page(info, ordered(ctx(info), found, order_by), arguments)


def belongs(context: Context, value: Commit, pull: PullRequest) -> bool:
    """Whether a commit is one of a pull request's, or its merge commit."""
    own = context.git(value.repo).graph.ahead(pulls.compare_base(context.engine, pull), pull.head_oid)
    return value.info.oid in {pull.merge_oid, *own}


# -- comparing ---------------------------------------------------------------------------------------------

comparison = Fields("Comparison")
comparison.attributes(baseTarget="base", headTarget="head")
comparison.add("id", lambda c, _info: node_id("Comparison", c.base.repo.id, f"{c.base.info.oid}:{c.head.info.oid}"))


def compare(value: Ref, info: Info, head_ref: str) -> Comparison:
    """This ref as the base, another branch as the head."""
    context = ctx(info)
    git = context.git(value.repo)
    base = find_commit(context, value.repo, git.resolve(value.name))
    head = find_commit(context, value.repo, git.resolve(head_ref))
    if base is None or head is None:
        raise not_found(f"Could not resolve to a head ref with the name '{head_ref}'.")
    return Comparison(base, head)


Fields("Ref").add("compare", compare)


def ahead(context: Context, base: Commit, head: Commit) -> list[str]:
    """The commits of head that base lacks, oldest first."""
    return context.git(base.repo).graph.ahead(base.info.oid, head.info.oid)


comparison.add("aheadBy", lambda c, info: len(ahead(ctx(info), c.base, c.head)))
comparison.add("behindBy", lambda c, info: len(ahead(ctx(info), c.head, c.base)))


@comparison
def status(value: Comparison, info: Info) -> str:
    """A ComparisonStatus."""
    forward, backward = ahead(ctx(info), value.base, value.head), ahead(ctx(info), value.head, value.base)
    if forward:
        return "DIVERGED" if backward else "AHEAD"
    return "BEHIND" if backward else "IDENTICAL"


@comparison
def commits(value: Comparison, info: Info, **arguments: Any) -> Connection:
    """The commits of the head that the base lacks, oldest first."""
    return commits_page(info, value.head, ahead(ctx(info), value.base, value.head), arguments)
