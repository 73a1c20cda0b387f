"""The story of a report, whatever it reports: which pull request, the page on stdout, the one comment of its kind.

Used by every ``stackr report`` command. What a report says is decided in ``stackr.core``; which comment is ours, and
whether it has to be written, in ``stackr.core.sticky``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from stackr import options
from stackr.core.job import Base, Job, read_job
from stackr.core.model import Change, Stack
from stackr.core.sticky import Step, plan_comment
from stackr.errors import ConfigError, Refused
from stackr.records import dataclass
from stackr.ui import as_json as documents
from stackr.ui import output

if TYPE_CHECKING:
    from stackr.app import App
    from stackr.github.api import GitHub

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
# A GraphQL Int: https://spec.graphql.org/October2021/#sec-Int
_LARGEST_INT = 2**31 - 1
_DONE = {
    "create": "commented on #{}",
    "update": "updated the comment on #{}",
    "keep": "the comment on #{} says so already",
}
_WOULD = {**_DONE, "create": "would comment on #{}", "update": "would update the comment on #{}"}


@dataclass(frozen=True, slots=True)
class Way:
    """The options that all reports share; ``number`` is that of ``--pr``."""

    post: bool
    number: int | None
    dry_run: bool
    as_json: bool


@dataclass(frozen=True, slots=True)
class Target:
    """The pull request to report on.

    ``bases`` are commits it builds on, each with the number of the pull request below, or the name of the trunk.
    """

    number: int
    bases: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """A pull request and the client to reach it."""

    forge: GitHub
    target: Target


@dataclass(frozen=True, slots=True)
class Page:
    """A report: ``kind`` names its comment, ``markdown`` is all of it, ``short`` what fits into a comment.

    ``content`` is what its JSON document has besides.
    """

    kind: str
    markdown: str
    short: str
    content: Mapping[str, Any]


def post_options(function: AnyFunction) -> AnyFunction:
    """``--post`` and ``--pr N`` (passed as ``number``), ``--dry-run`` and ``--json``."""
    number = click.option(
        "--pr",
        "number",
        metavar="N",
        type=click.IntRange(1, _LARGEST_INT),
        help="The pull request; without it, that of the change at HEAD, or of the job in GitHub Actions.",
    )
    post = click.option("--post", is_flag=True, help="Keep the report in one comment on the pull request.")
    return post(number(options.dry_run_option(options.json_option(function))))


def find_job() -> Job | None:
    """The job of GitHub Actions that runs us, if one does."""
    try:
        event = json.loads(Path(os.environ.get("GITHUB_EVENT_PATH", "")).read_bytes())
    except (OSError, ValueError):
        event = None  # the environment alone may tell enough
    return read_job(os.environ, event)


@contextmanager
def open_place(app: App, job: Job | None, way: Way) -> Iterator[Place]:
    """The pull request: ``--pr``, else the job's, else that of the change at HEAD. A job needs no clone.

    Raises ``Refused`` when there is none, ``UsageError`` when there is none of that number.
    """
    if job is None:
        target = _target_at_head(app, way) if way.number is None else _named(app.forge, way.number)
        yield Place(app.forge, target)
        return
    forge = _forge_of(app, job)
    try:
        yield Place(forge, _target_of(forge, job) if way.number is None else _named(forge, way.number))
    finally:
        forge.close()


def _forge_of(app: App, job: Job) -> GitHub:
    from stackr.github.api import GitHub
    from stackr.github.auth import job_token
    from stackr.github.hosts import parse_job

    host = parse_job(job.server, job.repository, job.rest, job.graphql)
    return GitHub(host, job_token(host, os.environ), sleep=app.ui.wait)


def _named(forge: GitHub, number: int) -> Target:
    from stackr.core.sought import Sought
    from stackr.github.failures import Rejected
    from stackr.github.finding import read_pull
    from stackr.observe.one import find_pull

    try:
        return _target(forge, number, read_pull(forge.http, number).base)
    except Rejected:
        # 404: a number that is no pull request's, or a repository that the token may not see.
        find_pull(forge, Sought(f"#{number}", number))
        raise


def _target_of(forge: GitHub, job: Job) -> Target:
    number, base = _found(forge, job) if job.pull is None else (job.pull, job.base)
    return Target(number) if base is None else _target(forge, number, base)


def _target(forge: GitHub, number: int, base: Base) -> Target:
    from stackr.github.finding import find_pulls

    # A pull request from trunk to a release branch is not the change below.
    below = [] if base.is_trunk else find_pulls(forge.http, f"{forge.host.owner}:{base.branch}")
    return Target(number, {base.oid: below[0].number if below else base.branch})


def _found(forge: GitHub, job: Job) -> tuple[int, Base]:
    """The pull request of a job that was not started for one: the open one whose head it ran on; and its base."""
    from stackr.github.finding import find_pulls

    if job.head is None:
        raise Refused("this job does not run for a pull request", next_step="name one with --pr N")
    found = [each for each in find_pulls(forge.http, job.head.branch) if each.head_oid == job.head.oid]
    if len(found) != 1:
        raise Refused(
            f'{len(found) or "no"} open pull requests have "{job.head.branch}" at {job.head.oid[:7]} as their head',
            next_step="name one with --pr N; if it was updated meanwhile, the job for the update will report",
        )
    return found[0].number, found[0].base


def _target_at_head(app: App, way: Way) -> Target:
    from stackr.observe import observe

    app.ui.step("reading the stack")
    stack = observe(app.repo, app.forge, app.wanted(app.user(remember=not way.dry_run))).stack
    if not stack.changes or stack.changes[-1].pull is None:
        raise Refused("the change at HEAD has no pull request", next_step="stackr submit, or name one with --pr N")
    return Target(stack.changes[-1].pull.number, _bases(stack))


def _bases(stack: Stack) -> dict[str, int | str]:
    if len(stack.changes) == 1:
        return dict.fromkeys([*stack.changes[0].commit.parents, stack.trunk.oid], stack.trunk.name)
    below = stack.changes[-2]
    return dict.fromkeys(_commits_of(below), below.pull.number) if below.pull else {}


def _commits_of(change: Change) -> list[str]:
    """Every commit that is this change, here or on GitHub."""
    return [oid for oid in (change.commit.oid, change.remote_head, change.pull and change.pull.head_oid) if oid]


def deliver(app: App, job: Job | None, place: Place | None, page: Page, way: Way) -> None:
    """The page on stdout and in the job's summary; with ``--post``, in the comment at ``place``, too."""
    if not way.as_json:
        output.write(app.ui.out, page.markdown)
    if job is not None and job.summary and not way.dry_run:
        with Path(job.summary).open("a", encoding="utf-8") as summary:
            summary.write(f"{page.short}\n")
    posted = _post(app, job, place, page, way) if place is not None and way.post else None
    if way.as_json:
        app.ui.json(documents.envelope(f"report {page.kind}", **page.content, markdown=page.markdown, comment=posted))


def _post(app: App, job: Job | None, place: Place, page: Page, way: Way) -> dict[str, Any]:
    """Bring the comment up to date; what its JSON says of it."""
    from stackr.github import comments

    http, number = place.forge.http, place.target.number
    app.ui.step(f"reading the comments on #{number}")
    step = plan_comment(comments.list_comments(http, number), place.forge.viewer(), page.kind, page.short)
    url = step.comment.url if step.comment else None
    if not way.dry_run:
        url = _carry_out(place, step, job)
    said = (_WOULD if way.dry_run else _DONE)[step.kind].format(number)
    app.ui.note(f"{said}: {url}" if url else said)
    return {"pull": number, "action": step.kind, "written": not way.dry_run and step.kind != "keep", "url": url}


def _carry_out(place: Place, step: Step, job: Job | None) -> str:
    """Write the comment if it has to be written; its address."""
    from stackr.github import comments

    http = place.forge.http
    try:
        if step.comment is None:
            return comments.create_comment(http, place.target.number, step.body).url
        return (comments.update_comment(http, step.comment, step.body) if step.kind == "update" else step.comment).url
    except ConfigError as problem:
        if job is not None and job.is_fork:
            problem.next_step = "a fork's job has a token that only reads: see docs/guide/ci-and-benchmarks.md"
        raise
