"""What rules say to a push, and to moving a branch through the API.

Texts GH006 (old-style protection) and GH013 (rulesets) as git prints them on a refused push. Which rules hold is
``protection``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stackr.sandbox import protection
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.model import Repository, User
from stackr.sandbox.protection import Rule


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
    for rule in protection.rules_for(engine, repo, branch):
        if protection.bypasses(rule, viewer):
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
            queues = [rule for rule in protection.rules_for(engine, repo, entry.base_ref) if rule.type == "merge_queue"]
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
            missing = list(protection.unmet_checks(engine, repo, rule.parameters, new))
            return missing[0] if len(missing) == 1 else _several(missing)
    return None


def _several(missing: Sequence[str]) -> str | None:
    if not missing:
        return None
    return f"{len(missing)} of {len(missing)} required status checks are expected."


COMMIT_RULES = {
    "non_fast_forward": "Cannot force-push to this branch",
    "required_linear_history": "This branch must not contain merge commits.",
    "required_signatures": "Commits must have verified signatures.",
}


def commit_rules(engine: Engine, repo: Repository, viewer: User | None, branch: str) -> list[tuple[str, Violation]]:
    """The rules that look at the pushed commits, with what to say when one is broken."""
    return [
        (rule.type, Violation(f"refs/heads/{branch}", COMMIT_RULES[rule.type], rule.ruleset.classic))
        for rule in protection.rules_for(engine, repo, branch)
        if rule.type in COMMIT_RULES and not protection.bypasses(rule, viewer)
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
