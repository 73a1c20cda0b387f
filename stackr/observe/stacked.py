"""Somebody's stack as GitHub has it: the pull requests from trunk up to one of them, and the history of their branches.

One request for a pull request on trunk, two for a stack (its list names the members), one more for a chain that no
tool keeps a list of; and one fetch of what is not here.
"""

from __future__ import annotations

from collections.abc import Mapping

from stackr.core import chain, ghstack
from stackr.core.guards import refuse_busy
from stackr.core.model import Commit, Graph, PullRequest, PullState, Trunk
from stackr.core.ports import Forge, ForgeFacts, LocalState, ReadRequest, Repo
from stackr.core.sought import Sought
from stackr.errors import Refused
from stackr.observe.fetching import fetch_missing, trunk_refspec
from stackr.observe.one import find_pull
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Stacked:
    """Pull requests, bottom first, the trunk they stand on, and the commits of their branches that trunk lacks.

    ``commits`` holds parents before children; ``facts`` are those of the last request.
    """

    trunk: Trunk
    pulls: tuple[PullRequest, ...]
    commits: Mapping[str, Commit]
    state: LocalState
    facts: ForgeFacts

    @property
    def graph(self) -> Graph:
        """How the commits hang together."""
        return Graph({oid: commit.parents for oid, commit in self.commits.items()})


def observe_stacked(repo: Repo, forge: Forge, remote: str, template: str, sought: Sought) -> Stacked:
    """The stack up to one pull request. Raises ``Refused`` when it is not there, not open, or from a fork.

    Also in the middle of a rebase and the like, before anything is asked.
    """
    state = repo.local_state(remote)
    refuse_busy(state.busy)
    target, facts = find_pull(forge, sought)
    _refuse_unfit(target, remote)
    pulls = _read_chain(forge, target, facts, template)
    base = pulls[0].base_ref
    _refuse_ghstacks(pulls[0], remote)
    if base != facts.trunk:
        facts = forge.read(ReadRequest(trunk=base))
    if facts.trunk_oid is None:
        raise Refused(
            f'the branch "{base}", which #{pulls[0].number} targets, does not exist on GitHub',
            next_step=f"give #{pulls[0].number} another base on its page",
        )
    _fetch(repo, state, remote, pulls, facts)
    commits = repo.list_commits([pull.head_oid for pull in pulls], [facts.trunk_oid])
    return Stacked(Trunk(base, facts.trunk_oid), pulls, {commit.oid: commit for commit in commits}, state, facts)


def _refuse_unfit(pull: PullRequest, remote: str) -> None:
    look = f"git fetch {remote} pull/{pull.number}/head && git switch --detach FETCH_HEAD shows its files"
    if pull.cross_repository:
        raise Refused(
            f"#{pull.number} comes from a fork, and a stack needs its branches in this repository",
            next_step=look,
        )
    if pull.state is not PullState.OPEN:
        how = f'merged into "{pull.base_ref}"' if pull.state is PullState.MERGED else "closed"
        raise Refused(
            f"#{pull.number} is {how}",
            next_step=look,
        )


def _refuse_ghstacks(pull: PullRequest, remote: str) -> None:
    """What ghstack made stands on nothing that leads to the pull request below; its ``orig`` branch has the commits."""
    if ghstack.is_base(pull.base_ref):
        branch = ghstack.orig_of(pull.head_ref) or pull.head_ref
        raise Refused(
            f"#{pull.number} was submitted with ghstack",
            next_step=f"git fetch {remote} {branch} && git switch -c NAME FETCH_HEAD checks it out; "
            "stackr adopt takes it over",
        )


def _read_chain(forge: Forge, target: PullRequest, facts: ForgeFacts, template: str) -> tuple[PullRequest, ...]:
    """Down to trunk: by the stack list, then by what is open, then a branch at a time."""
    known: dict[int, PullRequest] = {}
    asked: set[str] = set()
    pulls: tuple[PullRequest, ...] = (target,)
    while (base := pulls[0].base_ref) != facts.trunk and base not in asked:
        listed = [number for number in chain.listed_below(pulls[0]) if number not in known]
        more = forge.read(ReadRequest((base,), numbers=tuple(listed)))
        asked.add(base)
        fresh = [*more.by_number.values(), *chain.of_heads(more.pulls, template)]
        if not listed and fresh and not known:
            fresh += forge.list_open_pulls()
        known |= {pull.number: pull for pull in fresh if not pull.cross_repository}
        pulls = chain.walk(target, known.values(), facts.trunk)
    return pulls


def _fetch(repo: Repo, state: LocalState, remote: str, pulls: tuple[PullRequest, ...], facts: ForgeFacts) -> None:
    """What is not here yet; the branch of what has ended may be gone, but its number still has the commits."""
    tips = {f"refs/pull/{pull.number}/head": pull.head_oid for pull in pulls}
    tips[trunk_refspec(state, remote, facts.trunk)] = facts.trunk_oid or ""
    fetch_missing(repo, remote, tips)
    present = repo.read_commits(tips.values())
    gone = [pull for pull in pulls if pull.head_oid not in present]
    if gone or facts.trunk_oid not in present:
        name = f"the branch of #{gone[0].number}" if gone else f'"{facts.trunk}"'
        raise Refused(f"{name} moved meanwhile", next_step="run the same command again: it reads everything anew")
