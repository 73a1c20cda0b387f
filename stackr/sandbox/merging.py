"""Merging: whether it can be done, what stands in the way, and doing it, for real, in git.

Mergeability is computed late, as on GitHub: the first looks say "unknown". Sources:
https://docs.github.com/rest/pulls/pulls#merge-a-pull-request,
https://docs.github.com/rest/guides/using-the-rest-api-to-interact-with-your-git-database#checking-mergeability-of-pull-requests,
https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from stackr.sandbox import accounts, aftermath, checks, messages, objections, pulls, pushrules, refs, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, sign_in
from stackr.sandbox.git import HEADS, GitRepo, RefMove
from stackr.sandbox.gitrun import GitFailed
from stackr.sandbox.model import PullRequest, Repository, User
from stackr.sandbox.objects import Person

METHODS = ("merge", "squash", "rebase")
default_message = messages.default_message
WEB_FLOW = ("GitHub", "noreply@github.com")


def mergeable(engine: Engine, pull: PullRequest) -> bool | None:
    """Whether it merges without conflict; None while GitHub "still computes" it, and for closed ones."""
    if pull.state == "closed":
        return None
    key = (pull.id, pull.head_oid, pull.base_oid)
    with engine.lock:
        engine.merge_asked[key] = engine.merge_asked.get(key, 0) + 1
        if engine.merge_asked[key] < engine.settings.mergeable_after:
            return None
        return _merged_tree(engine, pull) is not None


def known_mergeable(engine: Engine, pull: PullRequest) -> bool | None:
    """As ``mergeable``, but without counting as a look."""
    key = (pull.id, pull.head_oid, pull.base_oid)
    if pull.state == "closed" or engine.merge_asked.get(key, 0) < engine.settings.mergeable_after:
        return None
    return _merged_tree(engine, pull) is not None


def _merged_tree(engine: Engine, pull: PullRequest) -> str | None:
    """The tree of base and head merged, computed once for each pair; None for a conflict."""
    # The tree is an object of one repository: another may have the same two commits and not this merge of them.
    key = (pull.repo_id, pull.base_oid, pull.head_oid)
    if key not in engine.merge_trees:
        engine.merge_trees[key] = merge_tree(engine.git(pulls.repository_of(engine, pull)), *key[1:])
    return engine.merge_trees[key]


def merge_tree(git: GitRepo, ours: str, theirs: str) -> str | None:
    """The tree of a true merge of two commits; None for a conflict or unrelated histories."""
    if git.graph.is_ancestor(ours, theirs):
        return git.need(theirs).tree
    if not git.graph.merge_bases(ours, theirs):
        return None
    return git.true_merge(ours, theirs)


def merges_cleanly(engine: Engine, pull: PullRequest) -> bool:
    """Whether it merges without conflict, computed at once: for what GitHub does in the background anyway."""
    return _merged_tree(engine, pull) is not None


def merge_state(engine: Engine, pull: PullRequest) -> str:
    """clean, dirty, blocked, behind, unstable, draft, has_hooks or unknown; asks nothing of its own accord.

    https://docs.github.com/graphql/reference/enums#mergestatestatus
    """
    known = known_mergeable(engine, pull)
    return "unknown" if known is None else state_when_known(engine, pull, clean=known)


def state_when_known(engine: Engine, pull: PullRequest, *, clean: bool) -> str:
    """The state once it is known whether it merges without conflict.

    A queue by itself blocks nothing: what may be queued is clean (ai-ecoverse/slicc#670,
    duckduckgo/content-scope-scripts#2748).
    """
    if not clean:
        return "dirty"
    if pull.draft:
        return "draft"
    repo = pulls.repository_of(engine, pull)
    if _blocked(engine, repo, pull):
        return "blocked"  # also for a head that is out of date besides (github/branch-deploy#97)
    if objections.behind(engine, repo, pull):
        return "behind"
    if checks.rollup(engine, repo, pull.head_oid) not in (None, "SUCCESS"):
        return "unstable"
    # GitHub Enterprise Server alone has pre-receive hooks, and this state:
    # https://docs.github.com/enterprise-server@latest/graphql/reference/enums#mergestatestatus
    return "has_hooks" if repo.declined_message else "clean"


def _blocked(engine: Engine, repo: Repository, pull: PullRequest) -> bool:
    """Whether rules object to every method that the repository allows, for more than being out of date."""
    methods = [method for method, allowed in allowed_methods(repo).items() if allowed]
    return not any(
        all(objection.text == objections.OUT_OF_DATE for objection in found)
        for found in (objections.against_enqueuing(engine, None, pull, method) for method in methods)
    )


def merge_pull(
    engine: Engine,
    viewer: User | None,
    pull: PullRequest,
    *,
    method: str = "merge",
    sha: str | None = None,
    title: str | None = None,
    message: str | None = None,
    delete_branch: bool | None = None,
) -> str:
    """Merge it and return the oid that base got: 405 when that cannot be, 409 when ``sha`` is not the head.

    ``delete_branch`` None follows the repository's setting. Members of a native stack are refused one by one.
    """
    repo = pulls.repository_of(engine, pull)
    accounts.require(engine, viewer, repo, "write")
    if viewer is None:  # pragma: no cover - require has refused already
        raise sign_in()
    with engine.transaction():
        _refuse(engine, viewer, repo, pull, method, sha)
        oid = _merge_commit(engine, viewer, repo, pull, method, title, message)
        if oid is None:
            raise ApiError(405, "Pull Request is not mergeable")
        _move_base(engine, viewer, repo, pull, oid)
        wants = repo.delete_branch_on_merge if delete_branch is None else delete_branch
        if wants:
            delete_head(engine, viewer, pull)
        return oid


def _refuse(
    engine: Engine,
    viewer: User,
    repo: Repository,
    pull: PullRequest,
    method: str,
    sha: str | None,
) -> None:
    """https://docs.github.com/rest/pulls/pulls#merge-a-pull-request; order and words as GitHub has them."""
    if method not in METHODS:
        raise ApiError(422, f"Invalid request.\n\n{method} is not a member of {json.dumps(METHODS)}.")
    if pull.state == "closed":
        raise ApiError(405, "Pull Request is not mergeable")
    if pull.draft:
        raise ApiError(405, "Pull Request is still a draft")
    if pulls.in_native_stack(engine, pull):
        raise _is_stacked()
    if engine.store.queue_entries.one(repo_id=pull.repo_id, number=pull.number) is not None:
        raise ApiError(405, "Pull Request is in the merge queue")  # objectstack-ai/objectui#6082
    if not allowed_methods(repo)[method]:
        raise ApiError(405, f"{objections.METHOD_NAMES[method]} are not allowed on this repository.")
    if sha is not None and sha != pull.head_oid:
        raise ApiError(409, "Head branch was modified. Review and try the merge again.")
    found = objections.against_merging(engine, viewer, pull, method)
    if found:
        raise objections.refusal(found)


def _is_stacked() -> ApiError:
    """REST: github/gh-stack#315, chdsbd/kodiak#923; GraphQL: tursodatabase/turso#8215, lararosekelley/git-stk#306."""
    docs = "https://docs.github.com/rest/pulls/pulls#merge-a-pull-request-asynchronously"
    text = "This pull request is part of a stack and must be merged using the asynchronous merge REST API."
    return ApiError(
        403,
        "Merging stacked PRs via this endpoint is not supported. Use the asynchronous merge endpoint instead.",
        texts=[f"{text} For more information, see {docs}"],
        docs=docs,
    )


def allowed_methods(repo: Repository) -> dict[str, bool]:
    """By method, whether the repository's settings allow it."""
    return {"merge": repo.allow_merge_commit, "squash": repo.allow_squash_merge, "rebase": repo.allow_rebase_merge}


def _merge_commit(
    engine: Engine,
    viewer: User,
    repo: Repository,
    pull: PullRequest,
    method: str,
    title: str | None,
    message: str | None,
) -> str | None:
    """Write what base will point to; None for a conflict."""
    git = engine.git(repo)
    if method == "rebase":
        return rebased(engine, git, viewer, pull.base_oid, pull.head_oid)
    tree = _merged_tree(engine, pull)
    if tree is None:
        return None
    text = messages.for_merge(engine, repo, pull, method, title, message)
    web = signature(engine, *WEB_FLOW)
    author = accounts.user(engine, pull.author_id) if method == "squash" else viewer
    parents = (pull.base_oid, pull.head_oid) if method == "merge" else (pull.base_oid,)
    return git.write_commit(tree, parents, person(engine, author), web, text)


def rebased(engine: Engine, git: GitRepo, viewer: User, onto: str, head: str) -> str | None:
    """Replay what ``head`` has over ``onto``; None for a conflict and when nothing is left."""
    tip = replayed(engine, git, viewer, git.graph.ahead(onto, head), onto)
    return None if tip == onto else tip


def replayed(engine: Engine, git: GitRepo, viewer: User, oids: Sequence[str], onto: str) -> str | None:
    """Replay commits, oldest first; the new tip, None for a conflict. Merges and empty ones are left out.

    The committer is whoever merges, and hashes change even where nothing needed replaying
    (https://docs.github.com/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/about-pull-request-merges#rebase-and-merge-your-commits).
    """
    tip = onto
    for oid in oids:
        commit = git.need(oid)
        if len(commit.parents) > 1:
            continue
        tree = git.merge_tree(commit.parents[0], tip, oid) if commit.parents else None
        if tree is None:
            return None
        if tree != git.need(tip).tree:
            tip = git.write_commit(tree, (tip,), commit.author, person(engine, viewer), commit.message)
    return tip


def person(engine: Engine, user: User) -> Person:
    """A user as author or committer, now."""
    return signature(engine, user.name or user.login, user.email or f"{user.login}@users.noreply.github.com")


def signature(engine: Engine, name: str, email: str) -> Person:
    """A name and address, now."""
    return Person(name, email, int(engine.clock.time()), "+0000")


def _move_base(engine: Engine, viewer: User, repo: Repository, pull: PullRequest, oid: str) -> None:
    """Move the base, in an order that a restart can finish: note the intent, move the ref, write the result."""
    pull.merging_oid, pull.merged_by_id = oid, viewer.id
    engine.store.pulls.save(pull)
    engine.store.commit()
    move = RefMove(HEADS + pull.base_ref, pull.base_oid, oid)
    git = engine.git(repo)
    try:
        git.update([move])
    except GitFailed as error:
        pull.merging_oid = pull.merged_by_id = None
        raise ApiError(405, "Base branch was modified. Review and try the merge again.") from error
    git.graph.add(oid)
    aftermath.mark_merged(engine, pull, viewer, oid)
    aftermath.refs_moved(engine, repo, viewer, [move])


def delete_head(engine: Engine, viewer: User, pull: PullRequest) -> None:
    """GitHub's own deletion of a merged head branch: what was based on it is retargeted, not closed.

    https://docs.github.com/pull-requests/collaborating-with-pull-requests/proposing-changes-to-your-work-with-pull-requests/about-branches#working-with-branches.
    But what closes them for want of a base runs beside that, and is sometimes faster: then they are closed
    (stickerdaniel/linkedin-mcp-server#619, Automattic/newspack-workspace#659, logos-blockchain/logos-blockchain#3340).
    """
    repo = pulls.repository_of(engine, pull)
    tip = engine.git(repo).branch(pull.head_ref) if pull.head_repo_id == repo.id else None
    if tip is None or pull.head_ref == repo.default_branch:
        return
    if pushrules.push_violation(engine, repo, viewer, pull.head_ref, tip, None):
        return
    retarget = {} if engine.settings.delete_race else {pull.head_ref: pull.base_ref}
    refs.delete_branch(engine, viewer, repo, pull.head_ref, retarget=retarget)


def update_branch(
    engine: Engine,
    viewer: User | None,
    pull: PullRequest,
    *,
    expected_head: str | None = None,
    method: str = "merge",
) -> str:
    """Bring base into head, by a merge commit or a rebase, and return the new head.

    https://docs.github.com/rest/pulls/pulls#update-a-pull-request-branch
    """
    repo = engine.store.repositories.get(pull.head_repo_id)
    if repo is None or viewer is None:
        raise ApiError(422, "The head repository was deleted.")
    accounts.require(engine, viewer, repo, "write")
    with engine.transaction():
        if expected_head is not None and expected_head != pull.head_oid:
            raise ApiError(422, "expected head sha didn't match current head ref.")
        git = engine.git(repo)
        if git.graph.is_ancestor(pull.base_oid, pull.head_oid):
            raise ApiError(422, "There are no new commits on the base branch.")
        oid = _updated_head(engine, git, viewer, pull, method)
        if oid is None:
            raise ApiError(422, "merge conflict between base and head")
        change = refs.RefChange(HEADS + pull.head_ref, oid, pull.head_oid, force=method == "rebase")
        timeline.record(engine, pull, "branch_updated", viewer, before=pull.head_oid, after=oid)
        refs.update_refs(engine, viewer, repo, [change])
        return oid


def _updated_head(engine: Engine, git: GitRepo, viewer: User, pull: PullRequest, method: str) -> str | None:
    if method == "rebase":
        return rebased(engine, git, viewer, pull.base_oid, pull.head_oid)
    tree = merge_tree(git, pull.head_oid, pull.base_oid)
    if tree is None:
        return None
    text = f"Merge branch '{pull.base_ref}' into {pull.head_ref}"
    return git.write_commit(
        tree, (pull.head_oid, pull.base_oid), person(engine, viewer), signature(engine, *WEB_FLOW), text
    )
