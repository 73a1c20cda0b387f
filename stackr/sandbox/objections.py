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
from stackr.sandbox.model import PullRequest, Repository, User
from stackr.sandbox.protection import Rule


@dataclass(frozen=True, slots=True)
class Objection:
    """One line, and whether old-style branch protection says it."""

    text: str
    classic: bool


def against_merging(engine: Engine, viewer: User | None, pull: PullRequest, method: str) -> list[Objection]:
    """Every rule in the way; ``viewer`` None asks for somebody without any bypass."""
    repo = engine.store.repositories.need(pull.repo_id)
    return [
        Objection(text, rule.ruleset.classic)
        for rule in protection.rules_for(engine, repo, pull.base_ref)
        if not protection.bypasses(rule, viewer)
        for text in _texts(engine, repo, pull, rule, method)
    ]


def _texts(engine: Engine, repo: Repository, pull: PullRequest, rule: Rule, method: str) -> Iterator[str]:
    match rule.type:
        case "pull_request":
            yield from _review_texts(engine, pull, rule)
        case "required_status_checks":
            yield from protection.unmet_checks(engine, repo, rule.parameters, pull.head_oid)
            if rule.parameters.get("strict_required_status_checks_policy") and not _up_to_date(engine, pull):
                yield "Head branch is out of date. Review and try the merge again."
        case "required_linear_history" if method == "merge":
            yield "This branch must not contain merge commits."
        case "update":
            yield "Cannot update this protected ref."
        case "merge_queue":
            yield "Changes must be made through the merge queue"


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


def behind(engine: Engine, repo: Repository, pull: PullRequest) -> bool:
    """Whether a rule wants the head up to date with the base, and it is not."""
    rule = protection.parameters(engine, repo, pull.base_ref, "required_status_checks")
    strict = rule is not None and rule.get("strict_required_status_checks_policy")
    return bool(strict) and not _up_to_date(engine, pull)


def refusal(found: list[Objection]) -> ApiError:
    """The 405 for rules in the way: old-style protection names one, rulesets list theirs."""
    classic = [objection.text for objection in found if objection.classic]
    if classic:
        return ApiError(405, classic[0])
    lines = "\n\n".join(objection.text for objection in found)
    return ApiError(405, f"Repository rule violations found\n\n{lines}\n\n")
