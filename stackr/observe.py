"""Read-only: facts of git and GitHub, put together into a ``Stack``. Decides nothing; writes nothing but a fetch.

In the usual case one request to GitHub and no fetch: what is here already is not fetched again. It takes a second
request only when the first answer names something unknown: another trunk, or a pull request of the stack list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from stackr.core import body, identity
from stackr.core.guards import refuse_busy
from stackr.core.model import Change, Commit, Graph, Head, Orphan, PullRequest, PullState, Stack, Trunk
from stackr.core.ownership import BRANCHES, HEADS, PUSHING, foreign_changes
from stackr.core.ports import Forge, ForgeFacts, LocalState, ReadRequest, Repo
from stackr.core.trunk import TrunkChoice
from stackr.errors import Refused

OWN_TRUNK = "refs/stackr/trunk/"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look at and how hard.

    ``template`` and ``user`` name head branches (core.identity.head_ref); ``writes`` refuses a repository in the middle of
    a rebase before anything else is asked.
    """

    remote: str
    user: str
    template: str
    trunk: TrunkChoice = field(default_factory=TrunkChoice)
    fetch: bool = True
    writes: bool = False
    details: bool = False
    checks: bool = False


@dataclass(frozen=True, slots=True)
class Observed:
    """A stack and where it came from; ``facts`` is ``None`` when nobody asked GitHub."""

    stack: Stack
    state: LocalState
    facts: ForgeFacts | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Local:
    """The stack as this clone knows it, relative to one trunk commit (``None``: not known yet).

    ``heads`` maps change ids to head branches, ``candidates`` head branches of changes that may have left the stack to
    their ids.
    """

    trunk_oid: str | None
    commits: tuple[Commit, ...] = ()
    ids: tuple[str, ...] = ()
    heads: Mapping[str, str] = field(default_factory=dict)
    candidates: Mapping[str, str] = field(default_factory=dict)
    graph: Graph = field(default_factory=Graph)


def observe(repo: Repo, forge: Forge, wanted: Wanted) -> Observed:
    """Everything a planner needs. Raises ``Refused`` when there is no commit yet or the trunk does not exist."""
    state = repo.local_state(wanted.remote)
    if wanted.writes:
        refuse_busy(state.busy)
    head = _require_head(state)
    name = replace(wanted.trunk, remote_head=state.remote_head).name(())
    local = _read_local(repo, state, head, wanted, _known_trunk(state, wanted, name))
    facts = forge.read(_request(local, wanted, name))
    name = _choose_trunk(facts, local, state, wanted)
    if name != facts.trunk:
        facts = forge.read(_request(local, wanted, name))
    trunk_oid = _require_trunk(repo, state, facts, wanted, name)
    if trunk_oid != local.trunk_oid:
        local = _read_local(repo, state, head, wanted, trunk_oid)
        if not set(local.heads.values()) <= facts.branches.keys():
            facts = forge.read(_request(local, wanted, name))
    _fetch(repo, state, wanted, facts, facts.branches)
    return _assemble(repo, forge, state, wanted, local, facts, Trunk(name, trunk_oid))


def observe_offline(repo: Repo, wanted: Wanted) -> Observed:
    """The stack from local facts alone: head branches are where this clone last saw them, pull requests unknown."""
    state = repo.local_state(wanted.remote)
    head = _require_head(state)
    name = replace(wanted.trunk, remote_head=state.remote_head).name(())
    trunk_oid = _known_trunk(state, wanted, name)
    if name is None or trunk_oid is None:
        raise Refused(
            "the trunk is not known without the network", next_step="git fetch, or name it with --base BRANCH"
        )
    local = _read_local(repo, state, head, wanted, trunk_oid)
    branches = {ref: state.refs.get(BRANCHES + ref) for ref in local.heads.values()}
    facts = ForgeFacts("", name, True, name, trunk_oid, branches)
    observed = _assemble(repo, None, state, wanted, local, facts, Trunk(name, trunk_oid))
    return replace(observed, facts=None)


def _require_head(state: LocalState) -> Head:
    if state.head is None:
        raise Refused("the current branch has no commit yet", next_step="commit something, then run stackr again")
    return state.head


def _known_trunk(state: LocalState, wanted: Wanted, name: str | None) -> str | None:
    """The trunk's tip as this clone knows it: the tracking branch, or our own ref where the fetch refspec is narrow."""
    if name is None:
        return None
    return state.refs.get(f"refs/remotes/{wanted.remote}/{name}") or state.refs.get(OWN_TRUNK + name)


def _read_local(repo: Repo, state: LocalState, head: Head, wanted: Wanted, trunk_oid: str | None) -> Local:
    if trunk_oid is None:
        return Local(None)
    commits = repo.list_commits([head.oid], [trunk_oid])
    ids = tuple(identity.change_id(commit.message) or identity.new_id(commit) for commit in commits)
    known = list(_known_branches(state, wanted))
    heads = {
        change: identity.known_head_ref(change, known) or identity.head_ref(change, wanted.user, wanted.template)
        for change in ids
    }
    records = {ref: oid for ref, oid in state.refs.items() if ref.startswith((HEADS, PUSHING, BRANCHES))}
    parents = repo.read_graph(sorted(set(records.values())), [trunk_oid]) if records else {}
    graph = Graph({**parents, **{commit.oid: commit.parents for commit in commits}})
    return Local(trunk_oid, commits, ids, heads, _candidates(records, heads, graph, set(parents)), graph)


def _known_branches(state: LocalState, wanted: Wanted) -> Iterable[str]:
    """Short names of head branches this clone has heard of; our own records first."""
    tracking = f"refs/remotes/{wanted.remote}/"
    yield from (ref.removeprefix(BRANCHES) for ref in state.refs if ref.startswith(BRANCHES))
    yield from (ref.removeprefix(tracking) for ref in state.refs if ref.startswith(tracking))


def _candidates(records: Mapping[str, str], heads: Mapping[str, str], graph: Graph, alive: set[str]) -> dict[str, str]:
    """Branches of changes that once were in one line with this stack's branches and whose id is not in it now."""
    mine = {records[BRANCHES + ref] for ref in heads.values() if BRANCHES + ref in records}
    known = {ref.removeprefix(HEADS) for ref in records if ref.startswith(HEADS)} - heads.keys()
    found = {}
    for change in sorted(known):
        tip = records[HEADS + change]
        branch = identity.known_head_ref(change, (ref.removeprefix(BRANCHES) for ref in records))
        related = any(graph.contains(tip, oid) or graph.contains(oid, tip) for oid in mine)
        if branch is not None and tip in alive and related:
            found[branch] = change
    return found


def _request(local: Local, wanted: Wanted, trunk: str | None) -> ReadRequest:
    heads = tuple(dict.fromkeys([*local.heads.values(), *local.candidates]))
    return ReadRequest(heads, trunk, details=wanted.details, checks=wanted.checks)


def _choose_trunk(facts: ForgeFacts, local: Local, state: LocalState, wanted: Wanted) -> str:
    branches = {*facts.branches, *_known_branches_of_stacks(state)}
    pulls = [pull for change in local.ids if (pull := _current_pull(facts, local.heads[change]))]
    bottom = pulls[0].base_ref if pulls and pulls[0].state is PullState.OPEN else None
    choice = replace(wanted.trunk, bottom_base=bottom, remote_head=state.remote_head)
    return choice.name(branches) or facts.default_branch


def _known_branches_of_stacks(state: LocalState) -> Iterable[str]:
    yield from (ref.removeprefix(BRANCHES) for ref in state.refs if ref.startswith(BRANCHES))


def _current_pull(facts: ForgeFacts, head_ref: str) -> PullRequest | None:
    """The pull request of a head branch: the open one, else the newest."""
    pulls = facts.pulls.get(head_ref, ())
    return next((pull for pull in pulls if pull.state is PullState.OPEN), pulls[0] if pulls else None)


def _require_trunk(repo: Repo, state: LocalState, facts: ForgeFacts, wanted: Wanted, name: str) -> str:
    """The trunk's tip, fetched if it is not here; with ``--no-fetch`` the tip that is known here."""
    if facts.trunk_oid is None:
        raise Refused(
            f'the branch "{name}" does not exist on GitHub',
            next_step=f"name the branch your stack should land on with --base BRANCH "
            f'(the default branch is "{facts.default_branch}")',
        )
    if repo.read_commits([facts.trunk_oid]):
        return facts.trunk_oid
    _fetch(repo, state, wanted, facts, facts.branches)
    oid = facts.trunk_oid if wanted.fetch else _known_trunk(state, wanted, name)
    if oid is None:
        raise Refused(f'"{name}" has never been fetched here', next_step="run it again without --no-fetch")
    return oid


def _fetch(repo: Repo, state: LocalState, wanted: Wanted, facts: ForgeFacts, heads: Mapping[str, str | None]) -> None:
    """One fetch of just the branches whose tips are not here; none if all are."""
    if not wanted.fetch:
        return
    tips = {f"refs/heads/{ref}": oid for ref, oid in heads.items() if oid is not None}
    if facts.trunk_oid is not None:
        # A narrow fetch refspec keeps no tracking branch of trunk: remember it in a ref of our own.
        source = f"refs/heads/{facts.trunk}"
        tracked = f"refs/remotes/{wanted.remote}/{facts.trunk}" in state.refs
        tips[source if tracked else f"+{source}:{OWN_TRUNK}{facts.trunk}"] = facts.trunk_oid
    present = repo.read_commits(tips.values())
    missing = [refspec for refspec, oid in tips.items() if oid not in present]
    if missing:
        repo.fetch(wanted.remote, missing)


def _assemble(
    repo: Repo,
    forge: Forge | None,
    state: LocalState,
    wanted: Wanted,
    local: Local,
    facts: ForgeFacts,
    trunk: Trunk,
) -> Observed:
    changes = tuple(
        Change(
            change,
            commit,
            local.heads[change],
            facts.branches.get(local.heads[change]),
            state.refs.get(HEADS + change),
            state.refs.get(PUSHING + change),
            _current_pull(facts, local.heads[change]),
        )
        for change, commit in zip(local.ids, local.commits, strict=True)
    )
    graph = _complete_graph(repo, local, changes, trunk)
    point = changes[0].commit.parents[:1] if changes else ()
    tips = [change.remote_head for change in changes if change.remote_head]
    trees = {oid: commit.tree for oid, commit in repo.read_commits([*tips, *point]).items()}
    stack = Stack(
        trunk,
        _require_head(state),
        changes,
        graph=graph,
        trees=trees,
        local_branches={ref: oid for ref, oid in state.refs.items() if ref.startswith("refs/heads/")},
        newer_trunk=_newer_trunk(repo, changes, graph, trunk),
        own_refs={ref: oid for ref, oid in state.refs.items() if ref.startswith("refs/stackr/")},
        remote=wanted.remote,
        repository_id=facts.repository_id,
    )
    stack = replace(stack, foreign=_foreign(repo, stack))
    return Observed(_with_outsiders(repo, forge, stack, local, facts), state, facts, facts.warnings)


def _complete_graph(repo: Repo, local: Local, changes: tuple[Change, ...], trunk: Trunk) -> Graph:
    """The graph with remote heads that no record of ours led to (a second machine, a colleague's push)."""
    unknown = [c.remote_head for c in changes if c.remote_head and c.remote_head not in local.graph.parents]
    if not unknown:
        return local.graph
    return local.graph.with_commits(repo.read_graph(unknown, [trunk.oid]))


def _edges(graph: Graph, oid: str) -> set[str]:
    """The trunk commits that a head stands on: its nearest ancestors outside what was read."""
    return {ancestor for ancestor in graph.ancestors(oid) if ancestor not in graph.parents} - {oid}


def _newer_trunk(repo: Repo, changes: tuple[Change, ...], graph: Graph, trunk: Trunk) -> dict[str, str]:
    """By change id, a trunk commit that its remote head contains and the local stack does not."""
    if not changes or not changes[0].commit.parents or changes[0].commit.parents[0] == trunk.oid:
        return {}
    point = changes[0].commit.parents[0]
    edges = {c.id: _edges(graph, c.remote_head) - {point} for c in changes if c.remote_head}
    every = sorted(set().union(*edges.values()))
    if not every:
        return {}
    newer = repo.read_graph(every, [point]).keys() & set(every)
    return {change: min(found) for change, some in edges.items() if (found := some & newer)}


def _foreign(repo: Repo, stack: Stack) -> dict[str, tuple[Commit, ...]]:
    """The commits others pushed, by change id, oldest first as far as the history tells."""
    found = {}
    for change in foreign_changes(stack):
        ours = set(stack.graph.ancestors(change.accepted or change.commit.oid))
        for other in stack.changes:
            if other.id != change.id and other.remote_head:
                ours |= stack.graph.ancestors(other.remote_head)
        theirs = [oid for oid in stack.graph.ancestors(change.remote_head or "") - ours if oid in stack.graph.parents]
        commits = repo.read_commits(theirs)
        found[change.id] = tuple(sorted(commits.values(), key=lambda commit: len(stack.graph.ancestors(commit.oid))))
    return found


def _with_outsiders(repo: Repo, forge: Forge | None, stack: Stack, local: Local, facts: ForgeFacts) -> Stack:
    """Add what the stack lists and our records tell of changes that are not in the stack any more."""
    mine = {change.pull.number for change in stack.changes if change.pull}
    rows = [row for change in stack.changes if change.pull for row in _rows(change.pull)]
    others = {pull.number: pull for ref in local.candidates if (pull := _current_pull(facts, ref))}
    unknown = {row.number for row in rows if row.number and not row.landed} - mine - others.keys()
    if unknown and forge is not None:
        asked = forge.read(ReadRequest(trunk=stack.trunk.name, numbers=tuple(sorted(unknown))))
        others |= asked.by_number
    landed = [row.number for row in rows if row.landed and row.number is not None]
    landed += [number for number, pull in sorted(others.items()) if number in unknown and _is_merged(pull)]
    open_ones = {number: pull for number, pull in others.items() if pull.state is PullState.OPEN}
    elsewhere = _on_other_branches(repo, stack, open_ones.values())
    return replace(
        stack,
        landed_numbers=tuple(number for number in dict.fromkeys(landed) if number not in mine),
        orphans=tuple(
            Orphan(pull, local.candidates.get(pull.head_ref, ""))
            for number, pull in sorted(open_ones.items())
            if number not in elsewhere
        ),
        relatives=tuple(pull for number, pull in sorted(open_ones.items()) if number in elsewhere),
    )


def _rows(pull: PullRequest) -> tuple[body.Row, ...]:
    block = body.parse(pull.body).block
    return block.rows if block else ()


def _is_merged(pull: PullRequest) -> bool:
    return pull.state is PullState.MERGED


def _on_other_branches(repo: Repo, stack: Stack, pulls: Iterable[PullRequest]) -> set[int]:
    """Numbers of pull requests whose change lives on another local branch (two stacks that share their lower part)."""
    pulls = list(pulls)
    if not pulls:
        return set()
    commits = repo.list_commits(sorted(set(stack.local_branches.values())), [stack.trunk.oid])
    alive = {identity.short_id(change) for commit in commits if (change := identity.change_id(commit.message))}
    return {pull.number for pull in pulls if pull.head_ref.rpartition("/")[2] in alive}
