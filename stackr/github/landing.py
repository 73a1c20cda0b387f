"""From one GraphQL answer to ``LandingFacts``: settings, how pull requests stand, blocking issues, what is hidden.

Pure. Not here: the rules themselves (``rules``), asking (``queries``, ``reading``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stackr.core.rules import LandingFacts, MergeState, Method, PullStanding, Sev
from stackr.github.facts import checks_of, own_nodes
from stackr.github.failures import Problem
from stackr.github.rules import allows_forcing, is_partly_hidden, trunk_rules
from stackr.patterns import pattern

_METHODS = {
    Method.SQUASH: "squashMergeAllowed",
    Method.REBASE: "rebaseMergeAllowed",
    Method.MERGE: "mergeCommitAllowed",
}
_STANDING = pattern(r"[sm]\d+")
_RULES = frozenset({"branchProtectionRule", "refUpdateRule", "rules", "queue"})


def landing_from(repository: Mapping[str, Any], trunk: Mapping[str, Any] | None) -> LandingFacts:
    """What a landing has to know; ``trunk`` is the ref of the branch it lands on."""
    permission = repository["viewerPermission"] or ""
    heads = [node for alias, node in repository.items() if re.fullmatch(r"b\d+", alias) and "rules" in (node or ())]
    return LandingFacts(
        rules=trunk_rules(trunk, repository["queue"], permission),
        methods=frozenset(method for method, setting in _METHODS.items() if repository[setting]),
        auto=repository["autoMergeAllowed"],
        deletes_heads=repository["deleteBranchOnMerge"],
        forced_heads=all(allows_forcing(ref, permission) for ref in heads),
        standings={node["number"]: _standing(node) for node in standing_nodes(repository)},
        sevs=tuple(_sev(node) for node in (repository.get("sev") or {}).get("nodes") or [] if node),
    )


def standing_nodes(repository: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The open pull requests of an answer, as the fragment Standing has them."""
    for alias, found in repository.items():
        if _STANDING.fullmatch(alias):
            yield from own_nodes(found) if alias.startswith("s") else [found] if found else []


def _standing(node: Mapping[str, Any]) -> PullStanding:
    threads = (node["reviewThreads"] or {}).get("nodes") or []
    return PullStanding(
        merge_state=_merge_state(node["mergeStateStatus"]),
        checks=checks_of(node),
        queue=(node["mergeQueueEntry"] or {}).get("state", "").lower(),
        auto=node["autoMergeRequest"] is not None,
        threads=sum(1 for thread in threads if thread and not thread["isResolved"]),
    )


def _merge_state(word: str) -> MergeState:
    """A word that GitHub added later is as good as unknown."""
    try:
        return MergeState(word.lower())
    except ValueError:
        return MergeState.UNKNOWN


def _sev(node: Mapping[str, Any]) -> Sev:
    labels = (node["labels"] or {}).get("nodes") or []
    return Sev(node["number"], node["title"], node["url"], tuple(label["name"] for label in labels if label))


# -- what could not be read --------------------------------------------------------------------------------


def parts_missing(problems: Sequence[Problem]) -> dict[str, list[Problem]]:
    """The problems that leave the rest of the answer worth having, by what cannot be told for them."""
    missing: dict[str, list[Problem]] = {}
    for problem in problems:
        what = _part([str(part) for part in problem.path], problem.type)
        if what:
            missing.setdefault(what, []).append(problem)
    return missing


def _part(path: Sequence[str], kind: str) -> str:
    """What a problem at this path makes unknown; ``""`` where it is no part of its own."""
    alias = path[1] if len(path) > 1 else ""
    if _STANDING.fullmatch(alias) and not (kind == "NOT_FOUND" and len(path) == 2):
        return "checks are not shown" if "statusCheckRollup" in path else "not everything about pull requests is known"
    if _RULES.intersection(path):
        return "not all rules are known"
    return "open issues are not shown" if alias == "sev" else ""


def hidden(trunk: Mapping[str, Any] | None) -> Iterator[str]:
    """A sentence where GitHub keeps a part of the rules to itself."""
    if trunk is not None and is_partly_hidden(trunk):
        yield (
            f'the token\'s owner may not see all of the branch protection of "{trunk["name"]}":'
            " whether a push dismisses approvals is not known"
        )
