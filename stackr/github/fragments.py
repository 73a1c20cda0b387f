"""The parts that GraphQL texts are made of: which fields are asked of a pull request, a branch, an issue.

Not here: the texts (``queries``), the meaning of the fields (``facts``, ``rules``, ``landing``).
"""

from __future__ import annotations

WHERE = "isCrossRepository headRepositoryOwner { login }"
PULL = f"""
fragment Pull on PullRequest {{
  number id url state isDraft {WHERE} headRefName headRefOid baseRefName title body
  author {{ login }} mergeCommit {{ oid }}
}}"""
DETAILS = """
fragment Details on PullRequest {
  reviewDecision mergeable
  latestOpinionatedReviews(first: 30, writersOnly: true) { nodes { state author { login } commit { oid } } }
}"""
# A page has to be asked for, though the counts are those of all pages.
ROLLUP = """statusCheckRollup { state contexts(first: 1) {
      checkRunCountsByState { state count } statusContextCountsByState { state count } } }"""
# What a landing has to know of a branch. GitHub hides branchProtectionRule from those who may not administer it, and
# then shows refUpdateRule; rules of rulesets are for everybody, who may bypass them is not.
RULES = """
fragment Rules on Ref {
  branchProtectionRule {
    requiresApprovingReviews requiredApprovingReviewCount dismissesStaleReviews requireLastPushApproval
    requiresCodeOwnerReviews requiresConversationResolution requiresStatusChecks requiredStatusCheckContexts
    requiresStrictStatusChecks requiresLinearHistory requiresCommitSignatures restrictsPushes lockBranch
    isAdminEnforced allowsForcePushes
  }
  refUpdateRule {
    requiredApprovingReviewCount requiredStatusCheckContexts requiresCodeOwnerReviews requiresConversationResolution
    requiresLinearHistory requiresSignatures viewerCanPush allowsForcePushes
  }
  rules(first: 100) {
    nodes {
      type
      repositoryRuleset { name bypassActors(first: 20) { nodes { bypassMode repositoryRoleName } } }
      parameters {
        ... on PullRequestParameters {
          requiredApprovingReviewCount dismissStaleReviewsOnPush requireLastPushApproval requireCodeOwnerReview
          requiredReviewThreadResolution allowedMergeMethods
        }
        ... on RequiredStatusChecksParameters {
          strictRequiredStatusChecksPolicy requiredStatusChecks { context }
        }
        ... on MergeQueueParameters { mergeMethod }
      }
    }
  }
}"""
STANDING = f"""
fragment Standing on PullRequest {{
  number isCrossRepository mergeStateStatus
  mergeQueueEntry {{ state }} autoMergeRequest {{ enabledAt }} reviewThreads(first: 100) {{ nodes {{ isResolved }} }}
  {ROLLUP}
}}"""
NEWEST = "orderBy: {field: CREATED_AT, direction: DESC}"
SEVS = f"""sev: issues(labels: [$label], states: OPEN, first: 20, {NEWEST}) {{
      nodes {{ number title url labels(first: 20) {{ nodes {{ name }} }} }} }}"""
