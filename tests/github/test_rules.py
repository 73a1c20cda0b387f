"""The rules of a branch: the stricter of every source, by name, from what the schema's own answers look like."""

from __future__ import annotations

from typing import Any

import pytest

from stackr.core.rules import Method, TrunkRules
from stackr.github.rules import PROTECTION, allows_forcing, is_partly_hidden, trunk_rules

Json = dict[str, Any]

SQUASH, REBASE, MERGE = Method.SQUASH, Method.REBASE, Method.MERGE
REVIEWS: Json = {
    "requiredApprovingReviewCount": 0,
    "dismissStaleReviewsOnPush": False,
    "requireLastPushApproval": False,
    "requireCodeOwnerReview": False,
    "requiredReviewThreadResolution": False,
    "allowedMergeMethods": ["merge", "squash", "rebase"],
}
WHOLE: Json = {
    "requiresApprovingReviews": False,
    "requiredApprovingReviewCount": None,
    "dismissesStaleReviews": False,
    "requireLastPushApproval": False,
    "requiresCodeOwnerReviews": False,
    "requiresConversationResolution": False,
    "requiresStatusChecks": False,
    "requiredStatusCheckContexts": None,
    "requiresStrictStatusChecks": False,
    "requiresLinearHistory": False,
    "requiresCommitSignatures": False,
    "restrictsPushes": False,
    "lockBranch": False,
    "isAdminEnforced": True,
    "allowsForcePushes": True,
}
VISIBLE: Json = {
    "requiredApprovingReviewCount": None,
    "requiredStatusCheckContexts": None,
    "requiresCodeOwnerReviews": False,
    "requiresConversationResolution": False,
    "requiresLinearHistory": False,
    "requiresSignatures": False,
    "viewerCanPush": True,
    "allowsForcePushes": True,
}


def ref(*rules: Json, whole: Json | None = None, visible: Json | None = None) -> Json:
    """A branch as the fragment Rules shows it."""
    return {
        "branchProtectionRule": whole and {**WHOLE, **whole},
        "refUpdateRule": visible and {**VISIBLE, **visible},
        "rules": {"nodes": [*rules, None]},
    }


def rule(kind: str, source: str | None = "main", bypass: Json | None = None, **parameters: Any) -> Json:
    """One rule of a ruleset."""
    actors = None if bypass is None else {"nodes": [None, bypass]}
    ruleset = source and {"name": source, "bypassActors": actors}
    words = "".join(word.capitalize() for word in kind.split("_")) + "Parameters"
    of_kind = {"__typename": words, **parameters} if parameters else None
    return {"type": kind, "repositoryRuleset": ruleset, "parameters": of_kind}


def reviews(source: str = "main", **more: Any) -> Json:
    return rule("PULL_REQUEST", source, **{**REVIEWS, **more})


def checks(source: str, *names: str, strict: bool = False) -> Json:
    wanted = [{"context": name} for name in names]
    kind = "REQUIRED_STATUS_CHECKS"
    return rule(kind, source, requiredStatusChecks=wanted, strictRequiredStatusChecksPolicy=strict)


def test_a_branch_without_rules_and_one_that_is_not_there_want_nothing() -> None:
    assert trunk_rules(ref(), None, "WRITE") == TrunkRules()
    assert trunk_rules(None, None, "WRITE") == TrunkRules()


def test_everything_that_rulesets_ask_for_is_told_with_the_name_of_the_ruleset() -> None:
    flags: Json = {name: True for name in REVIEWS if isinstance(REVIEWS[name], bool)}
    asked = reviews(**flags, requiredApprovingReviewCount=2, allowedMergeMethods=["squash", "rebase", "odd"])
    found = trunk_rules(
        ref(
            asked,
            checks("ci", "build", "lint", strict=True),
            rule("MERGE_QUEUE", mergeMethod="SQUASH"),
            rule("REQUIRED_LINEAR_HISTORY", None),
            rule("REQUIRED_SIGNATURES"),
            rule("DELETION"),
        ),
        {"configuration": {"mergeMethod": "SQUASH"}},
        "WRITE",
    )
    main = 'ruleset "main"'
    assert found == TrunkRules(
        approvals=2,
        dismisses_stale=True,
        last_push_approval=True,
        code_owners=True,
        resolved_threads=True,
        checks=("build", "lint"),
        strict=True,
        linear=True,
        signed=True,
        queue=True,
        queue_method=SQUASH,
        pushable=False,
        methods=frozenset({SQUASH, REBASE}),
        sources={
            **dict.fromkeys(("approvals", "dismisses_stale", "last_push_approval", "code_owners"), main),
            **dict.fromkeys(("resolved_threads", "signed", "queue", "queue_method", "methods"), main),
            **dict.fromkeys(("checks", "strict"), 'ruleset "ci"'),
            "linear": "a ruleset",
            "pushable": 'ruleset "main" and ruleset "ci"',
        },
    )


def test_of_two_sources_the_stricter_counts_and_is_named() -> None:
    found = trunk_rules(
        ref(
            reviews("one", requiredApprovingReviewCount=1, allowedMergeMethods=["squash", "merge"]),
            reviews("two", requiredApprovingReviewCount=2, allowedMergeMethods=["rebase", "squash"]),
            reviews("three", requiredApprovingReviewCount=2, allowedMergeMethods=None),
            checks("one", "build"),
            checks("two", "lint", "build"),
            whole={
                "requiresApprovingReviews": True,
                "requiredApprovingReviewCount": 1,
                "requiresLinearHistory": True,
                "requiresStatusChecks": True,
                "requiredStatusCheckContexts": ["build", "deploy"],
                "requiresStrictStatusChecks": True,
            },
        ),
        None,
        "WRITE",
    )
    assert (found.approvals, found.sources["approvals"]) == (2, 'ruleset "two"')
    assert (found.methods, found.sources["methods"]) == (frozenset({SQUASH}), 'ruleset "one" and ruleset "two"')
    assert found.checks == ("build", "lint", "deploy")
    assert found.sources["checks"] == f'ruleset "one" and ruleset "two" and {PROTECTION}'
    assert (found.linear, found.strict) == (True, True)
    assert found.sources["pushable"] == f'ruleset "one" and ruleset "two" and ruleset "three" and {PROTECTION}'


def test_a_rule_whose_parameters_are_not_shown_still_bars_the_way() -> None:
    branch = ref(rule("PULL_REQUEST"), rule("REQUIRED_STATUS_CHECKS"), rule("MERGE_QUEUE"))
    found = trunk_rules(branch, None, "WRITE")
    assert (found.approvals, found.checks, found.queue, found.queue_method) == (0, (), True, MERGE)
    assert not found.pushable


def test_strict_without_a_check_has_no_effect() -> None:
    nothing = {"requiresStatusChecks": True, "requiresStrictStatusChecks": True}
    found = trunk_rules(ref(checks("ci", strict=True), whole=nothing), None, "WRITE")
    assert (found.strict, found.checks) == (False, ())


def test_a_rule_of_its_own_asks_for_resolved_conversations() -> None:
    assert trunk_rules(ref(rule("REQUIRED_REVIEW_THREAD_RESOLUTION")), None, "WRITE").resolved_threads


def test_what_everybody_may_see_of_branch_protection_counts_where_the_rest_is_hidden() -> None:
    shown = {
        "requiredApprovingReviewCount": 1,
        "requiredStatusCheckContexts": ["build"],
        "requiresCodeOwnerReviews": True,
        "requiresConversationResolution": True,
        "requiresLinearHistory": True,
        "requiresSignatures": True,
    }
    found = trunk_rules(ref(visible=shown), None, "WRITE")
    fields = ("approvals", "code_owners", "resolved_threads", "checks", "linear", "signed", "pushable")
    assert found == TrunkRules(
        approvals=1,
        code_owners=True,
        resolved_threads=True,
        checks=("build",),
        linear=True,
        signed=True,
        pushable=False,
        sources=dict.fromkeys(fields, PROTECTION),
    )
    assert is_partly_hidden(ref(visible=shown))
    assert not is_partly_hidden(ref(visible=shown, whole={"lockBranch": True}))
    assert not is_partly_hidden(ref())
    assert not is_partly_hidden(None)


@pytest.mark.parametrize("configuration", [None, {"mergeMethod": None}])
def test_a_queue_that_no_ruleset_asks_for_is_branch_protections(configuration: Json | None) -> None:
    found = trunk_rules(ref(), {"configuration": configuration}, "WRITE")
    assert (found.queue, found.queue_method, found.sources["queue"]) == (True, MERGE, PROTECTION)
    rebasing = {"configuration": {"mergeMethod": "REBASE"}}
    assert trunk_rules(ref(), rebasing, "WRITE").queue_method is REBASE


ADMINS = {"bypassMode": "ALWAYS", "repositoryRoleName": "admin"}


@pytest.mark.parametrize(
    ("branch", "permission", "expected"),
    [
        (ref(rule("UPDATE")), "ADMIN", False),
        (ref(rule("UPDATE", bypass=ADMINS)), "ADMIN", True),
        (ref(rule("UPDATE", bypass=ADMINS)), "WRITE", False),
        (ref(rule("UPDATE", bypass={**ADMINS, "bypassMode": "PULL_REQUEST"})), "ADMIN", False),
        (ref(rule("UPDATE", bypass={**ADMINS, "repositoryRoleName": None})), "ADMIN", False),
        (ref(rule("REQUIRED_LINEAR_HISTORY"), rule("NON_FAST_FORWARD"), rule("DELETION")), "WRITE", True),
        (ref(whole={"requiresApprovingReviews": True}), "WRITE", False),
        (ref(whole={"requiresApprovingReviews": True, "isAdminEnforced": False}), "ADMIN", True),
        (ref(whole={"requiresApprovingReviews": True, "isAdminEnforced": False}), "MAINTAIN", False),
        (ref(whole={"requiresStatusChecks": True}), "WRITE", True),
        (ref(whole={"requiresStatusChecks": True, "requiredStatusCheckContexts": ["build"]}), "WRITE", False),
        (ref(whole={"lockBranch": True}), "WRITE", False),
        (ref(whole={"restrictsPushes": True}), "WRITE", False),
        (ref(whole={"restrictsPushes": True}, visible={"viewerCanPush": True}), "WRITE", True),
        (ref(whole={"requiresLinearHistory": True}), "WRITE", True),
        (ref(visible={"viewerCanPush": False}), "WRITE", False),
        (ref(visible={"requiredApprovingReviewCount": 0}), "WRITE", False),
        (ref(visible={"requiredStatusCheckContexts": ["build"]}), "WRITE", False),
        (ref(visible={"requiresLinearHistory": True}), "WRITE", True),
    ],
)
def test_who_may_push_to_trunk_follows_from_rules_and_roles(branch: Json, permission: str, expected: bool) -> None:
    assert trunk_rules(branch, None, permission).pushable is expected


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        (None, True),
        (ref(), True),
        (ref(rule("UPDATE")), True),
        (ref(rule("NON_FAST_FORWARD")), False),
        (ref(rule("NON_FAST_FORWARD", bypass=ADMINS)), True),
        (ref(whole={"allowsForcePushes": False}), False),
        (ref(whole={"allowsForcePushes": True}, visible={"allowsForcePushes": False}), True),
        (ref(visible={"allowsForcePushes": False}), False),
    ],
)
def test_whether_heads_may_be_forced_follows_from_their_own_rules(branch: Json | None, expected: bool) -> None:
    assert allows_forcing(branch, "ADMIN") is expected
