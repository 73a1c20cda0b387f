"""One pull request with the history of its branch, whoever made it; no local stack is needed.

One request to GitHub, a second when the pull request stands on another branch than trunk, and one fetch of what is not
here. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from stackr.core.model import Commit, Graph, PullRequest, PullState
from stackr.core.ports import Forge, ForgeFacts, LocalState, ReadRequest, Repo
from stackr.core.sought import Sought
from stackr.errors import Refused, UsageError
from stackr.observe.fetching import fetch_missing, trunk_refspec
from stackr.observe.outsiders import current_pull
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Seen:
    """A pull request, the tip of its base (``None``: that branch is gone), and the commits trunk does not have.

    ``commits`` holds what its head and its base reach, parents before children.
    """

    pull: PullRequest
    below: str | None
    commits: Mapping[str, Commit]

    @property
    def graph(self) -> Graph:
        """How these commits hang together."""
        return Graph({oid: commit.parents for oid, commit in self.commits.items()})


def observe_one(repo: Repo, forge: Forge, remote: str, sought: Sought) -> Seen:
    """What GitHub says of one pull request; raises as ``find_pull`` does."""
    state = repo.local_state(remote)
    pull, facts = find_pull(forge, sought)
    below = facts.trunk_oid
    if pull.base_ref != facts.trunk:
        below = forge.read(ReadRequest((pull.base_ref,))).branches[pull.base_ref]
    _fetch(repo, state, remote, pull, facts, below)
    head = repo.read_commits([pull.head_oid])
    if not head:
        raise Refused(
            f"the branch of #{pull.number} moved meanwhile",
            next_step="run the same command again: it reads everything anew",
        )
    tips = [pull.head_oid, *([below] if below is not None else [])]
    commits = repo.list_commits(tips, _before(repo, pull, facts))
    return Seen(pull, below, {commit.oid: commit for commit in commits})


def find_pull(forge: Forge, sought: Sought) -> tuple[PullRequest, ForgeFacts]:
    """A pull request by its number, or by its head branch.

    Raises ``UsageError`` when there is none of that number, ``Refused`` when the change has none.
    """
    if sought.head_ref:
        facts = forge.read(ReadRequest((sought.head_ref,)))
        pull = current_pull(facts, sought.head_ref)
    else:
        facts = forge.read(ReadRequest(numbers=(sought.number,) if sought.number is not None else ()))
        pull = facts.by_number.get(sought.number or 0)
        if pull is None:
            raise UsageError(
                f"{sought.name} is no pull request of this repository", next_step="stackr status --all lists yours"
            )
    if pull is None:
        raise Refused(f"{sought.name} has no pull request", next_step="stackr submit creates it")
    return pull, facts


def _fetch(repo: Repo, state: LocalState, remote: str, pull: PullRequest, facts: ForgeFacts, below: str | None) -> None:
    """The head by its number, since its branch may be gone or in a fork."""
    tips = {f"refs/pull/{pull.number}/head": pull.head_oid}
    if facts.trunk_oid is not None:
        tips[trunk_refspec(state, remote, facts.trunk)] = facts.trunk_oid
    if below is not None and pull.base_ref != facts.trunk:
        tips[f"refs/heads/{pull.base_ref}"] = below
    fetch_missing(repo, remote, tips)


def _before(repo: Repo, pull: PullRequest, facts: ForgeFacts) -> list[str]:
    """Trunk, as it was before the pull request was merged into it."""
    merge = repo.read_commits([pull.merge_commit or ""]) if pull.state is PullState.MERGED else {}
    parents = [commit.parents[0] for commit in merge.values() if commit.parents]
    return parents or ([facts.trunk_oid] if facts.trunk_oid is not None else [])
