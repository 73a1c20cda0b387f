"""The stack as this clone knows it, without the network: commits, ids, head branches, and what may have left it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from stackr.core import identity
from stackr.core.model import Commit, Graph, Head
from stackr.core.ownership import BRANCHES, HEADS, LANDED, PUSHING, named_branches
from stackr.core.ports import LocalState, Repo
from stackr.observe.wanted import Wanted
from stackr.records import dataclass

OWN_TRUNK = "refs/stackr/trunk/"


@dataclass(frozen=True, slots=True)
class Local:
    """The stack as this clone knows it, relative to one trunk commit (``None``: not known yet).

    ``head`` is HEAD, with the branch it is known to belong to; ``heads`` maps change ids to head branches,
    ``candidates`` head branches of changes that may have left the stack to their ids, ``on_trunk`` those of changes
    whose recorded head is not above trunk (any more).
    """

    trunk_oid: str | None
    commits: tuple[Commit, ...] = ()
    ids: tuple[str, ...] = ()
    head: Head | None = None
    heads: Mapping[str, str] = field(default_factory=dict)
    candidates: Mapping[str, str] = field(default_factory=dict)
    on_trunk: Mapping[str, str] = field(default_factory=dict)
    graph: Graph = field(default_factory=Graph)


def known_trunk(state: LocalState, wanted: Wanted, name: str | None) -> str | None:
    """The trunk's tip as this clone knows it: the tracking branch, or our own ref where the fetch refspec is narrow."""
    if name is None:
        return None
    return state.refs.get(f"refs/remotes/{wanted.remote}/{name}") or state.refs.get(OWN_TRUNK + name)


def likely_trunk(state: LocalState, wanted: Wanted) -> str | None:
    """A guess until GitHub has spoken, where nobody named the trunk and the clone has no ``origin/HEAD``.

    It saves a request when it is right: the only trunk that is kept in a ref of our own, else the usual names.
    """
    kept = [ref.removeprefix(OWN_TRUNK) for ref in state.refs if ref.startswith(OWN_TRUNK)]
    usual = [name for name in ("main", "master") if f"refs/remotes/{wanted.remote}/{name}" in state.refs]
    names = kept or usual
    return names[0] if len(names) == 1 else None


def read_local(repo: Repo, state: LocalState, head: Head, wanted: Wanted, trunk_oid: str | None) -> Local:
    """The stack above ``trunk_oid``, bottom first; nothing is known when the trunk is not."""
    if trunk_oid is None:
        return Local(None)
    head, commits = _line(repo, state, head, trunk_oid)
    ids = tuple(_id_of(commit, wanted) for commit in commits)
    known = list(_known_branches(state, wanted))
    named = {**named_branches(state.refs), **{claim.change_id: claim.head_ref for claim in wanted.claims.values()}}
    heads = {
        change: named.get(change)
        or identity.known_head_ref(change, known)
        or identity.head_ref(change, wanted.user, wanted.template)
        for change in ids
    }
    records = {ref: oid for ref, oid in state.refs.items() if ref.startswith((HEADS, PUSHING, BRANCHES))}
    parents = repo.read_graph(sorted(set(records.values())), [trunk_oid]) if records else {}
    graph = Graph({**parents, **{commit.oid: commit.parents for commit in commits}})
    others = _others(records, heads, named)
    return Local(
        trunk_oid,
        commits,
        ids,
        head,
        heads,
        _candidates(records, others, heads, graph),
        {
            branch: change
            for branch, change in others.items()
            if records[HEADS + change] not in parents or LANDED + change in state.refs
        },
        graph,
    )


def _id_of(commit: Commit, wanted: Wanted) -> str:
    claim = wanted.claims.get(commit.oid)
    return claim.change_id if claim else identity.change_id(commit.message) or identity.new_id(commit)


def _line(repo: Repo, state: LocalState, head: Head, trunk_oid: str) -> tuple[Head, tuple[Commit, ...]]:
    """The commits above trunk up to HEAD, or up to the branch that HEAD belongs to, if it is still below that.

    HEAD may be on trunk meanwhile, where the lower part of the stack has landed as it is.
    """
    tip = state.refs.get(head.top) if head.top and head.top not in state.other_worktrees else None
    if tip is not None:
        commits = repo.list_commits([tip], [trunk_oid])
        if any(commit.oid == head.oid for commit in commits) or not repo.list_commits([head.oid], [tip]):
            return head, commits
    return replace(head, top=None), repo.list_commits([head.oid], [trunk_oid])


def _known_branches(state: LocalState, wanted: Wanted) -> Iterable[str]:
    """Short names of head branches this clone has heard of; our own records first."""
    tracking = f"refs/remotes/{wanted.remote}/"
    yield from (ref.removeprefix(BRANCHES) for ref in state.refs if ref.startswith(BRANCHES))
    yield from (ref.removeprefix(tracking) for ref in state.refs if ref.startswith(tracking))


def _others(records: Mapping[str, str], heads: Mapping[str, str], named: Mapping[str, str]) -> dict[str, str]:
    """Branch to id of every recorded change that is not in the stack."""
    known = sorted({ref.removeprefix(HEADS) for ref in records if ref.startswith(HEADS)} - heads.keys())
    branches = [ref.removeprefix(BRANCHES) for ref in records if ref.startswith(BRANCHES)]
    found = {change: named.get(change) or identity.known_head_ref(change, branches) for change in known}
    return {branch: change for change, branch in found.items() if branch is not None}


def _candidates(
    records: Mapping[str, str], others: Mapping[str, str], heads: Mapping[str, str], graph: Graph
) -> dict[str, str]:
    """Those of ``others`` that once were in one line with this stack's branches."""
    mine = {records[BRANCHES + ref] for ref in heads.values() if BRANCHES + ref in records}
    return {
        branch: change
        for branch, change in others.items()
        if (tip := records[HEADS + change]) in graph.parents
        and any(graph.contains(tip, oid) or graph.contains(oid, tip) for oid in mine)
    }


def stack_branches(state: LocalState) -> Iterable[str]:
    """Short names of the head branches that this clone has pushed or taken in."""
    yield from (ref.removeprefix(BRANCHES) for ref in state.refs if ref.startswith(BRANCHES))
