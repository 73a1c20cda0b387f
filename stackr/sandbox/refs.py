"""Moving branches through the API: one or many, all or none, with the rules and the aftermath of a push.

Sources: https://docs.github.com/rest/git/refs; GraphQL updateRefs, createRef, deleteRef
(https://docs.github.com/graphql/reference/mutations#updaterefs).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stackr.sandbox import accounts, aftermath, pushrules
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, forbidden
from stackr.sandbox.git import HEADS, GitRepo, RefMove
from stackr.sandbox.gitrun import GitFailed
from stackr.sandbox.model import ZERO_OID, Json, Repository, User
from stackr.sandbox.objects import CommitInfo, Person

_BAD_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|/$|\.$|^@$")


@dataclass(frozen=True, slots=True)
class RefChange:
    """Move a ref (full name) to ``after``. ZERO_OID: after = delete, before = must not exist yet.

    ``before`` None means wherever it is. Without ``force`` only fast-forwards are done.
    """

    name: str
    after: str
    before: str | None = None
    force: bool = False


def list_refs(engine: Engine, repo: Repository, prefix: str = "refs/") -> list[tuple[str, str]]:
    """Names and oids of the refs that begin with ``prefix``, sorted by name; hidden pull refs included last."""
    return sorted((name, oid) for name, oid in engine.git(repo).refs.items() if name.startswith(prefix))


def get_ref(engine: Engine, repo: Repository, name: str) -> str | None:
    """Where a ref (full name) points."""
    return engine.git(repo).refs.get(name)


def update_refs(engine: Engine, viewer: User | None, repo: Repository, changes: Sequence[RefChange]) -> None:
    """Move several refs, all or none."""
    accounts.require(engine, viewer, repo, "write")
    with engine.transaction():
        git = engine.git(repo)
        moves = [_checked(engine, git, viewer, repo, change) for change in changes]
        move_refs(engine, repo, viewer, moves)


def delete_branch(
    engine: Engine,
    viewer: User | None,
    repo: Repository,
    branch: str,
    *,
    retarget: Mapping[str, str] | None = None,
) -> None:
    """Delete one branch; ``retarget`` as in ``aftermath.refs_moved``."""
    accounts.require(engine, viewer, repo, "write")
    with engine.transaction():
        git = engine.git(repo)
        move = _checked(engine, git, viewer, repo, RefChange(HEADS + branch, ZERO_OID))
        move_refs(engine, repo, viewer, [move], retarget=retarget)


def move_refs(
    engine: Engine,
    repo: Repository,
    viewer: User | None,
    moves: Sequence[RefMove],
    *,
    retarget: Mapping[str, str] | None = None,
) -> None:
    """Move refs that were checked, and settle what follows."""
    try:
        engine.git(repo).update(moves)
    except GitFailed as error:
        raise ApiError(422, f"Reference update failed: {error.stderr.strip()}") from error
    aftermath.refs_moved(engine, repo, viewer, moves, retarget=retarget)


def write_commit(engine: Engine, viewer: User, repo: Repository, data: Json) -> CommitInfo:
    """Write a commit object as ``POST /git/commits`` describes it; author and committer default to the viewer.

    https://docs.github.com/rest/git/commits#create-a-commit
    """
    git = engine.git(repo)
    parents = tuple(data.get("parents", []))
    tree = git.object(data["tree"])
    if tree is None or tree[1] != "tree":
        raise ApiError(422, "Tree SHA does not exist")
    if any(git.commit(oid) is None for oid in parents):
        raise ApiError(422, "Parent SHA does not exist or is not a commit object")
    now = Person(viewer.name or viewer.login, viewer.email or "", int(engine.clock.time()))
    author = _person(data.get("author"), now)
    committer = _person(data.get("committer"), author if "author" in data else now)
    return git.need(git.write_commit(tree[0], parents, author, committer, data["message"]))


def _person(data: Json | None, default: Person) -> Person:
    if data is None:
        return default
    when = data.get("date")
    seconds = int(datetime.fromisoformat(when.replace("Z", "+00:00")).timestamp()) if when else default.when
    return Person(data.get("name", default.name), data.get("email", default.email), seconds)


def _checked(engine: Engine, git: GitRepo, viewer: User | None, repo: Repository, change: RefChange) -> RefMove:
    name, now = change.name, git.refs.get(change.name)
    if not name.startswith("refs/") or name.count("/") < 2 or _BAD_REF.search(name):
        raise ApiError(422, f"{name} is not a valid ref name.")
    if name.startswith("refs/pull/"):
        raise forbidden("Cannot update a hidden ref")
    _refuse_lost_lease(change, now)
    if change.after == ZERO_OID:
        if now is None:
            raise ApiError(422, "Reference does not exist")
        if name == HEADS + repo.default_branch:
            raise ApiError(422, "Cannot delete the default branch")
    elif git.commit(change.after) is None:
        raise ApiError(422, "Object does not exist")
    elif now is not None and not change.force and not git.graph.is_ancestor(now, change.after):
        raise ApiError(422, "Update is not a fast forward")
    if name.startswith(HEADS) and now != change.after:
        after = None if change.after == ZERO_OID else change.after
        pushrules.refuse_ref_update(engine, repo, viewer, name[len(HEADS) :], now, after)
    return RefMove(name, now or ZERO_OID, change.after)


def _refuse_lost_lease(change: RefChange, now: str | None) -> None:
    if change.before is None or change.before == (now or ZERO_OID):
        return
    if change.before == ZERO_OID:
        raise ApiError(422, "Reference already exists")
    raise ApiError(422, f"Reference {change.name} is not at {change.before}")
