"""Where the local branches and HEAD stand among open pull requests; for an overview of all stacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from stackr.core.identity import ID_DIGITS, change_id, short_id
from stackr.core.model import Commit, PullRequest
from stackr.core.overview import Place
from stackr.core.ports import LocalState, Repo
from stackr.observe.local import OWN_TRUNK


def read_places(repo: Repo, remote: str, trunk: str, pulls: Sequence[PullRequest]) -> tuple[Place, ...]:
    """A place for every local branch, and one for HEAD: the highest of its changes that has an open pull request."""
    state = repo.local_state(remote)
    branches = {ref: oid for ref, oid in state.refs.items() if ref.startswith("refs/heads/")}
    tips = {*branches.values(), *([state.head.oid] if state.head else [])}
    commits = {commit.oid: commit for commit in _commits(repo, state, remote, trunk, tips)}
    open_ones = {pull.head_ref[-ID_DIGITS:] for pull in pulls}
    places = [
        Place(ref.removeprefix("refs/heads/"), _nearest(oid, commits, open_ones)) for ref, oid in branches.items()
    ]
    if state.head is not None:
        places.append(Place(None, _nearest(state.head.oid, commits, open_ones), is_head=True))
    return tuple(places)


def _commits(repo: Repo, state: LocalState, remote: str, trunk: str, tips: Collection[str]) -> Collection[Commit]:
    """What lies between trunk and the tips; the tips alone while trunk is not known here."""
    oid = state.refs.get(f"refs/remotes/{remote}/{trunk}") or state.refs.get(OWN_TRUNK + trunk)
    return repo.list_commits(sorted(tips), [oid]) if oid else repo.read_commits(sorted(tips)).values()


def _nearest(tip: str, commits: Mapping[str, Commit], open_ones: Collection[str]) -> str:
    """The id of the first commit, from the tip downwards, that is one of ``open_ones``; ``""`` if none is."""
    commit = commits.get(tip)
    while commit is not None:
        change = change_id(commit.message)
        if short_id(change) in open_ones:
            return change
        commit = commits.get(commit.parents[0]) if commit.parents else None
    return ""
