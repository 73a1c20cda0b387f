"""Native stacks: registering them, adding, dissolving; what a pull request shows of its stack.

Public preview since 2026-07-30; off unless the repository's ``stacks_enabled`` is set, and then every route is 404.
Source: https://docs.github.com/rest/pulls/stacks; that any ``base`` key is refused in a stack is from
Mergifyio/mergify-cli#1762.
"""

from __future__ import annotations

from collections.abc import Sequence

from stackr.sandbox import accounts, pulls, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, not_found
from stackr.sandbox.model import Json, NativeStack, PullRequest, Repository, User

LIMIT = 100


def require_enabled(repo: Repository) -> None:
    """404 where stacks are not switched on."""
    if not repo.stacks_enabled:
        raise not_found()


def list_stacks(engine: Engine, repo: Repository, pull_number: int | None = None) -> list[NativeStack]:
    """The stacks that were not dissolved, or the one with this pull request in it."""
    require_enabled(repo)
    found = [stack for stack in engine.store.native_stacks.by(repo_id=repo.id) if not stack.dissolved]
    return [s for s in found if pull_number is None or pull_number in s.pulls]


def find_stack(engine: Engine, repo: Repository, number: int) -> NativeStack:
    """A stack by its number; 404 for none and for dissolved ones."""
    require_enabled(repo)
    stack = engine.store.native_stacks.one(repo_id=repo.id, number=number)
    if stack is None or stack.dissolved:
        raise not_found()
    return stack


def stack_of(engine: Engine, pull: PullRequest) -> NativeStack | None:
    """The stack that a pull request is in."""
    rows = engine.store.native_stacks.by(repo_id=pull.repo_id)
    return next((row for row in rows if pull.number in row.pulls and not row.dissolved), None)


def members(engine: Engine, stack: NativeStack) -> list[PullRequest]:
    """The pull requests of a stack, bottom first."""
    repo = engine.store.repositories.need(stack.repo_id)
    return [pulls.find(engine, repo, number) for number in stack.pulls]


def on_pull(engine: Engine, pull: PullRequest) -> Json | None:
    """The ``stack`` object of a REST pull request."""
    stack = stack_of(engine, pull)
    if stack is None:
        return None
    repo = engine.store.repositories.need(pull.repo_id)
    return {
        "id": stack.id,
        "number": stack.number,
        "size": len(stack.pulls),
        "position": stack.pulls.index(pull.number) + 1,
        "base": {"ref": stack.base_ref, "sha": engine.git(repo).branch(stack.base_ref) or pull.base_oid},
    }


def create_stack(engine: Engine, viewer: User, repo: Repository, numbers: Sequence[int]) -> NativeStack:
    """Register a stack, bottom first: 2 to 100 open pull requests, each based on the head of the one below."""
    require_enabled(repo)
    accounts.require(engine, viewer, repo, "write")
    if not 2 <= len(numbers) <= LIMIT:
        raise _refused(f"A stack must have between 2 and {LIMIT} pull requests")
    with engine.transaction():
        chain = _chain(engine, repo, numbers, None)
        stack = engine.store.native_stacks.add(
            NativeStack(
                repo_id=repo.id,
                number=len(engine.store.native_stacks.by(repo_id=repo.id)) + 1,
                pulls=list(numbers),
                base_ref=chain[0].base_ref,
                creator_id=viewer.id,
                created_at=engine.now(),
                updated_at=engine.now(),
            )
        )
        for pull in chain:
            timeline.record(engine, pull, "added_to_stack", viewer, stack=stack.number)
        return stack


def add_on_top(
    engine: Engine, viewer: User, repo: Repository, stack: NativeStack, numbers: Sequence[int]
) -> NativeStack:
    """Append pull requests on top; the first must be based on the present top."""
    accounts.require(engine, viewer, repo, "write")
    if not numbers or len(stack.pulls) + len(numbers) > LIMIT:
        raise _refused(f"A stack can have at most {LIMIT} pull requests")
    with engine.transaction():
        top = pulls.find(engine, repo, stack.pulls[-1])
        if top.merged:
            # https://docs.github.com/pull-requests/how-tos/merge-and-close-pull-requests/merging-stacked-pull-requests
            raise _refused("The stack is complete and cannot be extended")
        chain = _chain(engine, repo, numbers, top)
        stack.pulls.extend(numbers)
        stack.updated_at = engine.now()
        engine.store.native_stacks.save(stack)
        for pull in chain:
            timeline.record(engine, pull, "added_to_stack", viewer, stack=stack.number)
        return stack


def _chain(engine: Engine, repo: Repository, numbers: Sequence[int], below: PullRequest | None) -> list[PullRequest]:
    """The pull requests, if they can form a stack on ``below``."""
    if len(set(numbers)) != len(numbers):
        raise _refused("Pull requests must be unique")
    chain: list[PullRequest] = []
    for number in numbers:
        pull = engine.store.pulls.one(repo_id=repo.id, number=number)
        if pull is None:
            raise _refused(f"Pull request #{number} could not be found")
        if pull.state != "open":
            raise _refused(f"Pull request #{number} is not open")
        if pull.head_repo_id != repo.id:
            raise _refused(f"Pull request #{number} is from a fork")
        if stack_of(engine, pull):
            raise _refused(f"Pull request #{number} is already part of a stack")
        if below is not None and pull.base_ref != below.head_ref:
            raise _refused(f"Pull request #{number} must be based on {below.head_ref}, the head of #{below.number}")
        chain.append(pull)
        below = pull
    return chain


def _refused(message: str) -> ApiError:
    error = {"resource": "Stack", "code": "custom", "field": "pull_requests", "message": message}
    return ApiError(422, "Validation Failed", errors=[error])


def unstack(engine: Engine, viewer: User, repo: Repository, stack: NativeStack) -> NativeStack | None:
    """Take out all members that are neither merged nor queued; the stack if some remain, None when it is dissolved.

    422 when none of them can go (getstackit/stackit#1719).
    """
    accounts.require(engine, viewer, repo, "write")
    with engine.transaction():
        chain = members(engine, stack)
        going = [pull for pull in chain if not (pull.merged or _is_queued(engine, pull))]
        if not going:
            raise _refused("The pull requests of this stack cannot be removed")
        for pull in going:
            timeline.record(engine, pull, "removed_from_stack", viewer, stack=stack.number)
        stack.pulls = [pull.number for pull in chain if pull not in going]
        stack.dissolved = not stack.pulls
        stack.updated_at = engine.now()
        engine.store.native_stacks.save(stack)
        return None if stack.dissolved else stack


def _is_queued(engine: Engine, pull: PullRequest) -> bool:
    return engine.store.queue_entries.one(repo_id=pull.repo_id, number=pull.number) is not None
