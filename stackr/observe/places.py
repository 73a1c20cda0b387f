"""Where the local branches and HEAD stand among open pull requests; for an overview of all stacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from stackr.core.identity import ID_DIGITS, change_id, short_id
from stackr.core.model import Commit, PullRequest
from stackr.core.overview import Place
from stackr.core.ownership import named_branches
from stackr.core.ports import LocalState, Repo
from stackr.observe.local import OWN_TRUNK
from stackr.records import dataclass


def read_places(repo: Repo, remote: str, trunk: str, pulls: Sequence[PullRequest]) -> tuple[Place, ...]:
    """A place for every local branch, and one for HEAD: the highest of its changes that has an open pull request."""
    state = repo.local_state(remote)
    branches = {ref: oid for ref, oid in state.refs.items() if ref.startswith("refs/heads/")}
    tips = {*branches.values(), *([state.head.oid] if state.head else [])}
    commits = {commit.oid: commit for commit in _commits(repo, state, remote, trunk, tips)}
    open_ones = [pull.head_ref for pull in pulls]
    known = _Known(frozenset(open_ones), {ref[-ID_DIGITS:]: ref for ref in open_ones}, named_branches(state.refs))
    places = [Place(ref.removeprefix("refs/heads/"), _nearest(oid, commits, known)) for ref, oid in branches.items()]
    if state.head is not None:
        places.append(Place(None, _nearest(state.head.oid, commits, known), is_head=True))
    return tuple(places)


@dataclass(frozen=True, slots=True)
class _Known:
    """Head branches of open pull requests, also by what they end in, and branches that are recorded, by change id."""

    open_ones: frozenset[str]
    endings: Mapping[str, str]
    named: Mapping[str, str]

    def head_ref(self, change: str) -> str | None:
        """The head branch of a change, if it has an open pull request."""
        named = self.named.get(change, "")
        return named if named in self.open_ones else self.endings.get(short_id(change))


def _commits(repo: Repo, state: LocalState, remote: str, trunk: str, tips: Collection[str]) -> Collection[Commit]:
    """What lies between trunk and the tips; the tips alone while trunk is not known here."""
    oid = state.refs.get(f"refs/remotes/{remote}/{trunk}") or state.refs.get(OWN_TRUNK + trunk)
    return repo.list_commits(sorted(tips), [oid]) if oid else repo.read_commits(sorted(tips)).values()


def _nearest(tip: str, commits: Mapping[str, Commit], known: _Known) -> str:
    """The head branch of the first commit, from the tip downwards, that has an open pull request; else ``""``."""
    commit = commits.get(tip)
    while commit is not None:
        head_ref = known.head_ref(change_id(commit.message))
        if head_ref is not None:
            return head_ref
        commit = commits.get(commit.parents[0]) if commit.parents else None
    return ""
