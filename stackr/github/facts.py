"""From GitHub's JSON to the nouns of ``core.model``. Pure; not here: asking for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stackr.core.model import CheckCounts, Checks, Mergeable, PullRequest, PullState, Review, ReviewVote
from stackr.core.ports import PullText

_CHECKS = {
    "SUCCESS": Checks.PASSING,
    "FAILURE": Checks.FAILING,
    "ERROR": Checks.FAILING,
    "PENDING": Checks.PENDING,
    "EXPECTED": Checks.PENDING,
}
# Of a status (https://docs.github.com/en/graphql/reference/enums#statusstate) and of a check run
# (https://docs.github.com/en/graphql/reference/enums#checkrunstate); every other state still has to end.
_PASSED = frozenset({"SUCCESS", "NEUTRAL", "SKIPPED"})
_FAILED = frozenset(
    {"FAILURE", "ERROR", "ACTION_REQUIRED", "CANCELLED", "STALE", "STARTUP_FAILURE", "TIMED_OUT"},
)
_MERGEABLE = {"MERGEABLE": Mergeable.YES, "CONFLICTING": Mergeable.CONFLICTING}


def pull_from(node: Mapping[str, Any]) -> PullRequest:
    """A pull request from the fragments Pull and, where asked for, Details."""
    votes = _votes(node)
    return PullRequest(
        number=node["number"],
        node_id=node["id"],
        url=node["url"],
        state=PullState(node["state"].lower()),
        draft=node["isDraft"],
        head_ref=node["headRefName"],
        head_oid=node["headRefOid"],
        base_ref=node["baseRefName"],
        title=node["title"],
        body=node["body"],
        author=_login(node),
        merge_commit=(node.get("mergeCommit") or {}).get("oid"),
        cross_repository=node["isCrossRepository"],
        review=review_of(votes, node["headRefOid"], node.get("reviewDecision")),
        votes=votes,
        mergeable=_MERGEABLE.get(node.get("mergeable") or "", Mergeable.UNKNOWN),
    )


def review_of(votes: Sequence[ReviewVote], head_oid: str, decision: str | None) -> Review:
    """What the latest reviews say of the present head; reviews of older heads do not count.

    ``decision`` is GitHub's reviewDecision, ``None`` where no rule asks for a review. When a rule does and nobody has
    voted on this head yet, a review is required, whatever GitHub still says of an older one.
    """
    states = {vote.state for vote in votes if vote.commit == head_oid}
    if "CHANGES_REQUESTED" in states:
        return Review.CHANGES_REQUESTED
    if "APPROVED" in states:
        return Review.APPROVED
    return Review.NONE if decision is None else Review.REQUIRED


def checks_of(node: Mapping[str, Any]) -> Checks:
    """The rollup of a pull request's head commit."""
    return _CHECKS.get((node.get("statusCheckRollup") or {}).get("state", ""), Checks.NONE)


def counts_of(node: Mapping[str, Any]) -> CheckCounts:
    """How many checks of a pull request's head commit passed, failed, and have not ended."""
    contexts = (node.get("statusCheckRollup") or {}).get("contexts") or {}
    rows = [*(contexts.get("checkRunCountsByState") or ()), *(contexts.get("statusContextCountsByState") or ())]
    passing = sum(row["count"] for row in rows if row["state"] in _PASSED)
    failing = sum(row["count"] for row in rows if row["state"] in _FAILED)
    return CheckCounts(passing, failing, sum(row["count"] for row in rows) - passing - failing)


def vote_from(node: Mapping[str, Any]) -> ReviewVote:
    """One person's opinion, and the commit it was given on (``""``: a commit that is gone)."""
    return ReviewVote(_login(node), node["state"], (node.get("commit") or {}).get("oid", ""))


def text_from(node: Mapping[str, Any]) -> PullText:
    """Title and description."""
    return PullText(node["title"], node["body"])


def own_nodes(connection: Mapping[str, Any] | None, fork_owner: str = "") -> list[Mapping[str, Any]]:
    """The pull requests of a connection whose head is in this repository, or in the fork of ``fork_owner``.

    Any other fork may have a branch of the same name.
    """
    nodes = (connection or {}).get("nodes") or []
    return [node for node in nodes if node and _is_own(node, fork_owner)]


def _is_own(node: Mapping[str, Any], fork_owner: str) -> bool:
    if not fork_owner or not node["isCrossRepository"]:
        return not fork_owner and not node["isCrossRepository"]
    # A fork that is gone has no owner any more.
    return str((node["headRepositoryOwner"] or {"login": ""})["login"]).lower() == fork_owner.lower()


def tip(ref: Mapping[str, Any] | None) -> str | None:
    """The commit of a ref, ``None`` when there is no such ref."""
    return None if ref is None or ref.get("target") is None else str(ref["target"]["oid"])


def _votes(node: Mapping[str, Any]) -> tuple[ReviewVote, ...]:
    nodes = (node.get("latestOpinionatedReviews") or {}).get("nodes") or []
    return tuple(vote_from(vote) for vote in nodes if vote)


def _login(node: Mapping[str, Any]) -> str:
    """An account that was deleted has no author; GitHub's pages call it ghost."""
    return str((node.get("author") or {"login": "ghost"})["login"])
