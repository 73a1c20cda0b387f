"""Branch protection and rulesets: which rules hold for a branch.

What they say to a push is ``pushrules``, what they say to a merge ``objections``. A rule is GitHub's object,
``{"type": ..., "parameters": {...}}``; types known here are in RULE_TYPES. Old-style branch protection (``classic``)
has the same rules and other words.
Sources: https://docs.github.com/rest/repos/rules, https://docs.github.com/rest/branches/branch-protection.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import Json, Repository, Ruleset, User

RULE_TYPES = (
    "creation",
    "update",
    "deletion",
    "non_fast_forward",
    "required_linear_history",
    "required_signatures",
    "pull_request",
    "required_status_checks",
    "merge_queue",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in force for a branch, and the ruleset it comes from."""

    type: str
    parameters: Json
    ruleset: Ruleset

    def as_json(self, source: str) -> Json:
        """As ``GET /repos/{o}/{r}/rules/branches/{branch}`` lists it."""
        found: Json = {
            "type": self.type,
            "ruleset_source_type": "Repository",
            "ruleset_source": source,
            "ruleset_id": self.ruleset.id,
        }
        if self.parameters:
            found["parameters"] = self.parameters
        return found


def add_ruleset(
    engine: Engine,
    repo: Repository,
    patterns: Sequence[str],
    rules: Sequence[Json],
    *,
    name: str = "rules",
    classic: bool = False,
    bypass: Sequence[User] = (),
) -> Ruleset:
    """Put rules on all branches, present and future, that match one of the patterns."""
    for rule in rules:
        if rule.get("type") not in RULE_TYPES:
            raise ApiError(422, "Invalid request.", errors=[f"Invalid rule '{rule.get('type')}'"])
    with engine.transaction():
        return engine.store.rulesets.add(
            Ruleset(
                repo_id=repo.id,
                name=name,
                patterns=list(patterns),
                rules=[_complete(rule) for rule in rules],
                classic=classic,
                bypass_user_ids=[user.id for user in bypass],
                created_at=engine.now(),
                updated_at=engine.now(),
            )
        )


def _complete(rule: Json) -> Json:
    """Fill in the parameters that GitHub's answers always have."""
    defaults = _DEFAULTS.get(rule["type"])
    if defaults is None:
        return rule
    return {**rule, "parameters": {**defaults, **rule.get("parameters", {})}}


_DEFAULTS: dict[str, Json] = {
    "pull_request": {
        "allowed_merge_methods": ["merge", "squash", "rebase"],
        "required_approving_review_count": 0,
        "dismiss_stale_reviews_on_push": False,
        "require_code_owner_review": False,
        "require_last_push_approval": False,
        "required_review_thread_resolution": False,
    },
    "required_status_checks": {"required_status_checks": [], "strict_required_status_checks_policy": False},
    "merge_queue": {
        "check_response_timeout_minutes": 60,
        "grouping_strategy": "ALLGREEN",
        "max_entries_to_build": 5,
        "max_entries_to_merge": 5,
        "merge_method": "MERGE",
        "min_entries_to_merge": 1,
        "min_entries_to_merge_wait_minutes": 5,
    },
}


def rules_for(engine: Engine, repo: Repository, branch: str) -> list[Rule]:
    """All rules in force for a branch, which need not exist."""
    return [
        Rule(rule["type"], rule.get("parameters", {}), ruleset)
        for ruleset in engine.store.rulesets.by(repo_id=repo.id)
        if ruleset.enforcement == "active" and any(matches(p, branch, repo) for p in ruleset.patterns)
        for rule in ruleset.rules
    ]


def matches(pattern: str, branch: str, repo: Repository) -> bool:
    """Whether a ruleset's ref pattern takes in a branch; ``~ALL`` and ``~DEFAULT_BRANCH`` as GitHub has them."""
    if pattern == "~ALL":
        return True
    if pattern == "~DEFAULT_BRANCH":
        return branch == repo.default_branch
    return fnmatchcase(branch, pattern.removeprefix("refs/heads/"))


def parameters(engine: Engine, repo: Repository, branch: str, kind: str) -> Json | None:
    """The parameters of the strictest rule of a kind; None without one. Several are joined, as GitHub does."""
    found = [rule.parameters for rule in rules_for(engine, repo, branch) if rule.type == kind]
    if not found:
        return None
    joined: Json = {}
    for part in found:
        for key, value in part.items():
            joined[key] = _stricter(joined[key], value) if key in joined else value
    return joined


def _stricter(one: object, other: object) -> object:
    if isinstance(one, bool) and isinstance(other, bool):
        return one or other
    if isinstance(one, int) and isinstance(other, int):
        return max(one, other)
    if isinstance(one, list) and isinstance(other, list):
        return [*one, *(item for item in other if item not in one)]
    return other


def is_protected(engine: Engine, repo: Repository, branch: str) -> bool:
    """Whether any rule holds for a branch."""
    return bool(rules_for(engine, repo, branch))


def bypasses(rule: Rule, viewer: User | None) -> bool:
    """Whether a rule lets this user pass."""
    return viewer is not None and viewer.id in rule.ruleset.bypass_user_ids


def unmet_checks(engine: Engine, repo: Repository, parameters: Json, oid: str) -> Iterator[str]:
    """One text for each required check that has not passed on a commit."""
    for wanted in parameters.get("required_status_checks", []):
        name = wanted["context"]
        state = check_state(engine, repo, oid, name)
        if state is None:
            yield f'Required status check "{name}" is expected.'
        elif state != "success":
            yield f'Required status check "{name}" is {_STATE_WORDS[state]}.'


_STATE_WORDS = {"failure": "failing", "running": "in progress", "pending": "pending"}


def check_state(engine: Engine, repo: Repository, oid: str, name: str) -> str | None:
    """success, failure, pending or running, from the newest status or check run of that name; None without."""
    runs = [run for run in engine.store.check_runs.by(repo_id=repo.id, oid=oid) if run.name == name]
    if runs:
        if runs[-1].status != "completed":
            return "running" if runs[-1].status == "in_progress" else "pending"
        return "success" if runs[-1].conclusion in {"success", "neutral", "skipped"} else "failure"
    statuses = [s for s in engine.store.statuses.by(repo_id=repo.id, oid=oid) if s.context == name]
    if statuses:
        return {"success": "success", "pending": "pending"}.get(statuses[-1].state, "failure")
    return None
