"""From the rules of a branch, as GitHub's GraphQL tells them, to ``TrunkRules``: the stricter of all that hold.

Pure. A branch may have rules from several rulesets and from old-style branch protection, all of which bind.
https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/about-rulesets#about-rule-layering
Not here: asking (``queries``), what the rules mean for a landing (``core.preflight``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from stackr.core.rules import Method, TrunkRules
from stackr.records import dataclass

PROTECTION = "branch protection"
_DIRECT = frozenset((Method.SQUASH, Method.REBASE, Method.MERGE))
# Rules by which every change has to come through a pull request, or as a commit whose checks have run elsewhere.
_BARRIERS = frozenset(
    {
        "CODE_SCANNING",
        "LOCK_BRANCH",
        "MERGE_QUEUE",
        "PULL_REQUEST",
        "REQUIRED_DEPLOYMENTS",
        "REQUIRED_STATUS_CHECKS",
        "REQUIRED_WORKFLOW_STATUS_CHECKS",
        "UPDATE",
        "WORKFLOWS",
    }
)


@dataclass(frozen=True, slots=True)
class Demand:
    """What one source wants: the field of ``TrunkRules``, its value, and the name of the source."""

    field: str
    value: Any
    source: str


def trunk_rules(ref: Mapping[str, Any] | None, queue: Mapping[str, Any] | None, permission: str) -> TrunkRules:
    """The rules of a branch from the fragment Rules and its merge queue; ``permission`` is the viewer's.

    No branch (``None``) has no rules that are visible.
    """
    ref = ref or {}
    values: dict[str, Any] = {}
    sources: dict[str, list[str]] = {}
    for demand in [*_of_rulesets(ref), *_of_protection(ref), *_of_queue(ref, queue)]:
        _add(demand, values, sources)
    barriers = list(dict.fromkeys(_barriers(ref, permission)))
    if barriers:
        values["pushable"], sources["pushable"] = False, barriers
    return TrunkRules(**values, sources={field: " and ".join(names) for field, names in sources.items()})


def allows_forcing(ref: Mapping[str, Any] | None, permission: str) -> bool:
    """Whether the viewer may move a branch to a commit that does not contain its present one."""
    if ref is None:
        return True
    protection = ref["branchProtectionRule"] or ref["refUpdateRule"]
    if protection and not protection["allowsForcePushes"]:
        return False
    return not any(node["type"] == "NON_FAST_FORWARD" and not _bypasses(node, permission) for node in _rules(ref))


def is_partly_hidden(ref: Mapping[str, Any] | None) -> bool:
    """Whether the branch has old-style protection of which GitHub shows only what everybody may see."""
    return ref is not None and ref["branchProtectionRule"] is None and ref["refUpdateRule"] is not None


def _add(demand: Demand, values: dict[str, Any], sources: dict[str, list[str]]) -> None:
    """One more demand: the stricter value, and whoever asks for it."""
    field, value = demand.field, demand.value
    if field not in values:
        values[field], sources[field] = value, [demand.source]
        return
    present = values[field]
    values[field] = _STRICTER[field](present, value) if field in _STRICTER else present
    if field == "approvals" and value > present:
        sources[field] = [demand.source]
    elif field != "approvals" and demand.source not in sources[field]:
        sources[field].append(demand.source)


_STRICTER: Mapping[str, Callable[[Any, Any], Any]] = {
    "approvals": max,
    "checks": lambda one, other: tuple(dict.fromkeys((*one, *other))),
    "methods": lambda one, other: one & other,
}


def _rules(ref: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [node for node in (ref.get("rules") or {}).get("nodes") or [] if node]


def _source(node: Mapping[str, Any]) -> str:
    """An organization's ruleset may be hidden."""
    name = (node["repositoryRuleset"] or {}).get("name")
    return f'ruleset "{name}"' if name else "a ruleset"


def _of_rulesets(ref: Mapping[str, Any]) -> Iterator[Demand]:
    for node in _rules(ref):
        for field, value in _PARTS.get(node["type"], _nothing)(node["parameters"] or {}):
            if value:
                yield Demand(field, value, _source(node))


Pairs = Iterator[tuple[str, Any]]


def _nothing(given: Mapping[str, Any]) -> Pairs:
    yield from ()


def _pull_request(given: Mapping[str, Any]) -> Pairs:
    yield "approvals", given.get("requiredApprovingReviewCount")
    yield "dismisses_stale", given.get("dismissStaleReviewsOnPush")
    yield "last_push_approval", given.get("requireLastPushApproval")
    yield "code_owners", given.get("requireCodeOwnerReview")
    yield "resolved_threads", given.get("requiredReviewThreadResolution")
    # GitHub's own default is all three, which says nothing.
    allowed = frozenset(method for method in _DIRECT if method.value in (given.get("allowedMergeMethods") or ()))
    yield "methods", allowed if allowed != _DIRECT else None


def _status_checks(given: Mapping[str, Any]) -> Pairs:
    checks = tuple(check["context"] for check in given.get("requiredStatusChecks", ()))
    yield "checks", checks
    # "This setting will not take effect unless at least one status check is enabled."
    yield "strict", bool(checks) and given.get("strictRequiredStatusChecksPolicy")


def _merge_queue(given: Mapping[str, Any]) -> Pairs:
    yield "queue", True
    yield "queue_method", Method(given.get("mergeMethod", "MERGE").lower())


def _linear(given: Mapping[str, Any]) -> Pairs:
    yield "linear", True


def _signatures(given: Mapping[str, Any]) -> Pairs:
    yield "signed", True


def _threads(given: Mapping[str, Any]) -> Pairs:
    yield "resolved_threads", True


_PARTS: Mapping[str, Callable[[Mapping[str, Any]], Pairs]] = {
    "PULL_REQUEST": _pull_request,
    "REQUIRED_STATUS_CHECKS": _status_checks,
    "MERGE_QUEUE": _merge_queue,
    "REQUIRED_LINEAR_HISTORY": _linear,
    "REQUIRED_SIGNATURES": _signatures,
    "REQUIRED_REVIEW_THREAD_RESOLUTION": _threads,
}


def _of_protection(ref: Mapping[str, Any]) -> Iterator[Demand]:
    whole, part = ref.get("branchProtectionRule"), ref.get("refUpdateRule")
    pairs = _whole_protection(whole) if whole else _visible_protection(part) if part else iter(())
    for field, value in pairs:
        if value:
            yield Demand(field, value, PROTECTION)


def _whole_protection(rule: Mapping[str, Any]) -> Pairs:
    if rule["requiresApprovingReviews"]:
        yield "approvals", rule["requiredApprovingReviewCount"]
        yield "dismisses_stale", rule["dismissesStaleReviews"]
        yield "last_push_approval", rule["requireLastPushApproval"]
        yield "code_owners", rule["requiresCodeOwnerReviews"]
    yield "resolved_threads", rule["requiresConversationResolution"]
    if rule["requiresStatusChecks"]:
        yield "checks", tuple(rule["requiredStatusCheckContexts"] or ())
        yield "strict", bool(rule["requiredStatusCheckContexts"]) and rule["requiresStrictStatusChecks"]
    yield "linear", rule["requiresLinearHistory"]
    yield "signed", rule["requiresCommitSignatures"]


def _visible_protection(rule: Mapping[str, Any]) -> Pairs:
    yield "approvals", rule["requiredApprovingReviewCount"]
    yield "code_owners", rule["requiresCodeOwnerReviews"]
    yield "resolved_threads", rule["requiresConversationResolution"]
    yield "checks", tuple(rule["requiredStatusCheckContexts"] or ())
    yield "linear", rule["requiresLinearHistory"]
    yield "signed", rule["requiresSignatures"]


def _of_queue(ref: Mapping[str, Any], queue: Mapping[str, Any] | None) -> Iterator[Demand]:
    """A queue that no ruleset asks for: old-style protection does, without a field that says so."""
    if queue is not None and not any(node["type"] == "MERGE_QUEUE" for node in _rules(ref)):
        yield Demand("queue", True, PROTECTION)
        method = (queue["configuration"] or {}).get("mergeMethod")
        if method:
            yield Demand("queue_method", Method(method.lower()), PROTECTION)


def _barriers(ref: Mapping[str, Any], permission: str) -> Iterator[str]:
    """Every source of a rule by which the viewer may not push to the branch."""
    for node in _rules(ref):
        if node["type"] in _BARRIERS and not _bypasses(node, permission):
            yield _source(node)
    whole, part = ref.get("branchProtectionRule"), ref.get("refUpdateRule")
    may_push = bool(part and part["viewerCanPush"])
    if whole and _bars(whole, may_push) and (whole["isAdminEnforced"] or permission != "ADMIN"):
        yield PROTECTION
    if part and not whole and _bars_visibly(part):
        yield PROTECTION


def _bars(rule: Mapping[str, Any], may_push: bool) -> bool:
    is_locked = rule["lockBranch"] or (rule["restrictsPushes"] and not may_push)
    checks = rule["requiresStatusChecks"] and rule["requiredStatusCheckContexts"]
    return bool(is_locked or rule["requiresApprovingReviews"] or checks)


def _bars_visibly(rule: Mapping[str, Any]) -> bool:
    has_checks = bool(rule["requiredStatusCheckContexts"])
    return not rule["viewerCanPush"] or rule["requiredApprovingReviewCount"] is not None or has_checks


def _bypasses(node: Mapping[str, Any], permission: str) -> bool:
    """Whether a rule lets everybody with the viewer's role pass; GitHub shows that only to those who may edit it."""
    actors = ((node["repositoryRuleset"] or {}).get("bypassActors") or {}).get("nodes") or []
    return any(
        actor["bypassMode"] == "ALWAYS" and (actor["repositoryRoleName"] or "").upper() == permission
        for actor in actors
        if actor
    )
