"""The pages of a pull request, at GitHub's address ``/owner/name/pull/N``: reading it, its buttons, editing a file."""

from __future__ import annotations

from typing import Any

from flask import Response, redirect, request
from werkzeug.wrappers import Response as Answer

from stackr.sandbox import accounts, issues, pulls
from stackr.sandbox.errors import ApiError
from stackr.sandbox.git import HEADS
from stackr.sandbox.model import PullRequest, Repository
from stackr.sandbox.web import diff, forms, history, links, pullactions, standing, story, suggestion
from stackr.sandbox.web.links import EngineLinks
from stackr.sandbox.web.markdown import render
from stackr.sandbox.web.room import Room


def register(room: Room) -> None:
    """Add the routes."""
    pull_address = "/<owner:owner>/<name>/pull/<int:number>"

    @room.page(pull_address)
    def pull(owner: str, name: str, number: int) -> str:
        repo = room.repository(owner, name)
        return _show(room, repo, pulls.find(room.engine, repo, number))

    @room.page(pull_address, "POST")
    def pull_action(owner: str, name: str, number: int) -> Response:
        repo = room.repository(owner, name)
        found = pulls.find(room.engine, repo, number)
        return _act(room, repo, found, pullactions.ACTIONS, lambda error: _show(room, repo, found, error))

    @room.page(f"{pull_address}/<any(commits,files,checks):part>")
    def pull_part(owner: str, name: str, number: int, part: str) -> Answer:
        repo = room.repository(owner, name)
        return redirect(f"{links.issue_path(room.engine, pulls.find(room.engine, repo, number))}#{part}")

    @room.page(f"{pull_address}/edit")
    def edit_file(owner: str, name: str, number: int) -> str:
        repo = room.repository(owner, name)
        found = pulls.find(room.engine, repo, number)
        return _show_editor(room, repo, found, request.args.get("path", ""))

    @room.page(f"{pull_address}/edit", "POST")
    def commit_file(owner: str, name: str, number: int) -> Response:
        repo = room.repository(owner, name)
        found = pulls.find(room.engine, repo, number)
        path = request.form.get("path", "")
        return _act(
            room, repo, found, pullactions.EDIT_ACTIONS, lambda error: _show_editor(room, repo, found, path, error)
        )


def _act(room: Room, repo: Repository, pull: PullRequest, actions: Any, show: Any) -> Response:
    def perform() -> str:
        action = forms.chosen(actions, request)
        return action(room.engine, room.visitor.user, pull, request.form)

    return forms.act(room.visitor, request, perform, show, links.issue_path(room.engine, pull))


def _show(room: Room, repo: Repository, pull: PullRequest, error: ApiError | None = None) -> str:
    engine, viewer = room.engine, room.visitor.user
    texts = EngineLinks(engine, repo, viewer)
    files = diff.views(pulls.files(engine, pull))
    return room.show(
        "pull.html",
        error,
        repo,
        pull=pull,
        state=links.state_of(pull),
        path=links.issue_path(engine, pull),
        author=accounts.user(engine, pull.author_id),
        merger=accounts.user(engine, pull.merged_by_id).login if pull.merged else "",
        head=_head_label(room, pull),
        body=render(pull.body, texts),
        stack=standing.stack(engine, pull),
        commits=history.of_pull(engine, pull),
        files=files,
        additions=sum(file.change.additions for file in files),
        deletions=sum(file.change.deletions for file in files),
        checks=standing.all_checks(engine, pull),
        check_states=pullactions.CHECK_STATES,
        opinions=standing.opinions(engine, pull),
        labels=issues.labels_of(engine, pull),
        items=story.tell(engine, pull, texts),
        box=standing.merge_box(engine, viewer, pull) if pull.state == "open" else None,
        may_edit=pulls.may_edit(engine, viewer, pull),
        branches=_branches(room, repo, pull),
        head_exists=_head_exists(room, pull),
    )


def _head_label(room: Room, pull: PullRequest) -> str:
    """``branch``, or ``owner:branch`` for one in a fork, as GitHub has it."""
    owner = pulls.head_owner(room.engine, pull)
    if pull.head_repo_id == pull.repo_id:
        return pull.head_ref
    return f"{owner.login if owner else 'unknown'}:{pull.head_ref}"


def _head_exists(room: Room, pull: PullRequest) -> bool:
    repo = room.engine.store.repositories.get(pull.head_repo_id)
    return repo is not None and room.engine.git(repo).branch(pull.head_ref) is not None


def _branches(room: Room, repo: Repository, pull: PullRequest) -> list[str]:
    """What the base can be changed to: the present one first."""
    names = [name[len(HEADS) :] for name in sorted(room.engine.git(repo).refs) if name.startswith(HEADS)]
    return [pull.base_ref, *(name for name in names if name not in (pull.base_ref, pull.head_ref))]


def _show_editor(room: Room, repo: Repository, pull: PullRequest, path: str, error: ApiError | None = None) -> str:
    file = suggestion.editable_file(room.engine, pull, path)
    return room.show(
        "edit.html",
        error,
        repo,
        pull=pull,
        path=links.issue_path(room.engine, pull),
        file=file,
        message=suggestion.MESSAGE,
        committers=suggestion.committers(room.engine, pull),
    )
