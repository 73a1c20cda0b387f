"""The pages of a repository: its branches and pull requests, commits, issues; its settings are ``settingspages``."""

from __future__ import annotations

from flask import redirect
from flask import request as flask_request
from werkzeug.wrappers import Response as Answer

from stackr.sandbox import accounts, issues, pulls
from stackr.sandbox.errors import not_found
from stackr.sandbox.git import HEADS
from stackr.sandbox.model import PullRequest, Repository
from stackr.sandbox.web import diff, history, links, story
from stackr.sandbox.web.links import EngineLinks
from stackr.sandbox.web.markdown import Reference, render
from stackr.sandbox.web.room import Room

STATES = ("open", "merged", "closed")


def register(room: Room) -> None:
    """Add the routes."""
    address = "/<owner:owner>/<name>"

    @room.page(address)
    def repository(owner: str, name: str) -> str | Answer:
        repo = room.repository(owner, name.removesuffix(".git"))
        if name.endswith(".git"):  # the clone address, pasted into a browser
            return redirect(links.repository_path(room.engine, repo))
        return _show(room, repo)

    @room.page(f"{address}/pulls")
    def pull_list(owner: str, name: str) -> Answer:
        return redirect(links.repository_path(room.engine, room.repository(owner, name)) + "#pulls")

    @room.page(f"{address}/<any(commits,tree):part>/<path:branch>")
    def commit_list(owner: str, name: str, part: str, branch: str) -> str:
        repo = room.repository(owner, name)
        git = room.engine.git(repo)
        tip = git.branch(branch)
        if tip is None:
            raise not_found(f"There is no branch {branch}.")
        found = [git.need(oid) for oid in git.graph.history(tip, history.LIMIT)]
        return room.show("commits.html", None, repo, branch=branch, commits=found)

    @room.page(f"{address}/commit/<oid>")
    def commit(owner: str, name: str, oid: str) -> str:
        repo = room.repository(owner, name)
        info = room.engine.git(repo).commit(oid)
        if info is None:
            raise not_found("There is no such commit.")
        files = diff.views(room.engine.git(repo).changes_of(info))
        return room.show("commit.html", None, repo, commit=info, files=files)

    @room.page(f"{address}/issues/<int:number>")
    def issue(owner: str, name: str, number: int) -> str | Answer:
        repo = room.repository(owner, name)
        found = issues.find_issue(room.engine, repo, number)
        if isinstance(found, PullRequest):
            return redirect(links.issue_path(room.engine, found))
        texts = EngineLinks(room.engine, repo, room.visitor.user)
        return room.show(
            "issue.html",
            None,
            repo,
            issue=found,
            state=links.state_of(found),
            author=accounts.user(room.engine, found.author_id),
            body=render(found.body, texts),
            items=story.tell(room.engine, found, texts),
        )


def _show(room: Room, repo: Repository) -> str:
    engine = room.engine
    wanted = flask_request.args.get("state", "open")
    state = wanted if wanted in STATES else "open"
    by_state = {name: pulls.list_pulls(engine, repo, states={name}, descending=True) for name in STATES}
    return room.show(
        "repository.html",
        None,
        repo,
        path=links.repository_path(engine, repo),
        clone_url=f"{engine.url}{links.repository_path(engine, repo)}.git",
        state=state,
        counts={name: len(found) for name, found in by_state.items()},
        pulls=[
            (pull, links.reference(engine, pull), accounts.user(engine, pull.author_id)) for pull in by_state[state]
        ],
        branches=_branches(room, repo),
        level=accounts.permission(engine, room.visitor.user, repo),
    )


def _branches(room: Room, repo: Repository) -> list[tuple[str, str, str, Reference | None]]:
    """Name, headline and date of the tip, open pull request: the default branch first, then by name."""
    engine = room.engine
    git = engine.git(repo)
    tips = {name[len(HEADS) :]: oid for name, oid in git.refs.items() if name.startswith(HEADS)}
    found = []
    for name in sorted(tips, key=lambda name: (name != repo.default_branch, name)):
        info = git.need(tips[name])
        heads = [p for p in engine.store.pulls.by(head_repo_id=repo.id, head_ref=name) if p.state == "open"]
        found.append((name, info.headline, info.committer.date_iso, _visible(room, heads)))
    return found


def _visible(room: Room, heads: list[PullRequest]) -> Reference | None:
    """The newest of the pull requests that the visitor may see: a fork's may be for a private repository."""
    engine = room.engine
    seen = [p for p in heads if accounts.may(engine, room.visitor.user, pulls.repository_of(engine, p), "read")]
    return links.reference(engine, seen[-1]) if seen else None
