"""Branch protection and rulesets: which rules hold for a branch, and what they say to a push or a merge.

A rule is GitHub's object, ``{"type": ..., "parameters": {...}}``; types known here are in RULE_TYPES. Old-style
branch protection (``classic``) has the same rules and other words.
Sources: https://docs.github.com/rest/repos/rules, https://docs.github.com/rest/branches/branch-protection,
texts GH006 and GH013 as git prints them on a refused push.
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


@dataclass(frozen=True, slots=True)
class Violation:
    """Why a ref may not move: the rule's line, and whether old-style protection or a ruleset says so."""

    ref: str
    text: str
    classic: bool

    def status_line(self) -> str:
        """What follows ``! [remote rejected] main -> main``."""
        if self.classic:
            return "protected branch hook declined"
        return "push declined due to repository rule violations"

    def remote_text(self, url: str) -> str:
        """What git prints behind ``remote:``."""
        if self.classic:
            return f"error: GH006: Protected branch update failed for {self.ref}.\nerror: {self.text}\n"
        place = self.ref.replace("/", "%2F")
        return (
            f"error: GH013: Repository rule violations found for {self.ref}.\n"
            f"Review all repository rules at {url}/rules?ref={place}\n\n- {self.text}\n\n"
        )


def push_violation(
    engine: Engine, repo: Repository, viewer: User | None, branch: str, old: str | None, new: str | None
) -> Violation | None:
    """The first rule against creating (old None), deleting (new None) or moving a branch by push or ref API.

    Rules about the new commits themselves need their objects: see ``commit_rules``.
    """
    if branch.startswith(QUEUE_PREFIX):
        return Violation(f"refs/heads/{branch}", "Cannot update this protected ref.", classic=False)
    if old is not None and new is not None:
        locked = _locked_by_queue(engine, repo, branch)
        if locked is not None:
            return locked
    for rule in rules_for(engine, repo, branch):
        if bypasses(rule, viewer):
            continue
        text = _text_for(engine, repo, rule, old, new)
        if text:
            return Violation(f"refs/heads/{branch}", text, rule.ruleset.classic)
    return None


# GitHub's own, and nobody else's: mergequeue.
QUEUE_PREFIX = "gh-readonly-queue/"
# As git printed it in SharezoneApp/sharezone-app#605. A fork's branch cannot be locked: a push there costs the place.
_QUEUED = (
    "A pull request for this branch has been added to a merge queue. Branches that\n"
    "are queued for merging cannot be updated. To modify this branch, dequeue the\n"
    "associated pull request."
)


def _locked_by_queue(engine: Engine, repo: Repository, branch: str) -> Violation | None:
    """A branch whose pull request waits in a queue of the same repository takes no push, from nobody."""
    for pull in engine.store.pulls.by(head_repo_id=repo.id, head_ref=branch):
        entry = engine.store.queue_entries.one(repo_id=pull.repo_id, number=pull.number)
        if entry is not None and pull.repo_id == repo.id:
            queues = [rule for rule in rules_for(engine, repo, entry.base_ref) if rule.type == "merge_queue"]
            return Violation(f"refs/heads/{branch}", _QUEUED, all(rule.ruleset.classic for rule in queues))
    return None


def _text_for(engine: Engine, repo: Repository, rule: Rule, old: str | None, new: str | None) -> str | None:
    match rule.type:
        case "creation" if old is None:
            return "Cannot create ref due to creations being restricted."
        case "deletion" if new is None:
            return "Cannot delete this branch"
        case "update" if new is not None and old is not None:
            return (
                "You're not authorized to push to this branch."
                if rule.ruleset.classic
                else "Cannot update this protected ref."
            )
        case "pull_request" if new is not None and old is not None:
            return "Changes must be made through a pull request."
        case "merge_queue" if new is not None and old is not None:
            return "Changes must be made through the merge queue"
        case "required_status_checks" if new is not None and old is not None:
            missing = list(unmet_checks(engine, repo, rule.parameters, new))
            return missing[0] if len(missing) == 1 else _several(missing)
    return None


def _several(missing: Sequence[str]) -> str | None:
    if not missing:
        return None
    return f"{len(missing)} of {len(missing)} required status checks are expected."


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


COMMIT_RULES = {
    "non_fast_forward": "Cannot force-push to this branch",
    "required_linear_history": "This branch must not contain merge commits.",
    "required_signatures": "Commits must have verified signatures.",
}


def commit_rules(engine: Engine, repo: Repository, viewer: User | None, branch: str) -> list[tuple[str, Violation]]:
    """The rules that look at the pushed commits, with what to say when one is broken."""
    return [
        (rule.type, Violation(f"refs/heads/{branch}", COMMIT_RULES[rule.type], rule.ruleset.classic))
        for rule in rules_for(engine, repo, branch)
        if rule.type in COMMIT_RULES and not bypasses(rule, viewer)
    ]


def broken_commit_rule(
    engine: Engine, repo: Repository, viewer: User | None, branch: str, old: str | None, new: str
) -> Violation | None:
    """The first rule that commits already in the repository break when a branch moves to them."""
    git = engine.git(repo)
    rules = commit_rules(engine, repo, viewer, branch)
    if not rules:
        return None
    known = old or git.branch(repo.default_branch)
    fresh = git.graph.ahead(known, new) if known else git.graph.history(new)
    for kind, violation in rules:
        broken = {
            "non_fast_forward": old is not None and not git.graph.is_ancestor(old, new),
            "required_linear_history": any(len(git.graph.parents[oid]) > 1 for oid in fresh),
            "required_signatures": any(git.need(oid).signature is None for oid in fresh),
        }
        if broken[kind]:
            return violation
    return None


def refuse_ref_update(
    engine: Engine, repo: Repository, viewer: User | None, branch: str, old: str | None, new: str | None
) -> None:
    """Refuse moving a branch through the API: the same rules as for a push, as a 422."""
    found = push_violation(engine, repo, viewer, branch, old, new)
    if found is None and new is not None:
        found = broken_commit_rule(engine, repo, viewer, branch, old, new)
    if found is None:
        return
    if found.classic:
        raise ApiError(422, f"Protected branch update failed for {found.ref}. {found.text}")
    raise ApiError(422, f"Repository rule violations found\n\n{found.text}\n\n")
