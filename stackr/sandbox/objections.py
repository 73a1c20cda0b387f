"""What rules say against merging a pull request, in GitHub's words.

https://docs.github.com/rest/pulls/pulls#merge-a-pull-request (405) and
https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stackr.sandbox import protection, reviews
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import Json, PullRequest, Repository, User
from stackr.sandbox.protection import Rule
from stackr.sandbox.pullrows import target_branch

OUT_OF_DATE = "Head branch is out of date. Review and try the merge again."
METHOD_NAMES = {"merge": "Merge commits", "squash": "Squash merges", "rebase": "Rebase merges"}


@dataclass(frozen=True, slots=True)
class Objection:
    """One line, and whether old-style branch protection says it."""

    text: str
    classic: bool


def against_merging(engine: Engine, viewer: User | None, pull: PullRequest, method: str) -> list[Objection]:
    """Every rule in the way of a direct merge; ``viewer`` None asks for somebody without any bypass."""
    return [*against_enqueuing(engine, viewer, pull, method), *_against_going_past(engine, viewer, pull)]


def against_enqueuing(
    engine: Engine, viewer: User | None, pull: PullRequest, method: str | None = None
) -> list[Objection]:
    """Every requirement that is not met. Where a queue merges, being out of date is none: it merges with the latest.

    https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue#about-merge-queues
    """
    repo = engine.store.repositories.need(pull.repo_id)
    rules = protection.rules_for(engine, repo, target_branch(engine, pull))
    queue = any(rule.type == "merge_queue" for rule in rules)
    return [
        Objection(text, rule.ruleset.classic)
        for rule in rules
        if not protection.bypasses(rule, viewer)
        for text in _texts(engine, repo, pull, rule, None if queue else method, queue)
    ]


def _against_going_past(engine: Engine, viewer: User | None, pull: PullRequest) -> list[Objection]:
    """What a queue says to a direct merge."""
    repo = engine.store.repositories.need(pull.repo_id)
    return [
        Objection("Changes must be made through the merge queue", rule.ruleset.classic)
        for rule in protection.rules_for(engine, repo, target_branch(engine, pull))
        if rule.type == "merge_queue" and not protection.bypasses(rule, viewer)
    ]


def _texts(
    engine: Engine, repo: Repository, pull: PullRequest, rule: Rule, method: str | None, queue: bool
) -> Iterator[str]:
    match rule.type:
        case "pull_request":
            yield from _review_texts(engine, pull, rule)
            allowed = rule.parameters.get("allowed_merge_methods", [])
            if method is not None and allowed and method not in allowed:
                yield f"{METHOD_NAMES[method]} are not allowed on this repository."  # as rue-language/rue#2053 met it
        case "required_status_checks":
            yield from protection.unmet_checks(engine, repo, rule.parameters, pull.head_oid)
            if _strict(rule.parameters) and not queue and not _up_to_date(engine, pull):
                yield OUT_OF_DATE
        case "required_linear_history" if method == "merge":
            yield "This branch must not contain merge commits."
        case "required_signatures" if method == "rebase" and not _all_signed(engine, repo, pull):
            yield "Commits must have verified signatures."
        case "update":
            yield "Cannot update this protected ref."


def _review_texts(engine: Engine, pull: PullRequest, rule: Rule) -> Iterator[str]:
    opinions = reviews.latest_opinionated(engine, pull, writers_only=True)
    wanted = int(rule.parameters.get("required_approving_review_count", 0))
    if wanted and any(review.state == "CHANGES_REQUESTED" for review in opinions):
        yield "Changes have been requested"
    if len(reviews.counting_approvals(engine, pull)) < wanted:
        word = "review is" if wanted == 1 else "reviews are"
        yield f"At least {wanted} approving {word} required by reviewers with write access."
    elif rule.parameters.get("require_last_push_approval") and not reviews.counting_approvals(engine, pull):
        yield "New changes require approval from someone other than the last pusher."


def _up_to_date(engine: Engine, pull: PullRequest) -> bool:
    repo = engine.store.repositories.need(pull.repo_id)
    return engine.git(repo).graph.is_ancestor(pull.base_oid, pull.head_oid)


def _all_signed(engine: Engine, repo: Repository, pull: PullRequest) -> bool:
    """Whether every commit is signed. GitHub signs what it merges and squashes, never what it rebases.

    https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches#require-signed-commits
    """
    git = engine.git(repo)
    return all(git.need(oid).signature is not None for oid in git.graph.ahead(pull.base_oid, pull.head_oid))


def behind(engine: Engine, repo: Repository, pull: PullRequest) -> bool:
    """Whether a rule wants the head up to date with the base, and it is not. Never where a queue merges."""
    branch = target_branch(engine, pull)
    if protection.parameters(engine, repo, branch, "merge_queue") is not None:
        return False
    rule = protection.parameters(engine, repo, branch, "required_status_checks")
    return rule is not None and _strict(rule) and not _up_to_date(engine, pull)


def _strict(parameters: Json) -> bool:
    """Whether heads must be up to date; without any required check that does nothing (home-operations/tuppr#426)."""
    return bool(parameters.get("strict_required_status_checks_policy") and parameters["required_status_checks"])


def refusal(found: list[Objection]) -> ApiError:
    """The 405 for rules in the way: old-style protection names one, rulesets list theirs."""
    classic = [objection.text for objection in found if objection.classic]
    if classic:
        return ApiError(405, classic[0])
    lines = "\n\n".join(objection.text for objection in found)
    return ApiError(405, f"Repository rule violations found\n\n{lines}\n\n")
