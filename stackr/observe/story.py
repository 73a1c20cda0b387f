"""One observation from beginning to end.

In the usual case one request to GitHub and no fetch: what is here already is not fetched again. It takes a second
request only when the first answer names something unknown: another trunk, or a pull request of the stack list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from stackr.core import ghstack, identity
from stackr.core.guards import refuse_busy
from stackr.core.model import Change, Head, PullState, Stack, Trunk
from stackr.core.ownership import BRANCHES, HEADS, PUSHING, SAID
from stackr.core.ports import Forge, ForgeFacts, LocalState, ReadRequest, Repo
from stackr.core.said import words_of
from stackr.errors import Refused
from stackr.observe.beside import warn_of_changes_above
from stackr.observe.fetching import fetch_missing, trunk_refspec
from stackr.observe.landed import with_landed
from stackr.observe.local import Local, known_trunk, likely_trunk, read_local, stack_branches
from stackr.observe.native import Look, known_pull, with_native
from stackr.observe.outsiders import current_pull, with_outsiders
from stackr.observe.relations import complete_graph, foreign_commits, newer_trunk
from stackr.observe.wanted import Observed, Wanted


def observe(repo: Repo, forge: Forge, wanted: Wanted) -> Observed:
    """Everything a planner needs. Raises ``Refused`` when there is no commit yet or the trunk does not exist."""
    state = repo.local_state(wanted.remote)
    if wanted.writes:
        refuse_busy(state.busy)
    head = _require_head(state)
    name = replace(wanted.trunk, remote_head=state.remote_head).name(())
    local = read_local(repo, state, head, wanted, known_trunk(state, wanted, name or likely_trunk(state, wanted)))
    look = Look(forge, known_pull(local, wanted)) if wanted.native else None
    label = _sev_label(wanted, local.trunk_oid)
    with _trunk_fetch(repo, state, wanted, name):
        facts = forge.read(_request(local, wanted, name, label))
    name = _choose_trunk(facts, local, state, wanted)
    if name != facts.trunk:
        facts = forge.read(_request(local, wanted, name, label))
    trunk_oid = _require_trunk(repo, state, facts, wanted, name)
    before, asked = local, label
    if trunk_oid != local.trunk_oid:
        local, label = read_local(repo, state, head, wanted, trunk_oid), _sev_label(wanted, trunk_oid)
        if label != asked or not set(local.heads.values()) <= facts.branches.keys():
            facts = forge.read(_request(local, wanted, name, label))
    _fetch(repo, state, wanted, facts, _frozen_heads(local, facts) if wanted.writes else {})
    observed = _assemble(repo, forge, state, wanted, local, facts, Trunk(name, trunk_oid))
    if look is not None:
        stack, warnings = with_native(forge, observed.stack, look)
        observed = replace(observed, stack=stack, warnings=(*observed.warnings, *warnings))
    if not wanted.sync:
        return observed
    return replace(observed, stack=with_landed(repo, observed.stack, before, local, facts))


def observe_offline(repo: Repo, wanted: Wanted) -> Observed:
    """The stack from local facts alone: head branches are where this clone last saw them, pull requests unknown."""
    state = repo.local_state(wanted.remote)
    head = _require_head(state)
    name = replace(wanted.trunk, remote_head=state.remote_head).name(()) or likely_trunk(state, wanted)
    trunk_oid = known_trunk(state, wanted, name)
    if name is None or trunk_oid is None:
        raise Refused(
            "the trunk is not known without the network", next_step="git fetch, or name it with --base BRANCH"
        )
    local = read_local(repo, state, head, wanted, trunk_oid)
    branches = {ref: state.refs.get(BRANCHES + ref) for ref in local.heads.values()}
    facts = ForgeFacts("", name, True, name, trunk_oid, branches)
    observed = _assemble(repo, None, state, wanted, local, facts, Trunk(name, trunk_oid))
    return replace(observed, facts=None)


def _require_head(state: LocalState) -> Head:
    if state.head is None:
        raise Refused("the current branch has no commit yet", next_step="commit something, then run stackr again")
    return state.head


def _sev_label(wanted: Wanted, trunk_oid: str | None) -> str:
    return wanted.sev_label(trunk_oid) if wanted.sev_label is not None else ""


def _request(local: Local, wanted: Wanted, trunk: str | None, sev_label: str) -> ReadRequest:
    # What was merged lies on trunk now, so a sync asks for everything it has a record of there.
    finished = local.on_trunk if wanted.sync else ()
    heads = tuple(dict.fromkeys([*local.heads.values(), *local.candidates, *finished]))
    # Only a push can merge what targets a branch of the stack, so only commands that write need to know.
    return ReadRequest(
        heads,
        trunk,
        details=wanted.details,
        checks=wanted.checks,
        targeting=wanted.writes,
        landing=wanted.landing,
        sev_label=sev_label,
    )


def _choose_trunk(facts: ForgeFacts, local: Local, state: LocalState, wanted: Wanted) -> str:
    pulls = [pull for change in local.ids if (pull := current_pull(facts, local.heads[change]))]
    bottom = pulls[0].base_ref if pulls and pulls[0].state is PullState.OPEN else None
    branches = {*facts.branches, *stack_branches(state)}
    if bottom is not None and (identity.is_head_ref(bottom, wanted.template) or ghstack.is_base(bottom)):
        # A machine without records does not know the branch of a change that was dropped from the bottom.
        branches.add(bottom)
    choice = replace(wanted.trunk, bottom_base=bottom, remote_head=state.remote_head)
    return choice.name(branches) or facts.default_branch


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
    _fetch(repo, state, wanted, facts, {})
    oid = facts.trunk_oid if wanted.fetch else known_trunk(state, wanted, name)
    if oid is None:
        raise Refused(f'"{name}" has never been fetched here', next_step="run it again without --no-fetch")
    return oid


@contextmanager
def _trunk_fetch(repo: Repo, state: LocalState, wanted: Wanted, name: str | None) -> Iterator[None]:
    """For a sync, fetch trunk while GitHub answers; else (or while trunk has no name yet) nothing."""
    if not (wanted.sync and wanted.fetch and name):
        yield
        return
    from concurrent.futures import ThreadPoolExecutor  # what works offline does without

    with ThreadPoolExecutor(1) as pool:
        fetching = pool.submit(repo.fetch, wanted.remote, [trunk_refspec(state, wanted.remote, name)])
        try:
            yield
        except BaseException:
            repo.interrupt()
            raise
        fetching.result()


def _frozen_heads(local: Local, facts: ForgeFacts) -> dict[str, str]:
    """GitHub's refs of the closed pull requests whose branch is gone: one is reopened with what it had."""
    gone = (current_pull(facts, head) for head in local.heads.values() if facts.branches.get(head) is None)
    return {f"refs/pull/{p.number}/head": p.head_oid for p in gone if p is not None and p.state is PullState.CLOSED}


def _fetch(repo: Repo, state: LocalState, wanted: Wanted, facts: ForgeFacts, pulls: Mapping[str, str]) -> None:
    """One fetch of just the branches whose tips are not here; none if all are, two where a fork has the heads.

    ``pulls`` are refs of GitHub's own to fetch besides, with their tips.
    """
    if not wanted.fetch:
        return
    tips = {f"refs/heads/{ref}": oid for ref, oid in facts.branches.items() if oid is not None}
    if wanted.fork is not None:
        fetch_missing(repo, wanted.fork.remote, tips)
        tips = {}
    tips |= pulls
    if facts.trunk_oid is not None:
        tips[trunk_refspec(state, wanted.remote, facts.trunk)] = facts.trunk_oid
    fetch_missing(repo, wanted.remote, tips)


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
            current_pull(facts, local.heads[change]),
        )
        for change, commit in zip(local.ids, local.commits, strict=True)
    )
    graph = complete_graph(repo, local, changes, trunk)
    point = changes[0].commit.parents[:1] if changes else ()
    newer = newer_trunk(repo, changes, graph, trunk)
    tips = [*(oid for change in changes for oid in _heads_of(change) if oid), *newer.values()]
    said = {change: state.refs[SAID + change] for change in local.ids if SAID + change in state.refs}
    commits = repo.read_commits([*tips, *point, trunk.oid, *said.values()])
    stack = Stack(
        trunk,
        local.head or _require_head(state),
        changes,
        graph=graph,
        trees={oid: commit.tree for oid, commit in commits.items()},
        local_branches={ref: oid for ref, oid in state.refs.items() if ref.startswith("refs/heads/")},
        newer_trunk=newer,
        kept_branches=frozenset(state.other_worktrees),
        own_refs={ref: oid for ref, oid in state.refs.items() if ref.startswith("refs/stackr/")},
        said={change: words_of(commits[oid]) for change, oid in said.items() if oid in commits},
        remote=wanted.remote,
        repository_id=facts.repository_id,
        fork=wanted.fork,
    )
    stack = replace(stack, foreign=foreign_commits(repo, stack))
    warnings = (*facts.warnings, *warn_of_changes_above(repo, state, stack))
    return Observed(with_outsiders(repo, forge, stack, local, facts), state, facts, warnings)


def _heads_of(change: Change) -> tuple[str | None, ...]:
    """Every commit that may tell what a change was when it was last sent."""
    return change.remote_head, change.accepted, change.pull.head_oid if change.pull else None
