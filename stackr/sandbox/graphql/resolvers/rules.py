"""Branch protection rules and rulesets, read-only, and who may see them.

Rules of rulesets are for everybody, who may bypass them is for who may edit them (ossf/scorecard#3354). Old-style
protection is for administrators (technote-space/package-version-check-action#1); others see what binds them
(fpicalausa/remove-stale-branches#76).
"""

from __future__ import annotations

from typing import Any

from stackr.sandbox import protection
from stackr.sandbox.git import HEADS
from stackr.sandbox.graphql.binding import Fields, Resolver, camel, names
from stackr.sandbox.graphql.context import Info, ctx
from stackr.sandbox.graphql.paging import Connection, page
from stackr.sandbox.graphql.values import Ref, Rule, UpdateRule
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Repository, Ruleset

names(Ruleset, lambda row: "BranchProtectionRule" if row.classic else "RepositoryRuleset")
names(Rule, "RepositoryRule")
names(dict, lambda parameters: parameters["__typename"])


def rule_of(row: Ruleset, kind: str) -> dict[str, Any] | None:
    """The parameters of a kind of rule in a ruleset; None where it has no such rule."""
    return next((rule.get("parameters", {}) for rule in row.rules if rule["type"] == kind), None)


def has(kind: str, *, negated: bool = False) -> Any:
    """A field that tells whether a rule of this kind is there (or, negated, is not)."""
    return lambda row, _info: (rule_of(row, kind) is not None) != negated


def parameter(kind: str, key: str, default: Any = False) -> Any:
    """A field that is a parameter of a kind of rule."""
    return lambda row, _info: (rule_of(row, kind) or {}).get(key, default)


def required_contexts(row: Ruleset) -> list[str]:
    """The names of the checks that must pass."""
    wanted = (rule_of(row, "required_status_checks") or {}).get("required_status_checks", [])
    return [check["context"] for check in wanted]


# -- old-style branch protection ---------------------------------------------------------------------------

classic = Fields("BranchProtectionRule")
classic.constants(requiresConversationResolution=False, isAdminEnforced=True)
classic.attributes(databaseId="id")
classic.add("id", lambda row, _info: node_id("BranchProtectionRule", row.id))
classic.add("pattern", lambda row, _info: row.patterns[0])
classic.add("repository", lambda row, info: ctx(info).repository(row))
classic.add("allowsDeletions", has("deletion", negated=True))
classic.add("allowsForcePushes", has("non_fast_forward", negated=True))
classic.add("blocksCreations", has("creation"))
classic.add("restrictsPushes", has("update"))
classic.add("lockBranch", has("update"))
classic.add("requiresApprovingReviews", has("pull_request"))
classic.add("requiresLinearHistory", has("required_linear_history"))
classic.add("requiresCommitSignatures", has("required_signatures"))
classic.add("requiresStatusChecks", has("required_status_checks"))
classic.add("dismissesStaleReviews", parameter("pull_request", "dismiss_stale_reviews_on_push"))
classic.add("requiresCodeOwnerReviews", parameter("pull_request", "require_code_owner_review"))
classic.add("requireLastPushApproval", parameter("pull_request", "require_last_push_approval"))
classic.add("requiredApprovingReviewCount", parameter("pull_request", "required_approving_review_count", None))
classic.add("requiresStrictStatusChecks", parameter("required_status_checks", "strict_required_status_checks_policy"))
classic.add("requiredStatusCheckContexts", lambda row, _info: required_contexts(row))
classic.add("requiredStatusChecks", lambda row, _info: required_contexts(row))
description = Fields("RequiredStatusCheckDescription")
description.constants(app=None)
description.add("context", lambda name, _info: name)


@classic
def matching_refs(row: Ruleset, info: Info, query: str | None = None, **arguments: Any) -> Connection:
    """The branches it holds for."""
    repo = ctx(info).repository(row)
    branches = [
        (name, oid)
        for name, oid in sorted(ctx(info).git(repo).refs.items())
        if name.startswith(HEADS) and (query or "") in name
    ]
    found = [
        Ref(repo, name, oid)
        for name, oid in branches
        if any(protection.matches(pattern, name[len(HEADS) :], repo) for pattern in row.patterns)
    ]
    return page(info, found, arguments)


@Fields("Repository")
def branch_protection_rules(row: Repository, info: Info, **arguments: Any) -> Connection:
    """The old-style rules; for administrators."""
    found = ctx(info).engine.store.rulesets.by(repo_id=row.id) if ctx(info).level(row) == "admin" else []
    return page(info, [ruleset for ruleset in found if ruleset.classic], arguments)


def classic_for(value: Ref, info: Info) -> Ruleset | None:
    """The old-style rule that holds for a branch."""
    branch = value.name.removeprefix(HEADS)
    found = protection.rules_for(ctx(info).engine, value.repo, branch) if branch != value.name else []
    return next((rule.ruleset for rule in found if rule.ruleset.classic), None)


Fields("Ref").add(
    "branchProtectionRule",
    lambda value, info: classic_for(value, info) if ctx(info).level(value.repo) == "admin" else None,
)

# -- what a viewer may do to a branch ----------------------------------------------------------------------


@Fields("Ref")
def ref_update_rule(value: Ref, info: Info) -> UpdateRule | None:
    """The old-style rule as it binds whoever asks; readable for everybody."""
    found = classic_for(value, info)
    return UpdateRule(value.repo, value.name.removeprefix(HEADS), found) if found else None


update = Fields("RefUpdateRule")

_SHARED = (
    "pattern allowsDeletions allowsForcePushes blocksCreations requiresLinearHistory requiresCodeOwnerReviews "
    "requiresConversationResolution requiredApprovingReviewCount requiredStatusCheckContexts"
)


def as_classic(field: str) -> Resolver:
    """A field that both kinds of rule have."""
    answer = classic.resolver(field)
    return lambda value, info: answer(value.ruleset, info)


for shared in _SHARED.split():
    update.add(shared, as_classic(shared))
update.add("requiresSignatures", lambda value, info: has("required_signatures")(value.ruleset, info))
update.add("viewerAllowedToDismissReviews", lambda value, info: ctx(info).writes(value.repo))


@update
def viewer_can_push(value: UpdateRule, info: Info) -> bool:
    """Whether a plain push by the viewer would get through."""
    return ctx(info).writes(value.repo) and rule_of(value.ruleset, "update") is None


# -- rulesets ----------------------------------------------------------------------------------------------


@Fields("Repository")
def rulesets(row: Repository, info: Info, targets: list[str] | None = None, **arguments: Any) -> Connection:
    """The rulesets; all of the sandbox's are for branches, and none comes from an organization."""
    arguments.pop("include_parents", None)
    found = [ruleset for ruleset in ctx(info).engine.store.rulesets.by(repo_id=row.id) if not ruleset.classic]
    return page(info, found if not targets or "BRANCH" in targets else [], arguments)


@Fields("Ref")
def rules_(value: Ref, info: Info, order_by: dict[str, str] | None = None, **arguments: Any) -> Connection:
    """The rules of rulesets that hold for a branch; readable for everybody."""
    branch = value.name.removeprefix(HEADS)
    rules = protection.rules_for(ctx(info).engine, value.repo, branch) if branch != value.name else []
    found = {rule.ruleset.id: rule.ruleset for rule in rules}
    listed = [Rule(row, i) for row in found.values() if not row.classic for i in range(len(row.rules))]
    return page(info, listed, arguments)


ruleset = Fields("RepositoryRuleset")
ruleset.attributes("name created_at updated_at", databaseId="id")
ruleset.constants(target="BRANCH")
ruleset.add("id", lambda row, _info: node_id("RepositoryRuleset", row.id))
ruleset.add("enforcement", lambda row, _info: row.enforcement.upper())
ruleset.add("conditions", lambda row, _info: row)
Fields("RepositoryRuleConditions").add("refName", lambda row, _info: row)
Fields("RefNameConditionTarget").constants(exclude=[])
Fields("RefNameConditionTarget").add("include", lambda row, _info: [full_pattern(p) for p in row.patterns])


def full_pattern(pattern: str) -> str:
    """A pattern as GitHub writes it: with ``refs/heads/``, but for its own words (``~ALL``)."""
    return pattern if pattern.startswith(("~", "refs/")) else HEADS + pattern


@ruleset
def rules(row: Ruleset, info: Info, type_: str | None = None, **arguments: Any) -> Connection:
    """Its rules, all or those of one RepositoryRuleType."""
    found = [Rule(row, i) for i, one in enumerate(row.rules) if type_ in (None, one["type"].upper())]
    return page(info, found, arguments)


@ruleset
def bypass_actors(row: Ruleset, info: Info, **arguments: Any) -> Connection | None:
    """Nobody: the sandbox lets people pass, and these are roles, teams and apps. Hidden from who may not edit rules."""
    return page(info, [], arguments) if ctx(info).level(ctx(info).repository(row)) == "admin" else None


bypassing = Fields("RepositoryRulesetBypassActor")
bypassing.attributes(
    "id bypass_mode deploy_key enterprise_owner organization_admin repository_role_database_id repository_role_name "
    "repository_ruleset"
)
rule = Fields("RepositoryRule")
rule.attributes(repositoryRuleset="ruleset")
rule.add("id", lambda value, _info: node_id("RepositoryRule", value.ruleset.id, value.index))
rule.add("type", lambda value, _info: value.ruleset.rules[value.index]["type"].upper())

_PARAMETERS = {
    "merge_queue": "MergeQueueParameters",
    "pull_request": "PullRequestParameters",
    "required_status_checks": "RequiredStatusChecksParameters",
}


@rule
def parameters(value: Rule, _info: Info) -> dict[str, Any] | None:
    """The rule's parameters, under GraphQL's names."""
    found = value.ruleset.rules[value.index]
    name = _PARAMETERS.get(found["type"])
    if name is None:
        return None
    return {"__typename": name, **{camel(key): each for key, each in found.get("parameters", {}).items()}}


for type_name, fields in (
    (
        "PullRequestParameters",
        "dismissStaleReviewsOnPush requireCodeOwnerReview requireLastPushApproval requiredReviewThreadResolution "
        "requiredApprovingReviewCount allowedMergeMethods",
    ),
    (
        "MergeQueueParameters",
        "checkResponseTimeoutMinutes groupingStrategy maxEntriesToBuild maxEntriesToMerge mergeMethod "
        "minEntriesToMerge minEntriesToMergeWaitMinutes",
    ),
    ("RequiredStatusChecksParameters", "doNotEnforceOnCreate requiredStatusChecks strictRequiredStatusChecksPolicy"),
):
    for field in fields.split():
        Fields(type_name).add(field, lambda found, _info, field=field: found.get(field, False))
configuration = Fields("StatusCheckConfiguration")
configuration.add("context", lambda check, _info: check["context"])
configuration.add("integrationId", lambda check, _info: check.get("integration_id"))
