"""What happens to pull requests when refs move, by whatever way: push, merge, API, restart.

This is GitHub's nastiest corner, so every rule names its source.

* **Merged**: the base moved and now contains the head, for any base, for good
  (https://docs.github.com/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/about-pull-request-merges#indirect-merges;
  ezyang/ghstack#23, #46, #367; Mergifyio/mergify-cli#1559; github/gh-stack#411).
* **Closed**: the head moved to where nothing is left, above all onto the base itself; its head stays frozen there, so
  that it cannot be reopened even when the branch is put back (Avarok-Cybersecurity/atlas#952;
  Lucent-Financial-Group/Zeta#5011).
* **Closed**: the head branch or the base branch was deleted (cli/cli#1168; github/gh-stack#31).
* **Retargeted**: the base branch was deleted by GitHub itself just after merging that branch's own pull request
  (https://github.blog/changelog/2020-05-19-pull-request-retargeting/).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stackr.sandbox import accounts, stale, timeline
from stackr.sandbox.engine import Engine
from stackr.sandbox.git import GitRepo, RefMove
from stackr.sandbox.model import ZERO_OID, PullRequest, Repository, User


def refs_moved(
    engine: Engine,
    repo: Repository,
    actor: User | None,
    moves: Sequence[RefMove],
    *,
    retarget: Mapping[str, str] | None = None,
) -> None:
    """Settle every open pull request whose head or base moved, lowest number first.

    ``retarget`` maps a branch that GitHub itself deletes to the base its pull requests get instead.
    """
    branches = {move.branch: move for move in moves if move.branch is not None}
    if not branches:
        return
    with engine.transaction():
        git = engine.git(repo)
        for move in branches.values():
            if move.new != ZERO_OID:
                git.graph.add(move.new)
        repo.pushed_at = engine.now()
        engine.store.repositories.save(repo)
        touched = _touched(engine, repo, branches)
        _follow_heads(engine, repo, touched, branches)
        for pull in touched:
            head = branches.get(pull.head_ref) if pull.head_repo_id == repo.id else None
            base = branches.get(pull.base_ref) if pull.repo_id == repo.id else None
            if base is not None and base.new == ZERO_OID and retarget and pull.base_ref in retarget:
                base = _retarget(engine, git, pull, retarget[pull.base_ref], actor)
            _settle(engine, pull, head, base, actor)
        _note_deletions(engine, repo, branches, actor, {pull.id for pull in touched})


def _note_deletions(
    engine: Engine, repo: Repository, branches: Mapping[str, RefMove], actor: User | None, settled: set[int]
) -> None:
    """Merged pull requests show that their branch was deleted, too."""
    for name, move in branches.items():
        if move.new != ZERO_OID:
            continue
        for pull in engine.store.pulls.by(head_repo_id=repo.id, head_ref=name):
            if pull.id not in settled and pull.merged:
                timeline.record(engine, pull, "head_ref_deleted", actor, ref=name)


def _touched(engine: Engine, repo: Repository, branches: Mapping[str, RefMove]) -> list[PullRequest]:
    own = [p for p in engine.store.pulls.by(repo_id=repo.id) if p.base_ref in branches]
    heads = [p for name in branches for p in engine.store.pulls.by(head_repo_id=repo.id, head_ref=name)]
    found = {pull.id: pull for pull in [*own, *heads] if pull.state == "open"}
    return [found[key] for key in sorted(found)]


def _follow_heads(
    engine: Engine, repo: Repository, pulls: Sequence[PullRequest], branches: Mapping[str, RefMove]
) -> None:
    """Move ``refs/pull/N/head`` with the heads, in the repository the pull request is for.

    https://docs.github.com/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/checking-out-pull-requests-locally
    """
    targets: dict[int, list[RefMove]] = {}
    for pull in pulls:
        move = branches.get(pull.head_ref) if pull.head_repo_id == repo.id else None
        if move is None or move.new == ZERO_OID:
            continue
        name = f"refs/pull/{pull.number}/head"
        base_repo = engine.store.repositories.need(pull.repo_id)
        if base_repo.id != repo.id:
            fetch_across(engine, repo, base_repo, move.new)
        old = engine.git(base_repo).refs.get(name, ZERO_OID)
        targets.setdefault(base_repo.id, []).append(RefMove(name, old, move.new))
    for repo_id, moves in targets.items():
        engine.git(engine.store.repositories.need(repo_id)).set_pull_heads(moves)


def fetch_across(engine: Engine, source: Repository, target: Repository, oid: str) -> None:
    """Bring a commit of a fork into the repository its pull request is for."""
    git = engine.git(target)
    if git.commit(oid) is None:
        git.run("fetch", "-q", "--no-tags", "--no-write-fetch-head", str(engine.directory(source)), oid)
    git.graph.add(oid)


def _retarget(engine: Engine, git: GitRepo, pull: PullRequest, base_ref: str, actor: User | None) -> RefMove | None:
    old_ref, old_oid = pull.base_ref, pull.base_oid
    new_oid = git.branch(base_ref)
    if new_oid is None:
        return RefMove(f"refs/heads/{old_ref}", old_oid, ZERO_OID)
    pull.base_ref, pull.base_oid = base_ref, new_oid
    timeline.record(engine, pull, "automatic_base_change_succeeded", actor, old_base=old_ref, new_base=base_ref)
    stale.base_changed(engine, pull, actor)
    return RefMove(f"refs/heads/{base_ref}", old_oid, new_oid)


def _settle(engine: Engine, pull: PullRequest, head: RefMove | None, base: RefMove | None, actor: User | None) -> None:
    git = engine.git(engine.store.repositories.need(pull.repo_id))
    base_before = pull.base_oid
    if base is not None and base.new != ZERO_OID:
        _base_moved(engine, git, pull, base, actor)
    if head is not None and head.new != ZERO_OID:
        _head_moved(engine, git, pull, head, actor)
    if base is not None and base.new == ZERO_OID:
        timeline.record(engine, pull, "base_ref_deleted", actor, ref=pull.base_ref)
        close(engine, pull, actor)
        return
    contained = git.graph.is_ancestor(pull.head_oid, pull.base_oid)
    head_moved = head is not None and head.new != ZERO_OID
    # Both may move in one push; the base has merged it only if it did not have the new head before.
    base_took_it = base is not None and not (head_moved and git.graph.is_ancestor(pull.head_oid, base_before))
    if contained and base_took_it:
        merge_oid = _bringing_commit(git, pull)
        # What it brought is still shown afterwards, so its base stays the one before the merge.
        pull.base_oid = base_before
        mark_merged(engine, pull, actor, merge_oid)
    if head is not None and head.new == ZERO_OID:
        timeline.record(engine, pull, "head_ref_deleted", actor, ref=pull.head_ref)
        contained = True
    if contained and pull.state == "open":
        close(engine, pull, actor)


def _base_moved(engine: Engine, git: GitRepo, pull: PullRequest, move: RefMove, actor: User | None) -> None:
    if move.branch == pull.base_ref and move.old != ZERO_OID and not git.graph.is_ancestor(move.old, move.new):
        timeline.record(
            engine, pull, "base_ref_force_pushed", actor, ref=pull.base_ref, before=move.old, after=move.new
        )
    pull.base_oid = move.new
    engine.store.pulls.save(pull)


def _head_moved(engine: Engine, git: GitRepo, pull: PullRequest, move: RefMove, actor: User | None) -> None:
    before = pull.head_oid
    if before == move.new:  # opened, or reopened, after a push of which it is told only now
        return
    forced = not git.graph.is_ancestor(before, move.new)
    pull.head_oid = move.new
    kind = "head_ref_force_pushed" if forced else "pushed"
    timeline.record(engine, pull, kind, actor, ref=pull.head_ref, before=before, after=move.new)
    distrust(engine, pull, actor, "Head branch was pushed to by a user without write access")
    stale.head_changed(engine, pull, actor)


def distrust(engine: Engine, pull: PullRequest, actor: User | None, reason: str) -> None:
    """Auto-merge is off after somebody without write access changed what would merge.

    https://docs.github.com/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/automatically-merging-a-pull-request#about-auto-merge;
    the reason as in microsoft/winget-pkgs#96183.
    """
    repo = engine.store.repositories.need(pull.repo_id)
    if not accounts.may(engine, actor, repo, "write"):
        timeline.auto_merge_off(engine, pull, None, reason)


def _bringing_commit(git: GitRepo, pull: PullRequest) -> str:
    """The commit on the base's first-parent line that brought the head in: what GitHub shows as merge commit."""
    oid = pull.base_oid
    while oid != pull.head_oid:
        parents = git.graph.parents[oid]
        if not parents or not git.graph.is_ancestor(pull.head_oid, parents[0]):
            break
        oid = parents[0]
    return oid


def mark_merged(engine: Engine, pull: PullRequest, actor: User | None, merge_oid: str) -> None:
    """Make it merged, for good."""
    now = engine.now()
    pull.state, pull.merged_at, pull.closed_at = "closed", now, now
    pull.merged_by_id = pull.closed_by_id = actor.id if actor else None
    pull.merge_oid, pull.merging_oid, pull.auto_merge = merge_oid, None, None
    timeline.record(engine, pull, "merged", actor, commit_id=merge_oid, ref=pull.base_ref)
    timeline.record(engine, pull, "closed", actor)


def close(engine: Engine, pull: PullRequest, actor: User | None) -> None:
    """Close it without merging; head and base stay frozen as they are."""
    pull.state, pull.closed_at = "closed", engine.now()
    pull.closed_by_id = actor.id if actor else None
    timeline.auto_merge_off(engine, pull, None, "Pull request was closed")
    timeline.record(engine, pull, "closed", actor)


def recover(engine: Engine) -> None:
    """After a start: settle what a killed server left between moving refs and writing that down."""
    for repo in engine.store.repositories.all():
        pulls = [p for p in engine.store.pulls.by(repo_id=repo.id) if p.state == "open"]
        with engine.transaction():
            for pull in pulls:
                _recover_pull(engine, repo, pull)


def _recover_pull(engine: Engine, repo: Repository, pull: PullRequest) -> None:
    git = engine.git(repo)
    author = engine.store.users.get(pull.author_id)
    base_oid = git.branch(pull.base_ref)
    if (
        pull.merging_oid
        and base_oid
        and git.commit(pull.merging_oid)
        and git.graph.is_ancestor(pull.merging_oid, base_oid)
    ):
        merger = engine.store.users.get(pull.merged_by_id) or author
        mark_merged(engine, pull, merger, pull.merging_oid)
        return
    pull.merging_oid = None
    head_repo = engine.store.repositories.get(pull.head_repo_id)
    head_oid = engine.git(head_repo).branch(pull.head_ref) if head_repo else None
    head = _difference(pull.head_ref, pull.head_oid, head_oid)
    base = _difference(pull.base_ref, pull.base_oid, base_oid)
    if head_repo and head and head.new != ZERO_OID:
        _follow_heads(engine, head_repo, [pull], {pull.head_ref: head})
    if head or base:
        _settle(engine, pull, head, base, author)


def _difference(branch: str, before: str, now: str | None) -> RefMove | None:
    return None if now == before else RefMove(f"refs/heads/{branch}", before, now or ZERO_OID)
