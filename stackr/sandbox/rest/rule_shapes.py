"""The JSON of rulesets and of old-style branch protection."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from stackr.sandbox.engine import Engine
from stackr.sandbox.ids import node_id
from stackr.sandbox.model import Json, Repository, Ruleset
from stackr.sandbox.protection import Rule
from stackr.sandbox.rest.people import repo_api


def branch_protection(engine: Engine, repo: Repository, branch: str, rules: Sequence[Rule]) -> Json:
    """Schema branch-protection, from our rules."""
    url = repo_api(engine, repo, f"/branches/{quote(branch)}/protection")
    by_type = {rule.type: rule.parameters for rule in rules}
    found: Json = {
        "url": url,
        "enforce_admins": {"url": f"{url}/enforce_admins", "enabled": True},
        "required_linear_history": {"enabled": "required_linear_history" in by_type},
        "allow_force_pushes": {"enabled": "non_fast_forward" not in by_type},
        "allow_deletions": {"enabled": "deletion" not in by_type},
        "block_creations": {"enabled": "creation" in by_type},
        "required_conversation_resolution": {"enabled": False},
        "lock_branch": {"enabled": False},
        "allow_fork_syncing": {"enabled": False},
        "required_signatures": {
            "url": f"{url}/required_signatures",
            "enabled": "required_signatures" in by_type,
        },
    }
    if "required_status_checks" in by_type:
        contexts = [c["context"] for c in by_type["required_status_checks"]["required_status_checks"]]
        found["required_status_checks"] = {
            "url": f"{url}/required_status_checks",
            "strict": by_type["required_status_checks"]["strict_required_status_checks_policy"],
            "contexts": contexts,
            "contexts_url": f"{url}/required_status_checks/contexts",
            "checks": [{"context": name, "app_id": None} for name in contexts],
        }
    if "pull_request" in by_type:
        wanted = by_type["pull_request"]
        found["required_pull_request_reviews"] = {
            "url": f"{url}/required_pull_request_reviews",
            "dismiss_stale_reviews": wanted["dismiss_stale_reviews_on_push"],
            "require_code_owner_reviews": wanted["require_code_owner_review"],
            "required_approving_review_count": wanted["required_approving_review_count"],
            "require_last_push_approval": wanted["require_last_push_approval"],
        }
    return found


def ruleset(repo_name: str, row: Ruleset) -> Json:
    """Schema repository-ruleset, as lists have it."""
    return {
        "id": row.id,
        "name": row.name,
        "target": "branch",
        "source_type": "Repository",
        "source": repo_name,
        "enforcement": row.enforcement,
        "node_id": node_id("RepositoryRuleset", row.id),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }
